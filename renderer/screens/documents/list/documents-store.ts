import { type Filter, isFiltered } from '../../../../shared/conditions.ts'
import type { EntityChange } from '../../../../shared/entity-changes.ts'
import type { DocumentField, DocumentObject } from '../../../../shared/schemas/document.ts'
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
  readonly filter: Filter<DocumentField>
  /** The position from which older documents are read; null at the end. */
  readonly next: number | null
  readonly loading: boolean
  readonly loaded: boolean
  readonly problem: unknown
  /** Ids of documents that have just arrived. */
  readonly fresh: ReadonlySet<string>
}

/** The owner's list of documents. No API key can list documents. */
export const useDocuments = createVaultStore<DocumentsState>(() => ({
  rows: [],
  filter: { conditions: [], words: '' },
  next: null,
  loading: true,
  loaded: false,
  problem: null,
  fresh: new Set(),
}))

const { getState, setState } = useDocuments
const list = createRequestGuard()
/** Ids that were deleted while a page was loading. */
const deleted = createVaultState(() => new Set<string>())

type DocumentPage = { readonly rows: readonly ListedDocument[]; readonly next: number | null }

async function readPage(before: number | null = null): Promise<DocumentPage> {
  const { conditions, words } = getState().filter
  const { data, next } = await vault.documents.newest({
    size: PAGE_SIZE,
    ...(before !== null && { before }),
    ...(conditions.length > 0 && { where: conditions }),
    ...(words !== '' && { q: words }),
  })
  const rows = data
    .map(({ document, bytes, seq }) => ({ ...document, bytes, seq }))
    .filter(({ id }) => !deleted.current.has(id))
  return { rows, next }
}

/** Reads pages until one has rows or none is left, because a page of a filter may have none. */
async function readRows(isCurrent: () => boolean, before: number | null = null): Promise<DocumentPage> {
  let page = await readPage(before)
  while (isCurrent() && page.rows.length === 0 && page.next !== null) page = await readPage(page.next)
  return page
}

export async function filterDocuments(filter: Filter<DocumentField>): Promise<void> {
  setState({ filter, loaded: false, rows: [] })
  await showDocuments()
}

/** Loads the first page. The old rows stay visible until it has loaded. */
export async function showDocuments(): Promise<void> {
  const isCurrent = list.start()
  deleted.current.clear()
  setState({ loading: true, problem: null })
  try {
    const page = await readRows(isCurrent)
    if (isCurrent()) setState({ ...page, loading: false, loaded: true })
  } catch (problem) {
    if (isCurrent()) setState({ loading: false, problem })
  }
}

export async function loadMoreDocuments(): Promise<void> {
  const { next, loading } = getState()
  if (next === null || loading) return
  const isCurrent = list.join()
  setState({ loading: true, problem: null })
  try {
    const page = await readRows(isCurrent, next)
    if (!isCurrent()) return
    setState({ rows: [...getState().rows, ...page.rows], next: page.next, loading: false })
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
    else if (kind !== 'created' || isFiltered(getState().filter)) reloadSoon.requestRun()
    else refreshSoon.requestRun()
  }
}

const reloadSoon = createSpacedRunner(showDocuments, 300)
const refreshSoon = createSpacedRunner(async () => {
  const isCurrent = list.join()
  // A failure is reported when the list is next loaded.
  const page = await readPage().catch(handleBackgroundError)
  if (!page || !isCurrent()) return
  const current = getState()
  const known = new Set(current.rows.map(({ id }) => id))
  const fresh = page.rows.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  setState(({ fresh: before }) => ({ ...mergePage(current, page), fresh: new Set([...before, ...fresh]) }))
  setTimeout(
    () => setState(({ fresh: all }) => ({ fresh: new Set([...all].filter((id) => !fresh.includes(id))) })),
    HIGHLIGHT_MS,
  )
}, 300)
