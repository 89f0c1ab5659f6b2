import './code.css'
import { Fragment, type ReactNode } from 'react'
import { strings } from '../strings.ts'
import { CopyButton } from './copy-button.tsx'
import { MarkedText } from './marked-text.tsx'

type Props = {
  readonly text: string
  readonly what: string
  readonly secret?: boolean
  /** Wrap long lines instead of scrolling. */
  readonly wrap?: boolean
  readonly onCopied?: () => void
  /** The same text with markup. */
  readonly children?: ReactNode
}

/** Of a longer text, only its beginning is shown: the page would stand still over the rest. */
const MAX_VISIBLE_LENGTH = 200_000

/** A code block with a copy button. */
export function Code({ text, what, children, wrap, ...copy }: Props) {
  const isLong = text.length > MAX_VISIBLE_LENGTH
  // A line break at the end is copied, but would show as an empty line.
  const lines = text.replace(/\n+$/, '')
  return (
    <>
      <div className="code">
        <span className="code-copy">
          <CopyButton value={text} what={what} {...copy} />
        </span>
        <pre className={wrap ? 'code-wrap' : undefined}>
          {isLong ? (
            <MarkedText text={text.slice(0, MAX_VISIBLE_LENGTH)} />
          ) : (
            (children ?? (wrap ? <Breakable text={lines} /> : <MarkedText text={lines} />))
          )}
        </pre>
      </div>
      {isLong && <p className="field-help">{strings.beginning(MAX_VISIBLE_LENGTH, text.length)}</p>}
    </>
  )
}

/** A longer text has no such places: each is an element of the page. */
const MAX_BREAKABLE_LENGTH = 4000

/** A text that wraps after a comma or a semicolon, as JSON without spaces does nowhere else than inside a word. */
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
