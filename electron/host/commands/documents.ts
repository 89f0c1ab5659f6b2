import { document, newDocument, TRANSFER_CHUNK_BYTES } from '../../../shared/schemas/document.ts'
import { z } from '../../../shared/zod.ts'
import { defineAction, defineCommand } from './command.ts'

export const documentCommands = {
  /** Starts the upload of a document from the window, as the owner. Throws `conflict` if too many are in progress. */
  beginUpload: defineCommand({
    input: newDocument,
    output: z.object({ upload: z.uuid() }),
    handler: (host, about) => host.documents.startUpload(about),
  }),
  /**
   * Stores the next chunk of an upload, in base64. Every chunk except the last has `TRANSFER_CHUNK_BYTES` bytes. Send
   * chunks one after the other. The last one creates the document; until then `document` is null. The upload is
   * cancelled by an error, or after a minute without a chunk.
   */
  sendPiece: defineCommand({
    input: z.strictObject({
      upload: z.uuid(),
      data: z.base64().max(Math.ceil(TRANSFER_CHUNK_BYTES / 3) * 4),
    }),
    output: z.object({ document: document.nullable() }),
    handler: (host, chunk) => host.documents.receiveChunk(chunk),
  }),
  /** Ends an upload and removes its chunks, unless it became a document. */
  endUpload: defineAction({
    input: z.strictObject({ upload: z.uuid() }),
    handler: (host, { upload }) => host.documents.endUpload(upload),
  }),
  /** Reveals a document to the owner, and records this in the log. `readPiece` can then return its content once. */
  revealDocument: defineCommand({
    input: z.strictObject({ id: z.string().max(100) }),
    output: z.object({ document, bytes: z.int(), reading: z.uuid() }),
    handler: (host, input) => host.documents.revealDocument(input),
  }),
  /** The next chunk of a revealed document, in base64. Throws `not_found` after the last one. */
  readPiece: defineCommand({
    input: z.strictObject({ reading: z.uuid() }),
    output: z.object({ data: z.string(), is_last: z.boolean() }),
    handler: (host, input) => host.documents.readNextChunk(input),
  }),
}
