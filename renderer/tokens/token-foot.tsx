import { useCounts } from '../counts-store.ts'
import { useLooking } from '../looking.ts'
import { strings } from '../strings.ts'
import { type Filters, isWithin } from './token-filters.ts'
import { useTokens } from './tokens-store.ts'

const t = strings.tokens

/** How many tokens the list has: counted where the vault keeps count, else those that were read. */
export function TokenFoot({ filters }: { filters: Filters }) {
  const { rows, next } = useTokens()
  const { counts, loaded } = useCounts()
  const { as } = useLooking()
  const { container, type, fingerprint, metadata, q } = filters
  const countable = !as && loaded && next !== null && !fingerprint && !metadata && !q
  const total = counts
    .filter((each) => (!type || each.type === type) && (!container || isWithin(container, each.container)))
    .reduce((sum, each) => sum + each.tokens, 0)
  const shown = countable ? Math.max(total, rows.length) : rows.length
  return (
    <div className="screen-foot">
      <span role="status">
        {shown === 1 && next === null
          ? t.one
          : t.count(shown.toLocaleString('en'), next !== null && !countable)}
      </span>
      <span>{t.order}</span>
    </div>
  )
}
