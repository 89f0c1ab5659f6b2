import { useEffect, useRef } from 'react'
import type { DocumentObject } from '../../../../shared/schemas/document.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { PanelSection } from '../../../ui/panel.tsx'
import heldStyles from '../../../ui/text/held.module.css'
import { MarkedText } from '../../../ui/text/marked-text.tsx'
import { Ring } from '../../../ui/time/ring.tsx'
import styles from '../documents.module.css'
import { strings } from '../strings.ts'
import { REVEAL_SECONDS, useContent } from './content-store.ts'
import { getPreviewKind, isActive } from './preview.ts'

const t = strings.drawer

/** The content of a document: hidden, or revealed on amber for a limited time. */
export function ContentSection({ document, bytes }: { document: DocumentObject; bytes: number }) {
  const { id, preview, until, problem } = useContent()
  const { content_type } = document
  const isOpen = id === document.id && preview !== null
  return (
    <PanelSection
      title={t.content}
      aside={isOpen ? <Ring until={until} of={REVEAL_SECONDS} /> : <Chip>{content_type}</Chip>}
    >
      {isOpen ? (
        <>
          <div className={`${heldStyles.root} ${heldStyles.open}`}>
            {preview.kind === 'image' ? (
              <Picture bitmap={preview.bitmap} />
            ) : preview.kind === 'text' ? (
              <Plain text={preview.text} />
            ) : (
              <span>{preview.why}</span>
            )}
          </div>
          <div className="note">
            {t.revealed}
            {preview.kind === 'text' && isActive(content_type) && `. ${t.asText}`}
            {preview.kind === 'text' && preview.isCut && `. ${t.cut}`}
          </div>
        </>
      ) : (
        <>
          <div className={heldStyles.root}>
            {id === document.id ? (
              <Loading />
            ) : (
              <span className="faint">{bytes === 0 ? t.none : t.hidden[getPreviewKind(content_type)]}</span>
            )}
          </div>
          <div className="note">{t.saving}</div>
          <Problem of={problem} />
        </>
      )}
    </PanelSection>
  )
}

/** SECURITY: rendered as a text node whatever its type, so nothing in it is parsed. */
function Plain({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <pre className={`mono ${styles.text}`} tabIndex={0}>
      {text === '' ? t.none : <MarkedText text={text} />}
    </pre>
  )
}

function Picture({ bitmap }: { bitmap: ImageBitmap }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { current } = canvas
    if (!current) return
    current.width = bitmap.width
    current.height = bitmap.height
    current.getContext('2d')?.drawImage(bitmap, 0, 0)
    // Clears the bitmap, so no pixels remain once the image is hidden.
    return () => {
      current.width = 0
    }
  }, [bitmap])
  return <canvas ref={canvas} className={styles.image} role="img" aria-label={t.image} />
}
