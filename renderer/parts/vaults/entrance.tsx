import './entrance.css'
import type { ReactNode } from 'react'
import { Caution } from '../../ui/failure.tsx'

type Props = {
  /** Shown above the sheet. */
  readonly head?: ReactNode
  /** A single question, centred. */
  readonly narrow?: boolean
  /** What the owner must know before opening or creating a vault, such as where a lost one is. */
  readonly notices: readonly string[]
  readonly children: ReactNode
}

/** The window while no vault is shown. */
export function Entrance({ head, narrow = false, notices, children }: Props) {
  return (
    <div className="first">
      {head}
      <main className={narrow ? 'first-main first-narrow' : 'first-main'}>
        {notices.length > 0 && (
          <div className="first-notices">
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
