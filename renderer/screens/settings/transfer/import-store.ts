import { CofferError } from '../../../../shared/errors.ts'
import {
  type ImportPreview,
  mostImportBytes,
  type TextImportReport,
  type TransferFormat,
} from '../../../../shared/schemas/transfer.ts'
import { runJob } from '../../../parts/connection/jobs.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultStore } from '../../../parts/connection/store.ts'
import { host } from '../../../parts/connection/vault.ts'
import { type Choice, guess, mappingOf } from './columns.ts'
import { formatOf, sampleOf, wholeOf } from './read-file.ts'
import { strings } from './strings.ts'

type Chosen = {
  readonly file: File
  readonly format: TransferFormat
  readonly preview: ImportPreview
  /** Null if each line is already a token. */
  readonly choice: Choice | null
  readonly import_id: string
}

type Import = {
  readonly chosen: Chosen | null
  readonly busy: boolean
  /** The report of the last check or import of this file. */
  readonly report: TextImportReport | null
  /** Whether an import of this file has started, so that resuming it creates no duplicates. */
  readonly begun: boolean
  readonly problem: unknown
}

const fresh: Import = { chosen: null, busy: false, report: null, begun: false, problem: null }

/** The file being imported. It is kept while the owner visits other screens, and dropped when the vault is locked. */
export const useImport = vaultStore<Import>(() => fresh)

/** Tracks the current file and mapping, so that answers about others are dropped. */
const files = latest()

/** Whether a file is too large for the window. */
export function isLarge(file: File): boolean {
  return file.size > mostImportBytes
}

/** Opens a file: reads its beginning and guesses the mapping of its columns. */
export async function chooseFile(file: File): Promise<void> {
  const isWanted = files.begin()
  useImport.setState({ ...fresh, busy: true }, true)
  try {
    const format = formatOf(file.name)
    if (!format) throw new CofferError('invalid', strings.import.unknown)
    const preview = await host.host.previewImport({ format, text: await sampleOf(file) })
    const choice = preview.tokens ? null : guess(preview)
    const chosen = { file, format, preview, choice, import_id: crypto.randomUUID() }
    if (isWanted()) useImport.setState({ ...fresh, chosen }, true)
  } catch (problem) {
    if (isWanted()) useImport.setState({ ...fresh, problem }, true)
  }
}

/** Changes the mapping, which invalidates the last check. */
export function choose(choice: Choice): void {
  const { chosen } = useImport.getState()
  if (!chosen) return
  files.begin()
  const import_id = crypto.randomUUID()
  useImport.setState({ ...fresh, chosen: { ...chosen, choice, import_id } }, true)
}

/** Reports what an import would do. */
export const checkFile = (): Promise<void> => run(true)

/** Starts the import, or resumes it where it stopped. */
export const importFile = (): Promise<void> => run(false)

async function run(dry_run: boolean): Promise<void> {
  const { chosen, begun } = useImport.getState()
  if (!chosen) return
  const { file, format, choice, import_id } = chosen
  const isWanted = files.join()
  useImport.setState({ busy: true, report: null, problem: null, begun: begun || !dry_run })
  let ended: Partial<Import>
  try {
    const text = await wholeOf(file)
    const mapping = choice && mappingOf(choice)
    const order = { format, text, mapping, dry_run, import_id, resume: begun }
    ended = { report: await runJob('import', () => host.host.importTokens(order)) }
  } catch (problem) {
    ended = { problem }
  }
  // The vault was locked or another file chosen meanwhile: drop the result.
  if (isWanted()) useImport.setState({ ...ended, busy: false })
}
