import { Button, Checkbox, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CofferError } from '../../../shared/errors.ts'
import type { VaultSummary } from '../../../shared/host.ts'
import { Failure } from '../../ui/failure.tsx'
import { host } from '../connection/vault.ts'
import { useForm } from '../forms/use-form.ts'
import { Problem } from '../messages/problem.tsx'
import { strings } from './strings.ts'

const t = strings.unlock
type Way = 'keychain' | 'passphrase' | 'recovery'

function credentialOf(way: Way, typed: string) {
  if (way === 'keychain') return { keychain: true as const }
  return way === 'passphrase' ? { passphrase: typed } : { recovery_key: typed }
}

type Props = {
  readonly vault: VaultSummary
  readonly onOpened?: () => void
  /** More actions beside the recovery key. */
  readonly children?: ReactNode
}

/** Opens a vault by keychain or passphrase, or by the recovery key if those fail. */
export function UnlockForm({ vault, onOpened, children }: Props) {
  const usual: Way = vault.protection === 'keychain' ? 'keychain' : 'passphrase'
  // Kept beside the form, whose message goes with the next input.
  const [lost, setLost] = useState<number>()
  const form = useForm({
    initial: { isRecovery: false, typed: '', accepts: false },
    async send({ isRecovery, typed, accepts }) {
      try {
        await host.host.unlock({
          name: vault.name,
          with: credentialOf(isRecovery ? 'recovery' : usual, typed),
          ...(accepts && lost !== undefined && { accept_loss: lost }),
        })
      } catch (error) {
        setLost(error instanceof CofferError ? error.lost_commits : undefined)
        throw error
      }
    },
    done: () => onOpened?.(),
  })
  const { isRecovery, typed, accepts } = form.values
  const way = isRecovery ? 'recovery' : usual

  // Nothing opens a damaged vault; only the other actions are left.
  if (vault.problem !== undefined) {
    return (
      <>
        <Failure>{t.damaged(vault.problem)}</Failure>
        <Group gap="xs">{children}</Group>
      </>
    )
  }
  return (
    <form onSubmit={form.submit}>
      <Stack gap="sm">
        {way === 'keychain' && <span className="dim">{t.keychainText}</span>}
        {way === 'passphrase' && (
          <PasswordInput
            label={t.passphrase}
            size="sm"
            {...form.text('typed')}
            autoComplete="current-password"
            autoFocus
            data-autofocus
          />
        )}
        {way === 'recovery' && (
          <TextInput
            label={t.recovery}
            description={t.recoveryHelp}
            classNames={{ input: 'mono' }}
            {...form.text('typed')}
            autoComplete="off"
            spellCheck={false}
            autoFocus
          />
        )}
        <Problem of={form.problem} />
        {lost !== undefined && (
          <Checkbox
            size="sm"
            label={t.acceptLoss(lost)}
            checked={accepts}
            onChange={(event) => form.change({ accepts: event.currentTarget.checked })}
          />
        )}
        <Button
          type="submit"
          size="sm"
          loading={form.state !== 'idle'}
          disabled={way !== 'keychain' && typed === ''}
        >
          {accepts && lost !== undefined ? t.openWithout(lost) : way === 'keychain' ? t.open : t.unlock}
        </Button>
        <Group justify="space-between" gap="xs">
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            onClick={() => form.change({ isRecovery: !isRecovery, typed: '' })}
          >
            {isRecovery ? (usual === 'keychain' ? t.useKeychain : t.usePassphrase) : t.useRecovery}
          </Button>
          {children}
        </Group>
      </Stack>
    </form>
  )
}
