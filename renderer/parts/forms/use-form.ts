import { type SyntheticEvent, useState } from 'react'
import { getFieldErrors } from '../messages/describe-error.ts'
import { useUnsavedInput } from '../navigation/unsaved.ts'
import { type ActionRunner, useAction } from './use-action.ts'

type FormErrors = Readonly<Record<string, string>>

type UseFormOptions<Values, Result> = {
  readonly initial: Values | (() => Values)
  /** Returns the input that would be lost, so that the owner is asked before leaving. */
  readonly getUnsavedInput?: (values: Values) => unknown
  /** Validates the values. Its errors, by field, are shown after the first attempt to submit. */
  readonly check?: (values: Values) => FormErrors
  readonly send: (values: Values) => Promise<Result>
  readonly onDone?: (result: Result) => unknown
}

/** The names of the text fields. Excludes fields that accept only a few literal values. */
type TextName<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? (Values[Name] extends string ? Name : never) : never
}[keyof Values] &
  string

export type FormState<Values> = Pick<ActionRunner, 'problem' | 'state'> & {
  readonly values: Values
  /** Changes values and clears the messages about them. */
  readonly change: (part: Partial<Values>) => void
  /** Hides validation errors until the next attempt to submit. */
  readonly resetSubmitted: () => void
  /** Replaces the values by saved ones. */
  readonly reset: (values: Values) => void
  readonly isDirty: boolean
  /** Messages by field path, as the vault names it: `data.number`, `origins[0]`. */
  readonly errors: FormErrors
  /** The `value`, `onChange` and `error` props of a text field. */
  readonly text: (name: TextName<Values>) => {
    readonly value: string
    readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
    readonly error: string | undefined
  }
  readonly submit: (event?: SyntheticEvent) => Promise<void>
}

/**
 * The state of a form: its values, the question before unsaved input is lost, one submission at a time, and the vault's
 * messages by field. SECURITY: values live only in the component, and disappear with it when the vault is locked.
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
