import { CofferError } from '../../../shared/errors.ts'
import {
  type importPart,
  MAX_EXPORT_LENGTH,
  MAX_IMPORT_BYTES,
  type TextImportReport,
  type TransferFormat,
  type textImport,
} from '../../../shared/schemas/transfer.ts'
import type { z } from '../../../shared/zod.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { createCancelledError } from '../jobs/background.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Credential } from '../keys/credential.ts'
import { confirmOpenVaultOwner } from '../vault/confirm-open-vault-owner.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import { createReopeningEngine } from '../vault/reopening-engine.ts'
import type { OpenVault } from '../vault/vault.ts'
import { csvHeader } from './csv-lines.ts'
import { countTokens, exportPages, exportSelected, formatTokens } from './export-tokens.ts'
import { importRecords } from './import-records.ts'
import { describeCreatedTokens } from './import-tokens.ts'
import { assertColumns } from './mapping.ts'
import { deriveRecordId } from './record-id.ts'
import { parseRecords } from './source-records.ts'

type WindowTransferDeps = {
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  /** The ids of tokens that the window has selected. Throws `not_found`. */
  readonly getSelectedIds: (selection: string) => readonly string[]
}

type ExportInput = {
  readonly format: TransferFormat
  readonly selection?: string | undefined
  readonly confirm?: { readonly vault: string; readonly with?: Credential | undefined } | undefined
}

/** How much of a file is read in one turn. Its lines may be very short (rule R-03). */
const CHUNK_BYTES = 16 * 1024

/** Import and export for the window: the page sends or receives the text of a file, and no file is written. */
export class WindowTransfer {
  readonly #deps: WindowTransferDeps
  /** The parts of a file that have arrived. SECURITY: plaintext, so a lock drops them. */
  #parts: { readonly import_id: string; readonly chunks: Buffer[]; bytes: number } | null = null

  constructor(deps: WindowTransferDeps) {
    this.#deps = deps
  }

  /**
   * Keeps a part of a file until `importText` with the same `import_id`. Throws `locked`, and `too_large` for a file that
   * the window does not import.
   */
  addPart({ import_id, text }: z.output<typeof importPart>): void {
    this.#requireVault()
    if (this.#parts?.import_id !== import_id) this.#parts = { import_id, chunks: [], bytes: 0 }
    const part = Buffer.from(text)
    this.#parts.bytes += part.length
    if (this.#parts.bytes > MAX_IMPORT_BYTES) {
      this.#parts = null
      throw new CofferError(
        'too_large',
        'The window imports files up to 128 MiB. Import this file with `coffer import` in a terminal.',
      )
    }
    this.#parts.chunks.push(part)
  }

  /** Drops the parts of a file that was not imported. */
  dropParts(): void {
    this.#parts = null
  }

  /** Returns the whole file, and drops its parts. */
  #takeFile(import_id: string, text: string): Buffer[] {
    const before = this.#parts?.import_id === import_id ? this.#parts.chunks : []
    this.#parts = null
    return [...before, Buffer.from(text)]
  }

  /**
   * Creates a token from every record of `text`, or reports what would be created in a dry run. The tokens of a
   * cancelled import stay in the vault. Another call with the same `import_id` and `resume` creates none of them
   * twice. Throws `locked`, `cancelled`, `conflict` (another import is running), `invalid` (the mapping refers to
   * missing columns).
   */
  importText(input: z.output<typeof textImport>): Promise<TextImportReport> {
    const { text, format, mapping, dry_run, import_id, resume } = input
    const vault = this.#requireVault()
    const file = this.#takeFile(import_id, text)
    const job = {
      batches: parseRecords(splitChunks(file), format, 'The file', (columns) => {
        if (mapping) assertColumns(mapping, columns)
      }),
      total: file.reduce((sum, { length }) => sum + length, 0),
      mapping,
      dry_run,
      ledger: {
        state: { records: 0, created: 0, refused: 0, expiring: null },
        resumed: resume,
        lines: [],
        addRefusal() {},
        getTokenId: (record: number) => deriveRecordId(import_id, record),
        save() {},
      },
      most_at_once: 500,
      most_lines: 1000,
      createStoppedError: ({ created }: { created: number }) =>
        new CofferError(
          'cancelled',
          dry_run ? 'Stopped. Nothing was written.' : `Stopped. ${describeCreatedTokens(created)}`,
        ),
    }
    return this.#deps.jobs.runJob('import', (watch) =>
      importRecords(createReopeningEngine(vault), job, vault.withLockAbort(watch)),
    )
  }

  /**
   * Returns the tokens of the open vault, or the selected ones, as the text of a file. The tokens are masked unless
   * `confirm` contains the name of the vault and its credential. Throws `forbidden` (another name), what
   * `confirmOwner` throws, `not_found` (the selection no longer exists), `too_large`, `cancelled`.
   */
  async exportText({ format, selection, confirm }: ExportInput): Promise<{ text: string; tokens: number }> {
    const vault = this.#requireVault()
    if (confirm) await confirmExport(vault, confirm)
    vault.assertOpen()
    return this.#deps.jobs.runJob('export', async (jobWatch) => {
      const { signal, onProgress } = vault.withLockAbort(jobWatch)
      const ids = selection === undefined ? undefined : this.#deps.getSelectedIds(selection)
      const engine = createReopeningEngine(vault)
      const total = ids?.length ?? (await countTokens(engine))
      const clear = confirm !== undefined
      const pages = ids ? exportSelected(engine, clear, ids) : exportPages(engine, clear)
      let text = format === 'csv' ? csvHeader : ''
      let tokens = 0
      for await (const page of pages) {
        if (signal?.aborted) throw createCancelledError()
        text += formatTokens(page.tokens, format)
        if (text.length > MAX_EXPORT_LENGTH) {
          throw new CofferError(
            'too_large',
            'The window exports up to 32 MB. Export this vault with `coffer export` in a terminal.',
          )
        }
        tokens += page.tokens.length
        onProgress?.(tokens, total)
      }
      return { text, tokens }
    })
  }

  #requireVault(): OpenVault {
    return requireUnlocked(this.#deps.vault())
  }
}

/** SECURITY: a plaintext export needs a fresh confirmation by the owner. */
async function confirmExport(vault: OpenVault, confirm: NonNullable<ExportInput['confirm']>): Promise<void> {
  if (confirm.vault !== vault.name) {
    throw new CofferError('forbidden', 'This is not the name of the vault. Nothing was exported.')
  }
  // An in-memory vault has neither a passphrase nor a keychain entry.
  if (isEphemeral(vault)) return
  await confirmOpenVaultOwner(vault, confirm.with)
}

function* splitChunks(file: readonly Buffer[]): Generator<Buffer> {
  for (const bytes of file)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}
