import type { ChangingEntity } from '../../../shared/entities.ts'
import type { EntityChange } from '../../../shared/entity-changes.ts'
import { keepLoaded } from './connection-state.ts'
import { handleBackgroundError } from './incidents.ts'
import { onChanges, onConnections, onLog } from './session.ts'
import { type SpacedRunner, spaceRuns } from './spaced-runner.ts'

const DEFAULT_PAUSE_MS = 500

/**
 * Runs `run` on request: one run at a time, with a pause after each. Requests that arrive during a run or a
 * pause share the next run. A failed run is not retried until the next request, and a lock drops the requests.
 */
export function createSpacedRunner(run: () => unknown, pause_ms = DEFAULT_PAUSE_MS): SpacedRunner {
  return spaceRuns(() => tryRun(run), pause_ms)
}

/** Runs `run` and ignores refusals, because `run` will be repeated. */
async function tryRun(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    handleBackgroundError(error)
  }
}

/** Runs `run` when entities of these types change, with a pause between runs. Returns a function that unsubscribes. */
export function followChanges(
  entities: readonly ChangingEntity[],
  run: () => unknown,
  pause_ms = DEFAULT_PAUSE_MS,
): () => void {
  return followEvents(
    (ask) =>
      onChanges((changes) => {
        if (changes.some(({ entity }) => entities.includes(entity))) ask()
      }),
    run,
    pause_ms,
  )
}

/** Runs `run` when the log gains records, with a pause between runs. Returns a function that unsubscribes. */
export function followRecords(run: () => unknown, pause_ms = DEFAULT_PAUSE_MS): () => void {
  return followEvents(onLog, run, pause_ms)
}

/** Runs `run` when programs come to the hosted names, with a pause between runs. Returns its end. */
export function followConnections(run: () => unknown): () => void {
  return followEvents(onConnections, run, DEFAULT_PAUSE_MS)
}

function followEvents(
  listen: (ask: () => void) => () => void,
  run: () => unknown,
  pause_ms: number,
): () => void {
  const { requestRun, stop } = createSpacedRunner(run, pause_ms)
  const stopListening = listen(requestRun)
  return () => {
    stopListening()
    stop()
  }
}

/** Loads now, when these entities change, and when events may have been missed. Returns its end. */
export function keepCurrent(
  load: () => unknown,
  entities: readonly ChangingEntity[],
  pause_ms = DEFAULT_PAUSE_MS,
): () => void {
  return joinStops(
    keepLoaded(() => tryRun(load)),
    followChanges(entities, load, pause_ms),
  )
}

/** Returns the end of several subscriptions. */
export function joinStops(...stops: readonly (() => unknown)[]): () => void {
  return () => {
    for (const stop of stops) stop()
  }
}

/** Whether a change concerns this entity. A change without ids may concern any entity of its type. */
export function mayConcern({ entity, ids }: EntityChange, sort: ChangingEntity, id: string): boolean {
  return entity === sort && (ids === 'unnamed' || ids.includes(id))
}
