import './documents.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { reader, useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { mayConcern } from '../../parts/connection/follow.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { onChanges } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { followDocumentCount } from '../../parts/documents/count-store.ts'
import { go, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { ById } from './by-id.tsx'
import { hideContent, revealContent, useContent } from './content/content-store.ts'
import { DeleteDocument } from './delete-document.tsx'
import { type Described, DocumentDrawer } from './document-drawer.tsx'
import { DocumentFoot } from './list/document-foot.tsx'
import { DocumentList } from './list/document-list.tsx'
import { followDocuments, showDocuments, useDocuments } from './list/documents-store.ts'
import { strings } from './strings.ts'
import { chooseFiles } from './upload/chosen-store.ts'
import { UploadForm } from './upload/upload-form.tsx'
import { Uploads } from './upload/uploads.tsx'
import { useFileDrop } from './upload/use-file-drop.ts'

const t = strings

/** The list of documents, and one of them beside it. */
export function Documents() {
  const as = useLooking((state) => state.as)
  const isOwner = as === null
  const mayRead = useMay('documents:read')
  const create = () => isOwner && go(hrefOf('documents', null, { new: '1' }))
  const isDragging = useFileDrop(
    isOwner
      ? (files) => {
          chooseFiles(files)
          create()
        }
      : null,
  )
  useKeys({ 'mod+n': create, n: create })
  useEffect(() => {
    if (!isOwner) return
    const stops = [keepLoaded(showDocuments), onChanges(followDocuments), followDocumentCount()]
    return () => {
      for (const stop of stops) stop()
    }
  }, [isOwner])
  return (
    <>
      <div className="screen-head screen-head-line">
        <h1>{t.title}</h1>
        <div className="screen-head-space" />
        {isOwner && (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={create}>
            {t.create}
          </Button>
        )}
      </div>
      {mayRead ? (
        <List as={as?.name ?? null} onUpload={create} />
      ) : (
        <LookingRefused permission="documents:read" />
      )}
      {isDragging && (
        <div className="drop-here" aria-hidden="true">
          <span>{t.drop}</span>
        </div>
      )}
    </>
  )
}

type ListProps = {
  /** The name of the application looked as; null for the owner. */
  readonly as: string | null
  readonly onUpload: () => void
}

function List({ as, onUpload }: ListProps) {
  const isOwner = as === null
  const rows = useDocuments((state) => state.rows)
  const { query } = useRoute()
  const list = useRows('documents', isOwner ? rows : [], { isOwner, copied: t.copied, isFixed: true })
  const { id, form, close, deleting, setDeleting } = list
  const described = useDescribed(id)
  const current = rows[list.shown.active]

  useEffect(() => hideContent, [])
  useEffect(() => {
    // Revealing from the list opens the document afterwards.
    if (useContent.getState().id !== id) hideContent()
  }, [id])
  useKeys(
    {
      r() {
        const document = described.value?.document ?? current
        if (!document) return
        revealContent(document)
        go(hrefOf('documents', document.id))
      },
      h: hideContent,
    },
    isOwner && !form,
  )
  return (
    <>
      {isOwner && <Uploads />}
      <div className="split">
        {isOwner ? <DocumentList {...list.shown} onUpload={onUpload} /> : <ById name={as} />}
        {form ? (
          <UploadForm key={query.new} onClose={list.cancel} onSent={() => list.leaveForm(null)} />
        ) : (
          id !== null && (
            <DocumentDrawer id={id} of={described} onClose={close} onDelete={() => setDeleting(true)} />
          )
        )}
      </div>
      {isOwner && <DocumentFoot />}
      {deleting && id !== null && (
        <DeleteDocument id={id} onDeleted={close} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}

/** The document in the drawer, as the current view may see it. */
function useDescribed(id: string | null) {
  const described = useLoaded<Described | null>(
    async () => {
      if (id === null) return null
      if (useLooking.getState().as === null) return vault.documents.describe({ id })
      return { document: await reader().documents.get({ id }), bytes: null }
    },
    { about: id ?? '' },
  )
  const { load } = described
  useEffect(
    () =>
      onChanges((changes) => {
        if (id !== null && changes.some((change) => mayConcern(change, 'document', id))) load()
      }),
    [id, load],
  )
  return described
}
