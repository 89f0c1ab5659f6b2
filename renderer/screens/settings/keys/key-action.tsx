import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from '../settings.module.css'

type Props = {
  readonly title: string
  /** The effect, and when to use it. */
  readonly text: string
  readonly action: string
  readonly busy?: boolean
  readonly onAct: () => void
  readonly children?: ReactNode
}

/** One action on the vault's keys, with progress and errors as children. */
export function KeyAction({ title, text, action, busy = false, onAct, children }: Props) {
  return (
    <li className={styles.keyAction}>
      <div>
        <h3>{title}</h3>
        <p>{text}</p>
      </div>
      <Button variant="default" onClick={onAct} disabled={busy}>
        {action}
      </Button>
      {children}
    </li>
  )
}
