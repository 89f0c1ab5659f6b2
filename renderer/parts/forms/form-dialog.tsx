import type { ModalProps } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { leaving, useTyped, useUnsaved } from '../navigation/unsaved.ts'

type Props = Omit<ModalProps, 'opened'> & {
  /** What was typed into the form; closing asks before it is lost. */
  readonly typed: unknown
}

/** A form over everything else, which asks before what was typed into it is lost by a slip. */
export function FormDialog({ typed, onClose, closeOnEscape = true, ...dialog }: Props) {
  const { asked } = useUnsaved()
  useTyped(typed)
  return (
    <Dialog {...dialog} onClose={() => leaving(onClose)} closeOnEscape={closeOnEscape && asked === null} />
  )
}
