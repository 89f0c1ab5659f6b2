import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { VaultSummary } from '../../../shared/host.ts'
import { Failure } from '../../ui/failure.tsx'
import { host } from '../connection/vault.ts'
import { sentenceOf } from '../messages/sentence.ts'
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
  /** Further ways on, beside the recovery key. */
  readonly children?: ReactNode
}

/** Opens a vault: keychain, passphrase, or the recovery key where those fail. */
export function UnlockForm({ vault, onOpened, children }: Props) {
  const usual: Way = vault.protection === 'keychain' ? 'keychain' : 'passphrase'
  const [recovery, setRecovery] = useState(false)
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const way = recovery ? 'recovery' : usual

  async function unlock() {
    setBusy(true)
    setProblem(null)
    try {
      await host.host.unlock({ name: vault.name, with: credentialOf(way, typed) })
      onOpened?.()
    } catch (error) {
      setProblem(sentenceOf(error))
      setBusy(false)
    }
  }

  // Nothing opens it; what is left are the other ways on.
  if (vault.problem !== undefined) {
    return (
      <>
        <Failure>{t.damaged(vault.problem)}</Failure>
        <Group gap="xs">{children}</Group>
      </>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        unlock()
      }}
    >
      <Stack gap="sm">
        {way === 'keychain' && <span className="dim">{t.keychainText}</span>}
        {way === 'passphrase' && (
          <PasswordInput
            label={t.passphrase}
            size="sm"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
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
        <Group justify="space-between" gap="xs">
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
          {children}
        </Group>
      </Stack>
    </form>
  )
}
