import type { ModalProps } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { readCurrentRoute } from '../navigation/route.ts'
import { confirmLeave, useUnsaved } from '../navigation/unsaved.ts'

/** A dialog with a form. Closing it asks first if unsaved input would be lost. */
export function FormDialog({ onClose, closeOnEscape = true, ...dialog }: Omit<ModalProps, 'opened'>) {
  const { pendingQuestion } = useUnsaved()
  return (
    <Dialog
      {...dialog}
      onClose={() => confirmLeave(onClose, undefined, readCurrentRoute().screen)}
      closeOnEscape={closeOnEscape && pendingQuestion === null}
    />
  )
}
