import { useEffect, useState } from 'react'
import { reader } from '../../parts/access/looking.ts'
import { isStatus } from '../../parts/messages/sentence.ts'
import { isWholeId, mayBeId } from './palette-rank.ts'

const WAIT_MS = 120

/** Whether there is a token with the id that was typed: unknown while nobody can say. */
export type FoundToken = { readonly id: string; readonly is: 'there' | 'not there' | 'unknown' } | null

/** Asks for the token of an id that is being typed; null where no id is. */
export function useFoundToken(typed: string): FoundToken {
  const id = typed.trim()
  const asked = mayBeId(id)
  const [found, setFound] = useState<FoundToken>(null)
  useEffect(() => {
    if (!asked) return
    let here = true
    const timer = setTimeout(async () => {
      const is = await reader()
        .tokens.get({ id })
        .then(
          () => 'there' as const,
          (error) => (isStatus(error, 404) ? ('not there' as const) : ('unknown' as const)),
        )
      if (here) setFound({ id, is })
    }, WAIT_MS)
    return () => {
      here = false
      clearTimeout(timer)
    }
  }, [id, asked])
  if (!asked) return null
  if (found?.id === id) return found.is === 'unknown' && !isWholeId(id) ? null : found
  return isWholeId(id) ? { id, is: 'unknown' } : null
}
