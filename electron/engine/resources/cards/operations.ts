import { countRowsBefore, toOffsetPage } from '../../../../shared/offset-page.ts'
import { binEntry } from '../../../../shared/schemas/bin.ts'
import { nothing, offsetPage, page, size } from '../../../../shared/schemas/common.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { clearBins, countBins, listBins, replaceBins } from './store.ts'

export const list = defineOperation({
  summary: 'List the imported BINs',
  entity: 'vault',
  input: z.strictObject({ page, size }),
  output: offsetPage(binEntry),
  handler({ db }, { page, size }) {
    return toOffsetPage(listBins(db, size, countRowsBefore({ page, size })), countBins(db), page, size)
  },
})

// SECURITY: at most 11 digits, so that a full card number is never stored as a BIN.
const prefix = z.string().regex(/^\d{0,11}$/)
const newEntry = binEntry.extend({ from: prefix, to: prefix })

export const replaceSome = defineOperation({
  summary:
    'Replace the imported BINs between two prefixes, sorted by length; until is_done, only old ones are deleted',
  entity: 'vault',
  effect: 'write',
  input: z.strictObject({ after: prefix, until: prefix, entries: z.array(newEntry).max(1000) }),
  output: z.object({ is_done: z.boolean() }),
  handler: ({ db }, { after, until, entries }) => ({ is_done: replaceBins(db, after, until, entries) }),
})

export const clear = defineOperation({
  summary: 'Remove the imported BINs',
  entity: 'vault',
  effect: 'write',
  status: 204,
  input: nothing,
  output: nothing,
  handler({ db }) {
    clearBins(db)
    return {}
  },
})
