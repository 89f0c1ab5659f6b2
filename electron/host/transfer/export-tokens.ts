import fs from 'node:fs'
import type { z } from 'zod'
import { CofferError } from '../../../shared/errors.ts'
import type { ExportedToken, exportPage } from '../../../shared/schemas/token-export.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Watch } from '../background.ts'
import { csvHeader, csvLine } from './csv-lines.ts'
import type { Format } from './source-records.ts'

export type ExportOrder = {
  /** The new file to write. */
  readonly file: string
  readonly format: Format
  /** Plaintext instead of masked data. The owner must have been asked. */
  readonly clear: boolean
}

const owner = { kind: 'owner' } as const

/** The tokens of a vault page by page, as the owner, in the order they were made; `after` goes on from a page's `next`. */
export async function* exportPages(
  engine: Engine,
  clear: boolean,
  after = 0,
): AsyncGenerator<z.output<typeof exportPage>> {
  for (let at: number | null = after; at !== null; ) {
    const { output } = await engine.call('tokens.exportMany', { after: at, clear }, owner)
    const page = output as z.output<typeof exportPage>
    yield page
    at = page.next
  }
}

/** How many tokens a vault holds. */
export async function countTokens(engine: Engine): Promise<number> {
  const { output } = await engine.call('tenants.getUsageReport', {}, owner)
  return (output as { total_tokens: number }).total_tokens
}

/**
 * Writes every token to a new file that only its owner may read; it has its name once it is whole. Gives how many.
 * Throws `conflict` where the file exists or `signal` ends it, `unavailable`, `storage_full`.
 */
export async function exportTokens(
  engine: Engine,
  { file, format, clear }: ExportOrder,
  { signal, onProgress }: Watch = {},
): Promise<number> {
  if (fs.existsSync(file)) throw new CofferError('conflict', `${file} exists already. It was left as it is.`)
  const total = await countTokens(engine)
  const part = `${file}.part`
  let done = 0
  try {
    fs.rmSync(part, { force: true })
    const to = fs.openSync(part, 'wx', 0o600)
    try {
      if (format === 'csv') fs.writeFileSync(to, csvHeader)
      for await (const { tokens } of exportPages(engine, clear)) {
        if (signal?.aborted) throw new CofferError('conflict', 'Stopped. No file was written.')
        fs.writeFileSync(to, linesOf(tokens, format))
        done += tokens.length
        onProgress?.(done, total)
      }
      fs.fsyncSync(to)
    } finally {
      fs.closeSync(to)
    }
    fs.renameSync(part, file)
    return done
  } catch (error) {
    fs.rmSync(part, { force: true })
    throw storageError(error, file)
  }
}

/** Tokens as the lines of a file. */
export function linesOf(tokens: readonly ExportedToken[], format: Format): string {
  return tokens.map((token) => (format === 'csv' ? csvLine(token) : `${JSON.stringify(token)}\n`)).join('')
}
