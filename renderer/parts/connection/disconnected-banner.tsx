import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { formatClockTime } from '../../ui/time/relative-time.ts'
import { useNow } from '../../ui/time/use-now.ts'
import { useConnectionState } from './connection-state.ts'
import styles from './disconnected-banner.module.css'
import { strings } from './strings.ts'
import { tryNow } from './vault.ts'

const t = strings.disconnected

/** The text of the status pill while Coffer is unreachable; null while it is reachable. */
export function useDisconnectedText(): string | null {
  const { disconnection } = useConnectionState()
  const now = useNow(60_000)
  return disconnection && t.since[disconnection.why](formatClockTime(disconnection.since, now))
}

/** Replaces the page once it is signed out, if that loses no unsaved input. */
export function SignedOut({ why }: { why: keyof typeof t.out }) {
  const { title, text } = t.out[why]
  return (
    <main className={styles.signedOut}>
      <h1>{title}</h1>
      <p role="alert">{text}</p>
      <p className="faint">{t.continues}</p>
      <ActionButton label={t.tryNow} onClick={tryNow} />
    </main>
  )
}

/** The banner across the window. It says that the contents may be out of date, and how to go on. */
export function DisconnectedBanner({ unlock }: { unlock: ReactNode }) {
  const { disconnection } = useConnectionState()
  const since = useDisconnectedText()
  if (!disconnection) return null
  return (
    <div className={styles.strip} role="alert">
      <Icon name="alert" size={14} />
      <span>
        <strong>{since}.</strong> {t.next[disconnection.why]}
      </span>
      {disconnection.why === 'closed' ? (
        unlock
      ) : (
        <ActionButton label={t.tryNow} size="compact-xs" onClick={tryNow} />
      )}
    </div>
  )
}
