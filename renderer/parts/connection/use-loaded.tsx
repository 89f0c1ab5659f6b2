import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { NotLoaded, Waiting } from '../../ui/waiting.tsx'
import { sentenceOf } from '../messages/sentence.ts'
import { passOver } from './incidents.ts'
import { latest } from './latest.ts'
import { keepLoaded } from './reach.ts'

type Loaded<T> = {
  /** Null until loaded. */
  readonly value: T | null
  /** Why loading failed, or why the value may be out of date. */
  readonly problem: unknown
  /** Loads the value again; a failure is reported in `problem`. */
  readonly load: () => Promise<void>
  readonly set: (value: T) => void
}

type Options = {
  /** What the value depends on: when this changes, it is loaded again. */
  readonly about?: string
  /** Keep showing the old value while the new one loads. */
  readonly stays?: boolean
  /** How long `about` must stay unchanged before loading, for text that is being typed. */
  readonly wait_ms?: number
}

/** A value that a part of a screen shows: loaded when it opens and whenever events may have been missed. */
export function useLoaded<T>(read: () => Promise<T>, options: Options = {}): Loaded<T> {
  const { about = '', stays = false, wait_ms = 0 } = options
  const [state, setState] = useState<{ about: string; value: T | null; problem: unknown }>({
    about,
    value: null,
    problem: null,
  })
  const reading = useRef(read)
  reading.current = read
  const [answers] = useState(latest)
  const load = useCallback(async () => {
    const isWanted = answers.begin()
    try {
      const value = await reading.current()
      if (isWanted()) setState({ about, value, problem: null })
    } catch (problem) {
      passOver(problem)
      if (!isWanted()) return
      setState((before) => ({ about, value: stays || before.about === about ? before.value : null, problem }))
    }
  }, [about, stays, answers])
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
      answers.begin()
    }
  }, [load, wait_ms, answers])
  const set = useCallback(
    (value: T) => {
      answers.begin()
      setState({ about, value, problem: null })
    },
    [about, answers],
  )
  const isOfThis = stays || state.about === about
  return { value: isOfThis ? state.value : null, problem: isOfThis ? state.problem : null, load, set }
}

type ShownProps<T> = {
  readonly of: Pick<Loaded<T>, 'value' | 'problem' | 'load'>
  readonly lines?: number
  readonly children: (value: T) => ReactNode
}

/** Shows the loaded value; until then, placeholder lines or the reason it is missing. */
export function Shown<T>({ of: { value, problem, load }, lines, children }: ShownProps<T>) {
  return (
    <>
      {problem !== null && <NotLoaded why={sentenceOf(problem)} onRetry={load} />}
      {value === null ? problem === null && <Waiting {...(lines && { lines })} /> : children(value)}
    </>
  )
}
