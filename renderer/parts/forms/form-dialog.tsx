import type { ModalProps } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { leaving, useUnsaved } from '../navigation/unsaved.ts'

/** A form over everything else; closing it by a slip asks before what was typed is lost. */
export function FormDialog({ onClose, closeOnEscape = true, ...dialog }: Omit<ModalProps, 'opened'>) {
  const { asked } = useUnsaved()
  return (
    <Dialog {...dialog} onClose={() => leaving(onClose)} closeOnEscape={closeOnEscape && asked === null} />
  )
}
