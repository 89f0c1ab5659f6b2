import type { Change } from '../../../../shared/changes.ts'
import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { spaced } from '../../../parts/connection/follow.ts'
import { passOver } from '../../../parts/connection/incidents.ts'
import { latest } from '../../../parts/connection/latest.ts'
import { vaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { arrived } from './merge-page.ts'

const PAGE = 100
const FRESH_MS = 2000

export type DocumentRow = DocumentObject & { readonly bytes: number; readonly seq: number }

type DocumentsState = {
  /** Newest first. */
  readonly rows: readonly DocumentRow[]
  /** Whether there are older ones than the last row. */
  readonly hasMore: boolean
  readonly loading: boolean
  /** Whether the first page has come. */
  readonly loaded: boolean
  readonly problem: unknown
  /** Ids that have just arrived. */
  readonly fresh: ReadonlySet<string>
}

/** The documents as the owner sees them; no key can list any. */
export const useDocuments = vaultStore<DocumentsState>(() => ({
  rows: [],
  hasMore: false,
  loading: true,
  loaded: false,
  problem: null,
  fresh: new Set(),
}))

const { getState, setState } = useDocuments
const list = latest()
/** What was deleted while a page was on its way. */
const gone = new Set<string>()

async function readPage(before?: number): Promise<DocumentRow[]> {
  const page = await vault.documents.newest({ size: PAGE, ...(before !== undefined && { before }) })
  return page
    .map(({ document, bytes, seq }) => ({ ...document, bytes, seq }))
    .filter(({ id }) => !gone.has(id))
}

/** Shows the first page. The old rows stay until it has come. */
export async function showDocuments(): Promise<void> {
  const isWanted = list.begin()
  gone.clear()
  setState({ loading: true, problem: null })
  try {
    const rows = await readPage()
    if (isWanted()) setState({ rows, hasMore: rows.length === PAGE, loading: false, loaded: true })
  } catch (problem) {
    if (isWanted()) setState({ loading: false, problem })
  }
}

/** Loads the page after the last row. */
export async function moreDocuments(): Promise<void> {
  const { rows, hasMore, loading } = getState()
  const last = rows.at(-1)
  if (!hasMore || loading || !last) return
  const isWanted = list.join()
  setState({ loading: true, problem: null })
  try {
    const page = await readPage(last.seq)
    if (!isWanted()) return
    setState({ rows: [...getState().rows, ...page], hasMore: page.length === PAGE, loading: false })
  } catch (problem) {
    if (isWanted()) setState({ loading: false, problem })
  }
}

/** Removes a document from the list. */
export function dropDocuments(ids: readonly string[]): void {
  for (const id of ids) gone.add(id)
  setState(({ rows }) => ({ rows: rows.filter(({ id }) => !ids.includes(id)) }))
}

/** Applies changes: new documents appear, deleted ones go. */
export function followDocuments(changes: readonly Change[]): void {
  for (const { entity, kind, ids } of changes) {
    if (entity !== 'document') continue
    if (kind === 'deleted' && ids !== 'unnamed') dropDocuments(ids)
    // Nothing says which of the rows still exist.
    else if (kind !== 'created') showingAgain.ask()
    else readingAgain.ask()
  }
}

const showingAgain = spaced(showDocuments, 300)
const readingAgain = spaced(async () => {
  const isWanted = list.join()
  // The next load of the list will report a failure.
  const page = await readPage().catch(passOver)
  if (!page || !isWanted()) return
  const { rows, hasMore } = getState()
  const next = arrived(rows, page, { hasMore, isFull: page.length === PAGE })
  const known = new Set(rows.map(({ id }) => id))
  const fresh = page.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  setState(({ fresh: before }) => ({ ...next, fresh: new Set([...before, ...fresh]) }))
  setTimeout(
    () => setState(({ fresh: all }) => ({ fresh: new Set([...all].filter((id) => !fresh.includes(id))) })),
    FRESH_MS,
  )
}, 300)
