import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Problem } from '../messages/problem.tsx'
import { getConfirmationWord, isConfirmed } from './confirmation-word.ts'
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
export function InputConfirm({ title, children, word, action, onConfirm, onClose }: Props) {
  const form = useForm({ initial: { typed: '' }, send: onConfirm, onDone: onClose })
  const matches = isConfirmed(word, form.values.typed)
  return (
    <Dialog onClose={onClose} title={title} size={420}>
      <form onSubmit={(event) => (matches ? form.submit(event) : event.preventDefault())}>
        <Stack gap="sm">
          <Text size="sm" component="div">
            {children}
          </Text>
          <TextInput
            label={<MarkedText text={strings.confirmType(getConfirmationWord(word))} />}
            {...form.text('typed')}
            autoComplete="off"
            data-autofocus
          />
          <Problem of={form.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button color="red" type="submit" disabled={!matches}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
