import { changeProtection, keepsRecoveryKey } from '../../host/upkeep/change-protection.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { note, placeOf, say } from '../terminal/common.ts'
import { newPassphrase } from '../terminal/new-protection.ts'
import { openExisting } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { keptMaster, showNewRecoveryKey } from './recovery-key.ts'

export async function protectVault(way: 'keychain' | 'passphrase', options: Options): Promise<void> {
  const done = await protect(options, way)
  if (done) say(done)
}

export async function changePassphrase(options: Options): Promise<void> {
  const done = await protect(options, 'passphrase')
  if (done) say(done)
}

export type Options = { dataDir?: string; vault: string; json?: true; keepMaster?: true }

/** Changes what opens a vault, and returns what to say about it. */
async function protect(options: Options, way: 'keychain' | 'passphrase'): Promise<string> {
  const { keepMaster, json } = options
  await using vault = await openExisting(placeOf(options))
  const protection = way === 'keychain' ? ({ keychain: true } as const) : await byPassphrase(vault)
  const isKept = keepMaster || keepsRecoveryKey(vault)
  if (!isKept) note(recoveryKeyChanges)
  const recovery_key = isKept ? undefined : await showNewRecoveryKey({ protection: way }, json)
  await withProgress('Changing the master secret', (watch) =>
    changeProtection(vault, { protection, recovery_key, keepMaster }, watch),
  )
  if (json) return isKept ? JSON.stringify({ protection: way }) : ''
  const recovery = isKept ? 'Its recovery key stays the same.' : 'The new recovery key is valid.'
  const before = keepMaster ? keptMaster : 'What opened it before opens only older backups.'
  return `The vault ${vault.name} is now protected by the ${way}. ${recovery} ${before}`
}

const recoveryKeyChanges =
  'An earlier version of Coffer made this vault, so its recovery key has to change too. This happens only once.'

const byPassphrase = async ({ name }: OpenVault) => ({ passphrase: await newPassphrase(name) })
