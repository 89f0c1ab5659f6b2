import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { MarkedText } from './text/marked-text.tsx'

/**
 * On unmount, returns the focus to the element that had it before. If that element no longer exists, focuses
 * the rows of the screen, or else the screen. Does nothing if another element has taken the focus.
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

export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useFocusBack()
  const { title } = props
  const marked = typeof title === 'string' ? <MarkedText text={title} /> : title
  return <Modal {...props} title={marked} opened returnFocus={false} />
}
