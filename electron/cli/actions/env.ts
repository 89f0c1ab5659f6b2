import type { Command } from 'commander'
import type { Lent } from '../../host/control/serve-control.ts'
import { claimantOf } from '../../host/files/claim.ts'
import { vaultExists, vaultFiles } from '../../host/files/vault-files.ts'
import { guidePath, hint, hintFor } from '../hint.ts'
import { type Place, placeOf, say } from '../terminal/common.ts'
import { existing } from '../terminal/open-vault.ts'
import { publishedUrl } from '../terminal/published-port.ts'
import { findInMemory, inMemoryOf } from '../terminal/shared-vault.ts'

/**
 * Prints the variables of a vault: the one on disk that is open or named, otherwise the one in memory, and the one in
 * memory on the port that was given. Throws `not_found` where the vault that was named does not exist.
 */
export async function printEnv(options: EnvOptions, command: Command): Promise<void> {
  const place = placeOf(options)
  const files = vaultFiles(place.dataDir, place.vault)
  const kept = options.ephemeral ? undefined : claimantOf(files.folder)?.url
  const isNamed = !options.ephemeral && command.getOptionValueSource('vault') !== 'default'
  if (isNamed) existing(place)
  const isPortGiven = command.getOptionValueSource('port') !== 'default'
  const port = isPortGiven ? options.port : undefined
  const mayBeInMemory = !isNamed && (kept === undefined || isPortGiven)
  const lent = mayBeInMemory ? await runningInMemory(place, port, options.ephemeral) : undefined
  const url = lent?.url ?? kept ?? `http://127.0.0.1:${options.port}`
  const shown = publishedUrl(url, options.publishedPort)
  const variables = variablesOf(shown, lent)
  if (options.json) return say(JSON.stringify(variables))
  say(`# Coffer, vault ${lent ? 'in memory' : place.vault}`)
  if (!lent && !vaultExists(files)) say(`# It does not exist yet. Create it with: ${hintFor(place, 'serve')}`)
  sayBlock(variables, lent ? null : place)
}

export type EnvOptions = {
  dataDir?: string
  vault: string
  port: number
  publishedPort?: number
  ephemeral?: true
  json?: true
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

function variablesOf(url: string, lent: Lent | undefined): Record<string, string> {
  return {
    COFFER_BASE_URL: url,
    COFFER_API_KEY: lent?.keys.private ?? '',
    ...(lent && { COFFER_PUBLIC_KEY: lent.keys.public, COFFER_MANAGEMENT_KEY: lent.keys.management }),
    COFFER_ELEMENTS: `${url}/elements.js`,
  }
}

/** Prints the variables with what helps to use them; `place` is that of a vault whose keys are not known. */
function sayBlock({ COFFER_ELEMENTS = '', ...variables }: Record<string, string>, place: Place | null): void {
  for (const [name, value] of Object.entries(variables)) {
    if (name === 'COFFER_API_KEY' && place) {
      const create = hintFor(place, 'keys', 'create', '--type', 'private')
      say(`# A key is shown only once, when it is created: ${create}`)
    }
    say(`${name}=${value}`)
  }
  const allow = hint('serve', '--cors-origin', 'http://localhost:3000')
  say(`# Elements, in a page whose origin is allowed (${allow}):`)
  say(`#   <script src="${COFFER_ELEMENTS}"></script>`)
  say(`# With a bundler, only in development, as ${guidePath('elements.md')} shows:`)
  say(`COFFER_ELEMENTS=${COFFER_ELEMENTS}`)
}
