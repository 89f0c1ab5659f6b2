import { Button, Group, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host.ts'
import { strings as ui } from '../../ui/strings.ts'
import { runJob } from '../connection/jobs.ts'
import { host } from '../connection/vault.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { fieldErrorsOf } from '../messages/sentence.ts'
import { JobProblem, JobProgress } from './job-progress.tsx'
import { NewPassphrase, useNewPassphrase } from './new-passphrase.tsx'
import { strings } from './strings.ts'

const t = strings.restore
type Way = 'recovery' | 'passphrase' | 'keychain'
type Kept = 'keychain' | 'passphrase'

type Props = {
  /** The path of the backup; empty where it is to be typed. */
  readonly file: string
  readonly keychain: HostStatus['keychain']
  readonly onClose: () => void
}

function credentialOf(way: Way, typed: string) {
  if (way === 'keychain') return { keychain: true as const }
  return way === 'passphrase' ? { passphrase: typed } : { recovery_key: typed }
}

/** Makes a new vault of a backup and opens it. */
export function RestoreBackup({ file: given, keychain, onClose }: Props) {
  const [file, setFile] = useState(given)
  const [name, setName] = useState('restored')
  const [way, setWay] = useState<Way>('recovery')
  const [typed, setTyped] = useState('')
  const [kept, setKept] = useState<Kept>(keychain === true ? 'keychain' : 'passphrase')
  const passphrase = useNewPassphrase()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const errors = fieldErrorsOf(problem)

  async function restore() {
    passphrase.insist()
    if (kept === 'passphrase' && passphrase.value === null) return
    setBusy(true)
    setProblem(null)
    try {
      const protection =
        kept === 'keychain' ? { keychain: true as const } : { passphrase: passphrase.value ?? '' }
      await runJob('restore', () =>
        host.host.restore({ file, name, with: credentialOf(way, typed), protection }),
      )
      onClose()
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }

  return (
    <FormDialog
      typed={[file, name, typed, passphrase.first, passphrase.again]}
      onClose={onClose}
      title={t.title}
      size={520}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          restore()
        }}
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t.text}
          </Text>
          <TextInput
            label={t.file}
            description={t.fileHelp}
            classNames={{ input: 'mono' }}
            value={file}
            onChange={(event) => setFile(event.currentTarget.value)}
            error={errors.file}
            data-autofocus={given === '' || undefined}
          />
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
              onChange={(value) => {
                setWay(value)
                setTyped('')
              }}
            />
          </div>
          {way === 'recovery' && (
            <TextInput
              label={t.recovery}
              classNames={{ input: 'mono' }}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              error={errors.recovery_key}
              data-autofocus={given !== '' || undefined}
            />
          )}
          {way === 'passphrase' && (
            <PasswordInput
              label={t.passphrase}
              autoComplete="current-password"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={t.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
          />
          <div>
            <div className="field-label">{t.protection}</div>
            <SegmentedControl
              aria-label={t.protection}
              data={[
                { value: 'keychain', label: t.keychain, disabled: keychain !== true },
                { value: 'passphrase', label: t.passphrase },
              ]}
              value={kept}
              onChange={setKept}
            />
            {keychain !== true && <p className="field-help">{keychain}</p>}
          </div>
          {kept === 'passphrase' && <NewPassphrase passphrase={passphrase} labels={t.passphrases} />}
          <JobProgress job="restore" what={t.running} />
          <JobProblem error={problem} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={file === '' || name === ''}>
              {t.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
