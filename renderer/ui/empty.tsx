import './empty.css'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { MarkedText } from './text/marked-text.tsx'

type Props = {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  /** The next step. */
  readonly action?: ReactNode
  /** The command that does the same in a terminal. */
  readonly children?: ReactNode
}

/** Explains what an empty place is for, and offers the next step. */
export function Empty({ icon, title, text, action, children }: Props) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <h2>
        <MarkedText text={title} />
      </h2>
      <p>
        <MarkedText text={text} />
      </p>
      {action}
      {children}
    </div>
  )
}
