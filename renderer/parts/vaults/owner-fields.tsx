import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { HostStatus } from '../../../shared/host/status.ts'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { getConfirmationWord, isConfirmed } from '../forms/confirmation-word.ts'
import { strings as forms } from '../forms/strings.ts'
import type { FormState } from '../forms/use-form.ts'
import { useReselect } from '../forms/use-reselect.ts'
import { describeError, hasCode } from '../messages/describe-error.ts'
import { type CredentialKind, toCredential } from './credential.ts'
import { strings } from './strings.ts'

const t = strings.owner

/** The owner's input: the credential or the vault's name, and whether it is the recovery key. */
export type OwnerInput = { readonly owner: string; readonly isRecovery: boolean }

export const emptyOwner: OwnerInput = { owner: '', isRecovery: false }

/** The vault whose credential the owner must enter. */
export type ConfirmedVault = {
  readonly name: string
  readonly protection: NonNullable<HostStatus['vault']>['protection']
}

function getCredentialKind(
  { protection }: ConfirmedVault,
  { isRecovery }: OwnerInput,
): CredentialKind | 'memory' {
  return isRecovery ? 'recovery' : protection
}

/** Whether the input is complete enough to send it to the host. */
export function isOwnerEntered(vault: ConfirmedVault, input: OwnerInput): boolean {
  const kind = getCredentialKind(vault, input)
  if (kind === 'passphrase' || kind === 'recovery') return input.owner !== ''
  return isConfirmed(vault.name, input.owner)
}

export function validateOwner(vault: ConfirmedVault, input: OwnerInput): Readonly<Record<string, string>> {
  return isOwnerEntered(vault, input) ? {} : { owner: t.missing[getCredentialKind(vault, input)] }
}

/** The credential for the host to check; undefined for an in-memory vault, which has none. */
export function toOwnerCredential(vault: ConfirmedVault, input: OwnerInput) {
  const kind = getCredentialKind(vault, input)
  return toCredential(kind === 'memory' ? 'keychain' : kind, input.owner)
}

/** Whether an error concerns these fields, which then show it themselves. */
export function isOwnerProblem(problem: unknown): boolean {
  return hasCode(problem, 'unauthenticated') || hasCode(problem, 'rate_limited')
}

type Props = {
  readonly form: Pick<FormState<OwnerInput>, 'values' | 'errors' | 'text' | 'change' | 'problem' | 'state'>
  readonly vault: ConfirmedVault
  /** Whether to accept only the passphrase, because it will continue to protect the vault. */
  readonly passphraseOnly?: boolean
}

/**
 * Asks for the vault's passphrase or recovery key; with a keychain, for the vault's name. The host checks the input.
 */
export function OwnerFields({ form, vault, passphraseOnly = false }: Props) {
  const { protection, name } = vault
  const { isRecovery } = form.values
  const kind = getCredentialKind(vault, form.values)
  const field = useReselect(isOwnerProblem(form.problem) ? form.problem : null)
  const textField = form.text('owner')
  const error = isOwnerProblem(form.problem)
    ? describeError(form.problem)
    : (textField.error ?? form.errors.with)
  const busy = form.state === 'running'
  const hasOthers = protection !== 'memory' && !(passphraseOnly && protection === 'passphrase')
  return (
    <div>
      {kind === 'passphrase' && (
        <PasswordInput
          ref={field}
          label={t.passphrase}
          {...textField}
          error={error}
          autoComplete="current-password"
          disabled={busy}
          data-autofocus
        />
      )}
      {kind === 'recovery' && (
        <MonoInput
          ref={field}
          label={strings.unlock.recovery}
          {...textField}
          error={error ?? form.errors.recovery_key}
          disabled={busy}
        />
      )}
      {(kind === 'keychain' || kind === 'memory') && (
        <TextInput
          ref={field}
          label={<MarkedText text={forms.confirmType(getConfirmationWord(name))} />}
          description={kind === 'keychain' ? t.keychain : undefined}
          {...textField}
          error={error}
          autoComplete="off"
          spellCheck={false}
          disabled={busy}
          data-autofocus
        />
      )}
      {hasOthers && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          disabled={busy}
          onClick={() => form.change({ owner: '', isRecovery: !isRecovery })}
        >
          {isRecovery
            ? protection === 'keychain'
              ? strings.unlock.useKeychain
              : strings.unlock.usePassphrase
            : strings.unlock.useRecovery}
        </Button>
      )}
    </div>
  )
}
