import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { onReturn, useReach } from '../../parts/connection/reach.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { Failure } from '../../ui/failure.tsx'
import { retryScreens } from './screen-of.ts'
import { strings } from './strings.ts'

type State = { readonly problem: unknown }

/** Shows an error in place of a screen that cannot be loaded or rendered; the frame around it stays. */
export class ScreenBoundary extends Component<{ readonly children: ReactNode }, State> {
  static getDerivedStateFromError(problem: unknown): State {
    return { problem }
  }

  override state: State = { problem: null }
  #stop = () => {}

  override componentDidMount(): void {
    // What could not be fetched while the server was gone can be fetched now.
    this.#stop = onReturn(() => {
      if (this.state.problem === null) return
      retryScreens()
      this.setState({ problem: null })
    })
  }

  override componentWillUnmount(): void {
    this.#stop()
  }

  override render(): ReactNode {
    const { problem } = this.state
    return problem === null ? this.props.children : <NotDrawn problem={problem} />
  }
}

function NotDrawn({ problem }: { problem: unknown }) {
  const { gone } = useReach()
  return (
    <div className="list-failure">
      <Failure>{gone ? strings.noScreen : sentenceOf(problem)}</Failure>
      {!gone && (
        <Button variant="default" mt="sm" onClick={() => location.reload()}>
          {strings.reload}
        </Button>
      )}
    </div>
  )
}
