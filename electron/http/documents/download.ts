import { setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import { chunksOf } from '../../engine/documents/chunks.ts'
import { locked, unlocked } from '../../engine/door/locked.ts'
import type { Engine } from '../../engine/engine.ts'

/** A download that the vault has allowed and recorded. */
export type Download = {
  readonly tenant_id: string
  readonly id: string
  readonly bytes: number
}

/**
 * The content of a document, chunk by chunk, as fast as the caller reads it (rule D-01). The first is read before
 * anything is sent. Throws `locked` once the vault is no longer open, `not_found` once the document is deleted.
 */
export function contentOf(engine: () => Engine | null, download: Download): AsyncGenerator<Buffer> {
  const first = chunkOf(engine, download, 0)
  return (async function* () {
    yield first
    for (let number = 1; number < chunksOf(download.bytes); number++) {
      // Other requests get their turn (rule R-03).
      await turn()
      yield chunkOf(engine, download, number)
    }
  })()
}

function chunkOf(engine: () => Engine | null, { tenant_id, id }: Download, number: number): Buffer {
  const open = unlocked(engine())
  // SECURITY: another vault may have been opened meanwhile.
  if (open.tenant_id !== tenant_id) throw locked()
  const chunk = open.readChunk(id, number)
  if (!chunk) throw new CofferError('not_found', 'The document was deleted.')
  return chunk
}
