import type { VaultFile } from '../../pipeline/vault-file.ts'
import { openChunk } from './chunks.ts'
import { getActiveUploads } from './loose-chunks.ts'
import { findDocument, isLoose } from './store.ts'

/** The content of documents, for downloads and uploads that take longer than one call. */
export class DocumentContent {
  readonly #file: VaultFile
  readonly #requestSweep: () => void

  constructor(file: VaultFile, requestSweep: () => void) {
    this.#file = file
    this.#requestSweep = requestSweep
  }

  /**
   * Returns a chunk of a document's content, for a download that `documents.reveal` has allowed and recorded
   * (rule D-01); null once the document is deleted. Throws `locked`, `unavailable`, `damaged`.
   */
  readChunk(document_id: string, number: number): Buffer | null {
    this.#file.assertOpen()
    try {
      const row = findDocument(this.#file.db, document_id)
      return row ? openChunk(this.#file, row, number) : null
    } catch (error) {
      this.#file.reportIncident(error, 'documents.reveal')
      throw this.#file.toReadError(error)
    }
  }

  /** Ends an upload: its chunks are deleted unless they became a document (rule D-01). */
  endUpload(document_id: string): void {
    if (this.#file.isClosed) return
    const { db } = this.#file
    if (getActiveUploads(db).delete(document_id) && isLoose(db, document_id)) this.#requestSweep()
  }
}
