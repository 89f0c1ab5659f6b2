import { type SyntheticEvent, useState } from 'react'
import { fieldErrorsOf } from '../messages/sentence.ts'
import { useTyped } from '../navigation/unsaved.ts'
import { type Act, useAct } from './use-act.ts'

type Errors = Readonly<Record<string, string>>

type Options<Values, Result> = {
  readonly initial: Values | (() => Values)
  /** The input that leaving would lose, so that the owner is asked first. Omit it if nothing would be lost. */
  readonly typed?: (values: Values) => unknown
  /** What prevents sending, by member; shown from the first attempt on. */
  readonly check?: (values: Values) => Errors
  readonly send: (values: Values) => Promise<Result>
  /** Runs once the form is stored. */
  readonly done?: (result: Result) => unknown
}

/** The members that hold free text rather than one of a few literals. */
type TextName<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? (Values[Name] extends string ? Name : never) : never
}[keyof Values] &
  string

export type Form<Values> = Pick<Act, 'problem' | 'state'> & {
  readonly values: Values
  /** Changes values and clears the earlier messages about them. */
  readonly change: (part: Partial<Values>) => void
  /** Shows what prevents sending only from the next attempt on. */
  readonly untry: () => void
  /** Starts over with these values, which are already stored. */
  readonly reset: (values: Values) => void
  /** Whether there is unsaved input. */
  readonly isTyped: boolean
  /** Messages by the path the vault names: `data.number`, `origins[0]`. */
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
 * A form: its values, the question before unsaved input is lost, one submission at a time, and the vault's messages
 * about its members. SECURITY: values live only in the component and disappear with it, also when the vault is locked.
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
    untry: () => setTried(false),
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
