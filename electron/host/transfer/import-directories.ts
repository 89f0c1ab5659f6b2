import { setImmediate as turn } from 'node:timers/promises'
import type { bankImportReport } from '../../../shared/schemas/bank.ts'
import type { binEntry, binImportReport } from '../../../shared/schemas/bin.ts'
import type { csvImport } from '../../../shared/schemas/import.ts'
import type { z } from '../../../shared/zod.ts'
import { owner, parseBinCsv, parseDirectoryCsv, removeOverlaps } from '../../engine/index.ts'
import type { OwnersEngine } from './owner-client.ts'

type Order = z.output<typeof csvImport>
type NewEntries = z.input<typeof binEntry>[]
type Vault = Pick<OwnersEngine, 'as'>

/** The number of accounts in one commit, so that other calls run in between. */
const MAX_AT_ONCE = 500
/** The last of the longest prefixes. */
const LAST_PREFIX = '9'.repeat(11)

/** Imports accounts into the bank directory. Accounts that are not in the file do not change. */
export async function importBanks(
  engine: Vault,
  { csv, dry_run }: Order,
): Promise<z.output<typeof bankImportReport>> {
  const { entries, ...rejected } = await parseDirectoryCsv(csv)
  const report = { dry_run, entries: entries.length, added: 0, changed: 0, ...rejected }
  for (let at = 0; at < entries.length; at += MAX_AT_ONCE) {
    const some = entries.slice(at, at + MAX_AT_ONCE)
    const { added, changed } = await engine.as(owner).banks.putMany({ entries: some, dry_run })
    report.added += added
    report.changed += changed
  }
  return report
}

/**
 * Imports a BIN file in place of the previous one. A file without valid lines changes nothing. If the import ends
 * early, longer prefixes still have their previous entries.
 */
export async function importBins(
  engine: Vault,
  { csv, dry_run }: Order,
): Promise<z.output<typeof binImportReport>> {
  const { entries, ...rejected } = await parseBinCsv(csv)
  const { pagination } = await engine.as(owner).bins.list({ size: 1 })
  const replaced = entries.length > 0 ? pagination.total_items : 0
  const report = { dry_run, entries: entries.length, replaced, ...rejected }
  if (dry_run || entries.length === 0) return report
  const replaceSome = async (after: string, until: string, entries: NewEntries) => {
    while (!(await engine.as(owner).bins.replaceSome({ after, until, entries })).is_done);
    return until
  }
  let after = ''
  for (const part of removeOverlaps(entries)) {
    const last = part.at(-1)
    if (last) after = await replaceSome(after, last.from, part)
    else await turn()
  }
  await replaceSome(after, LAST_PREFIX, [])
  return report
}
