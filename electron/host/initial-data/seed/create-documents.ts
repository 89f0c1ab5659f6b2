import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { createInvalidError } from '../../../../shared/errors.ts'
import { CHUNK_BYTES, DOCUMENT_LIMIT } from '../../../../shared/schemas/document.ts'
import { type Engine, owner } from '../../../engine/index.ts'
import { openSeedFile, withReadErrors } from './read-file.ts'
import type { Seed } from './seed.ts'

type SeedDocument = Seed['documents'][number]

/**
 * Stores a document of a seed chunk by chunk, as the owner. Files are relative to `folder`. Throws `invalid` for a
 * file that cannot be read, is not a regular file, or is too large.
 */
export async function createDocument(engine: Engine, folder: string, document: SeedDocument): Promise<void> {
  const { documents } = engine.as(owner)
  const { id = randomUUID(), text, file, content_type, metadata = {} } = document
  const declared = content_type ?? (text === undefined ? 'application/octet-stream' : 'text/plain')
  const last = { content_type: declared, metadata }
  const content = text === undefined ? readFileChunks(file ?? '', folder) : splitChunks(Buffer.from(text))
  let number = 0
  let pending: Buffer | null = null
  for (const data of content) {
    if (pending) await documents.create({ id, number: number++, data: pending, last: null })
    pending = data
  }
  await documents.create({ id, number, data: pending ?? Buffer.alloc(0), last })
}

function* splitChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

function* readFileChunks(file: string, folder: string): Generator<Buffer> {
  const open = openSeedFile(file, folder)
  try {
    if (fs.fstatSync(open).size > DOCUMENT_LIMIT) throw createInvalidError('file', 'is larger than 50 MiB')
    for (;;) {
      const chunk = readChunk(open)
      if (chunk.length > 0) yield chunk
      if (chunk.length < CHUNK_BYTES) return
    }
  } finally {
    fs.closeSync(open)
  }
}

/** Reads the next chunk of a file. Only the last one may be shorter. */
function readChunk(open: number): Buffer {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let length = 0
  for (;;) {
    const read = withReadErrors(() => fs.readSync(open, chunk, length, CHUNK_BYTES - length, null))
    length += read
    if (read === 0 || length === CHUNK_BYTES) return chunk.subarray(0, length)
  }
}
