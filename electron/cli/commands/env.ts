import { Command, Option } from 'commander'
import { claimantOf } from '../../host/files/claim.ts'
import { vaultFiles } from '../../host/files/vault-files.ts'
import { hintFor } from '../hint.ts'
import { defaultPort, parsePort, placeOf, say, withPlace } from '../terminal/common.ts'
import { publishedPortOption, publishedUrl } from '../terminal/published-port.ts'

/** `coffer env`: prints a `.env` block that points programs at the vault. */
export function envCommand(): Command {
  return withPlace(new Command('env'))
    .description('Print a .env block with the base URL, and the line for pages with Elements')
    .addOption(
      new Option('--port <port>', 'port to print if the vault is not open anywhere')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .addOption(publishedPortOption())
    .addHelpText('after', '\nExamples:\n  coffer env >> .env')
    .action((options: { dataDir?: string; vault: string; port: number; publishedPort?: number }) => {
      const place = placeOf(options)
      const { folder } = vaultFiles(place.dataDir, place.vault)
      const own = claimantOf(folder)?.url ?? `http://127.0.0.1:${options.port}`
      const url = publishedUrl(own, options.publishedPort)
      say(`# Coffer, vault ${place.vault}`)
      say(`COFFER_BASE_URL=${url}`)
      say(
        `# A key is shown only once, when it is created: ${hintFor(place, 'keys', 'create', '--type', 'private')}`,
      )
      say('COFFER_API_KEY=')
      say('# Elements, in a page whose origin is allowed (coffer serve --cors-origin http://localhost:3000):')
      say(`#   <script src="${url}/elements.js"></script>`)
      say('# With a bundler, only in development, as docs/elements.md shows:')
      say(`COFFER_ELEMENTS=${url}/elements.js`)
    })
}
