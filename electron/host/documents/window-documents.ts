import { randomUUID } from 'node:crypto'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import {
  CHUNK_BYTES,
  type DocumentObject,
  type newDocument,
  TRANSFER_CHUNK_BYTES,
} from '../../../shared/schemas/document.ts'
import type { z } from '../../../shared/zod.ts'
import { createLockedError, type Engine, owner, requireUnlocked, toChunkCount } from '../../engine/index.ts'

/** The maximum number of concurrent uploads, and of concurrent downloads. */
const MAX_TRANSFERS = 8
/** An upload ends after this time without a chunk, for example because its page was closed. */
const IDLE_TIMEOUT_MS = 60_000

type NewDocument = z.output<typeof newDocument>

type IncomingDocument = {
  readonly engine: Engine
  readonly about: NewDocument
  readonly idle: NodeJS.Timeout
  received: number
  isBusy: boolean
}

type OutgoingDocument = { readonly engine: Engine; readonly id: string; readonly bytes: number; next: number }

/**
 * Transfers documents to and from the window, in chunks that fit into calls. Holds no content between calls (rule
 * D-01).
 */
export class WindowDocuments {
  readonly #engine: () => Engine | null
  readonly #uploads = new Map<string, IncomingDocument>()
  readonly #readings = new Map<string, OutgoingDocument>()

  constructor(engine: () => Engine | null) {
    this.#engine = engine
  }

  /** Starts an upload. Throws `locked`, and `conflict` if too many uploads are in progress. */
  startUpload(about: NewDocument): { upload: string } {
    const engine = requireUnlocked(this.#engine())
    for (const [id, upload] of this.#uploads) if (upload.engine !== engine) this.endUpload(id)
    if (this.#uploads.size >= MAX_TRANSFERS)
      throw new CofferError('conflict', 'Too many uploads are in progress. Try again when one has finished.')
    const id = randomUUID()
    const idle = setTimeout(() => this.endUpload(id), IDLE_TIMEOUT_MS).unref()
    this.#uploads.set(id, { engine, about, idle, received: 0, isBusy: false })
    return { upload: id }
  }

  /**
   * Stores the next chunk, in base64. The last one creates the document. Throws `locked`, `invalid` for a chunk of unexpected
   * length, and `not_found` for an upload that has ended. An error ends the upload.
   */
  async receiveChunk({
    upload: id,
    data,
  }: {
    upload: string
    data: string
  }): Promise<{ document: DocumentObject | null }> {
    const upload = this.#uploads.get(id)
    if (!upload) throw new CofferError('not_found', 'This upload has ended. Start it again.')
    try {
      // SECURITY: another vault may have been opened in the meantime.
      if (this.#engine() !== upload.engine) throw createLockedError()
      if (upload.isBusy)
        throw new CofferError('conflict', 'Another chunk of this upload is still being stored.')
      upload.isBusy = true
      const bytes = Buffer.from(data, 'base64')
      if (bytes.length !== Math.min(TRANSFER_CHUNK_BYTES, upload.about.bytes - upload.received))
        throw createInvalidError('data', 'must be the next chunk of the document')
      const document = await this.#storeChunks(id, upload, bytes)
      if (document) this.endUpload(id)
      upload.isBusy = false
      upload.idle.refresh()
      return { document }
    } catch (error) {
      this.endUpload(id)
      throw error
    }
  }

  /** Ends an upload. Its stored chunks are removed, unless the document is complete. */
  endUpload(id: string): void {
    const upload = this.#uploads.get(id)
    if (!upload) return
    clearTimeout(upload.idle)
    this.#uploads.delete(id)
    upload.engine.documents.endUpload(id)
  }

  /** Reveals a document. The log records it before the first chunk is read. Throws `not_found`, `locked`. */
  async revealDocument({
    id,
  }: {
    id: string
  }): Promise<{ document: DocumentObject; bytes: number; reading: string }> {
    const engine = requireUnlocked(this.#engine())
    const { document, bytes } = await engine.as(owner).documents.revealToOwner({ id })
    const reading = randomUUID()
    const [oldest] = this.#readings.keys()
    if (oldest !== undefined && this.#readings.size >= MAX_TRANSFERS) this.#readings.delete(oldest)
    this.#readings.set(reading, { engine, id, bytes, next: 0 })
    return { document, bytes, reading }
  }

  /**
   * Returns the next chunk of a revealed document. SECURITY: each chunk is returned once, so that reading again needs
   * another reveal. Throws `locked`, and `not_found` after the last chunk or once the document is deleted.
   */
  readNextChunk({ reading: key }: { reading: string }): { data: string; is_last: boolean } {
    const reading = this.#readings.get(key)
    if (!reading) throw new CofferError('not_found', 'The reveal has expired. Reveal the document again.')
    // SECURITY: another vault may have been opened in the meantime.
    if (this.#engine() !== reading.engine) {
      this.#readings.delete(key)
      throw createLockedError()
    }
    const until = Math.min(reading.next + TRANSFER_CHUNK_BYTES / CHUNK_BYTES, toChunkCount(reading.bytes))
    const chunks: Buffer[] = []
    for (; reading.next < until; reading.next++) {
      const chunk = reading.engine.documents.readChunk(reading.id, reading.next)
      if (!chunk) throw new CofferError('not_found', 'The document was deleted.')
      chunks.push(chunk)
    }
    const is_last = until === toChunkCount(reading.bytes)
    if (is_last) this.#readings.delete(key)
    return { data: Buffer.concat(chunks).toString('base64'), is_last }
  }

  /** Stores the received bytes chunk by chunk. Returns null until the document is complete. */
  async #storeChunks(id: string, upload: IncomingDocument, bytes: Buffer): Promise<DocumentObject | null> {
    const { content_type, metadata, bytes: total } = upload.about
    for (let at = 0; ; at += CHUNK_BYTES) {
      const data = bytes.subarray(at, at + CHUNK_BYTES)
      const number = upload.received / CHUNK_BYTES
      const isLast = upload.received + data.length === total
      const last = isLast ? { content_type, metadata } : null
      const document = await upload.engine.as(owner).documents.create({ id, number, data, last })
      // The upload was cancelled in the meantime, so the chunks stored since are removed too.
      if (!document && !this.#uploads.has(id)) {
        upload.engine.documents.endUpload(id)
        throw new CofferError('cancelled', 'The upload was cancelled.')
      }
      upload.received += data.length
      if (isLast || at + CHUNK_BYTES >= bytes.length) return document
    }
  }
}
