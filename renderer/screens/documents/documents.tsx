import { useEffect } from 'react'
import { isFiltered } from '../../../shared/conditions.ts'
import type { DocumentObject } from '../../../shared/schemas/document.ts'
import { getReadClient, useViewAs } from '../../parts/access/view-as.ts'
import { joinStops } from '../../parts/connection/change-subscription.ts'
import { keepLoaded } from '../../parts/connection/connection-state.ts'
import { onChanges } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { followDocumentCount, useDocumentCount } from '../../parts/documents/count-store.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { useRouteFilter } from '../../parts/filters/use-route-filter.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showFailureToast, showToast } from '../../parts/messages/toast.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { goTo, navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import panelStyles from '../../ui/panel.module.css'
import screenStyles from '../../ui/screen.module.css'
import { hideContent, revealContent, useContent } from './content/content-store.ts'
import { getPreviewKind } from './content/preview.ts'
import { saveDocument, useSave } from './content/save-store.ts'
import { type DescribedDocument, DocumentDrawer } from './document-drawer.tsx'
import styles from './documents.module.css'
import { useDocumentFields } from './list/document-fields.ts'
import { DocumentList } from './list/document-list.tsx'
import {
  applyDocumentChanges,
  filterDocuments,
  removeDocuments,
  useDocuments,
} from './list/documents-store.ts'
import { OpenById } from './open-by-id.tsx'
import { strings as t } from './strings.ts'
import { chooseFiles } from './upload/chosen-files-store.ts'
import { UploadForm } from './upload/upload-form.tsx'
import { Uploads } from './upload/uploads.tsx'
import { useFileDrop } from './upload/use-file-drop.ts'

const openUploadForm = goTo('documents', null, { new: '1' })

/** The list of documents, with a drawer for one of them. */
export function Documents() {
  const as = useViewAs((state) => state.as)
  const isOwner = as === null
  const isDragging = useFileDrop(
    isOwner
      ? (files) => {
          chooseFiles(files)
          openUploadForm()
        }
      : null,
  )
  useEffect(
    () => (isOwner ? joinStops(onChanges(applyDocumentChanges), followDocumentCount()) : undefined),
    [isOwner],
  )
  return (
    <>
      <ResourceScreen
        screen="documents"
        strings={t}
        permissions={['documents:read']}
        views={{ documents: <List as={as?.name ?? null} onUpload={openUploadForm} /> }}
      />
      {isDragging && (
        <div className={styles.dropHere} aria-hidden="true">
          <span>{t.drop}</span>
        </div>
      )}
    </>
  )
}

type DocumentsListProps = {
  /** The name of the application that the window views as; null for the owner. */
  readonly as: string | null
  readonly onUpload: () => void
}

function List({ as, onUpload }: DocumentsListProps) {
  const isOwner = as === null
  const rows = useDocuments((state) => state.rows)
  const { id: openId, query } = useRoute()
  const revealedId = useContent((content) => content.id)
  const isSaving = useSave((save) => save.id !== null)
  const described = useDescribedDocument(openId)
  const fields = useDocumentFields(rows)
  const { filter, q, bar } = useRouteFilter(fields)
  useEffect(() => (isOwner ? keepLoaded(() => filterDocuments(filter)) : undefined), [isOwner, filter])
  const list = useRows('documents', isOwner ? rows : [], {
    isOwner,
    listQuery: { q },
    isFixed: true,
    listOwnActions(id, row) {
      const document = described.value?.document.id === id ? described.value.document : row
      return isOwner && document
        ? createRowActions(document, { isRevealed: revealedId === id, isSaving })
        : []
    },
  })
  const { id, form, close, deleting, setDeleting } = list

  useEffect(() => hideContent, [])
  useEffect(() => {
    // Do not hide the content of the open document: the list reveals it before the drawer opens.
    if (useContent.getState().id !== id) hideContent()
  }, [id])
  return (
    <>
      {isOwner && <Uploads />}
      {isOwner && <FilterBar label={t.search} {...bar} savedQuery={{ q }} onLeave={list.search.onExit} />}
      <div className={panelStyles.split}>
        {isOwner ? <DocumentList {...list.gridProps} onUpload={onUpload} /> : <OpenById name={as} />}
        <PanelBoundary {...list.beside}>
          {form ? (
            <UploadForm key={query.new} onClose={list.cancel} onSent={() => list.leaveForm(null)} />
          ) : (
            id !== null && (
              <DocumentDrawer id={id} of={described} onClose={close} onDelete={() => setDeleting(id)} />
            )
          )}
        </PanelBoundary>
      </div>
      {isOwner && <DocumentFoot />}
      {deleting !== null && (
        <DeleteDocument id={deleting} onDeleted={close} onClose={() => setDeleting(null)} />
      )}
    </>
  )
}

function createRowActions(
  document: DocumentObject,
  { isRevealed, isSaving }: { isRevealed: boolean; isSaving: boolean },
): readonly GridAction[] {
  const reveal: GridAction = {
    label: t.drawer.reveal,
    icon: 'eye',
    keys: 'r',
    run() {
      // Stores its error.
      void revealContent(document)
      navigate(toHref('documents', document.id))
    },
  }
  const hide: GridAction = { label: t.drawer.hide, icon: 'eye-off', keys: 'h', run: hideContent }
  const download: GridAction = {
    label: t.drawer.download,
    icon: 'download',
    run: () => saveDocument(document).catch(showFailureToast),
  }
  const showing = getPreviewKind(document.content_type) === 'none' ? [] : [isRevealed ? hide : reveal]
  return [...showing, ...(isSaving ? [] : [download])]
}

function useDescribedDocument(id: string | null) {
  return useLoaded<DescribedDocument | null>(
    async () => {
      if (id === null) return null
      if (useViewAs.getState().as === null) return vault.documents.describe({ id })
      return { document: await getReadClient().documents.get({ id }), bytes: null }
    },
    { about: id ?? '', follows: ['document'] },
  )
}

/** The number of documents: the number of rows if all are loaded, otherwise the vault's count. */
function DocumentFoot() {
  const { rows, next, loaded, filter } = useDocuments()
  const { counted } = useDocumentCount()
  const count =
    next === null
      ? t.count(rows.length)
      : isFiltered(filter)
        ? t.countMore(rows.length)
        : counted && (counted.complete ? t.count(counted.documents) : t.countMore(counted.documents))
  return (
    <div className={screenStyles.foot}>
      <span role="status">{loaded && count}</span>
      <span>{t.order}</span>
    </div>
  )
}

type DeleteDocumentProps = {
  readonly id: string
  readonly onDeleted: () => void
  readonly onClose: () => void
}

function DeleteDocument({ id, onDeleted, onClose }: DeleteDocumentProps) {
  return (
    <InputConfirm
      title={t.remove.title}
      word={t.remove.word}
      action={t.remove.action}
      onConfirm={async () => {
        await vault.documents.remove({ id })
        removeDocuments([id])
        onDeleted()
        showToast(t.remove.done)
      }}
      onClose={onClose}
    >
      <p className="mono clip">{id}</p>
      <p>{t.remove.text}</p>
    </InputConfirm>
  )
}
