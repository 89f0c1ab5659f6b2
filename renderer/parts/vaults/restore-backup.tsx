import { PasswordInput, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { FormCaution } from '../../ui/failure.tsx'
import { LabelledChoice } from '../../ui/fields/choice.tsx'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
import { runJob } from '../connection/jobs.ts'
import { useSession } from '../connection/session.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { host } from '../connection/vault.ts'
import { DialogForm } from '../forms/form-dialog.tsx'
import { freeName } from '../forms/free-name.ts'
import { type FormState, useForm } from '../forms/use-form.ts'
import { showToast } from '../messages/toast.tsx'
import { readBackups } from './backups.ts'
import { type CredentialKind, toCredential } from './credential.ts'
import { JobProblem, JobProgress } from './job-progress.tsx'
import {
  emptyPassphrase,
  NewPassphrase,
  type PassphraseInput,
  validatePassphrase,
} from './new-passphrase.tsx'
import { strings } from './strings.ts'

const t = strings.restore
type ReturningItems = Parameters<typeof t.brings>[0]
type RestoredProtection = 'keychain' | 'passphrase'
type RestoreDraft = PassphraseInput & {
  readonly file: string
  /** Whether the path is typed rather than chosen from the list. */
  readonly isOtherFile: boolean
  readonly name: string
  readonly credentialKind: CredentialKind
  readonly typed: string
  readonly protectionKind: RestoredProtection
}

type Props = {
  /** The path of the backup; empty if the owner is to type it. */
  readonly file: string
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

/** The value of the option for typing a path. It differs from every path of a backup. */
const OTHER_FILE = 'elsewhere'

function vaultNames(): readonly string[] {
  return useSession.getState().status?.vaults.map(({ name }) => name) ?? []
}

export function RestoreBackup({ file: initialFile, keychain, onClose }: Props) {
  /** What would be restored, shown before the owner confirms. */
  const [preview, setPreview] = useState<({ readonly of: string } & ReturningItems) | null>(null)
  const form = useForm({
    initial: (): RestoreDraft => ({
      file: initialFile,
      isOtherFile: false,
      name: freeName('restored', vaultNames(), '-'),
      credentialKind: 'recovery',
      typed: '',
      protectionKind: keychain === true ? 'keychain' : 'passphrase',
      ...emptyPassphrase,
    }),
    getUnsavedInput: ({ file, name, typed, first, again }) => [file, name, typed, first, again],
    check: (draft) => (draft.protectionKind === 'passphrase' ? validatePassphrase(draft) : {}),
    async send({ file, name, credentialKind, typed, protectionKind, first }) {
      const credential = toCredential(credentialKind, typed)
      const request = JSON.stringify([file, credential])
      const returning = preview?.of === request ? null : await findReturningItems({ file, with: credential })
      if (returning) {
        setPreview({ of: request, ...returning })
        return false
      }
      const protection = protectionKind === 'keychain' ? { keychain: true as const } : { passphrase: first }
      await runJob('restore', () => host.restore({ file, name, with: credential, protection }))
      return true
    },
    onDone(isRestored) {
      if (!isRestored) return
      const listener = useSession.getState().status?.listener
      showToast(t.restored(form.values.name, listener?.state === 'on' ? listener.url : null))
      onClose()
    },
  })
  const { file, name, credentialKind, protectionKind, typed } = form.values
  const isPreviewed =
    preview !== null && preview.of === JSON.stringify([file, toCredential(credentialKind, typed)])

  return (
    <DialogForm
      {...{ form, onClose }}
      title={t.title}
      size={520}
      action={isPreviewed ? t.anyway : t.action}
      disabled={file === '' || name === ''}
      problem={
        <>
          <JobProgress job="restore" what={t.running} />
          <JobProblem error={form.problem} />
          {isPreviewed && <FormCaution>{t.brings(preview)}</FormCaution>}
        </>
      }
    >
      <Text size="sm" c="dimmed">
        {t.text}
      </Text>
      <BackupFields form={form} isFocused={initialFile === ''} />
      <CredentialFields form={form} isFocused={initialFile !== ''} />
      <TextInput label={t.name} {...form.text('name')} />
      <div>
        <div className="label">{t.protection}</div>
        <SegmentedControl
          aria-label={t.protection}
          data={[
            { value: 'keychain', label: t.keychain, disabled: keychain !== true },
            { value: 'passphrase', label: t.passphrase },
          ]}
          value={protectionKind}
          onChange={(protectionKind) => form.change({ protectionKind })}
        />
        {keychain !== true && <p className="help">{keychain}</p>}
      </div>
      {protectionKind === 'passphrase' && <NewPassphrase form={form} vault={name} labels={t.passphrases} />}
    </DialogForm>
  )
}

/** What a restore would bring back that was deleted since; null if nothing. */
async function findReturningItems(
  request: Parameters<typeof host.previewRestore>[0],
): Promise<ReturningItems | null> {
  const { brings_back } = await runJob('restore', () => host.previewRestore(request))
  return brings_back && t.broughtBack(brings_back) !== '' ? brings_back : null
}

type RestoreFieldsProps = { readonly form: FormState<RestoreDraft>; readonly isFocused: boolean }

function BackupFields({ form, isFocused }: RestoreFieldsProps) {
  const { file, isOtherFile } = form.values
  const backups = useLoaded(readBackups)
  const readableBackups = backups.value?.filter(({ problem }) => problem === undefined) ?? []
  const hasNone = backups.value !== null && readableBackups.length === 0
  return (
    <>
      {readableBackups.length > 0 && (
        <Select
          label={t.backup}
          placeholder={t.choose}
          data={[
            ...readableBackups.map((backup) => ({ value: backup.file, label: t.of(backup) })),
            { value: OTHER_FILE, label: t.elsewhere },
          ]}
          value={isOtherFile ? OTHER_FILE : file || null}
          onChange={(value) =>
            form.change({
              isOtherFile: value === OTHER_FILE,
              file: value === null || value === OTHER_FILE ? '' : value,
            })
          }
          data-autofocus={isFocused || undefined}
        />
      )}
      {(isOtherFile || hasNone || backups.problem !== null) && (
        <MonoInput
          label={t.file}
          description={t.fileHelp}
          {...form.text('file')}
          data-autofocus={isFocused || undefined}
        />
      )}
    </>
  )
}

function CredentialFields({ form, isFocused }: RestoreFieldsProps) {
  const { credentialKind } = form.values
  return (
    <>
      <LabelledChoice
        label={t.with}
        of={{ recovery: t.recovery, passphrase: t.passphrase, keychain: t.keychain }}
        value={credentialKind}
        onChange={(credentialKind) => form.change({ credentialKind, typed: '' })}
      />
      {credentialKind === 'recovery' && (
        <MonoInput
          label={t.recovery}
          {...form.text('typed')}
          error={form.errors.recovery_key}
          data-autofocus={isFocused || undefined}
        />
      )}
      {credentialKind === 'passphrase' && (
        <PasswordInput label={t.passphrase} autoComplete="current-password" {...form.text('typed')} />
      )}
    </>
  )
}
