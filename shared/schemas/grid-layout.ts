import { z } from '../zod.ts'
import { boundedRecord } from './common.ts'

const column = z.string().min(1).max(1100)

/** The columns of one list; absent members have the list's default. */
const gridLayout = z.strictObject({
  /** The visible columns, in their order. */
  columns: z.array(column).min(1).max(40).readonly().optional(),
  /** The widths that the owner has set, in pixels. */
  widths: boundedRecord(column, z.int().min(40).max(4000), { max: 200, noun: 'widths' })
    .readonly()
    .optional(),
  /** Whether the list of requests hides the owner's. */
  hides_own: z.boolean().optional(),
})

/** The layouts of the window's lists, by the name of the list. */
export const gridLayouts = boundedRecord(z.string().max(60), gridLayout, {
  max: 100,
  noun: 'lists',
}).readonly()
