import { getReadClient, useViewAs } from '../../parts/access/view-as.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { hasCode } from '../../parts/messages/describe-error.ts'
import { isFullId, mayBeId } from './palette-rank.ts'

const LOOKUP_DELAY_MS = 120

/** The entity that has the typed id; `unknown` if the lookup failed. */
export type IdLookup = {
  readonly id: string
  readonly is: 'token' | 'document' | 'not there' | 'unknown'
} | null

async function lookUpId(id: string): Promise<NonNullable<IdLookup>['is']> {
  try {
    await getReadClient().tokens.get({ id })
    return 'token'
  } catch (error) {
    if (!hasCode(error, 'not_found')) return 'unknown'
  }
  // A lookup with an application's key would log a refused request.
  if (!isFullId(id) || useViewAs.getState().as) return 'not there'
  try {
    await vault.documents.describe({ id })
    return 'document'
  } catch (error) {
    return hasCode(error, 'not_found') ? 'not there' : 'unknown'
  }
}

/** Looks up the token or document whose id is in the input; null if the input is not an id. */
export function useIdLookup(input: string): IdLookup {
  const id = input.trim()
  const isCandidate = mayBeId(id)
  const { value } = useLoaded(async () => (isCandidate ? { id, is: await lookUpId(id) } : null), {
    about: id,
    wait_ms: LOOKUP_DELAY_MS,
  })
  if (!isCandidate) return null
  if (value) return value.is === 'unknown' && !isFullId(id) ? null : value
  return isFullId(id) ? { id, is: 'unknown' } : null
}
