import { MarkedText, splitMatches } from './marked-text.tsx'
import styles from './masked.module.css'

export const splitMasked = (text: string) => splitMatches(text, /•+(?:[-\s]•+)*|([X#*])\1+(?:[-\s]\1+)*/g)

export function Masked({ text }: { text: string }) {
  return (
    <span className={styles.root}>
      {splitMasked(text).map(({ at, text, isMatch }) =>
        isMatch ? (
          <span key={at} className={styles.hidden}>
            {text}
          </span>
        ) : (
          <MarkedText key={at} text={text} />
        ),
      )}
    </span>
  )
}
