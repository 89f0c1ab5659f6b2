import './entrance.css'
import type { ReactNode } from 'react'

type Props = {
  /** Stands above the sheet. */
  readonly head?: ReactNode
  /** One question alone, in the middle. */
  readonly narrow?: boolean
  readonly children: ReactNode
}

/** The window while no vault is shown: a sheet. */
export function Entrance({ head, narrow = false, children }: Props) {
  return (
    <div className="first">
      {head}
      <main className={narrow ? 'first-main first-narrow' : 'first-main'}>{children}</main>
    </div>
  )
}
