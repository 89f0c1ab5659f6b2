import { covers } from '../../../../shared/containers.ts'
import type { Token } from '../../../../shared/schemas/token.ts'

/** The filters of the list: a container, and at most one of the others (rule L-01). */
export type Filters = {
  readonly container?: string | undefined
  readonly type?: string | undefined
  readonly fingerprint?: string | undefined
  /** `key=value` */
  readonly metadata?: string | undefined
  /** A full id, the full value of a search index, or a query in the syntax of POST /v2/tokens/search. */
  readonly q?: string | undefined
}

export type FilterName = keyof Filters

/** The filters with one of them set; filters that cannot be combined with it are removed. */
export function withFilter(filters: Filters, name: FilterName, value: string | undefined): Filters {
  if (name === 'container' || value === undefined) return { ...filters, [name]: value }
  return { container: filters.container, [name]: value }
}

/** The filters in a place's query. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const { container, type, fingerprint, metadata, q } = query
  return { container, type, fingerprint, metadata, q }
}

/** Whether any filter is set. */
export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined)
}

/** The key and value of a metadata filter. */
export function pairOf(metadata: string): [string, string] {
  const at = metadata.indexOf('=')
  return at < 0 ? [metadata, ''] : [metadata.slice(0, at), metadata.slice(at + 1)]
}

/** The query for what was typed, within a container: the typed query itself, or one for the value of a search index. */
export function queryOf(q: string, container: string | undefined): string {
  const within = container === undefined ? [] : [`container:${JSON.stringify(container)}`]
  return [isQuery(q) ? q : `data:${JSON.stringify(q)}`, ...within].join(' AND ')
}

/** The query that matches a list's filters. */
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

/** Whether a text is a query, that is, names a field to search. */
export function isQuery(q: string): boolean {
  return /^(id|data|type|fingerprint|container|metadata\.[^:]+):/.test(q)
}

/** Whether a token belongs in the list. Search results cannot be judged here, so one that is `listed` stays. */
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
