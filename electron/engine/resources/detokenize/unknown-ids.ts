import { CofferError } from '../../../../shared/errors.ts'
import { checkTokenId } from '../tokens/write/token-id.ts'

const MAX_LISTED_IDS = 20

/** Formats the ids of tokens that do not exist for an error message (rule O-02): each once, at most 20. */
export function formatUnknownIds(ids: ReadonlySet<string>): string {
  const listed = [...new Set([...ids].map(redactId))]
  const more = listed.length > MAX_LISTED_IDS ? `, and ${listed.length - MAX_LISTED_IDS} more` : ''
  return listed.slice(0, MAX_LISTED_IDS).join(', ') + more
}

/**
 * Returns an id in a form that is safe in a message.
 * SECURITY: an invalid id may be any data, and twelve or more digits may be a card number pasted instead of an id.
 */
function redactId(id: string): string {
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
