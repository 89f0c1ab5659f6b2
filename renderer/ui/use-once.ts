import { useRef } from 'react'

/** Runs it, but not again while it still runs: a double click makes one thing, not two. */
export function useOnce(run: () => Promise<void>): () => Promise<void> {
  const running = useRef(false)
  return async () => {
    if (running.current) return
    running.current = true
    try {
      await run()
    } finally {
      running.current = false
    }
  }
}
