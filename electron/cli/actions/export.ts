import path from 'node:path'
import { counted } from '../../../shared/counted.ts'
import { exportTokens, exportToStream } from '../../host/transfer/export-tokens.ts'
import { type Format, formatOf } from '../../host/transfer/source-records.ts'
import type { Watch } from '../../host/work/background.ts'
import { note, placeOf, say } from '../terminal/common.ts'
import { confirmClear } from '../terminal/confirm-clear.ts'
import { type InMemory, nameOf } from '../terminal/in-memory.ts'
import { withProgress } from '../terminal/progress.ts'
import { openOrJoin, shown } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'

export async function exportVault(options: Options): Promise<void> {
  const place = placeOf(options)
  // Compared by name: `/dev/stdout` may lead to an existing file.
  const toOutput = options.out === '-' || options.out === '/dev/stdout'
  if (toOutput && options.json) {
    throw new UsageError('Standard output takes the tokens or the JSON, not both. Leave out --json.')
  }
  const file = toOutput ? 'standard output' : path.resolve(options.out)
  const format = options.format ?? formatOf(file) ?? 'ndjson'
  const clear = options.clear === true
  if (clear) {
    await confirmClear(
      nameOf(place, options),
      options.confirm,
      `Every value will be in plain text in ${file}.`,
    )
  }
  await using vault = await openOrJoin(place, { ...options, clear })
  const run = (watch: Watch) =>
    toOutput
      ? exportToStream(vault.engine, { format, clear }, process.stdout, watch)
      : exportTokens(vault.engine, { file, format, clear }, watch)
  const tokens = await withProgress('Exporting', (watch) => shown(vault, 'export', watch, run))
  const told = `Wrote ${counted(tokens, 'token')} to ${file}, ${clear ? 'in plain text' : 'masked'}`
  if (toOutput) note(told)
  else say(options.json ? JSON.stringify({ file, tokens, clear }) : told)
}

export type Options = InMemory & {
  dataDir?: string
  vault: string
  out: string
  format?: Format
  clear?: true
  confirm?: string
  json?: true
}
