import { type ReactNode, useEffect, useRef } from 'react'
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
    <InView>
      <Failure>{children}</Failure>
    </InView>
  )
}

/** A question that a submitted form asks the owner, scrolled into view. */
export function FormCaution({ children }: { children: ReactNode }) {
  return (
    <InView>
      <div role="alert">
        <Caution>{children}</Caution>
      </div>
    </InView>
  )
}

function InView({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return <div ref={box}>{children}</div>
}

export function Caution({ children }: { children: ReactNode }) {
  return (
    <div className={`${styles.root} ${styles.caution}`}>
      <Icon name="alert" size={14} />
      <div>{typeof children === 'string' ? <MarkedText text={children} /> : children}</div>
    </div>
  )
}
