import { keepsRecoveryKey } from '../../host/maintenance/change-protection.ts'
import { newPassphrase } from '../terminal/new-protection.ts'
import { withProgress } from '../terminal/progress.ts'
import { openVaultKeys } from '../terminal/vault-keys.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'
import { olderCopiesWarning, showNewRecoveryKey } from './recovery-key.ts'

export async function protectVault(
  kind: 'keychain' | 'passphrase',
  options: ProtectCommandOptions,
): Promise<void> {
  const done = await applyProtection(options, kind)
  if (done) printLine(done)
}

export async function changePassphrase(options: ProtectCommandOptions): Promise<void> {
  const done = await applyProtection(options, 'passphrase')
  if (done) printLine(done)
}

export type ProtectCommandOptions = { dataDir?: string; vault: string; json?: true; keepMaster?: true }

async function applyProtection(
  options: ProtectCommandOptions,
  kind: 'keychain' | 'passphrase',
): Promise<string> {
  const { keepMaster, json } = options
  await using keys = await openVaultKeys(toVaultLocation(options))
  const protection =
    kind === 'keychain' ? ({ keychain: true } as const) : { passphrase: await newPassphrase(keys.name) }
  const isMasterKept = keepMaster || keepsRecoveryKey(keys)
  if (!isMasterKept) printHint(recoveryKeyChanges)
  const recovery_key = isMasterKept ? undefined : await showNewRecoveryKey({ protection: kind }, json)
  await withProgress('Changing the master secret', (watch) =>
    keys.changeKeys({ change: 'protection', protection, recovery_key, keepMaster }, watch),
  )
  if (json) return isMasterKept ? JSON.stringify({ protection: kind }) : ''
  const recovery = isMasterKept
    ? 'Its recovery key stays the same.'
    : 'The new recovery key is now in effect.'
  const before = keepMaster ? olderCopiesWarning : 'The previous credential opens only older backups.'
  return `The vault ${keys.name} is now protected by the ${kind}. ${recovery} ${before}`
}

const recoveryKeyChanges =
  'An earlier version of Coffer created this vault, so its recovery key must change too. This happens only once.'
