import { Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { getConfirmationWord, isConfirmed } from './confirmation-word.ts'
import { DialogForm } from './form-dialog.tsx'
import { strings } from './strings.ts'
import { useForm } from './use-form.ts'

type Props = {
  readonly title: string
  readonly children: ReactNode
  /** The word to type, shortened if the name is long. */
  readonly word: string
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks the owner to type a word before something irreversible. */
export function InputConfirm({ children, word, onConfirm, ...dialog }: Props) {
  const form = useForm({ initial: { typed: '' }, send: onConfirm, onDone: dialog.onClose })
  return (
    <DialogForm
      {...dialog}
      form={form}
      size={420}
      color="red"
      disabled={!isConfirmed(word, form.values.typed)}
    >
      <Text size="sm" component="div">
        {children}
      </Text>
      <TextInput
        label={<MarkedText text={strings.confirmType(getConfirmationWord(word))} />}
        {...form.text('typed')}
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  )
}
