import { type SyntheticEvent, useState } from 'react'
import { getFieldErrors } from '../messages/describe-error.ts'
import { useUnsavedInput } from '../navigation/unsaved.ts'
import { type ActionRunner, useAction } from './use-action.ts'

type FormErrors = Readonly<Record<string, string>>

type UseFormOptions<Values, Result> = {
  readonly initial: Values | (() => Values)
  /** The input that leaving would lose, so that the owner is asked first. Omit it if nothing would be lost. */
  readonly getUnsavedInput?: (values: Values) => unknown
  /** What prevents sending, by member; shown from the first attempt on. */
  readonly check?: (values: Values) => FormErrors
  readonly send: (values: Values) => Promise<Result>
  /** Runs once the form is stored. */
  readonly onDone?: (result: Result) => unknown
}

/** The members that hold free text rather than one of a few literals. */
type TextName<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? (Values[Name] extends string ? Name : never) : never
}[keyof Values] &
  string

export type FormState<Values> = Pick<ActionRunner, 'problem' | 'state'> & {
  readonly values: Values
  /** Changes values and clears the earlier messages about them. */
  readonly change: (part: Partial<Values>) => void
  /** Shows what prevents sending only from the next attempt on. */
  readonly resetSubmitted: () => void
  /** Starts over with these values, which are already stored. */
  readonly reset: (values: Values) => void
  /** Whether there is unsaved input. */
  readonly isDirty: boolean
  /** Messages by the path the vault names: `data.number`, `origins[0]`. */
  readonly errors: FormErrors
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
export function useForm<Values extends object, Result>(
  options: UseFormOptions<Values, Result>,
): FormState<Values> {
  const { initial, getUnsavedInput, check, send, onDone } = options
  const [values, setValues] = useState(initial)
  const [isSubmitted, setSubmitted] = useState(false)
  const { runAction, problem, state, clear } = useAction()
  const { isDirty, markStored } = useUnsavedInput(getUnsavedInput?.(values))
  const wrong = check?.(values) ?? {}
  const errors = { ...(isSubmitted ? wrong : {}), ...getFieldErrors(problem) }

  function changeValues(part: Partial<Values>): void {
    setValues((before) => ({ ...before, ...part }))
    clear()
  }
  return {
    values,
    problem,
    state,
    errors,
    isDirty,
    change: changeValues,
    resetSubmitted: () => setSubmitted(false),
    reset(to) {
      setValues(to)
      setSubmitted(false)
      markStored(getUnsavedInput?.(to))
    },
    text: (name) => ({
      value: String(values[name]),
      onChange: (event) => changeValues({ [name]: event.currentTarget.value } as Partial<Values>),
      error: errors[name],
    }),
    async submit(event) {
      event?.preventDefault()
      setSubmitted(true)
      if (Object.keys(wrong).length > 0) return
      await runAction(async () => {
        const result = await send(values)
        markStored(getUnsavedInput?.(values))
        await onDone?.(result)
      })
    },
  }
}
