import { useMemo } from 'react'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { vault } from '../../parts/connection/vault.ts'
import type { HintContext } from './body-hints.ts'
import { getVariables, useDrafts } from './drafts-store.ts'

const findTokens: HintContext['findTokens'] = async (find, size) =>
  (await vault.tokens.find({ find, sort: 'newest', size })).data

/** What a request may refer to: the variables of the selected environment and, for the owner, tokens. */
export function useHintContext(): HintContext {
  const isOwner = useIsOwner()
  const { environments, environment } = useDrafts()
  return useMemo(
    () => ({
      variables: getVariables({ environments, environment }),
      findTokens: isOwner ? findTokens : null,
    }),
    [environments, environment, isOwner],
  )
}
