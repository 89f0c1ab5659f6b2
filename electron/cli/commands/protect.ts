import { Argument, Command } from 'commander'
import { changeProtection, keepsRecoveryKey } from '../../host/upkeep/change-protection.ts'
import type { OpenVault } from '../../host/vault/vault.ts'
import { note, placeOf, say, withPlace } from '../terminal/common.ts'
import { newPassphrase } from '../terminal/new-protection.ts'
import { openExisting, whileStopped } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { keepMasterHelp, keptMaster, showNewRecoveryKey } from './recovery-key.ts'

type Options = { dataDir?: string; vault: string; json?: true; keepMaster?: true }

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

const underNewMaster =
  'The vault is copied under a new master secret, so that what opened it before opens only older backups.'

/** `coffer protect`: protects a vault with the keychain or with a passphrase. */
export function protectCommand(): Command {
  return withPlace(new Command('protect'))
    .addArgument(
      new Argument('<way>', 'what opens the vault from now on').choices(['keychain', 'passphrase']),
    )
    .description('Protect a vault with the keychain or with a passphrase')
    .option('--keep-master', keepMasterHelp)
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer protect keychain
  COFFER_NEW_PASSPHRASE=… coffer protect passphrase --vault work

${underNewMaster}
${whileStopped}`,
    )
    .action(async (way: 'keychain' | 'passphrase', options: Options) => {
      const done = await protect(options, way)
      if (done) say(done)
    })
}

/** `coffer passphrase`: changes the passphrase. */
export function passphraseCommand(): Command {
  return withPlace(new Command('passphrase'))
    .description('Change the passphrase of a vault')
    .option('--keep-master', keepMasterHelp)
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer passphrase
  COFFER_PASSPHRASE=… COFFER_NEW_PASSPHRASE=… coffer passphrase --vault work

If you forget the passphrase, the recovery key opens the vault.
${underNewMaster}
${whileStopped}`,
    )
    .action(async (options: Options) => {
      const done = await protect(options, 'passphrase')
      if (done) say(done)
    })
}
