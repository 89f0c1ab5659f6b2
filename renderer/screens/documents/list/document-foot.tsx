import { useDocumentCount } from '../../../parts/documents/count-store.ts'
import screenStyles from '../../../ui/screen.module.css'
import { strings } from '../strings.ts'
import { useDocuments } from './documents-store.ts'

const t = strings

/** The number of documents: the number of rows if all are loaded, otherwise the vault's count. */
export function DocumentFoot() {
  const { rows, hasMore, loaded } = useDocuments()
  const { counted } = useDocumentCount()
  const count = !hasMore
    ? t.count(rows.length)
    : counted && (counted.complete ? t.count(counted.documents) : t.countMore(counted.documents))
  return (
    <div className={screenStyles.foot}>
      <span role="status">{loaded && count}</span>
      <span>{t.order}</span>
    </div>
  )
}
