import { host } from '../../../parts/connection/vault.ts'

type Revealed = Awaited<ReturnType<typeof host.host.revealDocument>>

type Options = {
  /** Stop once this many bytes have come. */
  readonly most?: number
  /** Whether the rest is still wanted; asked before each piece. */
  readonly isWanted: () => boolean
  readonly onProgress?: (done: number) => void
}

/** Reveals a document, which the log records. */
export function reveal(id: string): Promise<Revealed> {
  return host.host.revealDocument({ id })
}

/** The content of a revealed document, piece by piece; null if it is no longer wanted. */
export async function readPieces(
  { reading }: Pick<Revealed, 'reading'>,
  { most = Infinity, isWanted, onProgress }: Options,
): Promise<Uint8Array<ArrayBuffer>[] | null> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let length = 0; ; ) {
    if (!isWanted()) return null
    const { data, is_last } = await host.host.readPiece({ reading })
    const piece = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    pieces.push(piece)
    length += piece.length
    onProgress?.(length)
    if (is_last || length >= most) return isWanted() ? pieces : null
  }
}
