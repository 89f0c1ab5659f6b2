import { MarkedSpan } from './marked-span.tsx'
import { MarkedText } from './marked-text.tsx'
import styles from './short-id.module.css'

const SHORT_ID_LENGTH = 12

/** An id in a list, of which the ends are shown, such as `71eced94…0d`. The whole is read out, found and copied. */
export function ShortId({ id }: { id: string }) {
  const isLong = id.length > SHORT_ID_LENGTH
  return (
    <span className="mono" title={id}>
      <MarkedText text={isLong ? id.slice(0, 8) : id} />
      {isLong && <MarkedSpan className={styles.middle} text={id.slice(8, -2)} />}
      {isLong && <MarkedText text={id.slice(-2)} />}
    </span>
  )
}
