import './code.css'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

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

/** A code block with a copy button. */
export function Code({ text, what, children, wrap, ...copy }: Props) {
  return (
    <div className="code">
      <span className="code-copy">
        <CopyButton value={text} what={what} {...copy} />
      </span>
      <pre className={wrap ? 'code-wrap' : undefined}>{children ?? text}</pre>
    </div>
  )
}
