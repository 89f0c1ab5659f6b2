import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../../shared/host.ts'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { strings } from './strings.ts'

const t = strings.clear

/** What the host needs to give plaintext: the vault's name, and what opens it. */
export type Confirmation = {
  readonly vault: string
  readonly with?: { readonly keychain: true } | { readonly passphrase: string }
}

type Props = {
  readonly vault: NonNullable<HostStatus['vault']>
  readonly onConfirm: (confirmation: Confirmation) => Promise<void>
  readonly onClose: () => void
}

/** Asks again before everything leaves the vault in plain text. */
export function ConfirmClear({ vault: { name, protection }, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const ready = typed === name && (protection !== 'passphrase' || passphrase !== '')

  async function confirm() {
    setBusy(true)
    setProblem(null)
    const opener =
      protection === 'passphrase' ? { with: { passphrase } } : { with: { keychain: true as const } }
    try {
      await onConfirm({ vault: typed, ...(protection !== 'memory' && opener) })
      onClose()
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }

  return (
    <Modal opened onClose={onClose} title={t.title} size={440}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) confirm()
        }}
      >
        <Stack gap="sm">
          <Caution>{t.text}</Caution>
          <TextInput
            label={t.name(name)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          {protection === 'passphrase' && (
            <PasswordInput
              label={t.passphrase}
              autoComplete="current-password"
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
            />
          )}
          {protection === 'keychain' && (
            <Text size="sm" c="dimmed">
              {t.keychain}
            </Text>
          )}
          <JobProgress job="export" what={strings.export.running} />
          <JobProblem error={problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button color="red" type="submit" disabled={!ready || busy}>
              {t.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
