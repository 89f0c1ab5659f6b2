import { formatCardTerm } from '../../../../shared/card-term.ts'
import { isObject } from '../../../../shared/json.ts'
import { DataCell } from '../../../parts/tokens/data-cell.tsx'
import { type TokenDraft, toTokenRequest } from '../../../parts/tokens/token-draft.ts'
import { PropertyList, PropertyRow } from '../../../ui/panel.tsx'
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
      <PropertyList>
        <PropertyRow name={t.previewId}>
          {draft.id === '' ? (
            <span className="faint">{t.previewUuid}</span>
          ) : (
            <span className="mono">{id ?? draft.id}</span>
          )}
        </PropertyRow>
        <PropertyRow name={t.previewData}>
          {hasData && some ? (
            <DataCell token={{ data: masked, mask }} />
          ) : (
            <span className="faint">{mask === undefined ? t.previewNoMask : '…'}</span>
          )}
        </PropertyRow>
        {card?.brand && (
          <PropertyRow name={strings.drawer.card}>
            {[formatCardTerm(card.brand), card.funding].filter(Boolean).join(', ')}
          </PropertyRow>
        )}
        <PropertyRow name={t.previewFingerprint}>
          <span className="mono">{(hasData && fingerprinted) || '…'}</span>
        </PropertyRow>
        {index_values.length > 0 && (
          <PropertyRow name={t.previewIndexes}>
            <span className="mono">{index_values.join(', ')}</span>
          </PropertyRow>
        )}
      </PropertyList>
    </section>
  )
}
