import { isObject } from '../../../../shared/json.ts'
import { DataCell } from '../../../parts/tokens/data-cell.tsx'
import { requestOf, type TokenDraft } from '../../../parts/tokens/token-draft.ts'
import { Fact, Facts } from '../../../ui/panel.tsx'
import { strings } from '../strings.ts'
import type { Preview } from './use-preview.ts'

const t = strings.form

/** A preview of the token: its id, masked data, fingerprint and search indexes. */
export function Becomes({ preview, draft }: { preview: Preview; draft: TokenDraft }) {
  const { id, masked, mask, fingerprinted, index_values = [], card } = preview
  const typed = requestOf(draft).data !== undefined
  const some = isObject(masked) ? Object.keys(masked).length > 0 : masked !== undefined && masked !== null
  return (
    <section className="becomes">
      <h2>{t.preview}</h2>
      <Facts>
        <Fact name={t.previewId}>
          {draft.id === '' ? (
            <span className="faint">{t.previewUuid}</span>
          ) : (
            <span className="mono">{id ?? draft.id}</span>
          )}
        </Fact>
        <Fact name={t.previewData}>
          {typed && some ? (
            <DataCell token={{ data: masked, mask }} />
          ) : (
            <span className="faint">{mask === undefined ? t.previewNoMask : '…'}</span>
          )}
        </Fact>
        {card?.brand && (
          <Fact name={strings.drawer.card}>{[card.brand, card.funding].filter(Boolean).join(', ')}</Fact>
        )}
        <Fact name={t.previewFingerprint}>
          <span className="mono">{(typed && fingerprinted) || '…'}</span>
        </Fact>
        {index_values.length > 0 && (
          <Fact name={t.previewIndexes}>
            <span className="mono">{index_values.join(', ')}</span>
          </Fact>
        )}
      </Facts>
    </section>
  )
}
