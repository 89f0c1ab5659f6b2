import { countRowsBefore, toOffsetPage } from '../../../../shared/offset-page.ts'
import { binEntry, binImportReport } from '../../../../shared/schemas/bin.ts'
import { nothing, offsetPage, page, size } from '../../../../shared/schemas/common.ts'
import { csvImport, MAX_REFUSED_LINES } from '../../../../shared/schemas/import.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { parseBinCsv } from './bin-csv.ts'
import { removeOverlaps } from './remove-overlaps.ts'
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

export const importCsv = defineOperation({
  summary: 'Import a BIN file in place of the previous one; a file without valid lines changes nothing',
  entity: 'vault',
  effect: 'write',
  input: csvImport,
  output: binImportReport,
  handler(context, { csv, dry_run }) {
    const { db } = context
    if (dry_run) context.markDryRun()
    const { entries, refused } = parseBinCsv(csv)
    const replaced = countBins(db)
    if (!dry_run && entries.length > 0) replaceBins(db, removeOverlaps(entries))
    return {
      dry_run,
      entries: entries.length,
      replaced: entries.length > 0 ? replaced : 0,
      refused_lines: refused.length,
      refused: refused.slice(0, MAX_REFUSED_LINES),
    }
  },
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
