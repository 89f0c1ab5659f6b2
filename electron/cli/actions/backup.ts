import path from 'node:path'
import { sizeText } from '../../../shared/size-text.ts'
import { backUpVaultFiles, type MadeBackup } from '../../host/upkeep/back-up.ts'
import type { Watch } from '../../host/work/background.ts'
import { sayIfLost } from '../terminal/broken-output.ts'
import { type Place, placeOf, say } from '../terminal/common.ts'
import { keyOfPlace } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { jobThere, sessionOf } from '../terminal/shared-vault.ts'
import { UsageError } from '../terminal/usage-error.ts'

export async function backUp(options: {
  dataDir?: string
  vault: string
  out?: string
  json?: true
}): Promise<void> {
  if (options.out === '-') throw new UsageError('--out needs the name of a file.')
  const place = placeOf(options)
  const file = options.out === undefined ? undefined : path.resolve(options.out)
  const made = (await byHolder(place, file)) ?? (await byItself(place, file))
  sayIfLost(`The backup was made and verified: ${made.file}`)
  if (options.json) return say(JSON.stringify(made))
  say(`Backed up and verified: ${made.file} (${sizeText(made.bytes)})`)
}

/** The process that has the vault open makes it and records it; undefined where there is none that can be reached. */
async function byHolder(place: Place, file: string | undefined): Promise<MadeBackup | undefined> {
  const session = await sessionOf(place).catch(() => null)
  if (!session) return undefined
  const order = { name: 'host.backup', job: 'backup', input: { file } } as const
  return (await withProgress('Backing up', (watch) => jobThere(session, order, watch))) as MadeBackup
}

async function byItself(place: Place, file: string | undefined): Promise<MadeBackup> {
  using key = await keyOfPlace(place)
  const order = { dataDir: place.dataDir, name: place.vault, with: key, file }
  return await withProgress('Backing up', (watch: Watch) => backUpVaultFiles(order, watch))
}
