import { Button, Checkbox, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../shared/host.ts'
import { RestoreBackup } from '../restore/restore-backup.tsx'
import { fieldErrorsOf, sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { Failure } from '../ui/failure.tsx'
import { host } from '../vault.ts'
import { endFirstRun, useFirstRun } from './first-run-store.ts'

const t = strings.firstRun
const kinds = ['keychain', 'passphrase', 'memory'] as const
type Kind = (typeof kinds)[number]

function protectionOf(kind: Kind, passphrase: string) {
  if (kind === 'passphrase') return { passphrase }
  return kind === 'keychain' ? { keychain: true as const } : { memory: true as const }
}

/** Name, protection, sample data. */
export function CreateVault({ status }: { status: HostStatus }) {
  const keychain = status.keychain === true
  const [name, setName] = useState(status.vaults.length === 0 ? 'default' : '')
  const [kind, setKind] = useState<Kind>(keychain ? 'keychain' : 'passphrase')
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const [sample_data, setSample] = useState(true)
  const [busy, setBusy] = useState(false)
  const [tried, setTried] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const [restoring, setRestoring] = useState(false)

  const short = kind === 'passphrase' && passphrase.length < 8
  const differs = kind === 'passphrase' && passphrase !== again

  async function create() {
    setTried(true)
    if (short || differs) return
    setBusy(true)
    setProblem(null)
    // The steps that follow are ahead before the host says that a vault is open.
    useFirstRun.setState({ step: 'create', name })
    try {
      const { recovery_key = null, keys } = await host.host.createVault({
        name: kind === 'memory' ? 'memory' : name,
        protection: protectionOf(kind, passphrase),
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
        <h1>{status.vaults.length === 0 ? t.welcome : t.newVault}</h1>
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
          <fieldset className="choices">
            <legend>{t.protection}</legend>
            {kinds.map((each) => (
              <label key={each} className="choice">
                <input
                  type="radio"
                  name="protection"
                  checked={kind === each}
                  disabled={each === 'keychain' && !keychain}
                  onChange={() => setKind(each)}
                />
                <div>
                  <strong>{t[each].label}</strong>
                  <span>
                    {each === 'keychain' && status.keychain !== true ? status.keychain : t[each].text}
                  </span>
                </div>
              </label>
            ))}
          </fieldset>
          {kind === 'passphrase' && (
            <Group grow align="flex-start">
              <PasswordInput
                label={t.passphraseFirst}
                value={passphrase}
                onChange={(event) => setPassphrase(event.currentTarget.value)}
                error={tried && short && t.passphraseShort}
                autoComplete="new-password"
              />
              <PasswordInput
                label={t.passphraseAgain}
                value={again}
                onChange={(event) => setAgain(event.currentTarget.value)}
                error={tried && !short && differs && t.passphraseDiffers}
                autoComplete="new-password"
              />
            </Group>
          )}
          <Checkbox
            label={t.sample}
            checked={sample_data}
            onChange={(event) => setSample(event.currentTarget.checked)}
          />
          {problem !== null && <Failure>{sentenceOf(problem)}</Failure>}
          <Group justify="space-between" mt={6}>
            {status.vaults.length > 0 ? (
              <Button variant="subtle" color="gray" onClick={endFirstRun}>
                {t.back}
              </Button>
            ) : (
              <Button variant="subtle" color="gray" onClick={() => setRestoring(true)}>
                {strings.unlock.restore}
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
