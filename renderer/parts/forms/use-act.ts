import { useRef, useState } from 'react'

export type Act = {
  /** Runs it, unless something still runs: a double click does one thing, not two. */
  readonly act: (run: () => unknown) => Promise<void>
  /** Why the last one failed; null where it did not. */
  readonly problem: unknown
  readonly state: 'idle' | 'running' | 'done'
  /** Forgets how the last one went. */
  readonly clear: () => void
}

/** What a button or a form does: one thing at a time, and why the last one failed. */
export function useAct(): Act {
  const [problem, setProblem] = useState<unknown>(null)
  const [state, setState] = useState<Act['state']>('idle')
  // A second click comes before React has drawn what the first one began.
  const running = useRef(false)
  return {
    problem,
    state,
    async act(run) {
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
