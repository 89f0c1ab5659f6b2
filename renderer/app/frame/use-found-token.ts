import { reader } from '../../parts/access/looking.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { hasCode } from '../../parts/messages/sentence.ts'
import { isWholeId, mayBeId } from './palette-rank.ts'

const WAIT_MS = 120

/** Whether a token with the typed id exists; `unknown` while that cannot be determined. */
export type FoundToken = { readonly id: string; readonly is: 'there' | 'not there' | 'unknown' } | null

async function answerTo(id: string): Promise<NonNullable<FoundToken>['is']> {
  try {
    await reader().tokens.get({ id })
    return 'there'
  } catch (error) {
    return hasCode(error, 'not_found') ? 'not there' : 'unknown'
  }
}

/** Looks up the token whose id is being typed; null if the text is not an id. */
export function useFoundToken(typed: string): FoundToken {
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
