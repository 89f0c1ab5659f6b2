import { type SyntheticEvent, useState } from 'react'
import { fieldErrorsOf } from '../messages/sentence.ts'
import { useTyped } from '../navigation/unsaved.ts'
import { type Act, useAct } from './use-act.ts'

type Errors = Readonly<Record<string, string>>

type Options<Values, Result> = {
  readonly initial: Values | (() => Values)
  /** What would be lost by leaving: the owner is asked first. Left out where nothing would be. */
  readonly typed?: (values: Values) => unknown
  /** What keeps it from being sent, by member; shown from the first try on. */
  readonly check?: (values: Values) => Errors
  readonly send: (values: Values) => Promise<Result>
  /** What follows once it is stored. */
  readonly done?: (result: Result) => unknown
}

/** The members that hold any text, not one of a few words. */
type TextName<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? (Values[Name] extends string ? Name : never) : never
}[keyof Values] &
  string

export type Form<Values> = Pick<Act, 'problem' | 'state'> & {
  readonly values: Values
  /** Changes what is typed; what was said about it before no longer counts. */
  readonly change: (part: Partial<Values>) => void
  /** Begins again with these values, which are stored. */
  readonly reset: (values: Values) => void
  /** Whether something is typed that is stored nowhere. */
  readonly isTyped: boolean
  /** What is wrong, by the path that the vault names: `data.number`, `origins[0]`. */
  readonly errors: Errors
  /** Value, change and error of a text field. */
  readonly text: (name: TextName<Values>) => {
    readonly value: string
    readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
    readonly error: string | undefined
  }
  readonly submit: (event?: SyntheticEvent) => Promise<void>
}

/**
 * A form: what is typed into it, the question before that is lost, one send at a time, and what the vault said about
 * its members. SECURITY: what is typed lives in the component alone and goes with it, also when the vault is locked.
 */
export function useForm<Values extends object, Result>(options: Options<Values, Result>): Form<Values> {
  const { initial, typed, check, send, done } = options
  const [values, setValues] = useState(initial)
  const [isTried, setTried] = useState(false)
  const { act, problem, state, clear } = useAct()
  const { isTyped, stored } = useTyped(typed?.(values))
  const wrong = check?.(values) ?? {}
  const errors = { ...(isTried ? wrong : {}), ...fieldErrorsOf(problem) }

  function change(part: Partial<Values>): void {
    setValues((before) => ({ ...before, ...part }))
    clear()
  }
  return {
    values,
    problem,
    state,
    errors,
    isTyped,
    change,
    reset(to) {
      setValues(to)
      setTried(false)
      stored(typed?.(to))
    },
    text: (name) => ({
      value: String(values[name]),
      onChange: (event) => change({ [name]: event.currentTarget.value } as Partial<Values>),
      error: errors[name],
    }),
    async submit(event) {
      event?.preventDefault()
      setTried(true)
      if (Object.keys(wrong).length > 0) return
      await act(async () => {
        const result = await send(values)
        stored(typed?.(values))
        await done?.(result)
      })
    },
  }
}
