import type { LogEntry } from '../../shared/host.ts'
import type { Token } from '../../shared/schemas/token.ts'
import { reader } from '../looking.ts'
import { isStatus } from '../sentence.ts'
import { vaultStore } from '../store.ts'
import { type Filters, isQuery, matches, pairOf, queryOf } from './token-filters.ts'
import { placed } from './token-order.ts'

const PAGE = 100
const FRESH_MS = 2000
/** More news than this at once is read as a list. */
const MANY = 20

type TokensState = {
  readonly rows: readonly Token[]
  readonly filters: Filters
  /** Where the next page begins; null when all rows are here. */
  readonly next: string | null
  readonly loading: boolean
  readonly problem: unknown
  /** Ids that have just landed. */
  readonly fresh: ReadonlySet<string>
}

export const useTokens = vaultStore<TokensState>(() => ({
  rows: [],
  filters: {},
  next: null,
  loading: true,
  problem: null,
  fresh: new Set(),
}))

const { getState, setState } = useTokens
/** Answers of a list that was left meanwhile are dropped. */
let round = 0

type Page = { readonly data: Token[]; readonly pagination: { readonly next?: string | undefined } }

async function readPage(filters: Filters, start: string | null): Promise<Page> {
  const { container, type, fingerprint, metadata, q } = filters
  const page = { size: PAGE, ...(start !== null && { start }) }
  const client = reader()
  if (q === undefined) {
    return client.tokens.list({
      ...page,
      ...(container !== undefined && { container }),
      ...(type !== undefined && { type }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(metadata !== undefined && { metadata: [pairOf(metadata)] }),
    })
  }
  const [found, byId] = await Promise.all([
    client.tokens.search({ ...page, query: queryOf(q, container) }),
    start === null && !isQuery(q) ? client.tokens.get({ id: q }).catch(nothingAt) : null,
  ])
  const others = found.data.filter((token) => token.id !== byId?.id)
  return { ...found, data: byId ? [byId, ...others] : others }
}

function nothingAt(error: unknown): null {
  if (isStatus(error, 404) || isStatus(error, 403) || isStatus(error, 400)) return null
  throw error
}

/** Shows the first page of a list. Rows of before stay until it is there. */
export async function showTokens(filters: Filters): Promise<void> {
  const mine = ++round
  setState({ filters, loading: true, problem: null })
  try {
    const { data, pagination } = await readPage(filters, null)
    if (mine === round) setState({ rows: data, next: pagination.next ?? null, loading: false })
  } catch (problem) {
    if (mine === round) setState({ rows: [], next: null, loading: false, problem })
  }
}

/** Fetches the page after the last row. */
export async function moreTokens(): Promise<void> {
  const { next, loading, filters } = getState()
  if (next === null || loading) return
  const mine = round
  setState({ loading: true, problem: null })
  try {
    const { data, pagination } = await readPage(filters, next)
    if (mine !== round) return
    const known = new Set(getState().rows.map((row) => row.id))
    const rows = [...getState().rows, ...data.filter((row) => !known.has(row.id))]
    setState({ rows, next: pagination.next ?? null, loading: false })
  } catch (problem) {
    if (mine === round) setState({ loading: false, problem })
  }
}

/** Puts a token into the list where it belongs, lit up for a moment when it is new. */
export function placeToken(token: Token, isNew: boolean): void {
  const { rows, filters, next, fresh } = getState()
  const listed = rows.some(({ id }) => id === token.id)
  if (!matches(token, filters, listed)) {
    setState({ rows: rows.filter((row) => row.id !== token.id) })
    return
  }
  setState({
    rows: placed(rows, token, next !== null),
    fresh: isNew ? new Set([...fresh, token.id]) : fresh,
  })
  if (isNew)
    setTimeout(
      () => setState({ fresh: new Set([...getState().fresh].filter((id) => id !== token.id)) }),
      FRESH_MS,
    )
}

/** Takes a token out of the list. */
export function dropToken(id: string): void {
  setState({ rows: getState().rows.filter((row) => row.id !== id) })
}

/** Follows what others do: new tokens land in the list, changed ones change, deleted ones go. */
export async function followTokens(records: readonly LogEntry[]): Promise<void> {
  const done = records.filter(({ entity_type, status }) => entity_type === 'token' && status < 400)
  const removed = done.filter(({ operation }) => operation === 'tokens.remove')
  for (const { entity_id } of removed) if (entity_id !== null) dropToken(entity_id)
  const made = done.filter(({ operation }) =>
    ['tokens.create', 'tokens.tokenize', 'tokens.createMany'].includes(operation),
  )
  const changed = done.filter(({ operation }) => operation === 'tokens.update')
  if (made.length + changed.length > MANY || made.some(({ entity_id }) => entity_id === null)) {
    await mergeFirstPage()
    return
  }
  for (const { entity_id, operation } of [...made, ...changed]) {
    if (entity_id !== null) await followOne(entity_id, operation !== 'tokens.update')
  }
}

async function followOne(id: string, isNew: boolean): Promise<void> {
  const mine = round
  const known = getState().rows.some((row) => row.id === id)
  try {
    const token = await reader().tokens.get({ id })
    if (mine === round) placeToken(token, isNew && !known)
  } catch {
    // Gone again already, or not for these eyes.
  }
}

async function mergeFirstPage(): Promise<void> {
  const mine = round
  try {
    const { data, pagination } = await readPage(getState().filters, null)
    if (mine !== round) return
    if (getState().filters.q !== undefined) {
      // What a search finds is for the vault to say.
      setState({ rows: data, next: pagination.next ?? null, problem: null })
      return
    }
    const known = new Set(getState().rows.map((row) => row.id))
    for (const token of data) placeToken(token, !known.has(token.id))
  } catch {
    // The list says so itself the next time it is read.
  }
}
