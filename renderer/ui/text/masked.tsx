import { MarkedText } from './marked-text.tsx'
import styles from './masked.module.css'

type MaskedSpan = { readonly at: number; readonly text: string; readonly masked: boolean }

export function splitMasked(text: string): MaskedSpan[] {
  const parts: MaskedSpan[] = []
  let at = 0
  for (const run of text.matchAll(/(?:([X#*•])\1+)(?:[-\s]\1+)*/g)) {
    if (run.index > at) parts.push({ at, text: text.slice(at, run.index), masked: false })
    parts.push({ at: run.index, text: run[0], masked: true })
    at = run.index + run[0].length
  }
  if (at < text.length) parts.push({ at, text: text.slice(at), masked: false })
  return parts
}

/** Masked text, with the masked characters dimmed. */
export function Masked({ text }: { text: string }) {
  return (
    <span className={styles.root}>
      {splitMasked(text).map(({ at, text, masked }) => (
        <span key={at} className={masked ? styles.hidden : undefined}>
          <MarkedText text={text} />
        </span>
      ))}
    </span>
  )
}
