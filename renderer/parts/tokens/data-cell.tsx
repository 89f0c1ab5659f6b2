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
    const month = String(expiration_month).padStart(2, '0')
    return <Pair text={number} more={expiration_month !== undefined && `${month}/${expiration_year}`} />
  }
  if (typeof account_number === 'string') return <Pair text={account_number} more={`${routing_number}`} />
  return <Masked text={truncateText(JSON.stringify(data))} />
}

function Pair({ text, more }: { text: string; more: string | false }) {
  return (
    <>
      <Masked text={text} />
      {more && <span className={`faint ${styles.more}`}> {more}</span>}
    </>
  )
}
