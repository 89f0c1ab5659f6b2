import type { Command } from 'commander'
import type { EphemeralVaultKeys } from '../../host/control/serve-control.ts'
import { getVaultFiles, vaultExists } from '../../host/files/vault-files.ts'
import { findLockHolder } from '../../host/files/vault-lock.ts'
import { formatCommand, formatVaultCommand, getGuidePath } from '../hint.ts'
import { requireExisting } from '../terminal/open-vault.ts'
import { publishedUrl } from '../terminal/published-port.ts'
import { findInMemory, requireInMemory } from '../terminal/shared-vault.ts'
import { printLine, toVaultLocation, type VaultLocation } from '../terminal/vault-options.ts'

/**
 * Prints the variables of the vault on disk if `--vault` is set or that vault is open. Otherwise, prints those of the
 * running in-memory vault, if any. Without `--vault`, `--port` selects an in-memory vault even while a vault on disk is
 * open. Throws `not_found` if the named vault does not exist.
 */
export async function printEnv(options: EnvOptions, command: Command): Promise<void> {
  const location = toVaultLocation(options)
  const files = getVaultFiles(location.dataDir, location.vault)
  const hostUrl = options.ephemeral ? undefined : findLockHolder(files.folder)?.url
  const isVaultSet = !options.ephemeral && command.getOptionValueSource('vault') !== 'default'
  if (isVaultSet) requireExisting(location)
  const isPortSet = command.getOptionValueSource('port') !== 'default'
  const port = isPortSet ? options.port : undefined
  const mayBeInMemory = !isVaultSet && (hostUrl === undefined || isPortSet)
  const ephemeral = mayBeInMemory ? await findRunningInMemory(location, port, options.ephemeral) : undefined
  const url = ephemeral?.url ?? hostUrl ?? `http://127.0.0.1:${options.port}`
  const shownUrl = publishedUrl(url, options.publishedPort)
  const variables = createVariables(shownUrl, ephemeral)
  if (options.json) return printLine(JSON.stringify(variables))
  printLine(ephemeral ? '# Coffer, in-memory vault' : `# Coffer, vault ${location.vault}`)
  if (!ephemeral && !vaultExists(files))
    printLine(`# It does not exist yet. Create it with: ${formatVaultCommand(location, 'serve')}`)
  printBlock(variables, ephemeral ? null : location)
}

export type EnvOptions = {
  dataDir?: string
  vault: string
  port: number
  publishedPort?: number
  ephemeral?: true
  json?: true
}

/**
 * Returns the running in-memory vault. Throws `not_found` if it is required but not running, and `conflict` if
 * several match.
 */
async function findRunningInMemory(
  location: VaultLocation,
  port: number | undefined,
  isRequired = false,
): Promise<EphemeralVaultKeys | undefined> {
  const session = isRequired ? await requireInMemory(location, port) : await findInMemory(location, port)
  try {
    return (await session?.fetchEphemeralKeys()) ?? undefined
  } finally {
    session?.close()
  }
}

function createVariables(url: string, ephemeral: EphemeralVaultKeys | undefined): Record<string, string> {
  return {
    COFFER_BASE_URL: url,
    COFFER_API_KEY: ephemeral?.keys.private ?? '',
    ...(ephemeral && {
      COFFER_PUBLIC_KEY: ephemeral.keys.public,
      COFFER_MANAGEMENT_KEY: ephemeral.keys.management,
    }),
    COFFER_ELEMENTS: `${url}/elements.js`,
  }
}

/** Prints the variables with hints. `place` is the location of a vault on disk, whose keys are not known. */
function printBlock(
  { COFFER_ELEMENTS = '', ...variables }: Record<string, string>,
  location: VaultLocation | null,
): void {
  for (const [name, value] of Object.entries(variables)) {
    if (name === 'COFFER_API_KEY' && location) {
      const create = formatVaultCommand(location, 'keys', 'create', '--type', 'private')
      printLine(`# A key is shown only once, when it is created: ${create}`)
    }
    printLine(`${name}=${value}`)
  }
  const allow = formatCommand('serve', '--cors-origin', 'http://localhost:3000')
  printLine(`# Elements, in a page whose origin is allowed (${allow}):`)
  printLine(`#   <script src="${COFFER_ELEMENTS}"></script>`)
  printLine(`# With a bundler, only in development, as ${getGuidePath('elements.md')} shows:`)
  printLine(`COFFER_ELEMENTS=${COFFER_ELEMENTS}`)
}
