import { isNumber, isObject, type Json, type JsonObject } from '../../../../shared/json.ts'
import { mergePatch } from '../../../../shared/merge-patch.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { isTokenType } from '../../../../shared/token-types.ts'
import { parseJsonOrText, toData } from '../../../parts/tokens/token-draft.ts'
import { tokenTypes } from '../../../parts/tokens/token-types.ts'
import { type KeyValuePair, toMap, toPairs } from '../../../ui/fields/pairs-input.tsx'
import { createPatch, invertPatch } from './merge-patch.ts'

export type EditDraft = {
  readonly data: Readonly<Record<string, string>>
  readonly containers: readonly string[]
  readonly metadata: readonly KeyValuePair[]
  readonly mask: string
  readonly fingerprint_expression: string
  readonly search_indexes: readonly string[]
  readonly expires_at: string
}

function toInputText(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/**
 * The initial draft of a token. The data field stays empty, because the other fields can be edited
 * without revealing the data.
 */
export function toEditDraft(token: Token): EditDraft {
  return {
    data: {},
    containers: token.containers,
    metadata: toPairs(token.metadata ?? {}),
    mask: toInputText(token.mask),
    fingerprint_expression: token.fingerprint_expression ?? '',
    search_indexes: token.search_indexes ?? [],
    expires_at: token.expires_at ?? '',
  }
}

/** Converts a draft to a merge patch: unchanged members are absent, emptied members are null. */
export function toMergePatch(token: Token, draft: EditDraft): JsonObject {
  const patch: JsonObject = {}
  const data = isTokenType(token.type) ? toData(token.type, draft.data) : undefined
  if (data !== undefined) patch.data = data
  const metadata = createPatch(token.metadata ?? {}, toMap(draft.metadata))
  if (metadata !== undefined) patch.metadata = metadata
  if (draft.mask !== toInputText(token.mask)) {
    patch.mask = draft.mask === '' ? null : (createPatch(token.mask, parseJsonOrText(draft.mask)) ?? null)
  }
  for (const name of ['containers', 'search_indexes'] as const)
    Object.assign(patch, patchMember(name, token[name] ?? [], draft[name]))
  for (const name of ['fingerprint_expression', 'expires_at'] as const)
    Object.assign(patch, patchMember(name, token[name] ?? '', draft[name]))
  return patch
}

function patchMember(name: string, before: string | string[], after: string | readonly string[]): JsonObject {
  if (JSON.stringify(before) === JSON.stringify(after)) return {}
  return { [name]: after.length === 0 ? null : typeof after === 'string' ? after : [...after] }
}

/** Applies a typed merge patch to a draft. Also returns the patch members that a draft cannot represent. */
export function applyPatchToDraft(
  token: Token,
  patch: JsonObject,
): { readonly draft: EditDraft; readonly lost: readonly string[] } {
  const applyPatch = (by: JsonObject) => toMembers(mergePatch(toMembers(token), by))
  const members = applyPatch(patch)
  const draft: EditDraft = {
    data: readDataFields(token, patch.data),
    containers: readTexts(members.containers),
    metadata: toPairs(readMap(members.metadata)),
    mask: toInputText(members.mask),
    fingerprint_expression: toInputText(members.fingerprint_expression),
    search_indexes: readTexts(members.search_indexes),
    expires_at: toInputText(members.expires_at),
  }
  const draftPatch = toMergePatch(token, draft)
  const getResult = (by: JsonObject, name: string) =>
    JSON.stringify(name === 'data' ? by.data : (applyPatch(by)[name] ?? null))
  const lost = Object.keys({ ...patch, ...draftPatch }).filter(
    (name) => getResult(draftPatch, name) !== getResult(patch, name),
  )
  return { draft, lost }
}

/** A token's members. Metadata is always present, because the vault treats missing and empty metadata alike. */
export function toMembers(token: Token | Json): JsonObject {
  return { metadata: {}, ...(token as JsonObject) }
}

function readTexts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function readMap(value: Json | undefined): Record<string, string> {
  const isMap = isObject(value) && Object.values(value).every((each) => typeof each === 'string')
  return isMap ? (value as Record<string, string>) : {}
}

/** Converts the data of a patch to values of the form fields; none if the form has no field for one of its members. */
function readDataFields({ type }: Token, data: Json | undefined): EditDraft['data'] {
  if (data === undefined || !isTokenType(type)) return {}
  const { sample } = tokenTypes[type]
  if (!isObject(sample)) return { value: toInputText(data) }
  if (!isObject(data)) return {}
  const isField = ([name, value]: [string, Json]) =>
    Object.hasOwn(sample, name) && (typeof value === 'string' || isNumber(value))
  const members = Object.entries(data)
  return members.every(isField)
    ? Object.fromEntries(members.map(([name, value]) => [name, String(value)]))
    : {}
}

/** The patch that undoes a change; null if the data changed, because the window does not know the old data. */
export function createUndoPatch(before: Token, patch: JsonObject): JsonObject | null {
  return 'data' in patch ? null : invertPatch(toMembers(before), patch)
}
