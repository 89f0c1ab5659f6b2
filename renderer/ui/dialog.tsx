import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { MarkedText } from './text/marked-text.tsx'

/**
 * Returns the focus to the element that had it before the component mounted, or if that element is gone, to the rows
 * of the screen, or to the screen. An element that took the focus meanwhile keeps it.
 */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return
      const isFocusable = before instanceof HTMLElement && before !== document.body && before.isConnected
      const target = isFocusable
        ? before
        : (document.querySelector<HTMLElement>('main [role="grid"]') ??
          document.querySelector<HTMLElement>('main'))
      target?.focus({ preventScroll: true })
    },
    [before],
  )
}

/** A dialog that is open while the component is mounted. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useFocusBack()
  const { title } = props
  const marked = typeof title === 'string' ? <MarkedText text={title} /> : title
  return <Modal {...props} title={marked} opened returnFocus={false} />
}
