import { ActionIcon } from '@mantine/core'
import { type ReactNode, use, useEffect, useRef } from 'react'
import { Icon } from './icon.tsx'
import styles from './panel.module.css'
import { PanelPinContext } from './panel-pin.ts'
import { strings } from './strings.ts'
import { MarkedText } from './text/marked-text.tsx'

type Props = {
  readonly label: string
  readonly title: ReactNode
  readonly actions?: ReactNode
  readonly footer?: ReactNode
  /** For a form: widens the panel and focuses the first field. */
  readonly wide?: boolean
  /** For a form that needs the place of the list too. */
  readonly size?: 'full'
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The drawer on the right, which shows one item next to its list. */
export function Panel({
  label,
  title,
  actions,
  footer,
  size,
  wide = size === 'full',
  onClose,
  children,
}: Props) {
  const box = useRef<HTMLElement>(null)
  const pin = use(PanelPinContext)
  useEffect(() => {
    if (wide && box.current) focusFirst(box.current)
  }, [wide])
  return (
    <aside
      ref={box}
      className={[styles.root, wide && styles.wide, size === 'full' && styles.full].filter(Boolean).join(' ')}
      data-pinned={pin?.isPinned}
      aria-label={pin?.isPinned ? strings.pinned(label) : label}
      tabIndex={-1}
    >
      <header className={styles.head}>
        <h2 className={styles.title}>{typeof title === 'string' ? <MarkedText text={title} /> : title}</h2>
        {actions}
        {pin && !wide && (
          <ActionIcon
            aria-label={strings.pin}
            aria-pressed={pin.isPinned}
            title={pin.isPinned ? strings.unpinTitle : strings.pinTitle}
            {...(pin.isPinned && { variant: 'light' })}
            onClick={pin.onToggle}
          >
            <Icon name="pin" />
          </ActionIcon>
        )}
        <ActionIcon aria-label={strings.close} onClick={onClose}>
          <Icon name="close" />
        </ActionIcon>
      </header>
      <div className={styles.body}>{children}</div>
      {footer && <footer className={styles.foot}>{footer}</footer>}
    </aside>
  )
}

/** Focuses the first field of a form, unless one of its fields has the focus already. */
function focusFirst(box: HTMLElement): void {
  if (box.contains(document.activeElement)) return
  const fields = box.querySelectorAll<HTMLElement>(':scope > div :is(input, textarea, button)')
  const first = [...fields].find((field) => field.tabIndex >= 0 && field.checkVisibility())
  const target = first ?? box
  target.focus({ preventScroll: true })
}

export function PanelSection({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={styles.part}>
      <div className={styles.partHead}>
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** A list of names and values, one pair per line. */
export function PropertyList({ children }: { children: ReactNode }) {
  return <dl>{children}</dl>
}

/** One name and value. If the name is a string, its direction characters are displayed as codes. */
export function PropertyRow({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{typeof name === 'string' ? <MarkedText text={name} /> : name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
