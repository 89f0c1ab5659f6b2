import { setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import { createLockedError, type Engine, requireUnlocked, toChunkCount } from '../../engine/index.ts'

/** A download that the vault has allowed and recorded. */
export type Download = {
  readonly tenant_id: string
  readonly id: string
  readonly bytes: number
}

/**
 * Returns the content of a document as a stream of chunks, read as fast as the caller receives them (rule D-01). The
 * first chunk is read before anything is sent. Throws `locked` once the vault is no longer open, `not_found` once the
 * document is deleted.
 */
export function streamContent(engine: () => Engine | null, download: Download): AsyncGenerator<Buffer> {
  const first = readChunk(engine, download, 0)
  return (async function* () {
    yield first
    for (let number = 1; number < toChunkCount(download.bytes); number++) {
      // Let other requests be handled between two chunks (rule R-03).
      await turn()
      yield readChunk(engine, download, number)
    }
  })()
}

function readChunk(engine: () => Engine | null, { tenant_id, id }: Download, number: number): Buffer {
  const open = requireUnlocked(engine())
  // SECURITY: another vault may have been opened in the meantime.
  if (open.tenant_id !== tenant_id) throw createLockedError()
  const chunk = open.documents.readChunk(id, number)
  if (!chunk) throw new CofferError('not_found', 'The document was deleted.')
  return chunk
}
