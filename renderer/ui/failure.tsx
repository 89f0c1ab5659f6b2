import type { ReactNode } from 'react'
import styles from './failure.module.css'
import { Icon } from './icon.tsx'
import { MarkedText } from './text/marked-text.tsx'

/** An error message next to what failed. */
export function Failure({ children }: { children: ReactNode }) {
  return (
    <div className={styles.root} role="alert">
      <Icon name="alert" size={14} />
      <div>{typeof children === 'string' ? <MarkedText text={children} /> : children}</div>
    </div>
  )
}

/** The error of a submitted form, scrolled into view. */
export function FormFailure({ children }: { children: ReactNode }) {
  return (
    <div ref={scrollToBox}>
      <Failure>{children}</Failure>
    </div>
  )
}

/** A question that a submitted form asks the owner, scrolled into view. */
export function FormCaution({ children }: { children: ReactNode }) {
  return (
    <div ref={scrollToBox} role="alert">
      <Caution>{children}</Caution>
    </div>
  )
}

const scrollToBox = (box: HTMLElement | null) => box?.scrollIntoView({ block: 'nearest' })

export function Caution({ children }: { children: ReactNode }) {
  return (
    <div className={`${styles.root} ${styles.caution}`}>
      <Icon name="alert" size={14} />
      <div>{typeof children === 'string' ? <MarkedText text={children} /> : children}</div>
    </div>
  )
}
