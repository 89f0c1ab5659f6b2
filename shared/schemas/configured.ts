import { z } from '../zod.ts'
import { createdId } from './common.ts'

/** The application whose permissions a proxy or a reactor uses. */
export const application = z.strictObject({ id: createdId })

const name = z.string().min(1).max(200)
const value = z.string().max(10_000)

/** Values for expressions and code: at most 25 (rules G-01, F-01). */
export const configuration = z
  .record(name, value)
  .refine((entries) => Object.keys(entries).length <= 25, 'must have at most 25 entries')

/**
 * The maximum length of a runtime as JSON, in characters. A runtime describes where code runs. It is stored and
 * returned but has no effect (rule F-01).
 */
const MAX_RUNTIME_LENGTH = 16_384
export const RUNTIME_LENGTH_PROBLEM = `must have at most ${MAX_RUNTIME_LENGTH} characters as JSON`

/** Whether a runtime is short enough. Runtimes stored by earlier versions may be longer. */
export function isShortRuntime(runtime: unknown): boolean {
  return runtime === undefined || JSON.stringify(runtime).length <= MAX_RUNTIME_LENGTH
}

/** The configuration in a merge patch: an entry that is null is removed. */
export const configurationPatch = z.record(name, value.nullable())
