import '../first-run/first-run.css'
import { Button, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../shared/host.ts'
import { beginFirstRun } from '../first-run/first-run-store.ts'
import { Logo } from '../frame/logo.tsx'
import { RestoreBackup } from '../restore/restore-backup.tsx'
import { sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { Failure } from '../ui/failure.tsx'
import { host } from '../vault.ts'

const t = strings.unlock
type Way = 'keychain' | 'passphrase' | 'recovery'

function credentialOf(way: Way, typed: string) {
  if (way === 'keychain') return { keychain: true as const }
  return way === 'passphrase' ? { passphrase: typed } : { recovery_key: typed }
}

/** Opens one of the vaults: keychain, passphrase, or the recovery key where those fail. */
export function Unlock({ status }: { status: HostStatus }) {
  const names = status.vaults.map((vault) => vault.name)
  const [name, setName] = useState(names.find((each) => each === status.last_vault) ?? names[0] ?? '')
  const summary = status.vaults.find((vault) => vault.name === name)
  const usual: Way = summary?.protection === 'keychain' ? 'keychain' : 'passphrase'
  const [recovery, setRecovery] = useState(false)
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [restoring, setRestoring] = useState(false)
  const way = recovery ? 'recovery' : usual

  async function unlock() {
    setBusy(true)
    setProblem(null)
    try {
      await host.host.unlock({ name, with: credentialOf(way, typed) })
    } catch (error) {
      setProblem(sentenceOf(error))
      setBusy(false)
    }
  }

  return (
    <div className="first">
      <main className="first-main unlock">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            unlock()
          }}
        >
          <Stack gap="sm">
            <Group gap="sm">
              <Logo size={26} />
              <h1>{t.title(name)}</h1>
            </Group>
            {names.length > 1 && (
              <Select
                label={t.choose}
                data={names}
                value={name}
                onChange={(value) => {
                  setName(value ?? name)
                  setTyped('')
                  setProblem(null)
                }}
              />
            )}
            {summary?.problem !== undefined && <Failure>{t.damaged(summary.problem)}</Failure>}
            {way === 'keychain' && <span className="dim">{t.keychainText}</span>}
            {way === 'passphrase' && (
              <PasswordInput
                key={name}
                label={t.passphrase}
                size="sm"
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="current-password"
                autoFocus
              />
            )}
            {way === 'recovery' && (
              <TextInput
                label={t.recovery}
                description={t.recoveryHelp}
                classNames={{ input: 'mono' }}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
                autoFocus
              />
            )}
            {problem !== null && <Failure>{problem}</Failure>}
            <Button type="submit" size="sm" loading={busy} disabled={way !== 'keychain' && typed === ''}>
              {way === 'keychain' ? t.open : t.unlock}
            </Button>
            <Group justify="space-between">
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                onClick={() => {
                  setRecovery(!recovery)
                  setTyped('')
                  setProblem(null)
                }}
              >
                {recovery ? (usual === 'keychain' ? t.useKeychain : t.usePassphrase) : t.useRecovery}
              </Button>
              <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setRestoring(true)}>
                {t.restore}
              </Button>
              <Button variant="subtle" color="gray" size="compact-xs" onClick={beginFirstRun}>
                {t.newVault}
              </Button>
            </Group>
          </Stack>
        </form>
        {restoring && (
          <RestoreBackup file="" keychain={status.keychain} onClose={() => setRestoring(false)} />
        )}
      </main>
    </div>
  )
}
