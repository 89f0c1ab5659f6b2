import type { ModalProps } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { confirmLeave, useUnsaved } from '../navigation/unsaved.ts'

/** A form in a dialog; closing it by accident asks before unsaved input is lost. */
export function FormDialog({ onClose, closeOnEscape = true, ...dialog }: Omit<ModalProps, 'opened'>) {
  const { pendingQuestion } = useUnsaved()
  return (
    <Dialog
      {...dialog}
      onClose={() => confirmLeave(onClose)}
      closeOnEscape={closeOnEscape && pendingQuestion === null}
    />
  )
}
