import { CofferError } from '../../../../shared/errors.ts'
import { CHUNK_BYTES } from '../../../../shared/schemas/document.ts'
import type { VaultStorage } from '../../crypto/keyring.ts'
import { type DocumentRow, findChunk, insertChunk } from './store.ts'

const LABEL = 'document'

/** Seals a chunk and stores it. SECURITY: the seal is bound to the document and to the number of the chunk. */
export function storeChunk(
  { db, keyring }: VaultStorage,
  document_id: string,
  number: number,
  bytes: Buffer,
): void {
  const data = keyring.sealValue(bytes, `${document_id}/${number}`, LABEL)
  insertChunk(db, { document_id, number, key_version: keyring.dataKeyVersion, data })
}

/** Decrypts a chunk of a document; null if the document has been deleted meanwhile. Throws `damaged`. */
export function openChunk({ db, keyring }: VaultStorage, row: DocumentSize, number: number): Buffer | null {
  const data = findChunk(db, row.id, number)
  if (!data) return null
  const bytes = keyring.openBytes(data, `${row.id}/${number}`, LABEL)
  if (bytes.length !== Math.min(CHUNK_BYTES, row.bytes - number * CHUNK_BYTES))
    throw new CofferError('damaged', 'A chunk of this document has the wrong length.')
  return bytes
}

type DocumentSize = Pick<DocumentRow, 'id' | 'bytes'>

/** Returns the number of chunks for content of this many bytes: at least 1. */
export function toChunkCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES))
}
