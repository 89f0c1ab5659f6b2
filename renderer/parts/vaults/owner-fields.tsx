import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { HostStatus } from '../../../shared/host.ts'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { confirmationWord, isConfirmed } from '../forms/confirmation-word.ts'
import { strings as forms } from '../forms/strings.ts'
import type { Form } from '../forms/use-form.ts'
import { useReselect } from '../forms/use-reselect.ts'
import { hasCode, sentenceOf } from '../messages/sentence.ts'
import { credentialOf, type Way } from './credential.ts'
import { strings } from './strings.ts'

const t = strings.owner

/** What the owner types to confirm that it is them. */
export type TypedOwner = { readonly owner: string; readonly isRecovery: boolean }

/** Empty, as initial values of a form. */
export const noOwner: TypedOwner = { owner: '', isRecovery: false }

/** A vault that is to be confirmed. */
export type Confirmed = {
  readonly name: string
  readonly protection: NonNullable<HostStatus['vault']>['protection']
}

function wayOf({ protection }: Confirmed, { isRecovery }: TypedOwner): Way | 'memory' {
  return isRecovery ? 'recovery' : protection
}

/** Whether enough is typed to ask the host. */
export function isOwnerTyped(vault: Confirmed, typed: TypedOwner): boolean {
  const way = wayOf(vault, typed)
  if (way === 'passphrase' || way === 'recovery') return typed.owner !== ''
  return isConfirmed(vault.name, typed.owner)
}

/** What is missing, by field. */
export function ownerErrors(vault: Confirmed, typed: TypedOwner): Readonly<Record<string, string>> {
  return isOwnerTyped(vault, typed) ? {} : { owner: t.missing[wayOf(vault, typed)] }
}

/** What opens the vault, for the host to check; a vault in memory has nothing that does. */
export function ownerOf(vault: Confirmed, typed: TypedOwner) {
  const way = wayOf(vault, typed)
  return credentialOf(way === 'memory' ? 'keychain' : way, typed.owner)
}

/** Whether a failure is about what was typed here, which then says so itself. */
export function isOwnerProblem(problem: unknown): boolean {
  return hasCode(problem, 'unauthenticated') || hasCode(problem, 'rate_limited')
}

type Props = {
  readonly form: Pick<Form<TypedOwner>, 'values' | 'errors' | 'text' | 'change' | 'problem' | 'state'>
  readonly vault: Confirmed
  /** Whether only the passphrase will do, because it goes on protecting the vault. */
  readonly passphraseOnly?: boolean
}

/** Asks for what opens the vault now: its passphrase or, with a keychain, its name. The host checks it. */
export function OwnerFields({ form, vault, passphraseOnly = false }: Props) {
  const { protection, name } = vault
  const { isRecovery } = form.values
  const way = wayOf(vault, form.values)
  const field = useReselect(isOwnerProblem(form.problem) ? form.problem : null)
  const typed = form.text('owner')
  const error = isOwnerProblem(form.problem) ? sentenceOf(form.problem) : (typed.error ?? form.errors.with)
  const busy = form.state === 'running'
  const others = protection !== 'memory' && !(passphraseOnly && protection === 'passphrase')
  return (
    <div className="owner-fields">
      {way === 'passphrase' && (
        <PasswordInput
          ref={field}
          label={t.passphrase}
          {...typed}
          error={error}
          autoComplete="current-password"
          disabled={busy}
          data-autofocus
        />
      )}
      {way === 'recovery' && (
        <TextInput
          ref={field}
          label={strings.unlock.recovery}
          classNames={{ input: 'mono' }}
          {...typed}
          error={error ?? form.errors.recovery_key}
          autoComplete="off"
          spellCheck={false}
          disabled={busy}
        />
      )}
      {(way === 'keychain' || way === 'memory') && (
        <TextInput
          ref={field}
          label={<MarkedText text={forms.confirmType(confirmationWord(name))} />}
          description={way === 'keychain' ? t.keychain : undefined}
          {...typed}
          error={error}
          autoComplete="off"
          spellCheck={false}
          disabled={busy}
          data-autofocus
        />
      )}
      {others && (
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
