import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import type { ImportMapping } from '../../../shared/schemas/transfer.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Watch } from '../background.ts'
import { ImportJournal } from './import-journal.ts'
import { type ImportReport, importRecords } from './import-records.ts'
import { checkColumns } from './mapping.ts'
import { type Format, readRecords } from './source-records.ts'

export type ImportOrder = {
  readonly file: string
  readonly format: Format
  /** Null where each line is a token as `coffer export` writes it. */
  readonly mapping: ImportMapping | null
  /** Check every line and write nothing. */
  readonly dry_run: boolean
  /** Forget an import of this file that was finished or stopped. */
  readonly again: boolean
}

/**
 * Makes a token of every record of a file, as the owner. A line that is refused keeps no other one out. What was made
 * is kept when it is stopped (`conflict`), and the next run goes on from there without making any twice.
 */
export async function importTokens(
  engine: Engine,
  { file, format, mapping, dry_run, again }: ImportOrder,
  watch: Watch = {},
): Promise<ImportReport> {
  const about = { tenant_id: engine.tenant_id, mapping: JSON.stringify(mapping) }
  const ledger = ImportJournal.open(file, about, again || dry_run)
  const order = {
    batches: readRecords(file, format, (columns) => mapping && checkColumns(mapping, columns)),
    total: fs.statSync(file).size,
    mapping,
    dry_run,
    ledger,
    // The command line has the vault to itself.
    most_together: 8,
    most_lines: Number.POSITIVE_INFINITY,
    stopped: () => stopped(dry_run),
  }
  return importRecords(engine, order, watch)
}

function stopped(dry_run: boolean): CofferError {
  return new CofferError(
    'conflict',
    dry_run
      ? 'Stopped. Nothing was written.'
      : 'Stopped. What was imported is kept; the same command goes on from there.',
  )
}
