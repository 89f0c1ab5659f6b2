import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'

/**
 * Gives the focus back to what had it before the component was there; where that is gone, to the screen. What took the
 * focus meanwhile keeps it.
 */
function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return
      const there = before instanceof HTMLElement && before !== document.body && before.isConnected
      const target = there ? before : document.querySelector<HTMLElement>('main')
      target?.focus({ preventScroll: true })
    },
    [before],
  )
}

/** Something asked over everything else, for as long as the component is there. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useFocusBack()
  return <Modal {...props} opened returnFocus={false} />
}
