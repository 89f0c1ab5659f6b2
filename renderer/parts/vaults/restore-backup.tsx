import { Button, Group, PasswordInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host.ts'
import { FormCaution } from '../../ui/failure.tsx'
import { strings as ui } from '../../ui/strings.ts'
import { runJob } from '../connection/jobs.ts'
import { useSession } from '../connection/session.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { host } from '../connection/vault.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { freeName } from '../forms/free-name.ts'
import { useForm } from '../forms/use-form.ts'
import { toast } from '../messages/toast.tsx'
import { readBackups } from './backups.ts'
import { credentialOf, type Way } from './credential.ts'
import { JobProblem, JobProgress } from './job-progress.tsx'
import { NewPassphrase, noPassphrase, passphraseErrors, type TypedPassphrase } from './new-passphrase.tsx'
import { strings } from './strings.ts'

const t = strings.restore
type Kept = 'keychain' | 'passphrase'
type Draft = TypedPassphrase & {
  readonly file: string
  /** Whether the path is typed, rather than chosen from the list. */
  readonly isElsewhere: boolean
  readonly name: string
  /** What opens the backup, and the secret typed for it. */
  readonly way: Way
  readonly typed: string
  /** How the new vault is protected. */
  readonly kept: Kept
}

type Props = {
  /** The path of the backup; empty if the owner is to type it. */
  readonly file: string
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

/** The value of the choice to type a path: no path is like it. */
const ELSEWHERE = 'elsewhere'

function vaultNames(): readonly string[] {
  return useSession.getState().status?.vaults.map(({ name }) => name) ?? []
}

/** Creates a new vault from a backup and opens it. */
export function RestoreBackup({ file: given, keychain, onClose }: Props) {
  /** What this backup brings back; shown before it is restored. */
  const [brought, setBrought] = useState<({ readonly of: string } & Parameters<typeof t.brings>[0]) | null>(
    null,
  )
  const backups = useLoaded(readBackups)
  const known = backups.value?.filter(({ problem }) => problem === undefined) ?? []
  const form = useForm({
    initial: (): Draft => ({
      file: given,
      isElsewhere: false,
      name: freeName('restored', vaultNames(), '-'),
      way: 'recovery',
      typed: '',
      kept: keychain === true ? 'keychain' : 'passphrase',
      ...noPassphrase,
    }),
    typed: ({ file, name, typed, first, again }) => [file, name, typed, first, again],
    check: (draft) => (draft.kept === 'passphrase' ? passphraseErrors(draft) : {}),
    async send({ file, name, way, typed, kept, first }) {
      const opener = credentialOf(way, typed)
      const seen = JSON.stringify([file, opener])
      if (brought?.of !== seen) {
        const { brings_back } = await runJob('restore', () =>
          host.host.previewRestore({ file, with: opener }),
        )
        if (brings_back && t.broughtBack(brings_back) !== '') {
          setBrought({ of: seen, ...brings_back })
          return false
        }
      }
      const protection = kept === 'keychain' ? { keychain: true as const } : { passphrase: first }
      await runJob('restore', () => host.host.restore({ file, name, with: opener, protection }))
      return true
    },
    done(isRestored) {
      if (!isRestored) return
      const listener = useSession.getState().status?.listener
      toast(t.restored(form.values.name, listener?.state === 'on' ? listener.url : null))
      onClose()
    },
  })
  const { file, isElsewhere, name, way, kept, typed } = form.values
  const isShown = brought !== null && brought.of === JSON.stringify([file, credentialOf(way, typed)])

  return (
    <FormDialog onClose={onClose} title={t.title} size={520}>
      <form onSubmit={form.submit}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t.text}
          </Text>
          {known.length > 0 && (
            <Select
              label={t.backup}
              placeholder={t.choose}
              data={[
                ...known.map((backup) => ({ value: backup.file, label: t.of(backup) })),
                { value: ELSEWHERE, label: t.elsewhere },
              ]}
              value={isElsewhere ? ELSEWHERE : file || null}
              onChange={(value) =>
                form.change({
                  isElsewhere: value === ELSEWHERE,
                  file: value === null || value === ELSEWHERE ? '' : value,
                })
              }
              data-autofocus={given === '' || undefined}
            />
          )}
          {(isElsewhere || (backups.value !== null && known.length === 0) || backups.problem !== null) && (
            <TextInput
              label={t.file}
              description={t.fileHelp}
              classNames={{ input: 'mono' }}
              {...form.text('file')}
              data-autofocus={given === '' || undefined}
            />
          )}
          <div>
            <div className="field-label">{t.with}</div>
            <SegmentedControl
              aria-label={t.with}
              data={[
                { value: 'recovery', label: t.recovery },
                { value: 'passphrase', label: t.passphrase },
                { value: 'keychain', label: t.keychain },
              ]}
              value={way}
              onChange={(way) => form.change({ way, typed: '' })}
            />
          </div>
          {way === 'recovery' && (
            <TextInput
              label={t.recovery}
              classNames={{ input: 'mono' }}
              autoComplete="off"
              spellCheck={false}
              {...form.text('typed')}
              error={form.errors.recovery_key}
              data-autofocus={given !== '' || undefined}
            />
          )}
          {way === 'passphrase' && (
            <PasswordInput label={t.passphrase} autoComplete="current-password" {...form.text('typed')} />
          )}
          <TextInput label={t.name} {...form.text('name')} />
          <div>
            <div className="field-label">{t.protection}</div>
            <SegmentedControl
              aria-label={t.protection}
              data={[
                { value: 'keychain', label: t.keychain, disabled: keychain !== true },
                { value: 'passphrase', label: t.passphrase },
              ]}
              value={kept}
              onChange={(kept) => form.change({ kept })}
            />
            {keychain !== true && <p className="field-help">{keychain}</p>}
          </div>
          {kept === 'passphrase' && <NewPassphrase form={form} vault={name} labels={t.passphrases} />}
          <JobProgress job="restore" what={t.running} />
          <JobProblem error={form.problem} />
          {isShown && <FormCaution>{t.brings(brought)}</FormCaution>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit" loading={form.state === 'running'} disabled={file === '' || name === ''}>
              {isShown ? t.anyway : t.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
