import { useEffect, useRef, useState } from 'react'
import { onReturn } from '../connection/connection-state.ts'
import { hasCode } from '../messages/describe-error.ts'

export type ActionRunner = {
  /** Runs an action unless one is still running, so that a double click has no second effect. */
  readonly runAction: (run: () => unknown) => Promise<void>
  /** The error of the last action; null if it succeeded. */
  readonly problem: unknown
  readonly state: 'idle' | 'running' | 'done'
  readonly clear: () => void
}

/** Runs the actions of a button or form one at a time, and stores the last error. */
export function useAction(): ActionRunner {
  const [problem, setProblem] = useState<unknown>(null)
  const [state, setState] = useState<ActionRunner['state']>('idle')
  // A ref, because a second click can come before React has rendered the first one's effect.
  const running = useRef(false)
  const focused = useRef<Element | null>(null)
  // The browser takes the focus from a button that is disabled while its action runs.
  useEffect(() => {
    const { current: button } = focused
    if (state === 'running' || document.activeElement !== document.body) return
    if (button instanceof HTMLElement) button.focus({ preventScroll: true })
  }, [state])
  // Once Coffer is back, the message that it did not respond is outdated.
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
      focused.current = document.activeElement
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
