import { Command } from 'commander'
import { rotateDataKey } from '../../host/upkeep/rotate-data-key.ts'
import { rotateMaster } from '../../host/upkeep/rotate-master.ts'
import { type Place, placeOf, say, withPlace } from '../terminal/common.ts'
import { presentProtection } from '../terminal/new-protection.ts'
import { openExisting, unlockExisting, whileStopped } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { jobThere, sessionOf } from '../terminal/shared-vault.ts'
import { showNewRecoveryKey } from './recovery-key.ts'

type Options = { dataDir?: string; vault: string; json?: true }

/** `coffer rotate`: gives a vault new keys. */
export function rotateCommand(): Command {
  return new Command('rotate')
    .description('Give a vault new keys')
    .addHelpText(
      'after',
      '\nExamples:\n  coffer rotate data\n  coffer rotate master\n  coffer rotate signing-key',
    )
    .addCommand(dataCommand())
    .addCommand(masterCommand())
    .addCommand(signingKeyCommand())
}

function dataCommand(): Command {
  return withPlace(new Command('data'))
    .description('Reseal every value under a new data key')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer rotate data

If it is interrupted, by Ctrl-C or a crash, nothing is lost. Run it again to finish.
The vault may be open in coffer serve or in the window.`,
    )
    .action(async (options: Options) => {
      const place = placeOf(options)
      const session = await sessionOf(place)
      if (session) {
        const order = { name: 'host.rotateDataKey', job: 'rotate data key' } as const
        await withProgress('Resealing', (watch) => jobThere(session, order, watch))
      } else {
        await using vault = await openExisting(place)
        await withProgress('Resealing', (watch) => rotateDataKey(vault, watch))
      }
      if (options.json) return say(JSON.stringify({ rotated: 'data' }))
      say('Every value is sealed under a new data key. The old one is gone.')
    })
}

function masterCommand(): Command {
  return withPlace(new Command('master'))
    .description('Create a new master secret, database key, index key and recovery key')
    .option('--renew-fingerprints', 'also create a new fingerprint key: every fingerprint changes')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer rotate master

The keychain, or the passphrase that opened the vault, still protects it. If its recovery key opened it, the vault
gets a new passphrase (COFFER_NEW_PASSPHRASE). The old recovery key opens only older backups.

Cursors handed out before no longer work. Fingerprints stay as they are, because programs may have stored them. Renew
them only if somebody may have the vault's file together with what opens it; stored fingerprints then match nothing.
${whileStopped}`,
    )
    .action(async (options: Options & { renewFingerprints?: true }) => {
      const { credential, ...opened } = await unlockExisting(placeOf(options))
      await using vault = opened.vault
      const protection = await presentProtection(vault, credential)
      const recovery_key = await showNewRecoveryKey({ rotated: 'master' }, options.json)
      await withProgress('Changing the master secret', (watch) =>
        rotateMaster(vault, protection, watch, recovery_key, { fingerprints: options.renewFingerprints }),
      )
      if (!options.json) say('The vault has a new master secret, and the new recovery key is valid.')
    })
}

function signingKeyCommand(): Command {
  return withPlace(new Command('signing-key'))
    .description('Change the key that signs events for webhooks, in two steps')
    .option('--finish', 'sign with the new key from now on, and delete the old one')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer rotate signing-key
  coffer rotate signing-key --finish

The first step publishes a new key beside the one that signs, at /.well-known/webhooks.v1.key. Take the second one
when every program that verifies signatures has read that page again.
The vault may be open in coffer serve or in the window.`,
    )
    .action(async (options: Options & { finish?: true }) => {
      await rotateSigningKey(placeOf(options), options.finish === true)
      if (options.json)
        return say(JSON.stringify({ rotated: 'signing-key', state: options.finish ? 'signs' : 'published' }))
      say(
        options.finish
          ? 'Events are signed with the new key. The old one is gone.'
          : 'A new key is published beside the one that signs. To sign with it: coffer rotate signing-key --finish',
      )
    })
}

async function rotateSigningKey(place: Place, finish: boolean): Promise<void> {
  const session = await sessionOf(place)
  if (session) {
    try {
      await session.call(finish ? 'host.finishSigningKeyRotation' : 'host.beginSigningKeyRotation', {})
    } finally {
      session.close()
    }
    return
  }
  await using vault = await openExisting(place)
  const { outbox } = vault.engine
  if (finish) outbox.finishKeyRotation()
  else await outbox.beginKeyRotation()
}
