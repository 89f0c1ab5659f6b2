import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../shared/host.ts'
import { host } from '../../parts/connection/vault.ts'
import { fieldErrorsOf, sentenceOf } from '../../parts/messages/sentence.ts'
import { endFirstRun, useFirstRun } from '../../parts/vaults/first-run-store.ts'
import { NewPassphrase, useNewPassphrase } from '../../parts/vaults/new-passphrase.tsx'
import { type Kind, ProtectionChoice } from '../../parts/vaults/protection-choice.tsx'
import { RestoreBackup } from '../../parts/vaults/restore-backup.tsx'
import { strings as vaultWords } from '../../parts/vaults/strings.ts'
import { Caution, Failure } from '../../ui/failure.tsx'
import { strings } from './strings.ts'

const t = strings
const kinds = ['keychain', 'passphrase', 'memory'] as const

function protectionOf(kind: Kind, passphrase: string) {
  if (kind === 'passphrase') return { passphrase }
  return kind === 'keychain' ? { keychain: true as const } : { memory: true as const }
}

/** Name, protection, sample data. */
export function CreateVault({ status }: { status: HostStatus }) {
  const [name, setName] = useState(status.vaults.length === 0 ? 'default' : '')
  const [kind, setKind] = useState<Kind>(status.keychain === true ? 'keychain' : 'passphrase')
  const passphrase = useNewPassphrase()
  const [sample_data, setSample] = useState(true)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const [restoring, setRestoring] = useState(false)
  const [first] = useState(status.vaults.length === 0 && status.vault === null)
  const open = status.vault !== null && !busy

  async function create() {
    passphrase.insist()
    if (kind === 'passphrase' && passphrase.value === null) return
    setBusy(true)
    setProblem(null)
    // The steps that follow are ahead before the host says that a vault is open.
    useFirstRun.setState({ step: 'create', name })
    try {
      const { recovery_key = null, keys } = await host.host.createVault({
        name: kind === 'memory' ? 'memory' : name,
        protection: protectionOf(kind, passphrase.value ?? ''),
        sample_data,
      })
      useFirstRun.setState({ step: recovery_key === null ? 'request' : 'recovery', recovery_key, keys })
    } catch (error) {
      setProblem(error)
      setBusy(false)
    }
  }

  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create()
        }}
      >
        <h1>{first ? t.welcome : vaultWords.newVault}</h1>
        <p className="first-intro">{t.intro}</p>
        <Stack gap="sm">
          {kind !== 'memory' && (
            <TextInput
              label={t.name}
              description={t.nameHelp}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={fieldErrorsOf(problem).name}
              required
              withAsterisk={false}
            />
          )}
          <ProtectionChoice kinds={kinds} keychain={status.keychain} value={kind} onChange={setKind} />
          {kind === 'passphrase' && <NewPassphrase passphrase={passphrase} />}
          <Checkbox
            label={t.sample}
            checked={sample_data}
            onChange={(event) => setSample(event.currentTarget.checked)}
          />
          {open && status.vault?.protection === 'memory' && <Caution>{t.memoryGoes}</Caution>}
          {problem !== null && <Failure>{sentenceOf(problem)}</Failure>}
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
