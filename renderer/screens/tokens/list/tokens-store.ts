import type { EntityChange } from '../../../../shared/entity-changes.ts'
import type { FindCountResult, FindPageResult, TokenSort } from '../../../../shared/find.ts'
import type { CreatedToken, Token } from '../../../../shared/schemas/token.ts'
import { getReadClient, useViewAs } from '../../../parts/access/view-as.ts'
import { createSpacedRunner } from '../../../parts/connection/change-subscription.ts'
import { handleBackgroundError } from '../../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createOpenCheck, createVaultState, createVaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/describe-error.ts'
import { navigate, readCurrentRoute } from '../../../parts/navigation/route.ts'
import { toHref } from '../../../parts/navigation/route-text.ts'
import {
  type Filters,
  formatSortParameter,
  isMatch,
  isQuery,
  limitFilters,
  parseMetadataFilter,
  toFind,
  toSearchQuery,
} from './token-filters.ts'
import { findNewRows, insertInOrder, type LoadedRows, placeInRows } from './token-order.ts'

export const PAGE_SIZE = 100
const HIGHLIGHT_MS = 2000
/** The maximum number of changed tokens to read one by one; after more changes, the list is reloaded. */
const MAX_SINGLE_READS = 20
const RELOAD_DELAY_MS = 300
/** The pause between changes of the rows, each of which renders the list. */
const APPLY_PAUSE_MS = 100
/** The maximum number of loaded rows that a refresh reads again. */
const MAX_REFRESHED_ROWS = 1000

type TokensState = LoadedRows & {
  readonly filters: Filters
  readonly sort: TokenSort
  /** The cursor of the page below the rows; null if there is none. */
  readonly next: string | null
  /** The cursor of the page above the rows; null if there is none. */
  readonly previous: string | null
  readonly loading: boolean
  readonly problem: unknown
  readonly fresh: ReadonlySet<string>
  /** The index of the row that becomes current once it has loaded; null for none. */
  readonly wanted: number | null
  /** Ids of tokens that have arrived but have not been visible yet, newest first. */
  readonly newIds: readonly string[]
  /** The number of tokens in the list, loaded or not; null if unknown. */
  readonly total: number | null
  /** Whether there are new tokens that only a reload can show. */
  readonly isBehind: boolean
  /** False if there may be more tokens than `total`. */
  readonly isExact: boolean
  /** Progress of the vault's search index, while it is being built. */
  readonly building: FindPageResult['building']
  /** Whether the first row was found by its id rather than by the search. */
  readonly hasById: boolean
  /** When the owner last left the list, in epoch ms of the vault's clock; null if not yet. */
  readonly lookedAt: number | null
  /** The id of the token of which a cell is being edited. Its row stays, unless the token is deleted. */
  readonly edited: string | null
}

export const useTokens = createVaultStore<TokensState>(() => ({
  rows: [],
  above: 0,
  filters: {},
  sort: 'newest',
  next: null,
  previous: null,
  loading: true,
  problem: null,
  fresh: new Set(),
  wanted: null,
  newIds: [],
  isBehind: false,
  total: null,
  isExact: true,
  building: null,
  hasById: false,
  lookedAt: null,
  edited: null,
}))

const { getState, setState } = useTokens
/** Tracks the current list, so that responses for another one are dropped. */
export const tokenList = createRequestGuard()

/** Where a page starts, and whether it goes up from there. */
export type PageStart = { readonly start: string | null; readonly backwards: boolean }

export type TokenListPage = {
  readonly data: Token[]
  readonly pagination: { readonly next?: string | null | undefined; readonly previous?: string | null }
  readonly building?: FindPageResult['building']
  readonly hasById?: boolean
}

/** The number of pages being loaded, and the changes that arrived meanwhile, which those pages may not include. */
const pageReads = createVaultState(() => ({ pages: 0, changesDuringLoad: [] as EntityChange[] }))

/** Reads a page for `show`, then reapplies the changes that arrived while it was loading. */
export async function readPage(
  filters: Filters,
  start: PageStart,
  show: (page: TokenListPage) => void,
  read = () => fetchPage(filters, start),
): Promise<void> {
  const { current } = pageReads
  const isOpen = createOpenCheck()
  current.pages++
  try {
    show(await read())
  } finally {
    if (--current.pages === 0) {
      const missedChanges = current.changesDuringLoad
      current.changesDuringLoad = []
      if (isOpen()) applyTokenChanges(missedChanges)
    }
  }
}

/** Whether the list uses the owner's search, which finds more than the API, and any place in the list. */
export function isOwnerList({ q }: Filters): boolean {
  return useViewAs.getState().as === null && (q === undefined || !isQuery(q))
}

async function fetchPage(filters: Filters, { start, backwards }: PageStart): Promise<TokenListPage> {
  const page = { size: PAGE_SIZE, ...(start !== null && { start }) }
  if (isOwnerList(filters))
    return vault.tokens.find({ ...page, find: toFind(filters), sort: getState().sort, backwards })
  const { container, type, fingerprint, metadata, q } = limitFilters(filters)
  const client = getReadClient()
  if (q === undefined) {
    return client.tokens.list({
      ...page,
      ...(container !== undefined && { container }),
      ...(type !== undefined && { type }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(metadata !== undefined && {
        metadata: parseMetadataFilter(metadata).map(({ key, value }): [string, string] => [key, value ?? '']),
      }),
    })
  }
  const [result, byId] = await Promise.all([
    client.tokens.search({ ...page, query: toSearchQuery(q, container) }),
    start === null && !isQuery(q) ? readOne(q).catch(ignoreMissing) : null,
  ])
  const rest = result.data.filter((token) => token.id !== byId?.id)
  return { ...result, data: byId ? [byId, ...rest] : rest, hasById: byId !== null }
}

function ignoreMissing(error: unknown): null {
  if (hasCode(error, 'not_found') || hasCode(error, 'forbidden') || hasCode(error, 'invalid')) return null
  throw error
}

/** Changes the order of the list by setting it in the route's query. */
export function sortBy(sort: TokenSort): void {
  const { id, query } = readCurrentRoute()
  navigate(toHref('tokens', id, { ...query, sort: formatSortParameter(sort) }), { replace: true })
}

const firstPage: PageStart = { start: null, backwards: false }
const noRows = { rows: [], above: 0, next: null, previous: null, total: null, newIds: [], loading: false }

/** Loads the first page of a list. The old rows stay visible until it has loaded. */
export async function showTokens(filters: Filters, sort = getState().sort): Promise<void> {
  const shown = getState()
  if (shown.edited !== null && shown.filters === filters && shown.sort === sort) return refreshList()
  const isCurrent = tokenList.start()
  setState({ filters, sort, loading: true, problem: null })
  try {
    await readPage(filters, firstPage, ({ data, pagination, building = null, hasById = false }) => {
      if (!isCurrent()) return
      const next = pagination.next ?? null
      const page = { rows: data, above: 0, next, previous: null, building, hasById }
      setState({ ...page, total: null, newIds: [], isBehind: false, loading: false })
    })
    if (isCurrent() && getState().next !== null) await updateCount()
  } catch (problem) {
    if (isCurrent()) setState({ ...noRows, problem })
  }
}

/** Keeps the row of a token while one of its cells is edited. Checks afterwards whether it is still in the list. */
export function holdRow(id: string | null): void {
  const { edited } = getState()
  setState({ edited: id })
  if (edited !== null && edited !== id) void refreshTokens([edited], false)
}

/** Rows that replace the loaded ones, with the one that is being edited. */
function keepEdited(data: readonly Token[]): readonly Token[] {
  const { rows, edited, sort } = getState()
  const row = rows.find(({ id }) => id === edited)
  return row && !data.some(({ id }) => id === edited) ? insertInOrder(data, row, false, sort) : data
}

/** Empties the list, because the current view may not read it. */
export function clearTokens(): void {
  tokenList.start()
  setState({ ...useTokens.getInitialState(), lookedAt: getState().lookedAt, loading: false })
}

/** Loads the page below the loaded rows, or the one above them. */
export async function loadMoreTokens(backwards = false): Promise<void> {
  const { next, previous, loading, filters } = getState()
  const start = backwards ? previous : next
  if (start === null || loading) return
  const isCurrent = tokenList.join()
  setState({ loading: true, problem: null })
  try {
    await readPage(filters, { start, backwards }, ({ data, pagination, building = null }) => {
      if (!isCurrent()) return
      const { rows, above } = getState()
      const found = new Map(data.map((row) => [row.id, row]))
      for (const { id } of rows) found.delete(id)
      const more = [...found.values()]
      const end = pagination.next ?? null
      const loaded = backwards
        ? {
            rows: [...more.toReversed(), ...rows],
            above: end === null ? 0 : Math.max(0, above - more.length),
            previous: end,
          }
        : { rows: [...rows, ...more], next: end }
      setState({ ...loaded, building, loading: false })
    })
  } catch (problem) {
    if (isCurrent()) setState({ loading: false, problem })
  }
}

function placeToken(token: Token, isNew: boolean): void {
  const { rows, above, sort, next } = getState()
  setState(placeInRows({ rows, above }, token, { sort, hasMore: next !== null, isNew }))
  if (isNew) announceRows([token.id])
}

function announceRows(ids: readonly string[]): void {
  if (ids.length === 0) return
  setState(({ fresh, newIds }) => ({
    fresh: new Set([...fresh, ...ids]),
    newIds: [...new Set([...ids, ...newIds])],
  }))
  const old = new Set(ids)
  const removeOld = () =>
    setState(({ fresh }) => ({ fresh: new Set([...fresh].filter((id) => !old.has(id))) }))
  setTimeout(removeOld, HIGHLIGHT_MS)
}

function removeTokens(ids: Iterable<string>): void {
  const removedIds = new Set(ids)
  setState(({ rows, newIds }) => ({
    rows: rows.filter(({ id }) => !removedIds.has(id)),
    newIds: newIds.filter((id) => !removedIds.has(id)),
  }))
}

export function markTokensSeen(ids: readonly string[]): void {
  const { newIds } = getState()
  const seen = new Set(ids)
  const remaining = newIds.filter((id) => !seen.has(id))
  if (remaining.length < newIds.length) setState({ newIds: remaining })
}

const pendingChanges = createVaultState<EntityChange[]>(() => [])

/**
 * Applies changes that the vault reports: inserts new tokens, updates changed ones, removes deleted and expired ones.
 */
export function applyTokenChanges(changes: readonly EntityChange[]): void {
  const ofTokens = changes.filter(({ entity }) => entity === 'token')
  if (ofTokens.length === 0) return
  if (pageReads.current.pages > 0) pageReads.current.changesDuringLoad.push(...ofTokens)
  pendingChanges.current.push(...ofTokens)
  // Removes deleted tokens immediately, without waiting for other tokens to be read.
  removeTokens(groupChanges(ofTokens).removed)
  applySoon.requestRun()
}

/** Applies changes in the order in which they arrived, so that an older state of a token never replaces a newer one. */
const applySoon = createSpacedRunner(async () => {
  const changes = pendingChanges.current
  pendingChanges.current = []
  if (changes.length > 0) await applyAll(changes)
}, APPLY_PAUSE_MS)

async function applyAll(changes: readonly EntityChange[]): Promise<void> {
  const isOpen = createOpenCheck()
  const { created, updated, removed, unnamed } = groupChanges(changes)
  countSoon.requestRun()
  if (removed.length > 0) removeTokens(removed)
  // The change does not name the affected tokens, so the list is reloaded.
  if (unnamed.some((kind) => kind !== 'created')) return reloadSoon.requestRun()
  const isSearch = isSearchList(getState().filters)
  // Only the vault can evaluate a search, so the list is read again.
  if (isSearch || unnamed.length > 0 || Math.max(created.length, updated.length) > MAX_SINGLE_READS) {
    if (created.length + updated.length + unnamed.length > 0) refreshSoon.requestRun()
  }
  if (isSearch) return
  // Reads these tokens too, because imported ones may sort below the reloaded rows.
  if (created.length <= MAX_SINGLE_READS) await refreshTokens(created, true)
  if (updated.length <= MAX_SINGLE_READS && isOpen()) await refreshTokens(updated, false)
}

/** The final change of each token, and the kinds of changes that name no token. */
function groupChanges(changes: readonly EntityChange[]) {
  const kindById = new Map<string, EntityChange['kind']>()
  const unnamed: EntityChange['kind'][] = []
  for (const { kind, ids } of changes) {
    if (ids === 'unnamed') unnamed.push(kind)
    else
      for (const id of ids) if (kind !== 'updated' || kindById.get(id) !== 'created') kindById.set(id, kind)
  }
  const getIds = (kind: EntityChange['kind']) =>
    [...kindById].filter(([, each]) => each === kind).map(([id]) => id)
  return { created: getIds('created'), updated: getIds('updated'), removed: getIds('deleted'), unnamed }
}

/** Reloads tokens and inserts them in order, if the current view may see them: together, so that the list renders once. */
async function refreshTokens(ids: readonly string[], isNew: boolean): Promise<void> {
  const isCurrent = tokenList.join()
  const known = new Set(getState().rows.map(({ id }) => id))
  const reads = await Promise.all(ids.map(readIfListed))
  if (!isCurrent()) return
  for (const { id, token } of reads) {
    if (token === 'gone' || (token === null && id !== getState().edited)) removeTokens([id])
    else if (token) placeToken(token, isNew && !known.has(id))
  }
}

/** A token: null if it is not in the list, `gone` if there is none, and undefined if it could not be read. */
async function readIfListed(id: string) {
  try {
    return { id, token: await readListed(id) }
  } catch (error) {
    return { id, token: hasCode(error, 'not_found') ? ('gone' as const) : handleBackgroundError(error) }
  }
}

/** Shows a token created or changed in this window, if the current view may see it. */
export async function showToken(token: CreatedToken, isNew: boolean): Promise<void> {
  const { created_at } = token
  // A token without a creation time is a duplicate that the viewed application may not read, so the list
  // does not contain it.
  if (created_at === undefined) return
  await refreshTokens([token.id], isNew)
  countSoon.requestRun()
}

/** A token if it is in the list; null otherwise. */
async function readListed(id: string): Promise<Token | null> {
  const { filters, rows } = getState()
  if (isOwnerList(filters)) {
    if (filters.token !== undefined && filters.token !== id) return null
    const result = await vault.tokens.find({ find: { ...toFind(filters), id }, sort: 'newest', size: 1 })
    return result.data[0] ?? null
  }
  const token = await readOne(id)
  const isListed = rows.some((row) => row.id === id)
  return token && isMatch(token, limitFilters(filters), isListed) ? token : null
}

/** A token as it is now, whether or not it is in the list; null if there is none that the current view may see. */
export async function readCurrent(id: string): Promise<Token | null> {
  if (useViewAs.getState().as) return readOne(id)
  const { data } = await vault.tokens.find({ find: { id }, sort: 'newest', size: 1 })
  return data[0] ?? null
}

/** Whether the list comes from POST /v2/tokens/search. */
function isSearchList(filters: Filters): boolean {
  return filters.q !== undefined && !isOwnerList(filters)
}

/** A token as the current view may see it; null if the view may not see it. */
async function readOne(id: string): Promise<Token | null> {
  const { as } = useViewAs.getState()
  if (as) {
    // Ask as the owner, so that no refused request is logged in the application's name.
    const request = { application_id: as.id, permission: 'token:read', token_id: id } as const
    if ((await vault.access.explain(request)).transform === null) return null
  }
  return getReadClient().tokens.get({ id })
}

/** Removes expired rows that the vault no longer has. */
export async function removeExpired(ids: readonly string[]): Promise<void> {
  if (ids.length > MAX_SINGLE_READS) return refreshSoon.requestRun()
  for (const id of ids) {
    await vault.tokens
      .get({ id })
      .catch((error) => (hasCode(error, 'not_found') ? removeTokens([id]) : handleBackgroundError(error)))
  }
  countSoon.requestRun()
}

/** Reloads the list from its first row. If more pages are loaded, only checks for new tokens. */
async function refreshList(): Promise<void> {
  if (getState().above > 0) {
    setState({ isBehind: true })
    countSoon.requestRun()
    return
  }
  const isCurrent = tokenList.join()
  const { filters } = getState()
  try {
    const showPage = (page: TokenListPage) => isCurrent() && applyRefresh(page)
    await readPage(filters, firstPage, showPage, () => fetchLoadedRows(filters))
  } catch (error) {
    // A failure is reported when the list is next loaded.
    handleBackgroundError(error)
  }
}

/**
 * Reads the list again down to the last loaded row, which may take several pages: rows have arrived above it, and the
 * vault may answer with fewer rows than a page (rule R-03). If too many are loaded, reads only the first page.
 */
async function fetchLoadedRows(filters: Filters): Promise<TokenListPage> {
  const { rows } = getState()
  const last = rows.length > MAX_REFRESHED_ROWS ? undefined : rows.at(-1)?.id
  const first = await fetchPage(filters, firstPage)
  const data = [...first.data]
  let next = first.pagination.next ?? null
  while (next !== null && data.length < 2 * MAX_REFRESHED_ROWS && last !== undefined) {
    if (data.some(({ id }) => id === last)) break
    const page = await fetchPage(filters, { start: next, backwards: false })
    data.push(...page.data)
    next = page.pagination.next ?? null
  }
  return { ...first, data, pagination: { next } }
}

function applyRefresh({ data, pagination, hasById = false }: TokenListPage): void {
  const { rows, next, isBehind, filters } = getState()
  const fresh = findNewRows({ rows, next }, data)
  const last = rows.at(-1)
  // Rows that are loaded and were not read again stay.
  const isRead = !last || pagination.next == null || data.some(({ id }) => id === last.id)
  if (isRead) setState({ rows: keepEdited(data), next: pagination.next ?? null, hasById, problem: null })
  else setState({ isBehind: isBehind || fresh.length > 0 || !isSearchList(filters) })
  // Only the vault knows the position of a search result.
  if (!isRead && isSearchList(filters)) return
  if (isRead) announceRows(fresh.map(({ id }) => id))
  else for (const token of fresh) placeToken(token, true)
  if (isRead) countSoon.requestRun()
}

const refreshSoon = createSpacedRunner(refreshList, RELOAD_DELAY_MS)
const reloadSoon = createSpacedRunner(() => showTokens(getState().filters), RELOAD_DELAY_MS)
const countSoon = createSpacedRunner(async () => {
  const { above, next } = getState()
  if (above > 0 || next !== null) await updateCount()
}, RELOAD_DELAY_MS)

async function updateCount(): Promise<void> {
  const isCurrent = tokenList.join()
  const { filters, hasById } = getState()
  // SECURITY: only the owner may know the number of tokens; an application's view shows only what its key
  // would get.
  const isKnown = useViewAs.getState().as === null && !hasById
  const counted = isKnown ? await countAll(filters, isCurrent).catch(() => null) : null
  if (!isCurrent()) return
  setState(({ rows, above, next }) => ({
    total: counted?.total ?? null,
    isExact: counted?.isExact ?? true,
    // At the end of the list, the count also tells how many rows are still above, because deleted ones are not known.
    above: above > 0 && next === null && counted?.isExact ? Math.max(0, counted.total - rows.length) : above,
  }))
}

/** If one response cannot count all matching tokens, counting stops at this number. */
const MAX_COUNTED = 10_000

async function countAll(
  filters: Filters,
  isCurrent: () => boolean,
): Promise<{ total: number; isExact: boolean } | null> {
  if (!isOwnerList(filters)) {
    const { total } = await vault.tokens.count({ query: toSearchQuery(filters.q ?? '', filters.container) })
    return total === null ? null : { total, isExact: true }
  }
  const find = toFind(filters)
  let total = 0
  let start: string | null = null
  while (isCurrent()) {
    const counted: FindCountResult = await vault.tokens.findCount({ find, ...(start !== null && { start }) })
    total += counted.total
    if (counted.isExact) return { total, isExact: true }
    start = counted.next
    if (start === null || total > MAX_COUNTED) return { total: Math.min(total, MAX_COUNTED), isExact: false }
  }
  return null
}
