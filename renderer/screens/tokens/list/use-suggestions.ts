import { useEffect, useState } from 'react'
import type { Suggestion } from '../../../../shared/find.ts'
import { findTypesByName } from '../../../../shared/token-types.ts'
import { useViewAs } from '../../../parts/access/view-as.ts'
import { handleBackgroundError } from '../../../parts/connection/incidents.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { isQuery } from './token-filters.ts'

const SUGGEST_DELAY_MS = 120

/**
 * Suggestions for typed text: values in the vault or, while viewing as an application, filters that its key may use.
 */
export function useSuggestions(text: string, isEnabled: boolean): readonly Suggestion[] {
  const { as } = useViewAs()
  const [result, setResult] = useState<{ text: string; data: readonly Suggestion[] }>({ text: '', data: [] })
  const query = isEnabled && text !== '' && !isQuery(text) ? text : ''
  useEffect(() => {
    if (query === '') return setResult({ text: '', data: [] })
    if (as)
      return setResult({
        text: query,
        data: findTypesByName(query).map((value) => ({ kind: 'type', value })),
      })
    let isCurrent = true
    const timer = setTimeout(async () => {
      try {
        const { data } = await vault.tokens.suggest({ text: query })
        if (isCurrent) setResult({ text: query, data })
      } catch (error) {
        handleBackgroundError(error)
      }
    }, SUGGEST_DELAY_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [query, as])
  // Suggestions for the previous text stay until new ones arrive, unless the text is empty.
  return query === '' ? [] : result.data
}
