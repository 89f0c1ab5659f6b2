import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { host } from '../../parts/connection/vault.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { endFirstRun, useFirstRun } from '../../parts/vaults/first-run-store.ts'
import {
  emptyPassphrase,
  NewPassphrase,
  type PassphraseInput,
  validatePassphrase,
} from '../../parts/vaults/new-passphrase.tsx'
import { ProtectionChoice, type ProtectionKind } from '../../parts/vaults/protection-choice.tsx'
import { RestoreBackup } from '../../parts/vaults/restore-backup.tsx'
import startLayoutStyles from '../../parts/vaults/start-layout.module.css'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { Caution } from '../../ui/failure.tsx'
import { strings as t } from './strings.ts'

const kinds = ['keychain', 'passphrase', 'memory'] as const

function toProtection(kind: ProtectionKind, passphrase: string) {
  if (kind === 'passphrase') return { passphrase }
  return kind === 'keychain' ? { keychain: true as const } : { memory: true as const }
}

type NewVaultDraft = PassphraseInput & {
  readonly name: string
  readonly kind: ProtectionKind
  readonly sample_data: boolean
}

export function CreateVault({ status }: { status: HostStatus }) {
  const form = useForm({
    initial: (): NewVaultDraft => ({
      name: status.vaults.length === 0 ? 'default' : '',
      kind: status.keychain === true ? 'keychain' : 'passphrase',
      sample_data: true,
      ...emptyPassphrase,
    }),
    check: (draft) => (draft.kind === 'passphrase' ? validatePassphrase(draft) : {}),
    send({ name, kind, sample_data, first }) {
      // Set the next step before the host reports an open vault, so that first run continues.
      useFirstRun.setState({ step: 'create', name })
      return host.createVault({
        name: kind === 'memory' ? 'memory' : name,
        protection: toProtection(kind, first),
        sample_data,
      })
    },
    onDone({ recovery_key = null, keys }) {
      useFirstRun.setState({ step: recovery_key === null ? 'request' : 'recovery', recovery_key, keys })
    },
  })
  const { kind, sample_data } = form.values
  const busy = form.state !== 'idle'
  const [restoring, setRestoring] = useState(false)
  const [first] = useState(status.vaults.length === 0 && status.vault === null)
  const open = status.vault !== null && !busy

  return (
    <>
      <form onSubmit={form.submit}>
        <h1>{first ? t.welcome : vaultWords.newVault}</h1>
        <p className={startLayoutStyles.intro}>{t.intro}</p>
        <Stack gap="sm">
          {kind !== 'memory' && (
            <TextInput
              label={t.name}
              description={t.nameHelp}
              {...form.text('name')}
              required
              withAsterisk={false}
              autoFocus
            />
          )}
          <ProtectionChoice
            kinds={kinds}
            keychain={status.keychain}
            value={kind}
            onChange={(kind) => form.change({ kind })}
          />
          {kind === 'passphrase' && <NewPassphrase form={form} vault={form.values.name} />}
          <Checkbox
            label={t.sample}
            checked={sample_data}
            onChange={(event) => form.change({ sample_data: event.currentTarget.checked })}
          />
          {open && status.vault?.protection === 'memory' && <Caution>{t.memoryGoes}</Caution>}
          <Problem of={form.problem} />
          <Group justify="space-between" mt={6}>
            {open || !first ? (
              <Button variant="subtle" color="gray" onClick={endFirstRun}>
                {open ? t.backToVault : t.back}
              </Button>
            ) : (
              <Button variant="subtle" color="gray" onClick={() => setRestoring(true)}>
                {vaultWords.restore.title}
              </Button>
            )}
            <Button type="submit" size="sm" loading={busy}>
              {t.create}
            </Button>
          </Group>
        </Stack>
      </form>
      {restoring && (
        <RestoreBackup
          file=""
          keychain={status.keychain}
          onClose={() => {
            setRestoring(false)
            endFirstRun()
          }}
        />
      )}
    </>
  )
}
