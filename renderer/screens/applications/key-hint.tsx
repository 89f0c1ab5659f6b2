import { Time } from '../../ui/time/time.tsx'
import styles from './applications.module.css'
import { strings } from './strings.ts'
import type { KeyUseSummary } from './uses-store.ts'

const t = strings.hint

/** A key's prefix and last four characters, if they are known. */
export function KeyHint({ of }: { of: Pick<KeyUseSummary, 'hint'> }) {
  if (of.hint !== null) return <span className={`mono ${styles.keyHint}`}>{of.hint}</span>
  return (
    <span className={`dim ${styles.keyHint}`} title={t.unknownHelp}>
      {t.unknown}
    </span>
  )
}

/** When a key was last used; updates automatically. */
export function LastUse({ of }: { of: Pick<KeyUseSummary, 'last_used_at'> }) {
  if (of.last_used_at === null) return t.neverUsed
  return (
    <>
      {t.used} <Time at={of.last_used_at} />
    </>
  )
}
