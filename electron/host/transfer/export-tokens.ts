import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { ExportedToken, exportPage } from '../../../shared/schemas/token-export.ts'
import type { z } from '../../../shared/zod.ts'
import { owner, toStorageError } from '../../engine/index.ts'
import type { JobWatch } from '../jobs/background.ts'
import { csvHeader, formatCsvLine } from './csv-lines.ts'
import { writeNewFile } from './new-file.ts'
import type { OwnersEngine } from './owner-client.ts'
import { isPipe, openPipe } from './pipe.ts'
import type { Format } from './source-records.ts'

type ExportOptions = {
  readonly format: Format
  /** Plaintext instead of masked data. The owner must have confirmed it. */
  readonly clear: boolean
}
export type ExportJob = ExportOptions & {
  /** The new file to write, or an existing pipe. */
  readonly file: string
}

type ExportTokensPage = z.output<typeof exportPage>

/**
 * Yields the tokens of a vault page by page, as the owner, in the order of creation. `after` continues from a page's
 * `next`.
 */
export async function* exportPages(
  engine: OwnersEngine,
  clear: boolean,
  after = 0,
): AsyncGenerator<ExportTokensPage> {
  for (let at: number | null = after; at !== null; ) {
    const page: ExportTokensPage = await engine.as(owner).tokens.exportMany({ after: at, clear })
    yield page
    at = page.next
  }
}

/** The maximum number of selected tokens that one engine call reads. */
const LOOKUP_BATCH_SIZE = 400

/** Yields the tokens with these ids page by page, as the owner. Tokens that no longer exist are skipped. */
export async function* exportSelected(
  engine: OwnersEngine,
  clear: boolean,
  ids: readonly string[],
): AsyncGenerator<ExportTokensPage> {
  for (let from = 0; from < ids.length; from += LOOKUP_BATCH_SIZE) {
    const some = ids.slice(from, from + LOOKUP_BATCH_SIZE)
    for (let at: number | null = 0; at !== null; ) {
      const page: ExportTokensPage = await engine.as(owner).tokens.exportMany({ ids: some, after: at, clear })
      yield page
      at = page.next
    }
  }
}

export async function countTokens(engine: OwnersEngine): Promise<number> {
  return (await engine.as(owner).tenants.getUsageReport()).total_tokens
}

/**
 * Writes every token to a new file with `writeNewFile`, or to a pipe, and returns the number of tokens. Throws
 * `unavailable`, `storage_full`, `conflict` if the file exists, and `cancelled` when `signal` aborts.
 */
export async function exportTokens(
  engine: OwnersEngine,
  job: ExportJob,
  watch: JobWatch = {},
): Promise<number> {
  const { file } = job
  if (isPipe(file)) return exportToPipe(engine, job, watch)
  try {
    return await writeNewFile(file, (writeText) => writeTokens(engine, job, watch, writeText))
  } catch (error) {
    throw toCancelledError(error, watch, 'Stopped. No file was written.') ?? toStorageError(error, file)
  }
}

/** Writes every token to a stream, such as standard output, which stays open. Returns the number of tokens. */
export async function exportToStream(
  engine: OwnersEngine,
  exportFormat: ExportOptions,
  stream: Writable,
  watch: JobWatch = {},
): Promise<number> {
  try {
    const done = await writeTokens(engine, exportFormat, watch, async (text) => {
      if (!stream.write(text)) await once(stream, 'drain', { signal: watch.signal })
    })
    // Wait until everything has been written.
    await new Promise<void>((resolve, reject) => {
      stream.write('', (error) => (error ? reject(error) : resolve()))
    })
    return done
  } catch (error) {
    throw toCancelledError(error, watch, 'Stopped. The output is incomplete.') ?? error
  }
}

async function exportToPipe(engine: OwnersEngine, job: ExportJob, watch: JobWatch): Promise<number> {
  let stream: Writable | undefined
  try {
    stream = (await openPipe(job.file, 'w', watch.signal)) as Writable
    // A failed write already rejects. Without a listener, the same error that the stream emits would end the process.
    stream.on('error', () => {})
    const done = await exportToStream(engine, job, stream, watch)
    stream.end()
    await finished(stream)
    return done
  } catch (error) {
    throw toCancelledError(error, watch, 'Stopped. Nothing was written.') ?? toStorageError(error, job.file)
  } finally {
    stream?.destroy()
  }
}

async function writeTokens(
  engine: OwnersEngine,
  { format, clear }: ExportOptions,
  { signal, onProgress }: JobWatch,
  out: (text: string) => void | Promise<void>,
): Promise<number> {
  const total = await countTokens(engine)
  let done = 0
  if (format === 'csv') await out(csvHeader)
  for await (const { tokens } of exportPages(engine, clear)) {
    signal?.throwIfAborted()
    await out(formatTokens(tokens, format))
    done += tokens.length
    onProgress?.(done, Math.max(total, 1))
  }
  return done
}

function toCancelledError(error: unknown, { signal }: JobWatch, message: string): CofferError | undefined {
  if (!signal?.aborted || error instanceof CofferError) return undefined
  return new CofferError('cancelled', message, { cause: error })
}

export function formatTokens(tokens: readonly ExportedToken[], format: Format): string {
  return tokens
    .map((token) => (format === 'csv' ? formatCsvLine(token) : `${JSON.stringify(token)}\n`))
    .join('')
}
