import { useEffect, useState } from 'react'
import type { Suggestion } from '../../../../shared/find.ts'
import { useLooking } from '../../../parts/access/looking.ts'
import { passOver } from '../../../parts/connection/incidents.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { nameOf, typeNames } from '../../../parts/tokens/token-types.ts'
import { isQuery } from './token-filters.ts'

const WAIT_MS = 120

/** What a typed text may stand for: what the vault has, or, looking as an application, what its key can filter by. */
export function useSuggestions(text: string, isWanted: boolean): readonly Suggestion[] {
  const { as } = useLooking()
  const [found, setFound] = useState<{ text: string; data: readonly Suggestion[] }>({ text: '', data: [] })
  const asked = isWanted && text !== '' && !isQuery(text) ? text : ''
  useEffect(() => {
    if (asked === '') return setFound({ text: '', data: [] })
    if (as) return setFound({ text: asked, data: typesNamed(asked) })
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const { data } = await vault.tokens.suggest({ text: asked })
        if (isCurrent) setFound({ text: asked, data: withNames(data, asked) })
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

/** The types that are called so in the window. */
function typesNamed(text: string): Suggestion[] {
  const wanted = text.toLowerCase()
  return typeNames
    .filter((type) => nameOf(type).toLowerCase().startsWith(wanted))
    .map((value) => ({ kind: 'type', value }))
}

/** The vault's suggestions, with the types that only the window calls so. */
function withNames(data: readonly Suggestion[], text: string): Suggestion[] {
  const types = new Set(
    data.filter(({ kind }) => kind === 'type').map((each) => 'value' in each && each.value),
  )
  return [...data, ...typesNamed(text).filter((each) => 'value' in each && !types.has(each.value))]
}
