import { isNumber, isObject, type Json, type JsonObject } from '../../../../shared/json.ts'
import { mergePatch } from '../../../../shared/merge-patch.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { dataOf, jsonOrText } from '../../../parts/tokens/token-draft.ts'
import { tokenTypes } from '../../../parts/tokens/token-types.ts'
import { mapOf, type Pair, pairsOf } from '../../../ui/fields/pairs-input.tsx'
import { inverseOf, patchBetween } from './merge-patch.ts'

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

function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
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

/** The draft that a typed merge patch amounts to, and the members of the patch that no draft can hold. */
export function draftFrom(
  token: Token,
  patch: JsonObject,
): { readonly draft: EditDraft; readonly lost: readonly string[] } {
  const after = (by: JsonObject) => membersOf(mergePatch(membersOf(token), by))
  const members = after(patch)
  const draft: EditDraft = {
    data: dataIn(token, patch.data),
    containers: textsIn(members.containers),
    metadata: pairsOf(mapIn(members.metadata)),
    mask: textOf(members.mask),
    fingerprint_expression: textOf(members.fingerprint_expression),
    search_indexes: textsIn(members.search_indexes),
    expires_at: textOf(members.expires_at),
  }
  const made = patchOf(token, draft)
  const becomes = (by: JsonObject, name: string) =>
    JSON.stringify(name === 'data' ? by.data : (after(by)[name] ?? null))
  const lost = Object.keys({ ...patch, ...made }).filter(
    (name) => becomes(made, name) !== becomes(patch, name),
  )
  return { draft, lost }
}

/** A token's members, with metadata whether or not it has any: the vault makes no difference. */
export function membersOf(token: Token | Json): JsonObject {
  return { metadata: {}, ...(token as JsonObject) }
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function mapIn(value: Json | undefined): Record<string, string> {
  const isMap = isObject(value) && Object.values(value).every((each) => typeof each === 'string')
  return isMap ? (value as Record<string, string>) : {}
}

/** The fields that data of a patch fills; none if one of its members has no field. */
function dataIn({ type }: Token, data: Json | undefined): EditDraft['data'] {
  if (data === undefined || !isTokenType(type)) return {}
  const { sample } = tokenTypes[type]
  if (!isObject(sample)) return { value: textOf(data) }
  if (!isObject(data)) return {}
  const isField = ([name, value]: [string, Json]) =>
    Object.hasOwn(sample, name) && (typeof value === 'string' || isNumber(value))
  const members = Object.entries(data)
  return members.every(isField)
    ? Object.fromEntries(members.map(([name, value]) => [name, String(value)]))
    : {}
}

/** The patch that undoes a change; null if the data changed, because the window does not know the old data. */
export function undoOf(before: Token, patch: JsonObject): JsonObject | null {
  return 'data' in patch ? null : (inverseOf(membersOf(before), patch) as JsonObject)
}
