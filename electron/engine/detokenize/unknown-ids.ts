import { CofferError } from '../../../shared/errors.ts'
import { checkTokenId } from '../tokens/write/token-id.ts'

const MOST = 20

/** Returns the ids of tokens that do not exist, as an error lists them (rule O-02): each once, at most twenty. */
export function listedIds(ids: ReadonlySet<string>): string {
  const shown = [...new Set([...ids].map(shownId))]
  const more = shown.length > MOST ? `, and ${shown.length - MOST} more` : ''
  return shown.slice(0, MOST).join(', ') + more
}

/**
 * An id as a message may repeat it.
 * SECURITY: what is no valid id may be any data, and a run of digits may be a card number pasted in place of an id.
 */
function shownId(id: string): string {
  try {
    checkTokenId(id, 'id')
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    return '…'
  }
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return id
  // NFKC first, so that full-width and other styled digits count as plain digits.
  return id.normalize('NFKC').replace(/\p{Nd}(?:[\s._-]?\p{Nd}){11,}/gu, '…')
}
