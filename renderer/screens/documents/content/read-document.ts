import { host } from '../../../parts/connection/vault.ts'

type Revealed = Awaited<ReturnType<typeof host.revealDocument>>

type ReadDocumentOptions = {
  /** Stop after this many bytes. */
  readonly maxBytes?: number
  /** Checked before each chunk; false stops reading. */
  readonly isCurrent: () => boolean
  readonly onProgress?: (done: number) => void
}

/** Reveals a document. The vault records this in the log. */
export function revealDocument(id: string): Promise<Revealed> {
  return host.revealDocument({ id })
}

/** Reads a revealed document in chunks; null if it is no longer needed. */
export async function readChunks(
  { reading }: Pick<Revealed, 'reading'>,
  { maxBytes = Infinity, isCurrent, onProgress }: ReadDocumentOptions,
): Promise<Uint8Array<ArrayBuffer>[] | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let length = 0; ; ) {
    if (!isCurrent()) return null
    const { data, is_last } = await host.readPiece({ reading })
    const chunk = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    chunks.push(chunk)
    length += chunk.length
    onProgress?.(length)
    if (is_last || length >= maxBytes) return isCurrent() ? chunks : null
  }
}
