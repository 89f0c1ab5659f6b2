import { once } from 'node:events'
import fs from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { ExportedToken, exportPage } from '../../../shared/schemas/token-export.ts'
import type { z } from '../../../shared/zod.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { owner } from '../../engine/door/call.ts'
import type { Watch } from '../work/background.ts'
import { csvHeader, csvLine } from './csv-lines.ts'
import type { OwnersEngine } from './owners-engine.ts'
import { isPipe, openPipe } from './pipe.ts'
import type { Format } from './source-records.ts'

type What = {
  readonly format: Format
  /** Plaintext instead of masked data. Ask the owner first. */
  readonly clear: boolean
}
export type ExportOrder = What & {
  /** The new file to write, or an existing pipe. */
  readonly file: string
}

type Page = z.output<typeof exportPage>

/**
 * The tokens of a vault page by page, as the owner, in the order of creation; `after` continues from a page's `next`.
 */
export async function* exportPages(engine: OwnersEngine, clear: boolean, after = 0): AsyncGenerator<Page> {
  for (let at: number | null = after; at !== null; ) {
    const page: Page = await engine.as(owner).tokens.exportMany({ after: at, clear })
    yield page
    at = page.next
  }
}

/** How many of the selected tokens one engine call looks up. */
const TOGETHER = 400

/** The tokens with these ids page by page, as the owner; those that no longer exist are left out. */
export async function* exportSelected(
  engine: OwnersEngine,
  clear: boolean,
  ids: readonly string[],
): AsyncGenerator<Page> {
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const some = ids.slice(from, from + TOGETHER)
    for (let at: number | null = 0; at !== null; ) {
      const page: Page = await engine.as(owner).tokens.exportMany({ ids: some, after: at, clear })
      yield page
      at = page.next
    }
  }
}

export async function countTokens(engine: OwnersEngine): Promise<number> {
  return (await engine.as(owner).tenants.getUsageReport()).total_tokens
}

/**
 * Writes every token to a new file that only its owner may read, and returns how many. Until it is complete, the file
 * is called `<file>.part`; a killed process leaves that behind, and the next export to the same name replaces it.
 * Throws `conflict` where the file exists, `cancelled` when `signal` aborts, `unavailable`, `storage_full`.
 */
export async function exportTokens(
  engine: OwnersEngine,
  order: ExportOrder,
  watch: Watch = {},
): Promise<number> {
  const { file } = order
  if (isPipe(file)) return exportToPipe(engine, order, watch)
  if (fs.existsSync(file)) throw new CofferError('conflict', `${file} already exists. It was left as it is.`)
  const part = `${file}.part`
  let isBegun = false
  try {
    fs.rmSync(part, { force: true })
    const to = fs.openSync(part, 'wx', 0o600)
    isBegun = true
    let done: number
    try {
      done = await write(engine, order, watch, (text) => fs.writeFileSync(to, text))
      fs.fsyncSync(to)
    } finally {
      fs.closeSync(to)
    }
    fs.renameSync(part, file)
    return done
  } catch (error) {
    // Where the path leads through a file, removing fails too, and would hide the reason.
    if (isBegun) fs.rmSync(part, { force: true })
    throw stoppedOr(error, watch, 'Stopped. No file was written.') ?? storageError(error, file)
  }
}

/** The same to a stream, such as standard output, which stays open. */
export async function exportToStream(
  engine: OwnersEngine,
  what: What,
  stream: Writable,
  watch: Watch = {},
): Promise<number> {
  try {
    const done = await write(engine, what, watch, async (text) => {
      if (!stream.write(text)) await once(stream, 'drain', { signal: watch.signal })
    })
    // Wait until the reader has everything.
    await new Promise<void>((resolve, reject) => {
      stream.write('', (error) => (error ? reject(error) : resolve()))
    })
    return done
  } catch (error) {
    throw stoppedOr(error, watch, 'Stopped. What was written is not the whole export.') ?? error
  }
}

async function exportToPipe(engine: OwnersEngine, order: ExportOrder, watch: Watch): Promise<number> {
  let stream: Writable | undefined
  try {
    stream = (await openPipe(order.file, 'w', watch.signal)) as Writable
    // A failed write rejects already; the stream emits the error once more when nobody waits for it.
    stream.on('error', () => {})
    const done = await exportToStream(engine, order, stream, watch)
    stream.end()
    await finished(stream)
    return done
  } catch (error) {
    throw stoppedOr(error, watch, 'Stopped. Nothing was written.') ?? storageError(error, order.file)
  } finally {
    stream?.destroy()
  }
}

async function write(
  engine: OwnersEngine,
  { format, clear }: What,
  { signal, onProgress }: Watch,
  out: (text: string) => void | Promise<void>,
): Promise<number> {
  const total = await countTokens(engine)
  let done = 0
  if (format === 'csv') await out(csvHeader)
  for await (const { tokens } of exportPages(engine, clear)) {
    signal?.throwIfAborted()
    await out(linesOf(tokens, format))
    done += tokens.length
    onProgress?.(done, Math.max(total, 1))
  }
  return done
}

function stoppedOr(error: unknown, { signal }: Watch, sentence: string): CofferError | undefined {
  if (!signal?.aborted || error instanceof CofferError) return undefined
  return new CofferError('cancelled', sentence, { cause: error })
}

export function linesOf(tokens: readonly ExportedToken[], format: Format): string {
  return tokens.map((token) => (format === 'csv' ? csvLine(token) : `${JSON.stringify(token)}\n`)).join('')
}
