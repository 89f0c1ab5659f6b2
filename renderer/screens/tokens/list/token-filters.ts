import { covers } from '../../../../shared/containers.ts'
import type { Token } from '../../../../shared/schemas/token.ts'

/** What the list is narrowed to: a container, and at most one of the rest (rule L-01). */
export type Filters = {
  readonly container?: string | undefined
  readonly type?: string | undefined
  readonly fingerprint?: string | undefined
  /** `key=value` */
  readonly metadata?: string | undefined
  /** A whole id, the whole value of a search index, or a query as POST /v2/tokens/search takes it. */
  readonly q?: string | undefined
}

export type FilterName = keyof Filters

/** The filters with one of them set; what cannot be combined with it gives way. */
export function withFilter(filters: Filters, name: FilterName, value: string | undefined): Filters {
  if (name === 'container' || value === undefined) return { ...filters, [name]: value }
  return { container: filters.container, [name]: value }
}

/** The filters a place in the window names. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const { container, type, fingerprint, metadata, q } = query
  return { container, type, fingerprint, metadata, q }
}

/** Whether anything is narrowed at all. */
export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined)
}

/** Key and value of a metadata filter. */
export function pairOf(metadata: string): [string, string] {
  const at = metadata.indexOf('=')
  return at < 0 ? [metadata, ''] : [metadata.slice(0, at), metadata.slice(at + 1)]
}

/** The query that finds what was typed in a container: typed as one, or the whole value of a search index. */
export function queryOf(q: string, container: string | undefined): string {
  const within = container === undefined ? [] : [`container:${JSON.stringify(container)}`]
  return [isQuery(q) ? q : `data:${JSON.stringify(q)}`, ...within].join(' AND ')
}

/** The query that finds what a list is narrowed to. */
export function countQueryOf({ container, type, fingerprint, metadata, q }: Filters): string {
  if (q !== undefined) return queryOf(q, container)
  const [key, value] = pairOf(metadata ?? '')
  const terms = [
    type !== undefined && `type:${JSON.stringify(type)}`,
    fingerprint !== undefined && `fingerprint:${JSON.stringify(fingerprint)}`,
    metadata !== undefined && `metadata.${JSON.stringify(key)}:${JSON.stringify(value)}`,
    container !== undefined && `container:${JSON.stringify(container)}`,
  ]
  return terms.filter((term) => term !== false).join(' AND ')
}

/** Whether what was typed names a field to search by. */
export function isQuery(q: string): boolean {
  return /^(id|data|type|fingerprint|container|metadata\.[^:]+):/.test(q)
}

/** Whether a token belongs into the list. What a search finds cannot be told from here: it stays when it is `listed`. */
export function matches(token: Token, filters: Filters, listed = false): boolean {
  const { container, type, fingerprint, metadata, q } = filters
  if (container !== undefined && !token.containers.some((each) => covers(container, each))) return false
  if (type !== undefined && token.type !== type) return false
  if (fingerprint !== undefined && token.fingerprint !== fingerprint) return false
  if (metadata !== undefined) {
    const [key, value] = pairOf(metadata)
    if (token.metadata?.[key] !== value) return false
  }
  return q === undefined || listed || token.id === q
}
