import screenStyles from '../../../ui/screen.module.css'
import { strings } from '../strings.ts'
import { useTokens } from './tokens-store.ts'

const t = strings

/** The number of tokens: the number of rows if all are loaded, otherwise the vault's count, if known. */
export function TokenFoot() {
  const { rows, next, total, isExact, loading, problem, sort, building } = useTokens()
  const isEmpty = rows.length === 0 && (loading || problem !== null || next !== null)
  return (
    <div className={screenStyles.foot}>
      <span role="status">{!isEmpty && formatCount()}</span>
      {building && <span>{t.building(Math.floor((100 * building.done) / building.total))}</span>}
      <span>{t.inOrder(t.order[sort])}</span>
    </div>
  )

  function formatCount(): string {
    if (next === null) return t.count(rows.length)
    if (total === null || total < rows.length) return t.atLeast(rows.length.toLocaleString('en'))
    return isExact ? t.count(total) : t.moreThan(total.toLocaleString('en'))
  }
}
