import type { EntityChange } from '../../../../shared/entity-changes.ts'
import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { createSpacedRunner } from '../../../parts/connection/change-subscription.ts'
import { handleBackgroundError } from '../../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { createVaultState, createVaultStore } from '../../../parts/connection/store.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { mergePage } from './merge-page.ts'

const PAGE_SIZE = 100
const HIGHLIGHT_MS = 2000

export type ListedDocument = DocumentObject & { readonly bytes: number; readonly seq: number }

type DocumentsState = {
  /** Newest first. */
  readonly rows: readonly ListedDocument[]
  /** Whether there are older documents than the last row. */
  readonly hasMore: boolean
  readonly loading: boolean
  readonly loaded: boolean
  readonly problem: unknown
  /** Ids of documents that have just arrived. */
  readonly fresh: ReadonlySet<string>
}

/** The owner's list of documents. No API key can list documents. */
export const useDocuments = createVaultStore<DocumentsState>(() => ({
  rows: [],
  hasMore: false,
  loading: true,
  loaded: false,
  problem: null,
  fresh: new Set(),
}))

const { getState, setState } = useDocuments
const list = createRequestGuard()
/** Ids that were deleted while a page was loading. */
const deleted = createVaultState(() => new Set<string>())

async function readPage(before?: number): Promise<ListedDocument[]> {
  const page = await vault.documents.newest({ size: PAGE_SIZE, ...(before !== undefined && { before }) })
  return page
    .map(({ document, bytes, seq }) => ({ ...document, bytes, seq }))
    .filter(({ id }) => !deleted.current.has(id))
}

/** Loads the first page. The old rows stay visible until it has loaded. */
export async function showDocuments(): Promise<void> {
  const isCurrent = list.start()
  deleted.current.clear()
  setState({ loading: true, problem: null })
  try {
    const rows = await readPage()
    if (isCurrent()) setState({ rows, hasMore: rows.length === PAGE_SIZE, loading: false, loaded: true })
  } catch (problem) {
    if (isCurrent()) setState({ loading: false, problem })
  }
}

export async function loadMoreDocuments(): Promise<void> {
  const { rows, hasMore, loading } = getState()
  const last = rows.at(-1)
  if (!hasMore || loading || !last) return
  const isCurrent = list.join()
  setState({ loading: true, problem: null })
  try {
    const page = await readPage(last.seq)
    if (!isCurrent()) return
    setState({ rows: [...getState().rows, ...page], hasMore: page.length === PAGE_SIZE, loading: false })
  } catch (problem) {
    if (isCurrent()) setState({ loading: false, problem })
  }
}

export function removeDocuments(ids: readonly string[]): void {
  for (const id of ids) deleted.current.add(id)
  setState(({ rows }) => ({ rows: rows.filter(({ id }) => !ids.includes(id)) }))
}

/** Applies the changes that the host reports: adds new documents, removes deleted ones. */
export function applyDocumentChanges(changes: readonly EntityChange[]): void {
  for (const { entity, kind, ids } of changes) {
    if (entity !== 'document') continue
    if (kind === 'deleted' && ids !== 'unnamed') removeDocuments(ids)
    // It is not known which documents have changed, so reload the list.
    else if (kind !== 'created') reloadSoon.requestRun()
    else refreshSoon.requestRun()
  }
}

const reloadSoon = createSpacedRunner(showDocuments, 300)
const refreshSoon = createSpacedRunner(async () => {
  const isCurrent = list.join()
  // A failure is reported when the list is next loaded.
  const page = await readPage().catch(handleBackgroundError)
  if (!page || !isCurrent()) return
  const { rows, hasMore } = getState()
  const next = mergePage(rows, page, { hasMore, isFull: page.length === PAGE_SIZE })
  const known = new Set(rows.map(({ id }) => id))
  const fresh = page.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  setState(({ fresh: before }) => ({ ...next, fresh: new Set([...before, ...fresh]) }))
  setTimeout(
    () => setState(({ fresh: all }) => ({ fresh: new Set([...all].filter((id) => !fresh.includes(id))) })),
    HIGHLIGHT_MS,
  )
}, 300)
