import { readJson } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { sentencesOf } from '../../../parts/messages/sentence.ts'
import { requestOf, type TokenDraft } from '../../../parts/tokens/token-draft.ts'

type NewToken = ReturnType<typeof requestOf>
type Answer = Awaited<ReturnType<typeof vault.expressions.previewToken>>

/** A preview of the token a draft would create. */
export type Preview = Omit<Answer, 'errors'> &
  Pick<Token, 'card' | 'bank'> & { readonly errors: Readonly<Record<string, string>> }

const WAIT_MS = 120
const nothing: Preview = { errors: {} }

/** Asks the vault for a preview shortly after the draft last changed. */
export function usePreview(draft: TokenDraft): Preview {
  const request = JSON.stringify(requestOf(draft))
  // If the preview fails, creating the token will report why.
  const { value } = useLoaded(
    async (): Promise<Preview> => {
      const { errors, ...answer } = await vault.expressions.previewToken(readJson(request) as NewToken)
      return { ...answer, errors: sentencesOf(errors) }
    },
    { about: request, stays: true, wait_ms: WAIT_MS },
  )
  return value ?? nothing
}
