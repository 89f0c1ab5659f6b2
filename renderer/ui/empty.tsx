import './empty.css'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Props = {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  /** The one next step. */
  readonly action?: ReactNode
  /** The line that does the same in a terminal. */
  readonly children?: ReactNode
}

/** What a place is for while nothing is there, and the one next step. */
export function Empty({ icon, title, text, action, children }: Props) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {action}
      {children}
    </div>
  )
}
