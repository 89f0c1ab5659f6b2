import type { Change } from '../../../../shared/changes.ts'
import type { Token } from '../../../../shared/schemas/token.ts'
import { reader, useLooking } from '../../../parts/access/looking.ts'
import { spaced } from '../../../parts/connection/follow.ts'
import { passOver } from '../../../parts/connection/incidents.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultStore, whileOpen } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/sentence.ts'
import { countQueryOf, type Filters, isQuery, matches, pairOf, queryOf } from './token-filters.ts'
import { placed } from './token-order.ts'

const PAGE = 100
const FRESH_MS = 2000
/** More news than this at once is read as a list. */
const MANY = 20
const PAUSE_MS = 300

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
/** The list that is shown: answers about one that was left meanwhile are dropped. */
const list = latest()

type Page = {
  readonly data: Token[]
  readonly pagination: { readonly next?: string | undefined }
  readonly hasById?: boolean
}

/** How many pages are on their way, and what changed meanwhile, which they may not show. */
let pages = 0
let meanwhile: Change[] = []

/** Reads a page for `show`; what changed while it was on its way is followed again afterwards. */
async function readPage(filters: Filters, start: string | null, show: (page: Page) => void): Promise<void> {
  const isOpen = whileOpen()
  pages++
  try {
    show(await askPage(filters, start))
  } finally {
    if (--pages === 0) {
      const missed = meanwhile
      meanwhile = []
      if (isOpen()) followTokens(missed)
    }
  }
}

async function askPage(filters: Filters, start: string | null): Promise<Page> {
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
  const isWanted = list.begin()
  setState({ filters, loading: true, problem: null })
  try {
    await readPage(filters, null, ({ data, pagination, hasById = false }) => {
      if (!isWanted()) return
      const page = { rows: data, next: pagination.next ?? null, hasById }
      setState({ ...page, total: null, news: [], isBehind: false, loading: false })
    })
    if (isWanted() && getState().next !== null) await count()
  } catch (problem) {
    if (isWanted()) setState({ rows: [], next: null, total: null, news: [], loading: false, problem })
  }
}

/** Empties the list: those through whose eyes the window looks may not ask for it. */
export function showNothing(): void {
  list.begin()
  setState({ ...useTokens.getInitialState(), loading: false })
}

/** Fetches the page after the last row. */
export async function moreTokens(): Promise<void> {
  const { next, loading, filters } = getState()
  if (next === null || loading) return
  const isWanted = list.join()
  setState({ loading: true, problem: null })
  try {
    await readPage(filters, next, ({ data, pagination }) => {
      if (!isWanted()) return
      const known = new Set(getState().rows.map((row) => row.id))
      const rows = [...getState().rows, ...data.filter((row) => !known.has(row.id))]
      setState({ rows, next: pagination.next ?? null, loading: false })
    })
  } catch (problem) {
    if (isWanted()) setState({ loading: false, problem })
  }
}

/** Puts a token into the list where it belongs, lit up for a moment when it is new. */
function placeToken(token: Token, isNew: boolean): void {
  const { rows, filters, next, news } = getState()
  const listed = rows.some(({ id }) => id === token.id)
  if (!matches(token, filters, listed)) {
    dropTokens([token.id])
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

/** Takes tokens out of the list. */
export function dropTokens(ids: Iterable<string>): void {
  const gone = new Set(ids)
  setState(({ rows, news }) => ({
    rows: rows.filter(({ id }) => !gone.has(id)),
    news: news.filter((id) => !gone.has(id)),
  }))
}

/** Notes that these have been seen where they landed. */
export function sawTokens(ids: readonly string[]): void {
  const { news } = getState()
  const left = news.filter((id) => !ids.includes(id))
  if (left.length < news.length) setState({ news: left })
}

let told: Change[] = []

/** Follows what others do: new tokens land in the list, changed ones change, deleted and expired ones go. */
export function followTokens(changes: readonly Change[]): void {
  const ofTokens = changes.filter(({ entity }) => entity === 'token')
  if (ofTokens.length === 0) return
  if (pages > 0) meanwhile.push(...ofTokens)
  told.push(...ofTokens)
  // What is gone does not wait for answers about others.
  dropTokens(sorted(ofTokens).removed)
  following.ask()
}

/** In the order in which they were told: an answer about a token never comes after a later change of it. */
const following = spaced(async () => {
  const changes = told
  told = []
  await followAll(changes)
}, 0)

async function followAll(changes: readonly Change[]): Promise<void> {
  const { made, updated, removed, unnamed } = sorted(changes)
  counting.ask()
  if (removed.length > 0) dropTokens(removed)
  // Which of the rows are still there and as they were, nothing says.
  if (unnamed.some((kind) => kind !== 'created')) return showingAgain.ask()
  // What a search finds is for the vault to say.
  if (getState().filters.q !== undefined) {
    if (made.length + updated.length + unnamed.length > 0) readingAgain.ask()
    return
  }
  if (unnamed.length > 0 || made.length > MANY || updated.length > MANY) readingAgain.ask()
  // What came along with an import may lie further down than what is read again.
  for (const [ids, isNew] of [[made, true] as const, [updated, false] as const]) {
    if (ids.length <= MANY) for (const id of ids) await followOne(id, isNew)
  }
}

/** What became of the tokens in the end, each named once, and the kinds of changes that name none. */
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

/** Reads one token anew and puts it where it belongs, where those may see it through whose eyes the window looks. */
async function followOne(id: string, isNew: boolean): Promise<void> {
  const isWanted = list.join()
  const known = getState().rows.some((row) => row.id === id)
  try {
    const token = await readOne(id)
    if (!isWanted()) return
    if (token) placeToken(token, isNew && !known)
    else dropTokens([id])
  } catch (error) {
    if (isWanted() && hasCode(error, 'not_found')) dropTokens([id])
    else passOver(error)
  }
}

/** Shows what was made or changed here, where those may see it through whose eyes the window looks. */
export async function landed(token: Token, isNew: boolean): Promise<void> {
  if (useLooking.getState().as) await followOne(token.id, isNew)
  else placeToken(token, isNew)
  counting.ask()
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
  if (ids.length > MANY) return readingAgain.ask()
  for (const id of ids) {
    await vault.tokens
      .get({ id })
      .catch((error) => (hasCode(error, 'not_found') ? dropTokens([id]) : passOver(error)))
  }
  counting.ask()
}

/** Reads the list again from its first row on; of one that was read further, only whether there is more to see. */
async function readAgain(): Promise<void> {
  const isWanted = list.join()
  const { filters } = getState()
  try {
    await readPage(filters, null, (page) => isWanted() && showAgain(page))
  } catch (error) {
    // The list says so itself the next time it is read.
    passOver(error)
  }
}

function showAgain({ data, pagination, hasById = false }: Page): void {
  const { rows, next, isBehind, filters } = getState()
  const known = new Set(rows.map((row) => row.id))
  const fresh = data.filter(({ id }) => !known.has(id))
  const isRead = next === null || rows.length <= PAGE
  if (isRead) setState({ rows: data, next: pagination.next ?? null, hasById, problem: null })
  else setState({ isBehind: isBehind || fresh.length > 0 || filters.q === undefined })
  // Where rows of a search belong is for the vault to say; the rows of an import are all new: none of them is news.
  if (!isRead && filters.q !== undefined) return
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
  // SECURITY: how many tokens there are is the owner's to know; an application's eyes get what its key would.
  const isKnown = useLooking.getState().as === null && !hasById
  const answer = isKnown ? await vault.tokens.count({ query: countQueryOf(filters) }).catch(() => null) : null
  if (isWanted()) setState({ total: answer?.total ?? null })
}
