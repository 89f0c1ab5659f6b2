import { randomUUID } from 'node:crypto'
import type { Operations } from '../electron/engine/operations.ts'
import type { Client } from '../shared/client.ts'
import { CHUNK_BYTES } from '../shared/schemas/document.ts'

/** Stores a document chunk by chunk, like the listener. Returns its id. */
export async function makeDocument(
  owner: Client<Operations>,
  content: Buffer = Buffer.from('content'),
  { content_type = 'text/plain', metadata = {} } = {},
): Promise<string> {
  const id = randomUUID()
  let number = 0
  for (; (number + 1) * CHUNK_BYTES < content.length; number++) {
    const data = content.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES)
    await owner.documents.create({ id, number, data, last: null })
  }
  const data = content.subarray(number * CHUNK_BYTES)
  await owner.documents.create({ id, number, data, last: { content_type, metadata } })
  return id
}
