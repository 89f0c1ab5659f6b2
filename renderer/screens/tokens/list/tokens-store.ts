import type { Change } from '../../../../shared/changes.ts'
import type { FoundCount, FoundPage, TokenSort } from '../../../../shared/find.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { reader, useLooking } from '../../../parts/access/looking.ts'
import { spaced } from '../../../parts/connection/follow.ts'
import { passOver } from '../../../parts/connection/incidents.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultState, vaultStore, whileOpen } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/sentence.ts'
import { currentRoute, go } from '../../../parts/navigation/route.ts'
import { hrefOf } from '../../../parts/navigation/route-text.ts'
import {
  type Filters,
  findOf,
  isQuery,
  limited,
  matches,
  pairsOf,
  queryOf,
  sortParameter,
} from './token-filters.ts'
import { placed } from './token-order.ts'

const PAGE = 100
const FRESH_MS = 2000
/** Above this many changes at once, the list is reloaded instead. */
const MANY = 20
const PAUSE_MS = 300

type TokensState = {
  readonly rows: readonly Token[]
  readonly filters: Filters
  /** The order of the rows. */
  readonly sort: TokenSort
  /** The cursor of the next page; null when all rows are loaded. */
  readonly next: string | null
  readonly loading: boolean
  readonly problem: unknown
  /** Ids that have just arrived. */
  readonly fresh: ReadonlySet<string>
  /** Ids that have arrived but have not been in view yet, newest first. */
  readonly news: readonly string[]
  /** Whether there are new tokens that only a reload of the list can show. */
  readonly isBehind: boolean
  /** The total number of tokens in the list; null if unknown. */
  readonly total: number | null
  /** Whether there are exactly `total`, and not more. */
  readonly isExact: boolean
  /** How far the vault's index has come, while it is being built. */
  readonly building: FoundPage['building']
  /** Whether the first row was found by its id rather than by the search. */
  readonly hasById: boolean
}

export const useTokens = vaultStore<TokensState>(() => ({
  rows: [],
  filters: {},
  sort: 'newest',
  next: null,
  loading: true,
  problem: null,
  fresh: new Set(),
  news: [],
  isBehind: false,
  total: null,
  isExact: true,
  building: null,
  hasById: false,
}))

const { getState, setState } = useTokens
/** Tracks the current list, so that answers about another one are dropped. */
const list = latest()

type Page = {
  readonly data: Token[]
  readonly pagination: { readonly next?: string | null | undefined }
  readonly building?: FoundPage['building']
  readonly hasById?: boolean
}

/** How many pages are on their way, and what changed meanwhile, which they may not show. */
const reading = vaultState(() => ({ pages: 0, meanwhile: [] as Change[] }))

/** Reads a page for `show`; what changed while it was on its way is followed again afterwards. */
async function readPage(filters: Filters, start: string | null, show: (page: Page) => void): Promise<void> {
  const { current } = reading
  const isOpen = whileOpen()
  current.pages++
  try {
    show(await askPage(filters, start))
  } finally {
    if (--current.pages === 0) {
      const missed = current.meanwhile
      current.meanwhile = []
      if (isOpen()) followTokens(missed)
    }
  }
}

/** Whether the vault is asked as its owner, who finds more than the interface lists. */
function isOwners({ q }: Filters): boolean {
  return useLooking.getState().as === null && (q === undefined || !isQuery(q))
}

async function askPage(filters: Filters, start: string | null): Promise<Page> {
  const page = { size: PAGE, ...(start !== null && { start }) }
  if (isOwners(filters)) return vault.tokens.find({ ...page, find: findOf(filters), sort: getState().sort })
  const { container, type, fingerprint, metadata, q } = limited(filters)
  const client = reader()
  if (q === undefined) {
    return client.tokens.list({
      ...page,
      ...(container !== undefined && { container }),
      ...(type !== undefined && { type }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(metadata !== undefined && {
        metadata: pairsOf(metadata).map(({ key, value }): [string, string] => [key, value ?? '']),
      }),
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

/** Shows the list in another order. */
export function sortBy(sort: TokenSort): void {
  const { id, query } = currentRoute()
  go(hrefOf('tokens', id, { ...query, sort: sortParameter(sort) }), { replace: true })
}

/** Shows the first page of a list. The old rows stay until it has loaded. */
export async function showTokens(filters: Filters, sort = getState().sort): Promise<void> {
  const isWanted = list.begin()
  setState({ filters, sort, loading: true, problem: null })
  try {
    await readPage(filters, null, ({ data, pagination, building = null, hasById = false }) => {
      if (!isWanted()) return
      const page = { rows: data, next: pagination.next ?? null, building, hasById }
      setState({ ...page, total: null, news: [], isBehind: false, loading: false })
    })
    if (isWanted() && getState().next !== null) await count()
  } catch (problem) {
    if (isWanted()) setState({ rows: [], next: null, total: null, news: [], loading: false, problem })
  }
}

/** Empties the list, because the current view may not read it. */
export function showNothing(): void {
  list.begin()
  setState({ ...useTokens.getInitialState(), loading: false })
}

/** Loads the page after the last row. */
export async function moreTokens(): Promise<void> {
  const { next, loading, filters } = getState()
  if (next === null || loading) return
  const isWanted = list.join()
  setState({ loading: true, problem: null })
  try {
    await readPage(filters, next, ({ data, pagination, building = null }) => {
      if (!isWanted()) return
      const known = new Set(getState().rows.map((row) => row.id))
      const rows = [...getState().rows, ...data.filter((row) => !known.has(row.id))]
      setState({ rows, next: pagination.next ?? null, building, loading: false })
    })
  } catch (problem) {
    if (isWanted()) setState({ loading: false, problem })
  }
}

/** Inserts a token of the list in order, highlighted briefly if it is new. */
function placeToken(token: Token, isNew: boolean): void {
  const { rows, sort, next, news } = getState()
  setState({
    rows: placed(rows, token, next !== null, sort),
    news: isNew && !news.includes(token.id) ? [token.id, ...news] : news,
  })
  if (isNew) light(token.id)
}

/** Highlights a row briefly. */
function light(id: string): void {
  setState(({ fresh }) => ({ fresh: new Set([...fresh, id]) }))
  setTimeout(
    () => setState(({ fresh }) => ({ fresh: new Set([...fresh].filter((each) => each !== id)) })),
    FRESH_MS,
  )
}

/** Removes tokens from the list. */
function dropTokens(ids: Iterable<string>): void {
  const gone = new Set(ids)
  setState(({ rows, news }) => ({
    rows: rows.filter(({ id }) => !gone.has(id)),
    news: news.filter((id) => !gone.has(id)),
  }))
}

/** Marks new tokens as seen. */
export function sawTokens(ids: readonly string[]): void {
  const { news } = getState()
  const left = news.filter((id) => !ids.includes(id))
  if (left.length < news.length) setState({ news: left })
}

const told = vaultState<Change[]>(() => [])

/** Applies changes made by others: inserts new tokens, updates changed ones, removes deleted and expired ones. */
export function followTokens(changes: readonly Change[]): void {
  const ofTokens = changes.filter(({ entity }) => entity === 'token')
  if (ofTokens.length === 0) return
  if (reading.current.pages > 0) reading.current.meanwhile.push(...ofTokens)
  told.current.push(...ofTokens)
  // What is gone does not wait for answers about others.
  dropTokens(sorted(ofTokens).removed)
  following.ask()
}

/** In the order in which they were told: an answer about a token never comes after a later change of it. */
const following = spaced(async () => {
  const changes = told.current
  told.current = []
  if (changes.length > 0) await followAll(changes)
}, 0)

async function followAll(changes: readonly Change[]): Promise<void> {
  const isOpen = whileOpen()
  const { made, updated, removed, unnamed } = sorted(changes)
  counting.ask()
  if (removed.length > 0) dropTokens(removed)
  // Nothing says which of the rows still exist unchanged.
  if (unnamed.some((kind) => kind !== 'created')) return showingAgain.ask()
  // Only the vault can say what a search finds.
  if (isSearch(getState().filters)) {
    if (made.length + updated.length + unnamed.length > 0) readingAgain.ask()
    return
  }
  if (unnamed.length > 0 || made.length > MANY || updated.length > MANY) readingAgain.ask()
  // Tokens from an import may sort below the rows that are reloaded.
  for (const [ids, isNew] of [[made, true] as const, [updated, false] as const]) {
    if (ids.length <= MANY) for (const id of ids) if (isOpen()) await followOne(id, isNew)
  }
}

/** The final state of each changed token, once each, and the kinds of changes that name none. */
function sorted(changes: readonly Change[]) {
  const named = new Map<string, Change['kind']>()
  const unnamed: Change['kind'][] = []
  for (const { kind, ids } of changes) {
    if (ids === 'unnamed') unnamed.push(kind)
    else for (const id of ids) if (kind !== 'updated' || named.get(id) !== 'created') named.set(id, kind)
  }
  const of = (kind: Change['kind']) => [...named].filter(([, each]) => each === kind).map(([id]) => id)
  return { made: of('created'), updated: of('updated'), removed: of('deleted'), unnamed }
}

/** Reloads one token and inserts it in order, if the current view may see it. */
async function followOne(id: string, isNew: boolean): Promise<void> {
  const isWanted = list.join()
  const known = getState().rows.some((row) => row.id === id)
  try {
    const token = await readListed(id)
    if (!isWanted()) return
    if (token) placeToken(token, isNew && !known)
    else dropTokens([id])
  } catch (error) {
    if (isWanted() && hasCode(error, 'not_found')) dropTokens([id])
    else passOver(error)
  }
}

/** Shows a token created or changed in this window, if the current view may see it. */
export async function landed(token: CreatedToken, isNew: boolean): Promise<void> {
  const { created_at } = token
  // A duplicate that the application looked as may not read is not in its list.
  if (created_at === undefined) return
  await followOne(token.id, isNew)
  counting.ask()
}

/** A token if it is in the list; null if it is not. */
async function readListed(id: string): Promise<Token | null> {
  const { filters, rows } = getState()
  if (isOwners(filters)) {
    if (filters.token !== undefined && filters.token !== id) return null
    const found = await vault.tokens.find({ find: { ...findOf(filters), id }, sort: 'newest', size: 1 })
    return found.data[0] ?? null
  }
  const token = await readOne(id)
  const isListed = rows.some((row) => row.id === id)
  return token && matches(token, limited(filters), isListed) ? token : null
}

/** Whether the list is one of POST /v2/tokens/search. */
function isSearch(filters: Filters): boolean {
  return filters.q !== undefined && !isOwners(filters)
}

/** A token as the current view may see it; null if it may not. */
async function readOne(id: string): Promise<Token | null> {
  const { as } = useLooking.getState()
  if (as) {
    // Ask as the owner, so that no refusal is recorded in an application's name.
    const asked = { application_id: as.id, permission: 'token:read', token_id: id } as const
    if ((await vault.access.explain(asked)).transform === null) return null
  }
  return reader().tokens.get({ id })
}

/** Removes expired rows that the vault no longer has. */
export async function dropExpired(ids: readonly string[]): Promise<void> {
  if (ids.length > MANY) return readingAgain.ask()
  for (const id of ids) {
    await vault.tokens
      .get({ id })
      .catch((error) => (hasCode(error, 'not_found') ? dropTokens([id]) : passOver(error)))
  }
  counting.ask()
}

/** Reloads the list from its first row; if more pages are loaded, only checks whether there is something new. */
async function readAgain(): Promise<void> {
  const isWanted = list.join()
  const { filters } = getState()
  try {
    await readPage(filters, null, (page) => isWanted() && showAgain(page))
  } catch (error) {
    // The next load of the list will report the failure.
    passOver(error)
  }
}

function showAgain({ data, pagination, hasById = false }: Page): void {
  const { rows, next, isBehind, filters } = getState()
  const known = new Set(rows.map((row) => row.id))
  const fresh = data.filter(({ id }) => !known.has(id))
  const isRead = next === null || rows.length <= PAGE
  if (isRead) setState({ rows: data, next: pagination.next ?? null, hasById, problem: null })
  else setState({ isBehind: isBehind || fresh.length > 0 || !isSearch(filters) })
  // Where rows of a search belong is for the vault to say; the rows of an import are all new: none of them is news.
  if (!isRead && isSearch(filters)) return
  if (isRead && fresh.length > MANY) for (const { id } of fresh) light(id)
  else for (const token of fresh) placeToken(token, true)
  if (isRead) counting.ask()
}

const readingAgain = spaced(readAgain, PAUSE_MS)
const showingAgain = spaced(() => showTokens(getState().filters), PAUSE_MS)
const counting = spaced(async () => {
  if (getState().next !== null) await count()
}, PAUSE_MS)

async function count(): Promise<void> {
  const isWanted = list.join()
  const { filters, hasById } = getState()
  // SECURITY: only the owner may know the number of tokens; an application's view gets what its key would.
  const isKnown = useLooking.getState().as === null && !hasById
  const counted = isKnown ? await countAll(filters, isWanted).catch(() => null) : null
  if (isWanted()) setState({ total: counted?.total ?? null, isExact: counted?.isExact ?? true })
}

/** More than this many are not counted to the end, where counting takes long. */
const MOST_COUNTED = 10_000

async function countAll(
  filters: Filters,
  isWanted: () => boolean,
): Promise<{ total: number; isExact: boolean } | null> {
  if (!isOwners(filters)) {
    const { total } = await vault.tokens.count({ query: queryOf(filters.q ?? '', filters.container) })
    return total === null ? null : { total, isExact: true }
  }
  const find = findOf(filters)
  let total = 0
  let start: string | null = null
  while (isWanted()) {
    const counted: FoundCount = await vault.tokens.findCount({ find, ...(start !== null && { start }) })
    total += counted.total
    if (counted.isExact) return { total, isExact: true }
    start = counted.next
    if (start === null || total > MOST_COUNTED)
      return { total: Math.min(total, MOST_COUNTED), isExact: false }
  }
  return null
}
