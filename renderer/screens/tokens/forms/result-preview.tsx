import { formatCardTerm } from '../../../../shared/card-term.ts'
import { isObject } from '../../../../shared/json.ts'
import { DataCell } from '../../../parts/tokens/data-cell.tsx'
import { type TokenDraft, toTokenRequest } from '../../../parts/tokens/token-draft.ts'
import { Properties } from '../../../ui/properties.tsx'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'
import type { Preview } from './use-preview.ts'

const t = strings.form

export function ResultPreview({ preview, draft }: { preview: Preview; draft: TokenDraft }) {
  const { id, masked, mask, fingerprinted, index_values = [], card } = preview
  const hasData = toTokenRequest(draft).data !== undefined
  const some = isObject(masked) ? Object.keys(masked).length > 0 : masked !== undefined && masked !== null
  return (
    <section className={styles.becomes}>
      <h2>{t.preview}</h2>
      <Properties
        of={{
          [t.previewId]:
            draft.id === '' ? (
              <span className="faint">{t.previewUuid}</span>
            ) : (
              <span className="mono">{id ?? draft.id}</span>
            ),
          [t.previewData]:
            hasData && some ? (
              <DataCell token={{ data: masked, mask }} />
            ) : (
              <span className="faint">{mask === undefined ? t.previewNoMask : '…'}</span>
            ),
          [strings.drawer.card]:
            card?.brand && [formatCardTerm(card.brand), card.funding].filter(Boolean).join(', '),
          [t.previewFingerprint]: <span className="mono">{(hasData && fingerprinted) || '…'}</span>,
          [t.previewIndexes]: index_values.length > 0 && (
            <span className="mono">{index_values.join(', ')}</span>
          ),
        }}
      />
    </section>
  )
}
