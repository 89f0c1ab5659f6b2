import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CofferError } from '../../../shared/errors.ts'
import type { VaultSummary } from '../../../shared/host/status.ts'
import { Failure } from '../../ui/failure.tsx'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
import { host } from '../connection/vault.ts'
import { useForm } from '../forms/use-form.ts'
import { useReselect } from '../forms/use-reselect.ts'
import { Problem } from '../messages/problem.tsx'
import { showToast } from '../messages/toast.tsx'
import { type CredentialKind, toCredential } from './credential.ts'
import { strings } from './strings.ts'

const t = strings.unlock

const otherLabels = { keychain: t.useKeychain, passphrase: t.usePassphrase }

type Props = { readonly vault: VaultSummary; readonly onOpened?: () => void; readonly children?: ReactNode }

/** Opens a vault by keychain or passphrase, or by the recovery key instead. */
export function UnlockForm({ vault, onOpened, children }: Props) {
  const defaultKind = vault.protection === 'keychain' ? 'keychain' : 'passphrase'
  // The error that reports lost changes. It is stored outside the form, because the form clears its own
  // errors on the next input. The owner must accept each loss separately.
  const [lossError, setLossError] = useState<CofferError>()
  const [accepts, setAccepts] = useState(false)
  const lost = lossError?.lost_commits
  /** The number of lost changes that the owner accepts. */
  const accepted = accepts ? lost : undefined
  const form = useForm({
    initial: { isRecovery: false, typed: '' },
    async send({ isRecovery, typed }) {
      try {
        await host.unlock({
          name: vault.name,
          with: toCredential(isRecovery ? 'recovery' : defaultKind, typed),
          ...(accepted !== undefined && { accept_loss: accepted }),
        })
      } catch (error) {
        const isLoss = error instanceof CofferError && error.lost_commits !== undefined
        setLossError(isLoss ? error : undefined)
        setAccepts(false)
        throw error
      }
    },
    onDone() {
      if (accepted !== undefined) showToast(t.openedWithout)
      onOpened?.()
    },
  })
  const field = useReselect(form.problem)
  const { isRecovery, typed } = form.values
  const kind = isRecovery ? 'recovery' : defaultKind

  // A damaged vault cannot be opened, so only the other actions are offered.
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
        {kind === 'keychain' && <span className="dim">{t.keychainText}</span>}
        {kind === 'passphrase' && (
          <PasswordInput
            ref={field}
            label={t.passphrase}
            size="sm"
            {...form.text('typed')}
            autoComplete="current-password"
            autoFocus
            data-autofocus
          />
        )}
        {kind === 'recovery' && (
          <MonoInput
            ref={field}
            label={t.recovery}
            description={t.recoveryHelp}
            {...form.text('typed')}
            autoFocus
          />
        )}
        <Problem of={form.problem ?? lossError ?? null} />
        {lost !== undefined && (
          <Checkbox
            size="sm"
            label={t.acceptLoss(lost)}
            checked={accepts}
            onChange={(event) => setAccepts(event.currentTarget.checked)}
          />
        )}
        <Button
          type="submit"
          size="sm"
          autoFocus={kind === 'keychain'}
          data-autofocus={kind === 'keychain' || undefined}
          loading={form.state !== 'idle'}
          disabled={kind !== 'keychain' && typed === ''}
        >
          {getActionLabel(kind, accepted)}
        </Button>
        <Stack gap={2} ml={-7} align="flex-start">
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            onClick={() => form.change({ isRecovery: !isRecovery, typed: '' })}
          >
            {isRecovery ? otherLabels[defaultKind] : t.useRecovery}
          </Button>
          {children}
        </Stack>
      </Stack>
    </form>
  )
}

function getActionLabel(kind: CredentialKind, accepted: number | undefined): string {
  if (accepted !== undefined) return t.openWithout(accepted)
  return kind === 'keychain' ? t.open : t.unlock
}
