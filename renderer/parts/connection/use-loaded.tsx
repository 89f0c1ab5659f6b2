import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { NotLoaded, Waiting } from '../../ui/waiting.tsx'
import { sentenceOf } from '../messages/sentence.ts'
import { keepLoaded } from './reach.ts'

type Loaded<T> = {
  /** Null until it is known. */
  readonly value: T | null
  /** Why it is not known, or not as it is now. */
  readonly problem: unknown
  /** Reads it again; what fails is told by `problem`. */
  readonly load: () => Promise<void>
  readonly set: (value: T) => void
}

/** Something a part of a screen shows: read when it opens, and whenever events may have been missed. */
export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; problem: unknown }>({ value: null, problem: null })
  const reading = useRef(read)
  reading.current = read
  const round = useRef(0)
  const load = useCallback(async () => {
    const mine = ++round.current
    try {
      const value = await reading.current()
      if (mine === round.current) setState({ value, problem: null })
    } catch (problem) {
      if (mine === round.current) setState(({ value }) => ({ value, problem }))
    }
  }, [])
  useEffect(() => keepLoaded(load), [load])
  const set = useCallback((value: T) => {
    round.current++
    setState({ value, problem: null })
  }, [])
  return { ...state, load, set }
}

type ShownProps<T> = {
  readonly of: Pick<Loaded<T>, 'value' | 'problem' | 'load'>
  readonly lines?: number
  readonly children: (value: T) => ReactNode
}

/** What was loaded; until then lines that stand for it, or why it is not there. */
export function Shown<T>({ of: { value, problem, load }, lines, children }: ShownProps<T>) {
  return (
    <>
      {problem !== null && <NotLoaded why={sentenceOf(problem)} onRetry={load} />}
      {value === null ? problem === null && <Waiting {...(lines && { lines })} /> : children(value)}
    </>
  )
}
