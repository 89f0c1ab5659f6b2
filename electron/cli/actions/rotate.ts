import { rotateDataKey } from '../../host/upkeep/rotate-data-key.ts'
import { rotateMaster } from '../../host/upkeep/rotate-master.ts'
import { type Place, placeOf, say } from '../terminal/common.ts'
import { presentProtection } from '../terminal/new-protection.ts'
import { openExisting, unlockExisting } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { jobThere, sessionOf } from '../terminal/shared-vault.ts'
import { showNewRecoveryKey } from './recovery-key.ts'

export async function rotateData(options: Options): Promise<void> {
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
}

export async function rotateMasterSecret(options: Options & { renewFingerprints?: true }): Promise<void> {
  const { credential, ...opened } = await unlockExisting(placeOf(options))
  await using vault = opened.vault
  const protection = await presentProtection(vault, credential)
  const recovery_key = await showNewRecoveryKey({ rotated: 'master' }, options.json)
  await withProgress('Changing the master secret', (watch) =>
    rotateMaster(vault, protection, watch, recovery_key, { fingerprints: options.renewFingerprints }),
  )
  if (!options.json) say('The vault has a new master secret, and the new recovery key is valid.')
}

export async function rotateSigningKeyStep(options: Options & { finish?: true }): Promise<void> {
  await rotateSigningKey(placeOf(options), options.finish === true)
  if (options.json)
    return say(JSON.stringify({ rotated: 'signing-key', state: options.finish ? 'signs' : 'published' }))
  say(
    options.finish
      ? 'Events are signed with the new key. The old one is gone.'
      : 'A new key is published beside the one that signs. To sign with it: coffer rotate signing-key --finish',
  )
}

export type Options = { dataDir?: string; vault: string; json?: true }

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
