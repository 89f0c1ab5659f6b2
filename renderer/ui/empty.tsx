import type { ReactNode } from 'react'
import styles from './empty.module.css'
import { Icon, type IconName } from './icon.tsx'
import { MarkedText } from './text/marked-text.tsx'

type Props = {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
  /** The equivalent command in a terminal. */
  readonly children?: ReactNode
}

/** Explains an empty list or screen, and offers the next step. */
export function Empty({ icon, title, text, action, children }: Props) {
  return (
    <div className={styles.root}>
      <span className={styles.icon}>
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
