import { z } from '../zod.ts'
import { createdId } from './common.ts'

/**
 * The application whose permissions a proxy or a reactor uses. It may be a whole application, as the types of the official
 * clients require, of which only the id counts (rules G-01, F-01).
 */
export const application = z.object({ id: createdId })

const name = z.string().min(1).max(200)
const value = z.string().max(10_000)

/** Values for expressions and code: at most 25 (rules G-01, F-01). */
export const configuration = z
  .record(name, value)
  .refine((entries) => Object.keys(entries).length <= 25, 'must have at most 25 entries')

/** The configuration in a merge patch: an entry that is null is removed. */
export const configurationPatch = z.record(name, value.nullable())
