import type { ReactNode } from 'react'
import { NotLoaded } from '../../ui/loading.tsx'
import screenStyles from '../../ui/screen.module.css'
import { describeError } from '../messages/describe-error.ts'

type Props = {
  /** The error of the last load; null if it succeeded. */
  readonly problem: unknown
  /** Whether there are rows from an earlier load, which stay visible when a load fails. */
  readonly loaded: boolean
  readonly onRetry: () => void
  readonly isEmpty: boolean
  readonly empty: ReactNode
  /** The rows, or placeholders of loading rows. */
  readonly children: ReactNode
}

/** Shows a list, or why it could not be loaded, or what to do while it is empty. */
export function ListStates({ problem, loaded, onRetry, isEmpty, empty, children }: Props) {
  if (loaded) return isEmpty ? empty : children
  if (problem === null) return children
  return (
    <div className={screenStyles.listFailure}>
      <NotLoaded why={describeError(problem)} onRetry={onRetry} />
    </div>
  )
}
