import { Command, Option } from 'commander'
import type { Lent } from '../../host/control/serve-control.ts'
import { claimantOf } from '../../host/files/claim.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { hintFor } from '../hint.ts'
import { defaultPort, type Place, parsePort, placeOf, say, withPlace } from '../terminal/common.ts'
import { publishedPortOption, publishedUrl } from '../terminal/published-port.ts'
import { findInMemory, inMemoryOf } from '../terminal/shared-vault.ts'

type EnvOptions = {
  dataDir?: string
  vault: string
  port: number
  publishedPort?: number
  ephemeral?: true
}

/** `coffer env`: prints a `.env` block that points programs at the vault. */
export function envCommand(): Command {
  return withPlace(new Command('env'))
    .description('Print a .env block with the base URL, and the line for pages with Elements')
    .addOption(
      new Option('--port <port>', 'port to print if the vault is not open anywhere; which vault in memory')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .addOption(publishedPortOption())
    .option('--ephemeral', 'print the vault in memory that is running, with its keys')
    .addHelpText(
      'after',
      `
Examples:
  coffer env >> .env
  coffer env --ephemeral --port 4748 > .env.test

A vault in memory, started by coffer serve --ephemeral with the same data folder, is printed with its keys; also
without --ephemeral, if the vault on disk is not open. On Windows its keys are known only where it was started.`,
    )
    .action(async (options: EnvOptions, command: Command) => {
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
    })
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
  say('# With a bundler, in development alone, as docs/elements.md shows:')
  say(`COFFER_ELEMENTS=${url}/elements.js`)
}
