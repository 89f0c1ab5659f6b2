import type { Value } from '../value.ts'

/** A standard filter: how many arguments it takes, and what it makes of a value. Whatever `run` throws becomes a refusal. */
export type StandardFilter = {
  readonly minArgs: number
  readonly maxArgs: number
  readonly run: (value: Value, ...args: readonly Value[]) => Value
}
