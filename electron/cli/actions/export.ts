import path from 'node:path'
import { formatCount } from '../../../shared/format-count.ts'
import type { JobWatch } from '../../host/jobs/background.ts'
import { exportTokens, exportToStream } from '../../host/transfer/export-tokens.ts'
import { detectFormat, type Format } from '../../host/transfer/source-records.ts'
import { confirmClear } from '../terminal/confirm-name.ts'
import { getVaultName, type InMemory } from '../terminal/in-memory.ts'
import { withProgress } from '../terminal/progress.ts'
import { announceJob, openOrJoin } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function exportVault(options: ExportCommandOptions): Promise<void> {
  const location = toVaultLocation(options)
  // Compared by name, because `/dev/stdout` may resolve to an existing file.
  const toOutput = options.out === '-' || options.out === '/dev/stdout'
  if (toOutput && options.json) {
    throw new UsageError('Standard output takes the tokens or the JSON, not both. Leave out --json.')
  }
  const file = toOutput ? 'standard output' : path.resolve(options.out)
  const format = options.format ?? detectFormat(file) ?? 'ndjson'
  const clear = options.clear === true
  if (clear) {
    await confirmClear(
      getVaultName(location, options),
      options.confirm,
      `Every value will be written to ${file} in plain text.`,
    )
  }
  await using vault = await openOrJoin(location, { ...options, clear })
  const runExport = (watch: JobWatch) =>
    toOutput
      ? exportToStream(vault.engine, { format, clear }, process.stdout, watch)
      : exportTokens(vault.engine, { file, format, clear }, watch)
  const tokens = await withProgress(
    'Exporting',
    (watch) => announceJob(vault, 'export', watch, runExport),
    'token',
  )
  const summary = `Wrote ${formatCount(tokens, 'token')} to ${file}, ${clear ? 'in plain text' : 'masked'}`
  if (toOutput) printHint(summary)
  else printLine(options.json ? JSON.stringify({ file, tokens, clear }) : summary)
}

export type ExportCommandOptions = InMemory & {
  dataDir?: string
  vault: string
  out: string
  format?: Format
  clear?: true
  confirm?: string
  json?: true
}
