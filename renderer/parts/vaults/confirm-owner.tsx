import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { useForm } from '../forms/use-form.ts'
import { JobProblem } from './job-progress.tsx'
import {
  type ConfirmedVault,
  emptyOwner,
  isOwnerEntered,
  isOwnerProblem,
  OwnerFields,
  toOwnerCredential,
} from './owner-fields.tsx'

type Props = {
  readonly title: string
  readonly children: ReactNode
  readonly progress?: ReactNode
  readonly action: string
  readonly vault: ConfirmedVault
  readonly onConfirm: (credential: ReturnType<typeof toOwnerCredential>) => Promise<void>
  readonly onClose: () => void
}

/** Asks for the vault's passphrase, or its name, before something irreversible. The host checks the input. */
export function ConfirmOwner({ title, children, progress, action, vault, onConfirm, onClose }: Props) {
  const form = useForm({
    initial: emptyOwner,
    send: (input) => onConfirm(toOwnerCredential(vault, input)),
    onDone: onClose,
  })
  const isReady = isOwnerEntered(vault, form.values)
  const busy = form.state === 'running'
  return (
    <Dialog onClose={onClose} title={title} size={440}>
      <form onSubmit={(event) => (isReady ? form.submit(event) : event.preventDefault())}>
        <Stack gap="sm">
          {children}
          <OwnerFields form={form} vault={vault} />
          {progress}
          {!isOwnerProblem(form.problem) && <JobProblem error={form.problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button color="red" type="submit" loading={busy} disabled={!isReady}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
