import type { Value } from '../value.ts'

/** A standard filter: its number of arguments and its function. Whatever `run` throws becomes an `invalid` error. */
export type StandardFilter = {
  readonly minArgs: number
  readonly maxArgs: number
  readonly run: (value: Value, ...args: readonly Value[]) => Value
}
