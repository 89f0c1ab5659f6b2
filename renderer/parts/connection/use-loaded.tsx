import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { ChangingEntity } from '../../../shared/entities.ts'
import { Loading, NotLoaded } from '../../ui/loading.tsx'
import { describeError } from '../messages/describe-error.ts'
import { followChanges, followConnections, followRecords } from './change-subscription.ts'
import { keepLoaded } from './connection-state.ts'
import { handleBackgroundError } from './incidents.ts'
import { createRequestGuard } from './request-guard.ts'

type Loaded<T> = {
  readonly value: T | null
  /** The error of the last load, after which the value may be out of date; null if the load succeeded. */
  readonly problem: unknown
  /** Loads the value again. A failure is stored in `problem`. */
  readonly load: () => Promise<void>
  readonly set: (value: T) => void
}

type UseLoadedOptions = {
  /** Identifies the value: when this key changes, the value is loaded again. */
  readonly about?: string
  /** Whether the old value stays on screen while the new one loads. */
  readonly stays?: boolean
  /** The debounce: how long `about` must stay unchanged before the value is loaded, for text that is being typed. */
  readonly wait_ms?: number
  /** What loads the value again: changes of entities, new records of the log, or programs at the hosted names. */
  readonly follows?: readonly ChangingEntity[] | 'log' | 'connections'
}

/** Loads a value when the component mounts and whenever events may have been missed. */
export function useLoaded<T>(read: () => Promise<T>, options: UseLoadedOptions = {}): Loaded<T> {
  const { about = '', stays = false, wait_ms = 0, follows = [] } = options
  const [state, setState] = useState<{ about: string; value: T | null; problem: unknown }>({
    about,
    value: null,
    problem: null,
  })
  const reading = useRef(read)
  reading.current = read
  const [guard] = useState(createRequestGuard)
  const load = useCallback(async () => {
    const isCurrent = guard.start()
    try {
      const value = await reading.current()
      if (isCurrent()) setState({ about, value, problem: null })
    } catch (problem) {
      handleBackgroundError(problem)
      if (!isCurrent()) return
      setState((before) => ({ about, value: stays || before.about === about ? before.value : null, problem }))
    }
  }, [about, stays, guard])
  useEffect(() => {
    let stop = () => {}
    const start = () => {
      stop = keepLoaded(load)
    }
    const timer = wait_ms > 0 ? setTimeout(start, wait_ms) : undefined
    if (timer === undefined) start()
    return () => {
      clearTimeout(timer)
      stop()
      guard.start()
    }
  }, [load, wait_ms, guard])
  const followed = JSON.stringify(follows)
  useEffect(() => {
    const source: typeof follows = JSON.parse(followed)
    if (source === 'log') return followRecords(load)
    if (source === 'connections') return followConnections(load)
    return source.length > 0 ? followChanges(source, load) : undefined
  }, [followed, load])
  const set = useCallback(
    (value: T) => {
      guard.start()
      setState({ about, value, problem: null })
    },
    [about, guard],
  )
  const isOfThis = stays || state.about === about
  return { value: isOfThis ? state.value : null, problem: isOfThis ? state.problem : null, load, set }
}

type LoadedViewProps<T> = {
  readonly of: Pick<Loaded<T>, 'value' | 'problem' | 'load'>
  readonly lines?: number
  readonly children: (value: T) => ReactNode
}

/** Renders the loaded value. Until there is one, renders placeholder lines or the error of the load. */
export function LoadedView<T>({ of: { value, problem, load }, lines, children }: LoadedViewProps<T>) {
  return (
    <>
      {problem !== null && <NotLoaded why={describeError(problem)} onRetry={load} />}
      {value === null ? problem === null && <Loading {...(lines && { lines })} /> : children(value)}
    </>
  )
}
