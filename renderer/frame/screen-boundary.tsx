import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { Failure } from '../ui/failure.tsx'

type State = { readonly problem: unknown }

/** Says so where a screen cannot be loaded or drawn, and leaves the frame around it as it is. */
export class ScreenBoundary extends Component<{ readonly children: ReactNode }, State> {
  static getDerivedStateFromError(problem: unknown): State {
    return { problem }
  }

  override state: State = { problem: null }

  override render(): ReactNode {
    const { problem } = this.state
    if (problem === null) return this.props.children
    return (
      <div className="list-failure">
        <Failure>{sentenceOf(problem)}</Failure>
        <Button variant="default" mt="sm" onClick={() => location.reload()}>
          {strings.frame.reload}
        </Button>
      </div>
    )
  }
}
