import './failure.css'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** What went wrong, why, and what to do, beside the thing that failed. */
export function Failure({ children }: { children: ReactNode }) {
  return (
    <div className="failure" role="alert">
      <Icon name="alert" size={14} />
      <div>{children}</div>
    </div>
  )
}

/** Something to be careful about. */
export function Caution({ children }: { children: ReactNode }) {
  return (
    <div className="failure caution">
      <Icon name="alert" size={14} />
      <div>{children}</div>
    </div>
  )
}
