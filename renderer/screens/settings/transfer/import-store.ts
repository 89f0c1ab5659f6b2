import { CofferError } from '../../../../shared/errors.ts'
import {
  type ImportPreview,
  MAX_IMPORT_BYTES,
  type TextImportReport,
  type TransferFormat,
} from '../../../../shared/schemas/transfer.ts'
import { runJob } from '../../../parts/connection/jobs.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../../parts/connection/store.ts'
import { host } from '../../../parts/connection/vault.ts'
import { type Choice, guessChoice, toImportMapping } from './columns.ts'
import { strings } from './strings.ts'

const t = strings.import

type ChosenFile = {
  readonly file: File
  readonly format: TransferFormat
  readonly preview: ImportPreview
  /** Null if each line is already a token. */
  readonly choice: Choice | null
  readonly import_id: string
}

type ImportState = {
  readonly chosen: ChosenFile | null
  readonly busy: boolean
  readonly report: TextImportReport | null
  /** Whether an import of this file has started; resuming it creates no duplicates. */
  readonly isStarted: boolean
  readonly problem: unknown
}

const fresh: ImportState = { chosen: null, busy: false, report: null, isStarted: false, problem: null }

/**
 * The file being imported. It stays loaded while the owner uses other screens, and is dropped when the vault is locked.
 */
export const useImport = createVaultStore<ImportState>(() => fresh)

/** Tracks the current file and mapping, so that responses for earlier ones are dropped. */
const files = createRequestGuard()

export function isLarge(file: File): boolean {
  return file.size > MAX_IMPORT_BYTES
}

/** Opens a file: reads a sample and guesses the targets of its columns. */
export async function chooseFile(file: File): Promise<void> {
  const isCurrent = files.start()
  useImport.setState({ ...fresh, busy: true }, true)
  try {
    const format = detectFormat(file.name)
    if (!format) throw new CofferError('invalid', strings.import.unknown)
    const preview = await host.previewImport({ format, text: await readSample(file) })
    const choice = preview.tokens ? null : guessChoice(preview)
    const chosen = { file, format, preview, choice, import_id: crypto.randomUUID() }
    if (isCurrent()) useImport.setState({ ...fresh, chosen }, true)
  } catch (problem) {
    if (isCurrent()) useImport.setState({ ...fresh, problem }, true)
  }
}

/** Changes the mapping and discards the last check. */
export function chooseMapping(choice: Choice): void {
  const { chosen } = useImport.getState()
  if (!chosen) return
  files.start()
  const import_id = crypto.randomUUID()
  useImport.setState({ ...fresh, chosen: { ...chosen, choice, import_id } }, true)
}

/** Reports the result of an import without importing. */
export const checkFile = (): Promise<void> => runImport(true)

/** Starts the import, or resumes it where it stopped. */
export const importFile = (): Promise<void> => runImport(false)

async function runImport(dry_run: boolean): Promise<void> {
  const { chosen, isStarted } = useImport.getState()
  if (!chosen) return
  const { file, format, choice, import_id } = chosen
  const isCurrent = files.join()
  useImport.setState({ busy: true, report: null, problem: null, isStarted: isStarted || !dry_run })
  let result: Partial<ImportState>
  try {
    const mapping = choice && toImportMapping(choice)
    let text: string | undefined
    for await (const next of readParts(file)) {
      if (text !== undefined) await host.addImportPart({ import_id, text })
      if (!isCurrent()) return
      text = next
    }
    const request = { format, text: text ?? '', mapping, dry_run, import_id, resume: isStarted }
    result = { report: await runJob('import', () => host.importTokens(request)) }
  } catch (problem) {
    result = { problem }
  }
  // Drop the result if the vault was locked or another file was chosen in the meantime.
  if (isCurrent()) useImport.setState({ ...result, busy: false })
}

/** Bytes to read for the preview. */
const SAMPLE_BYTES = 64 * 1024

/** Detects the format by the file extension; undefined if unknown. */
function detectFormat(name: string): TransferFormat | undefined {
  if (/\.csv$/i.test(name)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : undefined
}

/** Bytes of a part of a file. */
const PART_BYTES = 4 * 1024 * 1024

/** Reads the text of a file in parts. Throws `invalid` if the file is empty, cannot be read or is not UTF-8. */
async function* readParts(file: File): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < file.size || at === 0; at += PART_BYTES) {
    const isLast = at + PART_BYTES >= file.size
    yield await decodeText(file.slice(at, at + PART_BYTES), decoder, !isLast)
  }
}

/**
 * Reads the first lines of a file, without a truncated last line. Throws `invalid` if the file is empty,
 * cannot be read or is not UTF-8.
 */
async function readSample(file: File): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  if (file.size <= SAMPLE_BYTES) return decodeText(file, decoder, false)
  const text = await decodeText(file.slice(0, SAMPLE_BYTES), decoder, true)
  return text.slice(0, text.lastIndexOf('\n') + 1) || text
}

async function decodeText(blob: Blob, decoder: TextDecoder, isPart: boolean): Promise<string> {
  let bytes: ArrayBuffer
  try {
    bytes = await blob.arrayBuffer()
  } catch {
    throw new CofferError('invalid', t.unreadable)
  }
  if (bytes.byteLength === 0) throw new CofferError('invalid', t.empty)
  try {
    return decoder.decode(bytes, { stream: isPart })
  } catch {
    throw new CofferError('invalid', t.notText)
  }
}
