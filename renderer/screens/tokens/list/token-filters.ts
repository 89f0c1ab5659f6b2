import { includesContainer } from '../../../../shared/containers.ts'
import type { Find, Suggestion, TokenSort } from '../../../../shared/find.ts'
import { formatCount } from '../../../../shared/format-count.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { countCreated, parseCreated } from '../../../parts/tokens/created-together.ts'

/** What the list is filtered by, as in the address: a token must match every filter. */
export type Filters = {
  readonly container?: string | undefined
  readonly type?: string | undefined
  readonly fingerprint?: string | undefined
  readonly last4?: string | undefined
  /** The id of one token. */
  readonly token?: string | undefined
  /** Tokens created together, as `createdText` writes it. */
  readonly created?: string | undefined
  /** Pairs and keys, as `metadataText` writes them. */
  readonly metadata?: string | undefined
  /** What was typed, or a query in the syntax of POST /v2/tokens/search. */
  readonly q?: string | undefined
}

export type FilterName = keyof Filters

export type MetadataFilter = { readonly key: string; readonly value?: string | undefined }

/** Between several pairs: no character that people type. */
const AND = '\u001f'

/** Pairs as one filter: `key=value`, or a key alone. */
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

/** The pairs of a metadata filter. */
export function parseMetadataFilter(metadata: string | undefined): MetadataFilter[] {
  return (metadata ?? '').split(AND).flatMap((text) => {
    if (text === '') return []
    const at = text.indexOf('=')
    const key = unescapeText(at < 0 ? text : text.slice(0, at))
    return [at < 0 ? { key } : { key, value: unescapeText(text.slice(at + 1)) }]
  })
}

/**
 * The filters with one of them set. A query in the interface's syntax combines with a container alone; so does every
 * filter where `isLimited`: in the list that a key gets (rule L-01).
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

/** The filters with what was suggested in place of what was typed. */
export function withSuggestion(filters: Filters, chosen: Suggestion): Filters {
  const { q: _, ...others } = filters
  if (chosen.kind === 'id') return { ...others, token: chosen.value }
  if (chosen.kind !== 'metadata') return { ...others, [chosen.kind]: chosen.value }
  const isSame = ({ key, value }: MetadataFilter) => key === chosen.key && value === chosen.value
  const pairs = parseMetadataFilter(filters.metadata)
  return { ...others, metadata: formatMetadataFilter(pairs.some(isSame) ? pairs : [...pairs, chosen]) }
}

/** One filter as the bar shows it. */
export type FilterChip = {
  readonly kind: Exclude<FilterName, 'q'>
  readonly text: string
  /** The filters without it. */
  readonly without: Filters
}

/** The filters but the typed text, each as a chip. */
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

/** The filters in a place's query. */
export function toFilters(query: Readonly<Record<string, string>>): Filters {
  const { container, type, fingerprint, last4, token, created, metadata, q } = query
  return { container, type, fingerprint, last4, token, created, metadata, q }
}

/** The order of the list unless another is chosen. */
const DEFAULT_SORT: TokenSort = 'newest'

/** The order in a place's query. What the interface lists or searches for has one order alone (rule L-03). */
export function toSort(query: Readonly<Record<string, string>>, as: unknown): TokenSort {
  const { sort, q } = query
  if (as !== null || isQuery(q ?? '')) return 'container'
  return sort === 'container' || sort === 'oldest' ? sort : DEFAULT_SORT
}

/** An order as the query of a place has it. */
export function formatSortParameter(sort: TokenSort): string | undefined {
  return sort === DEFAULT_SORT ? undefined : sort
}

/** Whether any filter is set. */
export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined)
}

/** What the vault is asked to find. */
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

/** The query for what was typed, within a container: the typed query itself, or one for the value of a search index. */
export function toSearchQuery(q: string, container: string | undefined): string {
  const within = container === undefined ? [] : [`container:${JSON.stringify(container)}`]
  return [isQuery(q) ? q : `data:${JSON.stringify(q)}`, ...within].join(' AND ')
}

/** Whether a text is a query, that is, names a field to search. */
export function isQuery(q: string): boolean {
  return /^(id|data|type|fingerprint|container|metadata\.[^:]+):/.test(q)
}

/**
 * Whether a token belongs in the list that a key gets. Search results cannot be judged here, so one that is `listed`
 * stays.
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

/** The filters of the list that a key gets: a container and one more (rule L-01). */
export function limitFilters(filters: Filters): Filters {
  const { container, type, fingerprint, metadata, q } = filters
  const [pair] = parseMetadataFilter(metadata)
  if (q !== undefined) return { container, q }
  if (fingerprint !== undefined) return { container, fingerprint }
  if (pair?.value !== undefined) return { container, metadata: formatMetadataFilter([pair]) }
  return { container, type }
}
