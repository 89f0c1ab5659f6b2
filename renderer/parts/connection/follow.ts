import type { Change, ChangingEntity } from '../../../shared/changes.ts'
import { passOver } from './incidents.ts'
import { keepLoaded } from './reach.ts'
import { onChanges, onLog } from './session.ts'

const WAIT_MS = 500

type Spaced = {
  /** Runs now, or as soon as the time since the last run has passed. */
  readonly ask: () => void
  readonly stop: () => void
}

/**
 * Runs something as often as it is asked for, but never twice at the same time, and with a pause after each run: all
 * who ask meanwhile share the next one. A run that fails is left to the next time.
 */
export function spaced(run: () => unknown, pause_ms = WAIT_MS): Spaced {
  let asked = false
  let running = false
  let stopped = false
  async function runAll(): Promise<void> {
    running = true
    while (asked && !stopped) {
      asked = false
      await attempt(run)
      await new Promise((resolve) => setTimeout(resolve, pause_ms))
    }
    running = false
  }
  return {
    ask() {
      asked = true
      if (!running) void runAll()
    },
    stop() {
      stopped = true
    },
  }
}

/** What is read beside the point is read again later. */
async function attempt(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    passOver(error)
  }
}

/** Runs something, spaced, when entities of these sorts have changed; gives what stops it. */
export function followChanges(
  entities: readonly ChangingEntity[],
  run: () => unknown,
  pause_ms = WAIT_MS,
): () => void {
  return follow(
    (ask) =>
      onChanges((changes) => {
        if (changes.some(({ entity }) => entities.includes(entity))) ask()
      }),
    run,
    pause_ms,
  )
}

/** Runs something, spaced, when something was recorded; gives what stops it. */
export function followRecords(run: () => unknown, pause_ms = WAIT_MS): () => void {
  return follow(onLog, run, pause_ms)
}

function follow(listen: (ask: () => void) => () => void, run: () => unknown, pause_ms: number): () => void {
  const { ask, stop } = spaced(run, pause_ms)
  const stopListening = listen(ask)
  return () => {
    stopListening()
    stop()
  }
}

/** Loads now, whenever events may have been missed, and when entities of these sorts have changed. */
export function keepCurrent(
  load: () => unknown,
  entities: readonly ChangingEntity[],
  pause_ms = WAIT_MS,
): () => void {
  const stops = [keepLoaded(() => attempt(load)), followChanges(entities, load, pause_ms)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Whether changes name this entity, or leave their entities of its sort unnamed. */
export function mayConcern({ entity, ids }: Change, sort: ChangingEntity, id: string): boolean {
  return entity === sort && (ids === 'unnamed' || ids.includes(id))
}
