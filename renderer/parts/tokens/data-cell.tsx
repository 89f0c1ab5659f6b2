import { isObject } from '../../../shared/json.ts'
import type { Token } from '../../../shared/schemas/token.ts'
import { Masked } from '../../ui/text/masked.tsx'
import styles from './data-cell.module.css'
import { strings } from './strings.ts'

/** No cell is wide enough to show more characters. */
const MAX_CELL_LENGTH = 400

function truncateText(text: string): string {
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH)}…` : text
}

/** Data on one line, with masked characters dimmed. */
export function DataCell({ token: { data, mask } }: { token: Pick<Token, 'data' | 'mask'> }) {
  if (data === undefined) {
    return <span className="faint">{mask === undefined ? strings.noMask : strings.leftOut}</span>
  }
  if (!isObject(data))
    return <Masked text={truncateText(typeof data === 'string' ? data : JSON.stringify(data))} />
  const { number, expiration_month, expiration_year, account_number, routing_number } = data
  if (typeof number === 'string') {
    return (
      <>
        <Masked text={number} />
        {expiration_month !== undefined && (
          <span className={`faint ${styles.more}`}>
            {String(expiration_month).padStart(2, '0')}/{String(expiration_year)}
          </span>
        )}
      </>
    )
  }
  if (typeof account_number === 'string') {
    return (
      <>
        <Masked text={account_number} />
        <span className={`faint ${styles.more}`}>{String(routing_number)}</span>
      </>
    )
  }
  return <Masked text={truncateText(JSON.stringify(data))} />
}
