import { CofferError } from '../../../shared/errors.ts'
import { type Ignoring, mergeErrors, parseInput, parseSoundPart } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { toCofferError } from '../db/storage-error.ts'

/**
 * Parses an input by a schema. If members are faulty, runs `tryRest` with the sound ones, which throws what it rejects.
 * Throws one `invalid` error with everything that is wrong (rule A-05).
 */
export function parseThoroughly<T extends z.ZodType>(
  schema: T,
  input: unknown,
  tryRest: (sound: z.output<T>) => unknown,
  ignoring?: Ignoring,
): z.output<T> {
  try {
    return parseInput(schema, input, ignoring)
  } catch (error) {
    if (!(error instanceof CofferError) || !error.errors) throw error
    const sound = parseSoundPart(schema, input)
    const more = sound === undefined ? undefined : catchInvalid(() => tryRest(sound))
    throw more?.errors ? mergeErrors(error.errors, more.errors) : error
  }
}

/** Returns the `invalid` error of a run. Ignores others, because missing members may have caused them. */
function catchInvalid(run: () => unknown): CofferError | undefined {
  try {
    run()
  } catch (error) {
    const failure = toCofferError(error)
    // SQLite may have rolled back the transaction, which the caller must learn.
    if (failure.code === 'storage_full' || failure.code === 'unavailable') throw error
    if (failure.code === 'invalid') return failure
  }
  return undefined
}
