import { useEffect } from 'react'
import { formatSize } from '../../../shared/format-size.ts'
import type { DocumentObject } from '../../../shared/schemas/document.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { DeniedReason } from '../../parts/access/denied-reason.tsx'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { formatCurl } from '../../parts/api/snippets.ts'
import { useBaseUrl } from '../../parts/connection/base-url.ts'
import type { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { describeError, hasCode } from '../../parts/messages/describe-error.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { Copyable, IdTitle, RecordSections } from '../../parts/resource-screen/drawer-sections.tsx'
import { Failure } from '../../ui/failure.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { Code } from '../../ui/text/code.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { markText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import { ContentSection } from './content/content-section.tsx'
import { hideContent, revealContent, useContent } from './content/content-store.ts'
import { formatFileName } from './content/file-name.ts'
import { getPreviewKind } from './content/preview.ts'
import { saveDocument, stopSaving, useSave } from './content/save-store.ts'
import { strings } from './strings.ts'

const t = strings.drawer

/** A document, and its size if the viewer may see it. */
export type DescribedDocument = { readonly document: DocumentObject; readonly bytes: number | null }

type Props = {
  readonly id: string
  readonly of: Pick<ReturnType<typeof useLoaded<DescribedDocument | null>>, 'value' | 'problem'>
  readonly onClose: () => void
  readonly onDelete: () => void
}

/** One document: its content, hidden or revealed, and its properties. */
export function DocumentDrawer({ id, of: { value, problem }, onClose, onDelete }: Props) {
  const isDeleted = hasCode(problem, 'not_found')
  useEffect(() => {
    if (isDeleted) hideContent()
  }, [isDeleted])
  return (
    <Panel label={t.label} title={<IdTitle icon="document" id={id} what={t.copyId} />} onClose={onClose}>
      {problem !== null && (
        <div className={formStyles.root}>
          <Failure>{isDeleted ? t.gone : describeError(problem)}</Failure>
          <DeniedReason problem={problem} on={null} />
        </div>
      )}
      {value && !isDeleted && <Content {...value} onDelete={onDelete} />}
    </Panel>
  )
}

function Content({ document, bytes, onDelete }: DescribedDocument & Pick<Props, 'onDelete'>) {
  const isOwner = useIsOwner()
  const url = useBaseUrl()
  const { id, metadata } = document
  const curl = formatCurl({ method: 'GET', url: `${url}/documents/${id}/data`, key: strings.keyHint })
  return (
    <>
      {isOwner && <Actions document={document} onDelete={onDelete} />}
      {isOwner && bytes !== null && <ContentSection document={document} bytes={bytes} />}
      <About document={document} bytes={bytes} />
      <PanelSection title={t.metadata}>
        {Object.keys(metadata).length === 0 && <span className="faint">{t.noMetadata}</span>}
        <Properties of={metadata} />
      </PanelSection>
      <PanelSection title={t.connect}>
        <Code
          text={`${curl} \\\n  -o ${formatFileName(document).replace(/[^\w.-]/g, '-')}`}
          what={strings.curl}
          wrap
        />
      </PanelSection>
      <RecordSections id={id} value={document} />
      {!isOwner && <p className="note">{t.owners}</p>}
    </>
  )
}

function Actions({ document, onDelete }: { document: DocumentObject } & Pick<Props, 'onDelete'>) {
  const { id, content_type } = document
  const isOpen = useContent((content) => content.id === id)
  const saving = useSave()
  const { runAction, problem } = useAction()
  return (
    <>
      <div className={panelStyles.actions}>
        {getPreviewKind(content_type) !== 'none' &&
          (isOpen ? (
            <ActionButton
              icon="eye-off"
              label={t.hide}
              shortcut="h"
              variant="light"
              color="amber"
              onClick={hideContent}
            />
          ) : (
            <ActionButton icon="eye" label={t.reveal} shortcut="r" onClick={() => revealContent(document)} />
          ))}
        {saving.id === id ? (
          <ActionButton icon="stop" label={t.stop} onClick={stopSaving} />
        ) : (
          <ActionButton
            icon="download"
            label={t.download}
            disabled={saving.id !== null}
            onClick={() => runAction(() => saveDocument(document))}
          />
        )}
        <ActionButton icon="trash" label={t.remove} shortcut="Backspace" onClick={onDelete} />
      </div>
      {saving.id === id && (
        <p className="note" role="status">
          {t.downloading(Math.floor(saving.done * 100))}
        </p>
      )}
      <Problem of={problem} />
    </>
  )
}

function About({ document, bytes }: DescribedDocument) {
  const actor = useActorName()
  const { id, content_type, created_by, created_at } = document
  return (
    <PanelSection title={t.facts}>
      <Properties
        of={{
          [t.type]: <MarkedSpan text={content_type} />,
          [t.size]: bytes !== null && (
            <>
              {formatSize(bytes)}
              {bytes >= 1024 && <span className="faint"> {bytes.toLocaleString('en')} bytes</span>}
            </>
          ),
          [t.id]: <Copyable value={id} />,
          [t.created]: (
            <>
              <Time at={created_at} /> <span className="faint">{t.by(markText(actor(created_by)))}</span>
            </>
          ),
        }}
      />
    </PanelSection>
  )
}
