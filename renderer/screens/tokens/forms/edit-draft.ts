import type { Json, JsonObject } from '../../../../shared/json.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { dataOf, jsonOrText } from '../../../parts/tokens/token-draft.ts'
import { mapOf, type Pair, pairsOf } from '../../../ui/fields/pairs-input.tsx'
import { patchBetween } from './merge-patch.ts'

/** A token being edited. */
export type EditDraft = {
  readonly data: Readonly<Record<string, string>>
  readonly containers: readonly string[]
  readonly metadata: readonly Pair[]
  readonly mask: string
  readonly fingerprint_expression: string
  readonly search_indexes: readonly string[]
  readonly expires_at: string
}

function textOf(mask: Json | undefined): string {
  if (mask === undefined) return ''
  return typeof mask === 'string' ? mask : JSON.stringify(mask, null, 2)
}

/** The initial draft of a token. Its data stays empty, because nobody needs to see it to change the rest. */
export function draftOf(token: Token): EditDraft {
  return {
    data: {},
    containers: token.containers,
    metadata: pairsOf(token.metadata ?? {}),
    mask: textOf(token.mask),
    fingerprint_expression: token.fingerprint_expression ?? '',
    search_indexes: token.search_indexes ?? [],
    expires_at: token.expires_at ?? '',
  }
}

/** The merge patch for a draft: unchanged members are absent, emptied members are null. */
export function patchOf(token: Token, draft: EditDraft): JsonObject {
  const patch: JsonObject = {}
  const data = isTokenType(token.type) ? dataOf(token.type, draft.data) : undefined
  if (data !== undefined) patch.data = data
  const metadata = patchBetween(token.metadata ?? {}, mapOf(draft.metadata))
  if (metadata !== undefined) patch.metadata = metadata
  if (draft.mask !== textOf(token.mask)) {
    patch.mask = draft.mask === '' ? null : (patchBetween(token.mask, jsonOrText(draft.mask)) ?? null)
  }
  const lists = ['containers', 'search_indexes'] as const
  for (const name of lists) {
    if (JSON.stringify(draft[name]) === JSON.stringify(token[name] ?? [])) continue
    patch[name] = draft[name].length === 0 ? null : [...draft[name]]
  }
  const texts = ['fingerprint_expression', 'expires_at'] as const
  for (const name of texts) {
    if (draft[name] !== (token[name] ?? '')) patch[name] = draft[name] === '' ? null : draft[name]
  }
  return patch
}
