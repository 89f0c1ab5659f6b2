import { CofferError } from '../../../shared/errors.ts'
import { checkTokenId } from '../tokens/write/token-id.ts'

const MOST = 20

/** The ids of tokens that do not exist, as an error names them (rule O-02): each once, at most twenty. */
export function listedIds(ids: ReadonlySet<string>): string {
  const shown = [...new Set([...ids].map(shownId))]
  const more = shown.length > MOST ? `, and ${shown.length - MOST} more` : ''
  return shown.slice(0, MOST).join(', ') + more
}

/**
 * An id as it may be repeated.
 * SECURITY: what cannot be an id may be anything, and a run of digits may be a card number pasted in the place of one.
 */
function shownId(id: string): string {
  try {
    checkTokenId(id, 'id')
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    return '…'
  }
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return id
  // NFKC first, so that full-width and other styled digits count as the digits they show.
  return id.normalize('NFKC').replace(/\p{Nd}(?:[\s._-]?\p{Nd}){11,}/gu, '…')
}
