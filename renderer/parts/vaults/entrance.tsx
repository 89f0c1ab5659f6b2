import './entrance.css'
import type { ReactNode } from 'react'

type Props = {
  /** Shown above the sheet. */
  readonly head?: ReactNode
  /** A single question, centred. */
  readonly narrow?: boolean
  readonly children: ReactNode
}

/** The window while no vault is shown. */
export function Entrance({ head, narrow = false, children }: Props) {
  return (
    <div className="first">
      {head}
      <main className={narrow ? 'first-main first-narrow' : 'first-main'}>{children}</main>
    </div>
  )
}
