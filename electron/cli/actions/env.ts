import type { Command } from 'commander'
import type { Lent } from '../../host/control/serve-control.ts'
import { claimantOf } from '../../host/files/claim.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { guidePath, hintFor } from '../hint.ts'
import { type Place, placeOf, say } from '../terminal/common.ts'
import { publishedUrl } from '../terminal/published-port.ts'
import { findInMemory, inMemoryOf } from '../terminal/shared-vault.ts'

export async function printEnv(options: EnvOptions, command: Command): Promise<void> {
  const place = placeOf(options)
  const { folder } = vaultFiles(place.dataDir, place.vault)
  const kept = options.ephemeral ? undefined : claimantOf(folder)?.url
  const isPortGiven = command.getOptionValueSource('port') !== 'default'
  const port = isPortGiven ? options.port : undefined
  const lent = kept === undefined ? await runningInMemory(place, port, options.ephemeral) : undefined
  const url = lent?.url ?? kept ?? `http://127.0.0.1:${options.port}`
  const shown = publishedUrl(url, options.publishedPort)
  if (lent) sayBlock('in memory', shown, lent)
  else sayBlock(place.vault, shown, place)
}

export type EnvOptions = {
  dataDir?: string
  vault: string
  port: number
  publishedPort?: number
  ephemeral?: true
}

/** The one vault in memory that is meant. Throws `not_found` where it must be there, `conflict` where several could be. */
async function runningInMemory(
  place: Place,
  port: number | undefined,
  isMust = false,
): Promise<Lent | undefined> {
  const session = isMust ? await inMemoryOf(place, port) : await findInMemory(place, port)
  try {
    return (await session?.lent()) ?? undefined
  } finally {
    session?.close()
  }
}

function sayBlock(vault: string, url: string, given: Lent | Place): void {
  say(`# Coffer, vault ${vault}`)
  say(`COFFER_BASE_URL=${url}`)
  if ('keys' in given) {
    say(`COFFER_API_KEY=${given.keys.private}`)
    say(`COFFER_PUBLIC_KEY=${given.keys.public}`)
    say(`COFFER_MANAGEMENT_KEY=${given.keys.management}`)
  } else {
    const create = hintFor(given, 'keys', 'create', '--type', 'private')
    say(`# A key is shown only once, when it is created: ${create}`)
    say('COFFER_API_KEY=')
  }
  say('# Elements, in a page whose origin is allowed (coffer serve --cors-origin http://localhost:3000):')
  say(`#   <script src="${url}/elements.js"></script>`)
  say(`# With a bundler, only in development, as ${guidePath('elements.md')} shows:`)
  say(`COFFER_ELEMENTS=${url}/elements.js`)
}
