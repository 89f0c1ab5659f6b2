import { useEffect, useRef, useState } from 'react'
import { onReturn } from '../connection/connection-state.ts'
import { hasCode } from '../messages/describe-error.ts'

export type ActionRunner = {
  /** Runs an action unless one is still running, so that a double click acts once. */
  readonly runAction: (run: () => unknown) => Promise<void>
  /** Why the last action failed; null if it did not. */
  readonly problem: unknown
  readonly state: 'idle' | 'running' | 'done'
  /** Clears the problem. */
  readonly clear: () => void
}

/** Runs the actions of a button or form one at a time, and keeps why the last one failed. */
export function useAction(): ActionRunner {
  const [problem, setProblem] = useState<unknown>(null)
  const [state, setState] = useState<ActionRunner['state']>('idle')
  // A ref, because a second click can arrive before React has rendered the first one's effect.
  const running = useRef(false)
  // That Coffer did not respond no longer matters once it is back.
  useEffect(
    () => onReturn(() => setProblem((why: unknown) => (hasCode(why, 'unavailable') ? null : why))),
    [],
  )
  return {
    problem,
    state,
    async runAction(run) {
      if (running.current) return
      running.current = true
      setProblem(null)
      setState('running')
      try {
        await run()
        setState('done')
      } catch (error) {
        setProblem(error)
        setState('idle')
      } finally {
        running.current = false
      }
    },
    clear() {
      setProblem(null)
      setState((now) => (now === 'running' ? now : 'idle'))
    },
  }
}
