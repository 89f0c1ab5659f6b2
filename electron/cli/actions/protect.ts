import { changeProtection, keepsRecoveryKey } from '../../host/maintenance/change-protection.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { newPassphrase } from '../terminal/new-protection.ts'
import { openExisting } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
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
  await using vault = await openExisting(toVaultLocation(options))
  const protection = kind === 'keychain' ? ({ keychain: true } as const) : await protectWithPassphrase(vault)
  const isMasterKept = keepMaster || keepsRecoveryKey(vault)
  if (!isMasterKept) printHint(recoveryKeyChanges)
  const recovery_key = isMasterKept ? undefined : await showNewRecoveryKey({ protection: kind }, json)
  await withProgress('Changing the master secret', (watch) =>
    changeProtection(vault, { protection, recovery_key, keepMaster }, watch),
  )
  if (json) return isMasterKept ? JSON.stringify({ protection: kind }) : ''
  const recovery = isMasterKept
    ? 'Its recovery key stays the same.'
    : 'The new recovery key is now in effect.'
  const before = keepMaster ? olderCopiesWarning : 'The previous credential opens only older backups.'
  return `The vault ${vault.name} is now protected by the ${kind}. ${recovery} ${before}`
}

const recoveryKeyChanges =
  'An earlier version of Coffer created this vault, so its recovery key must change too. This happens only once.'

const protectWithPassphrase = async ({ name }: OpenVault) => ({ passphrase: await newPassphrase(name) })
