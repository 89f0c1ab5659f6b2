import { strings } from '../strings.ts'
import { useTokens } from './tokens-store.ts'

const t = strings

/** The number of tokens in the list, if known: all are loaded, or the vault has counted them. */
export function TokenFoot() {
  const { rows, next, total, loading, problem } = useTokens()
  const known = next === null ? rows.length : total
  const isEmpty = rows.length === 0 && (loading || problem !== null)
  return (
    <div className="screen-foot">
      <span role="status">
        {!isEmpty && (known === null ? t.atLeast(rows.length.toLocaleString('en')) : t.count(known))}
      </span>
      <span>{t.order}</span>
    </div>
  )
}
