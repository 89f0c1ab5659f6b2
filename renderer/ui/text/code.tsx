import { Fragment, type ReactNode } from 'react'
import { strings } from '../strings.ts'
import styles from './code.module.css'
import { CopyButton } from './copy-button.tsx'
import { MarkedText } from './marked-text.tsx'

type Props = {
  readonly text: string
  readonly what: string
  readonly secret?: boolean
  readonly wrap?: boolean
  readonly onCopied?: () => void
  /** The same text with markup, such as colours. Not used if the text is truncated. */
  readonly children?: ReactNode
}

/** Longer text is truncated, because rendering it would freeze the page. */
export const MAX_VISIBLE_LENGTH = 200_000

export function Code({ text, what, children, wrap, ...copy }: Props) {
  const isLong = text.length > MAX_VISIBLE_LENGTH
  // Trailing line breaks are copied, but would render as an empty line.
  const lines = text.replace(/\n+$/, '')
  return (
    <>
      <div className={styles.root}>
        <span className={styles.copy}>
          <CopyButton value={text} what={what} {...copy} />
        </span>
        <pre className={wrap ? styles.wrap : undefined}>
          {isLong ? (
            <MarkedText text={text.slice(0, MAX_VISIBLE_LENGTH)} />
          ) : (
            (children ?? (wrap ? <Breakable text={lines} /> : <MarkedText text={lines} />))
          )}
        </pre>
      </div>
      <TruncationNote length={text.length} />
    </>
  )
}

/** Says how much of a text is shown, if that is not all of it. */
export function TruncationNote({ length }: { length: number }) {
  if (length <= MAX_VISIBLE_LENGTH) return null
  return <p className="help">{strings.beginning(MAX_VISIBLE_LENGTH, length)}</p>
}

/** Longer text gets no break opportunities, because each is a DOM element. */
const MAX_BREAKABLE_LENGTH = 4000

/**
 * Allows line breaks after commas and semicolons, because JSON without spaces would otherwise break only within words.
 */
function Breakable({ text }: { text: string }) {
  if (text.length > MAX_BREAKABLE_LENGTH) return <MarkedText text={text} />
  let at = 0
  return text.split(/(?<=[,;])(?=\S)/).map((part) => {
    at += part.length
    return (
      <Fragment key={at}>
        <MarkedText text={part} />
        <wbr />
      </Fragment>
    )
  })
}
