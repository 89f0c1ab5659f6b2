import { useEffect, useState } from 'react'
import { readJson } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { requestOf, type TokenDraft } from '../../../parts/tokens/token-draft.ts'

type NewToken = ReturnType<typeof requestOf>
type Answer = Awaited<ReturnType<typeof vault.expressions.previewToken>>

/** What a draft would become. */
export type Preview = Omit<Answer, 'errors'> &
  Pick<Token, 'card' | 'bank'> & { readonly errors: Readonly<Record<string, string>> }

const WAIT_MS = 120

/** Asks the vault what a draft would become, a moment after it was last changed. */
export function usePreview(draft: TokenDraft): Preview {
  const [preview, setPreview] = useState<Preview>({ errors: {} })
  const request = JSON.stringify(requestOf(draft))
  useEffect(() => {
    let here = true
    const timer = setTimeout(async () => {
      try {
        const { errors, ...answer } = await vault.expressions.previewToken(readJson(request) as NewToken)
        const joined = Object.entries(errors).map(([path, messages]) => [path, messages.join(', ')] as const)
        if (here) setPreview({ ...answer, errors: Object.fromEntries(joined) })
      } catch {
        // Creating it says what is wrong.
      }
    }, WAIT_MS)
    return () => {
      here = false
      clearTimeout(timer)
    }
  }, [request])
  return preview
}
