import { type Json, readJson } from '../../../shared/json.ts'
import { isTextType, type TokenType } from '../../../shared/token-types.ts'
import { type KeyValuePair, toMap } from '../../ui/fields/pairs-input.tsx'

/** The input of the new-token form. */
export type TokenDraft = {
  readonly type: TokenType
  /** The fields of a card or bank account, or `value` for any other type. */
  readonly data: Readonly<Record<string, string>>
  readonly containers: readonly string[]
  readonly metadata: readonly KeyValuePair[]
  readonly id: string
  readonly mask: string
  readonly fingerprint_expression: string
  readonly search_indexes: readonly string[]
  readonly deduplicate_token: boolean
  readonly expires_at: string
}

export const emptyDraft: TokenDraft = {
  type: 'card',
  data: {},
  containers: [],
  metadata: [],
  id: '',
  mask: '',
  fingerprint_expression: '',
  search_indexes: [],
  deduplicate_token: false,
  expires_at: '',
}

/** Parses valid JSON; any other text becomes a JSON string. */
export function parseJsonOrText(text: string): Json {
  try {
    return readJson(text)
  } catch {
    return text
  }
}

/** Parses a month or year; `30` is the year 2030. */
function parseDatePart(name: string, input: string): Json {
  const text = input.trim()
  if (!/^\d{1,4}$/.test(text)) return input
  return name === 'expiration_year' && text.length === 2 ? 2000 + Number(text) : Number(text)
}

/** Parses one field of a card or bank account; digits may be typed in groups. */
function parseMember(name: string, input: string): Json {
  if (name.startsWith('expiration')) return parseDatePart(name, input)
  return name.endsWith('number') ? input.replace(/[\s-]/g, '') : input.trim()
}

/** The token's data; undefined while nothing is typed. */
export function toData(type: TokenType, data: TokenDraft['data']): Json | undefined {
  const filled = Object.entries(data).filter(([, value]) => value !== '')
  if (type !== 'token' && !isTextType(type)) {
    if (filled.length === 0) return undefined
    return Object.fromEntries(filled.map(([name, value]) => [name, parseMember(name, value)]))
  }
  const { value = '' } = data
  if (value === '') return undefined
  if (type === 'card_number') return value.replace(/[\s-]/g, '')
  return type === 'token' ? parseJsonOrText(value) : value.trim()
}

/** Builds the request. Empty fields are omitted, so that the type's defaults apply. */
export function toTokenRequest(draft: TokenDraft) {
  const data = toData(draft.type, draft.data)
  const metadata = toMap(draft.metadata)
  const { id, mask, fingerprint_expression, search_indexes, expires_at, containers } = draft
  return {
    type: draft.type,
    ...(data !== undefined && { data }),
    ...(id !== '' && { id }),
    ...(mask !== '' && { mask: parseJsonOrText(mask) }),
    ...(containers.length > 0 && { containers: [...containers] }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(search_indexes.length > 0 && { search_indexes: [...search_indexes] }),
    ...(fingerprint_expression !== '' && { fingerprint_expression }),
    ...(expires_at !== '' && { expires_at }),
    ...(draft.deduplicate_token && { deduplicate_token: true }),
  }
}
