import { type ModalProps, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Problem } from '../messages/problem.tsx'
import { readCurrentRoute } from '../navigation/route.ts'
import { confirmLeave, useUnsaved } from '../navigation/unsaved.ts'
import type { FormState } from './use-form.ts'

type Props = {
  readonly form: Pick<FormState<object>, 'submit' | 'problem' | 'state' | 'isDirty'>
  readonly title: string
  readonly size?: ModalProps['size']
  readonly action: string
  readonly color?: string
  readonly disabled?: boolean
  /** Whether the dialog cannot be closed while the form is sent. */
  readonly isLocked?: boolean
  /** Replaces the message of a failure. */
  readonly problem?: ReactNode
  readonly buttons?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog that is one form: its fields, why it failed, and the buttons. */
export function DialogForm(props: Props) {
  const { form, title, size, action, color, disabled = false, isLocked = false, buttons, onClose } = props
  const { pendingQuestion } = useUnsaved()
  const isRunning = form.state === 'running'
  const canClose = !(isLocked && isRunning)
  return (
    <Dialog
      title={title}
      // Asks first if unsaved input would be lost.
      onClose={() => (form.isDirty ? confirmLeave(onClose, undefined, readCurrentRoute().screen) : onClose())}
      size={size ?? 'md'}
      withCloseButton={canClose}
      closeOnEscape={canClose && pendingQuestion === null}
      closeOnClickOutside={canClose}
    >
      <form noValidate onSubmit={(event) => (disabled ? event.preventDefault() : form.submit(event))}>
        <Stack gap="sm">
          {props.children}
          {props.problem ?? <Problem of={form.problem} />}
          <DialogButtons
            {...{ action, disabled }}
            {...(color && { color })}
            loading={isRunning}
            isLocked={!canClose}
            onCancel={onClose}
          >
            {buttons}
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  )
}
