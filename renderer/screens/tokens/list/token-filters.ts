import { includesContainer } from '../../../../shared/containers.ts'
import type { Find, Suggestion, TokenSort } from '../../../../shared/find.ts'
import { formatCount } from '../../../../shared/format-count.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { countCreated, parseCreated } from '../../../parts/tokens/created-together.ts'

/** The filters of the list, as in the route's query. A token must match all of them. */
export type Filters = {
  readonly container?: string | undefined
  readonly type?: string | undefined
  readonly fingerprint?: string | undefined
  readonly last4?: string | undefined
  /** The id of a single token. */
  readonly token?: string | undefined
  /** Tokens created together, in the format of `formatCreated`. */
  readonly created?: string | undefined
  /** Pairs and keys, in the format of `formatMetadataFilter`. */
  readonly metadata?: string | undefined
  /** Typed text, or a query in the syntax of POST /v2/tokens/search. */
  readonly q?: string | undefined
}

export type FilterName = keyof Filters

export type MetadataFilter = { readonly key: string; readonly value?: string | undefined }

/** Separates pairs. A control character, because users do not type one. */
const AND = '\u001f'

/** Formats metadata pairs as one filter: `key=value`, or only a key. */
export function formatMetadataFilter(pairs: readonly MetadataFilter[]): string | undefined {
  const texts = pairs.map(({ key, value }) => {
    const name = escapeText(key).replaceAll('=', '%3D')
    return value === undefined ? name : `${name}=${escapeText(value)}`
  })
  return texts.length > 0 ? texts.join(AND) : undefined
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll(AND, '%1F')
}

function unescapeText(text: string): string {
  return text.replace(/%(25|3D|1F)/gi, decodeURIComponent)
}

export function parseMetadataFilter(metadata: string | undefined): MetadataFilter[] {
  return (metadata ?? '').split(AND).flatMap((text) => {
    if (text === '') return []
    const at = text.indexOf('=')
    const key = unescapeText(at < 0 ? text : text.slice(0, at))
    return [at < 0 ? { key } : { key, value: unescapeText(text.slice(at + 1)) }]
  })
}

/**
 * Sets one filter. A query in the API's syntax can be combined only with a container. With `isLimited`,
 * as in an API key's list, every filter can be combined only with a container (rule L-01).
 */
export function withFilter(
  filters: Filters,
  name: FilterName,
  value: string | undefined,
  isLimited = false,
): Filters {
  if (name === 'container' || value === undefined) return { ...filters, [name]: value }
  const isAlone = isLimited || (name === 'q' && isQuery(value))
  if (isAlone) return { container: filters.container, [name]: value }
  const { q, ...others } = filters
  return { ...others, ...(q !== undefined && !isQuery(q) && { q }), [name]: value }
}

/** Replaces the typed text with the chosen suggestion. */
export function withSuggestion(filters: Filters, chosen: Suggestion): Filters {
  const { q: _, ...others } = filters
  if (chosen.kind === 'id') return { ...others, token: chosen.value }
  if (chosen.kind !== 'metadata') return { ...others, [chosen.kind]: chosen.value }
  const isSame = ({ key, value }: MetadataFilter) => key === chosen.key && value === chosen.value
  const pairs = parseMetadataFilter(filters.metadata)
  return { ...others, metadata: formatMetadataFilter(pairs.some(isSame) ? pairs : [...pairs, chosen]) }
}

export type FilterChip = {
  readonly kind: Exclude<FilterName, 'q'>
  readonly text: string
  /** The remaining filters if this one is removed. */
  readonly without: Filters
}

/** One chip per filter, except for the typed text. */
export function createChips(filters: Filters): FilterChip[] {
  const kinds = ['container', 'type', 'fingerprint', 'last4', 'token'] as const
  const single: FilterChip[] = kinds.flatMap((kind) => {
    const text = filters[kind]
    return text === undefined ? [] : [{ kind, text, without: { ...filters, [kind]: undefined } }]
  })
  const { created } = filters
  if (created !== undefined) {
    const text = formatCount(countCreated(parseCreated(created)).toLocaleString('en'), 'token')
    single.push({ kind: 'created', text, without: { ...filters, created: undefined } })
  }
  const pairs = parseMetadataFilter(filters.metadata)
  const several = pairs.map(({ key, value }, at) => ({
    kind: 'metadata' as const,
    text: value === undefined ? key : `${key}: ${value}`,
    without: { ...filters, metadata: formatMetadataFilter(pairs.toSpliced(at, 1)) },
  }))
  return [...single, ...several]
}

/** Reads the filters from a route's query. */
export function toFilters(query: Readonly<Record<string, string>>): Filters {
  const { container, type, fingerprint, last4, token, created, metadata, q } = query
  return { container, type, fingerprint, last4, token, created, metadata, q }
}

const DEFAULT_SORT: TokenSort = 'newest'

/** Reads the order from a route's query. An API key's list and a search have a fixed order (rule L-03). */
export function toSort(query: Readonly<Record<string, string>>, as: unknown): TokenSort {
  const { sort, q } = query
  if (as !== null || isQuery(q ?? '')) return 'container'
  return sort === 'container' || sort === 'oldest' ? sort : DEFAULT_SORT
}

/** The order as a route's query parameter. */
export function formatSortParameter(sort: TokenSort): string | undefined {
  return sort === DEFAULT_SORT ? undefined : sort
}

export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined)
}

/** The find request for these filters. */
export function toFind({ container, type, fingerprint, last4, token, created, metadata, q }: Filters): Find {
  const pairs = parseMetadataFilter(metadata)
  return {
    ...(q !== undefined && { text: q }),
    ...(container !== undefined && { container }),
    ...(type !== undefined && { type }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(last4 !== undefined && { last4 }),
    ...(token !== undefined && { id: token }),
    ...(created !== undefined && { created: parseCreated(created) }),
    ...(pairs.length > 0 && {
      metadata: pairs.map(({ key, value }) => ({ key, ...(value !== undefined && { value }) })),
    }),
  }
}

/**
 * The search query for typed text within a container: the text itself if it is a query, or else a search index lookup.
 */
export function toSearchQuery(q: string, container: string | undefined): string {
  const within = container === undefined ? [] : [`container:${JSON.stringify(container)}`]
  return [isQuery(q) ? q : `data:${JSON.stringify(q)}`, ...within].join(' AND ')
}

/** Whether the text is a query, which starts with a field name. */
export function isQuery(q: string): boolean {
  return /^(id|data|type|fingerprint|container|metadata\.[^:]+):/.test(q)
}

/**
 * Whether a token belongs in an API key's list. Search results cannot be evaluated here, so a token that is
 * already `listed` stays.
 */
export function isMatch(token: Token, filters: Filters, listed = false): boolean {
  const { container, type, fingerprint, metadata, q } = filters
  if (container !== undefined && !token.containers.some((each) => includesContainer(container, each)))
    return false
  if (type !== undefined && token.type !== type) return false
  if (fingerprint !== undefined && token.fingerprint !== fingerprint) return false
  if (parseMetadataFilter(metadata).some(({ key, value }) => token.metadata?.[key] !== value)) return false
  return q === undefined || listed || token.id === q
}

/** Reduces filters to those of an API key's list: a container and one more (rule L-01). */
export function limitFilters(filters: Filters): Filters {
  const { container, type, fingerprint, metadata, q } = filters
  const [pair] = parseMetadataFilter(metadata)
  if (q !== undefined) return { container, q }
  if (fingerprint !== undefined) return { container, fingerprint }
  if (pair?.value !== undefined) return { container, metadata: formatMetadataFilter([pair]) }
  return { container, type }
}
