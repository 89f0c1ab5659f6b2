import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from '../dialog.tsx'
import { Failure } from '../failure.tsx'
import { strings } from '../strings.ts'
import { useOnce } from '../use-once.ts'

type Props = {
  readonly title: string
  readonly children: ReactNode
  /** What has to be typed. */
  readonly word: string
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before something is gone for good: a word has to be typed first. */
export function TypedConfirm({ title, children, word, action, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const matches = typed.trim().toLowerCase() === word.toLowerCase()
  const confirm = useOnce(async () => {
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  })
  return (
    <Dialog onClose={onClose} title={title} size={420}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (matches) confirm()
        }}
      >
        <Stack gap="sm">
          <Text size="sm" component="div">
            {children}
          </Text>
          <TextInput
            label={strings.confirmType(word)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {problem !== null && <Failure>{problem}</Failure>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {strings.cancel}
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
