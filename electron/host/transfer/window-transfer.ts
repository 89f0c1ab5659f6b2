import { CofferError } from '../../../shared/errors.ts'
import type { HostCommands } from '../../../shared/host.ts'
import { type ImportPreview, mostExportText } from '../../../shared/schemas/transfer.ts'
import type { z } from '../../../shared/zod.ts'
import { unlocked } from '../../engine/door/locked.ts'
import { confirmOwnerOf } from '../vault/confirm-owner-of.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import { steadyEngine } from '../vault/steady-engine.ts'
import type { OpenVault } from '../vault/vault.ts'
import { cancelled } from '../work/background.ts'
import type { Jobs } from '../work/jobs.ts'
import { csvHeader } from './csv-lines.ts'
import { countTokens, exportPages, exportSelected, linesOf } from './export-tokens.ts'
import { importRecords } from './import-records.ts'
import { keptText } from './import-tokens.ts'
import { checkColumns } from './mapping.ts'
import { previewOf } from './preview.ts'
import { recordId } from './record-id.ts'
import { recordsOf } from './source-records.ts'

type Commands = HostCommands['host']
type Input<Name extends keyof Commands> = z.output<Commands[Name]['input']>
type Output<Name extends keyof Commands> = z.output<Commands[Name]['output']>

type Options = {
  readonly vault: () => OpenVault | null
  readonly jobs: Jobs
  /** The ids of tokens that the window has selected. Throws `not_found`. */
  readonly idsOf: (selection: string) => readonly string[]
}

const PIECE = 256 * 1024

/** Import and export for the window: the text of a file comes in or goes out, and no file is written. */
export class WindowTransfer {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** The columns and first records of the beginning of a file. Throws `invalid`. */
  preview({ text, format }: Input<'previewImport'>): Promise<ImportPreview> {
    return previewOf(text, format)
  }

  /**
   * Creates a token from every record of a text, or in a dry run reports what would be created. A cancelled import
   * keeps its tokens; the same `import_id` with `resume` creates none of them twice. Throws `locked`, `cancelled`,
   * `conflict` (another import is running), `invalid` (the mapping refers to missing columns).
   */
  importText(input: Input<'importTokens'>): Promise<Output<'importTokens'>> {
    const { text, format, mapping, dry_run, import_id, resume } = input
    const vault = this.#open()
    const bytes = Buffer.from(text)
    const order = {
      batches: recordsOf(piecesOf(bytes), format, 'The file', (columns) => {
        if (mapping) checkColumns(mapping, columns)
      }),
      total: bytes.length,
      mapping,
      dry_run,
      ledger: {
        state: { records: 0, created: 0, refused: 0, expiring: null },
        resumed: resume,
        lines: [],
        refuse() {},
        idOf: (record: number) => recordId(import_id, record),
        save() {},
      },
      most_at_once: 500,
      most_lines: 1000,
      stopped: ({ created }: { created: number }) =>
        new CofferError(
          'cancelled',
          dry_run ? 'Stopped. Nothing was written.' : `Stopped. ${keptText(created)}`,
        ),
    }
    return this.#options.jobs.run('import', (watch) =>
      importRecords(steadyEngine(vault), order, vault.watched(watch)),
    )
  }

  /**
   * The tokens of the open vault, or the selected ones, as the text of a file, masked unless `confirm` names the vault
   * and opens it. Throws `forbidden` (another name), what `confirmOwner` throws, `not_found` (a selection that is gone),
   * `too_large`, `cancelled`.
   */
  async exportText({ format, selection, confirm }: Input<'exportTokens'>): Promise<Output<'exportTokens'>> {
    const vault = this.#open()
    if (confirm) await checkOwner(vault, confirm)
    vault.assertOpen()
    return this.#options.jobs.run('export', async (given) => {
      const { signal, onProgress } = vault.watched(given)
      const ids = selection === undefined ? undefined : this.#options.idsOf(selection)
      const engine = steadyEngine(vault)
      const total = ids?.length ?? (await countTokens(engine))
      const clear = confirm !== undefined
      const pages = ids ? exportSelected(engine, clear, ids) : exportPages(engine, clear)
      let text = format === 'csv' ? csvHeader : ''
      let tokens = 0
      for await (const page of pages) {
        if (signal?.aborted) throw cancelled()
        text += linesOf(page.tokens, format)
        if (text.length > mostExportText) {
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

  #open(): OpenVault {
    return unlocked(this.#options.vault())
  }
}

/** SECURITY: a plaintext export needs a fresh confirmation by the owner. */
async function checkOwner(
  vault: OpenVault,
  confirm: NonNullable<Input<'exportTokens'>['confirm']>,
): Promise<void> {
  if (confirm.vault !== vault.name) {
    throw new CofferError('forbidden', 'That is not the name of the vault. Nothing was exported.')
  }
  // An in-memory vault has neither passphrase nor keychain entry.
  if (isEphemeral(vault)) return
  await confirmOwnerOf(vault, confirm.with)
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}
