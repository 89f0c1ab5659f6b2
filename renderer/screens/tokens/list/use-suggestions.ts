import { useEffect, useState } from 'react'
import type { Suggestion } from '../../../../shared/find.ts'
import { typesNamed } from '../../../../shared/token-types.ts'
import { useLooking } from '../../../parts/access/looking.ts'
import { passOver } from '../../../parts/connection/incidents.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { isQuery } from './token-filters.ts'

const WAIT_MS = 120

/** What a typed text may stand for: what the vault has, or, looking as an application, what its key can filter by. */
export function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const { as } = useLooking()
  const [found, setFound] = useState<{ text: string; data: readonly Suggestion[] }>({ text: '', data: [] })
  const asked = isWanted && text !== '' && !isQuery(text) ? text : ''
  useEffect(() => {
    if (asked === '') return setFound({ text: '', data: [] })
    if (as)
      return setFound({ text: asked, data: typesNamed(asked).map((value) => ({ kind: 'type', value })) })
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const { data } = await vault.tokens.suggest({ text: asked })
        if (isCurrent) setFound({ text: asked, data })
      } catch (error) {
        passOver(error)
      }
    }, WAIT_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [asked, as])
  // Those for another text stay until the next have come, unless there is no text.
  return asked === '' ? [] : found.data
}
