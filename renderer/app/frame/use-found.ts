import { reader, useLooking } from '../../parts/access/looking.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { hasCode } from '../../parts/messages/sentence.ts'
import { isWholeId, mayBeId } from './palette-rank.ts'

const WAIT_MS = 120

/** Whether a token or a document with the typed id exists; `unknown` while that cannot be determined. */
export type Found = {
  readonly id: string
  readonly is: 'token' | 'document' | 'not there' | 'unknown'
} | null

async function answerTo(id: string): Promise<NonNullable<Found>['is']> {
  try {
    await reader().tokens.get({ id })
    return 'token'
  } catch (error) {
    if (!hasCode(error, 'not_found')) return 'unknown'
  }
  // Asking through an application's key would leave a refusal in the log.
  if (!isWholeId(id) || useLooking.getState().as) return 'not there'
  try {
    await vault.documents.describe({ id })
    return 'document'
  } catch (error) {
    return hasCode(error, 'not_found') ? 'not there' : 'unknown'
  }
}

/** Looks up the token or the document whose id is being typed; null if the text is not an id. */
export function useFound(typed: string): Found {
  const id = typed.trim()
  const asked = mayBeId(id)
  const { value } = useLoaded(async () => (asked ? { id, is: await answerTo(id) } : null), {
    about: id,
    wait_ms: WAIT_MS,
  })
  if (!asked) return null
  if (value) return value.is === 'unknown' && !isWholeId(id) ? null : value
  return isWholeId(id) ? { id, is: 'unknown' } : null
}
