import type { LogEntry } from '../../../../shared/host.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { reader, useLooking } from '../../../parts/access/looking.ts'
import { passOver } from '../../../parts/connection/incidents.ts'
import { vaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/sentence.ts'
import { countQueryOf, type Filters, isQuery, matches, pairOf, queryOf } from './token-filters.ts'
import { placed } from './token-order.ts'

const PAGE = 100
const FRESH_MS = 2000
/** More news than this at once is read as a list. */
const MANY = 20
/** The host tells of no more records than this at once. */
const MOST_TOLD = 500
const COUNT_MS = 300

type TokensState = {
  readonly rows: readonly Token[]
  readonly filters: Filters
  /** Where the next page begins; null when all rows are here. */
  readonly next: string | null
  readonly loading: boolean
  readonly problem: unknown
  /** Ids that have just landed. */
  readonly fresh: ReadonlySet<string>
  /** Ids that have landed and were not in view yet, the newest first. */
  readonly news: readonly string[]
  /** There is more that is new than the rows show: the list has to be read again to show it. */
  readonly isBehind: boolean
  /** How many tokens the list has in all; null where that is not known. */
  readonly total: number | null
  /** The first row was found by its id, not by the search. */
  readonly hasById: boolean
}

export const useTokens = vaultStore<TokensState>(() => ({
  rows: [],
  filters: {},
  next: null,
  loading: true,
  problem: null,
  fresh: new Set(),
  news: [],
  isBehind: false,
  total: null,
  hasById: false,
}))

const { getState, setState } = useTokens
/** Answers of a list that was left meanwhile are dropped. */
let round = 0

type Page = {
  readonly data: Token[]
  readonly pagination: { readonly next?: string | undefined }
  readonly hasById?: boolean
}

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
    start === null && !isQuery(q) ? readOne(q).catch(nothingAt) : null,
  ])
  const others = found.data.filter((token) => token.id !== byId?.id)
  return { ...found, data: byId ? [byId, ...others] : others, hasById: byId !== null }
}

function nothingAt(error: unknown): null {
  if (hasCode(error, 'not_found') || hasCode(error, 'forbidden') || hasCode(error, 'invalid')) return null
  throw error
}

/** Shows the first page of a list. Rows of before stay until it is there. */
export async function showTokens(filters: Filters): Promise<void> {
  const mine = ++round
  setState({ filters, loading: true, problem: null })
  try {
    const { data, pagination, hasById = false } = await readPage(filters, null)
    if (mine !== round) return
    const page = { rows: data, next: pagination.next ?? null, hasById }
    setState({ ...page, total: null, news: [], isBehind: false, loading: false })
    if (page.next !== null) await count()
  } catch (problem) {
    if (mine === round) setState({ rows: [], next: null, total: null, news: [], loading: false, problem })
  }
}

/** Empties the list: those through whose eyes the window looks may not ask for it. */
export function showNothing(): void {
  round++
  setState({ ...useTokens.getInitialState(), loading: false })
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
function placeToken(token: Token, isNew: boolean): void {
  const { rows, filters, next, news } = getState()
  const listed = rows.some(({ id }) => id === token.id)
  if (!matches(token, filters, listed)) {
    dropToken(token.id)
    return
  }
  setState({
    rows: placed(rows, token, next !== null),
    news: isNew && !news.includes(token.id) ? [token.id, ...news] : news,
  })
  if (isNew) light(token.id)
}

/** Lights a row up for a moment. */
function light(id: string): void {
  setState(({ fresh }) => ({ fresh: new Set([...fresh, id]) }))
  setTimeout(
    () => setState(({ fresh }) => ({ fresh: new Set([...fresh].filter((each) => each !== id)) })),
    FRESH_MS,
  )
}

/** Takes a token out of the list. */
export function dropToken(id: string): void {
  setState(({ rows, news }) => ({
    rows: rows.filter((row) => row.id !== id),
    news: news.filter((each) => each !== id),
  }))
}

/** Notes that these have been seen where they landed. */
export function sawTokens(ids: readonly string[]): void {
  const { news } = getState()
  const left = news.filter((id) => !ids.includes(id))
  if (left.length < news.length) setState({ news: left })
}

/** What takes a token away. */
const removing = ['tokens.remove', 'tokens.expire']
const making = ['tokens.create', 'tokens.tokenize', 'tokens.createMany']
const changing = ['tokens.update', 'tokens.expireCvc']

/** Follows what others do: new tokens land in the list, changed ones change, deleted and expired ones go. */
export async function followTokens(records: readonly LogEntry[]): Promise<void> {
  const done = records.filter(({ entity_type, status }) => entity_type === 'token' && status < 400)
  const removed = done.filter(({ operation }) => removing.includes(operation))
  for (const { entity_id } of removed) if (entity_id !== null) dropToken(entity_id)
  const made = done.filter(({ operation }) => making.includes(operation))
  const changed = done.filter(({ operation }) => changing.includes(operation))
  if (removed.length + made.length + changed.length > 0) countSoon()
  const isMany = made.length + changed.length > MANY || made.some(({ entity_id }) => entity_id === null)
  // What a search finds is for the vault to say.
  if (getState().filters.q !== undefined && made.length + changed.length > 0) return searchSoon()
  // Of so many at once some may have been left out.
  if (isMany || (records.length >= MOST_TOLD && removed.length > 0)) await readAgain()
  // What came along with an import may lie further down than what was read again.
  const single = [...made, ...changed].filter(({ entity_id }) => entity_id !== null)
  if (single.length > MANY) return
  for (const { entity_id, operation } of single) {
    if (entity_id !== null) await followOne(entity_id, making.includes(operation))
  }
}

/** Reads one token anew and puts it where it belongs, where those may see it through whose eyes the window looks. */
async function followOne(id: string, isNew: boolean): Promise<void> {
  const mine = round
  const known = getState().rows.some((row) => row.id === id)
  try {
    const token = await readOne(id)
    if (mine !== round) return
    if (token) placeToken(token, isNew && !known)
    else dropToken(id)
  } catch (error) {
    if (mine === round && hasCode(error, 'not_found')) dropToken(id)
    else passOver(error)
  }
}

/** Shows what was made or changed here, where those may see it through whose eyes the window looks. */
export async function landed(token: Token, isNew: boolean): Promise<void> {
  if (useLooking.getState().as) await followOne(token.id, isNew)
  else placeToken(token, isNew)
  countSoon()
}

/** A token as those may see it through whose eyes the window looks; null where they may not. */
async function readOne(id: string): Promise<Token | null> {
  const { as } = useLooking.getState()
  if (as) {
    // Asked as the owner: what is known to be refused is not asked for in an application's name.
    const asked = { application_id: as.id, permission: 'token:read', token_id: id } as const
    if ((await vault.access.explain(asked)).transform === null) return null
  }
  return reader().tokens.get({ id })
}

/** Drops the rows whose time has come and that are gone from the vault. */
export async function dropExpired(ids: readonly string[]): Promise<void> {
  if (ids.length > MANY) return readAgain()
  for (const id of ids) {
    await vault.tokens
      .get({ id })
      .catch((error) => (hasCode(error, 'not_found') ? dropToken(id) : passOver(error)))
  }
  countSoon()
}

/** Reads the list again from its first row on; of one that was read further, only whether there is more to see. */
async function readAgain(): Promise<void> {
  const mine = round
  const { filters } = getState()
  try {
    const { data, pagination, hasById = false } = await readPage(filters, null)
    if (mine !== round) return
    const { rows, next, isBehind } = getState()
    const known = new Set(rows.map((row) => row.id))
    const fresh = data.filter(({ id }) => !known.has(id))
    const isRead = next === null || rows.length <= PAGE
    if (isRead) setState({ rows: data, next: pagination.next ?? null, hasById, problem: null })
    else setState({ isBehind: isBehind || fresh.length > 0 || filters.q === undefined })
    // Where rows of a search belong is for the vault to say; the rows of an import are all new: none of them is news.
    if (!isRead && filters.q !== undefined) return
    if (isRead && fresh.length > MANY) for (const { id } of fresh) light(id)
    else for (const token of fresh) placeToken(token, true)
    if (isRead) countSoon()
  } catch (error) {
    // The list says so itself the next time it is read.
    passOver(error)
  }
}

let searching: ReturnType<typeof setTimeout> | undefined

/** Searches again, at most every so often. */
function searchSoon(): void {
  if (searching !== undefined) return
  searching = setTimeout(() => {
    searching = undefined
    readAgain()
  }, COUNT_MS)
}

let counting: ReturnType<typeof setTimeout> | undefined

/** Counts the list anew, at most every so often. */
function countSoon(): void {
  if (counting !== undefined) return
  counting = setTimeout(() => {
    counting = undefined
    if (getState().next !== null) count()
  }, COUNT_MS)
}

async function count(): Promise<void> {
  const mine = round
  const { filters, hasById } = getState()
  // SECURITY: how many tokens there are is the owner's to know; an application's eyes get what its key would.
  const isKnown = useLooking.getState().as === null && !hasById
  const answer = isKnown ? await vault.tokens.count({ query: countQueryOf(filters) }).catch(() => null) : null
  if (mine === round) setState({ total: answer?.total ?? null })
}
