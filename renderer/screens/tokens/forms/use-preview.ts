import { readJson } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { vault } from '../../../parts/connection/vault.ts'
import { toFieldSentences } from '../../../parts/messages/describe-error.ts'
import { type TokenDraft, toTokenRequest } from '../../../parts/tokens/token-draft.ts'

type NewTokenRequest = ReturnType<typeof toTokenRequest>
type TokenPreviewResult = Awaited<ReturnType<typeof vault.expressions.previewToken>>

/** A preview of the token that a draft would create. */
export type Preview = Omit<TokenPreviewResult, 'errors'> &
  Pick<Token, 'card' | 'bank'> & { readonly errors: Readonly<Record<string, string>> }

const PREVIEW_DELAY_MS = 120
const nothing: Preview = { errors: {} }

/** Requests a preview from the vault shortly after each change of the draft. */
export function usePreview(draft: TokenDraft): Preview {
  const request = JSON.stringify(toTokenRequest(draft))
  // If the preview fails, creating the token will report the reason.
  const { value } = useLoaded(
    async (): Promise<Preview> => {
      const { errors, ...answer } = await vault.expressions.previewToken(readJson(request) as NewTokenRequest)
      return { ...answer, errors: toFieldSentences(errors) }
    },
    { about: request, stays: true, wait_ms: PREVIEW_DELAY_MS },
  )
  return value ?? nothing
}
