import { createOpenCheck } from './store.ts'

export type SpacedRunner = {
  /** Starts a run, immediately or once the pause after the last run has passed. */
  readonly requestRun: () => void
  readonly stop: () => void
}

/** Runs `run`, which must not reject, on request, with a pause after each. A lock drops earlier requests. */
export function spaceRuns(run: () => Promise<void>, pause_ms: number): SpacedRunner {
  /** Whether the vault of the last request is still open; null if nothing is requested. */
  let isStillOpen: (() => boolean) | null = null
  let running = false
  let stopped = false
  async function runAll(): Promise<void> {
    running = true
    while (isStillOpen && !stopped) {
      const isCurrent = isStillOpen()
      isStillOpen = null
      if (isCurrent) await run()
      await new Promise((resolve) => setTimeout(resolve, pause_ms))
    }
    running = false
  }
  return {
    requestRun() {
      isStillOpen = createOpenCheck()
      if (!running) void runAll()
    },
    stop() {
      stopped = true
    },
  }
}
