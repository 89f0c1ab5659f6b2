import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { HostStatus } from '../../../shared/host.ts'
import { Caution } from '../../ui/failure.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { useForm } from '../forms/use-form.ts'
import { JobProblem, JobProgress } from './job-progress.tsx'
import { strings } from './strings.ts'

const t = strings.clear

/** What the host requires before it exports plaintext: the vault's name, and what opens the vault. */
export type Confirmation = {
  readonly vault: string
  readonly with?: { readonly keychain: true } | { readonly passphrase: string }
}

type Props = {
  readonly vault: NonNullable<HostStatus['vault']>
  readonly onConfirm: (confirmation: Confirmation) => Promise<void>
  readonly onClose: () => void
}

/** Asks for confirmation before every value leaves the vault in plaintext. */
export function ConfirmClear({ vault: { name, protection }, onConfirm, onClose }: Props) {
  const form = useForm({
    initial: { typed: '', passphrase: '' },
    send: ({ typed, passphrase }) =>
      onConfirm({
        vault: typed,
        ...(protection === 'passphrase' && { with: { passphrase } }),
        ...(protection === 'keychain' && { with: { keychain: true as const } }),
      }),
    done: onClose,
  })
  const { typed, passphrase } = form.values
  const ready = typed === name && (protection !== 'passphrase' || passphrase !== '')

  return (
    <Modal opened onClose={onClose} title={t.title} size={440}>
      <form onSubmit={(event) => (ready ? form.submit(event) : event.preventDefault())}>
        <Stack gap="sm">
          <Caution>{t.text}</Caution>
          <TextInput
            label={t.name(name)}
            {...form.text('typed')}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          {protection === 'passphrase' && (
            <PasswordInput
              label={t.passphrase}
              autoComplete="current-password"
              {...form.text('passphrase')}
            />
          )}
          {protection === 'keychain' && (
            <Text size="sm" c="dimmed">
              {t.keychain}
            </Text>
          )}
          <JobProgress job="export" what={strings.export.running} />
          <JobProblem error={form.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button color="red" type="submit" disabled={!ready || form.state === 'running'}>
              {t.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
