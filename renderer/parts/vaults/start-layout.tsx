import type { ReactNode } from 'react'
import { Caution } from '../../ui/failure.tsx'
import styles from './start-layout.module.css'

type Props = {
  readonly head?: ReactNode
  readonly narrow?: boolean
  /** Notices for the owner before a vault is opened or created, for example about a vault that is missing. */
  readonly notices: readonly string[]
  readonly children: ReactNode
}

/** The page while no vault is open. */
export function StartLayout({ head, narrow = false, notices, children }: Props) {
  return (
    <div className={styles.root}>
      {head}
      <main className={narrow ? `${styles.main} ${styles.narrow}` : styles.main}>
        {notices.length > 0 && (
          <div className={styles.notices}>
            {notices.map((notice) => (
              <Caution key={notice}>{notice}</Caution>
            ))}
          </div>
        )}
        {children}
      </main>
    </div>
  )
}
