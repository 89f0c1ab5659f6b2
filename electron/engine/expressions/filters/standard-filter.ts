import type { Value } from '../value.ts'

/** A standard filter: how many arguments it takes, and what it makes of a value. Whatever `run` throws becomes a refusal. */
export type Standard = {
  readonly least: number
  readonly most: number
  readonly run: (value: Value, ...args: readonly Value[]) => Value
}
