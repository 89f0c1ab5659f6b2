import type { Command } from 'commander'
import type { EphemeralVaultKeys } from '../../host/control/serve-control.ts'
import { getVaultFiles, vaultExists } from '../../host/files/vault-files.ts'
import { findLockHolder } from '../../host/files/vault-lock.ts'
import { formatCommand, formatVaultCommand, getGuidePath } from '../hint.ts'
import { type EnvFormat, type EnvFormatName, envFormatNames, envFormats } from '../terminal/env-formats.ts'
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
  const { url, ephemeral } = await findServed(location, options, command)
  const shownUrl = publishedUrl(url, options.publishedPort)
  const name = envFormatNames.find((each) => options[each])
  const format = name && envFormats[name]
  const variables = format
    ? createProgramVariables(format, shownUrl, ephemeral)
    : createVariables(shownUrl, ephemeral)
  if (options.json) return printLine(JSON.stringify(variables))
  const vault = ephemeral ? 'in-memory vault' : `vault ${location.vault}`
  printLine(`# Coffer, ${vault}${format ? `, for ${format.file}` : ''}`)
  if (!ephemeral && !vaultExists(getVaultFiles(location.dataDir, location.vault)))
    printLine(`# It does not exist yet. Create it with: ${formatVaultCommand(location, 'serve')}`)
  if (format) printProgramBlock(format, variables, shownUrl, ephemeral ? null : location)
  else printBlock(variables, ephemeral ? null : location)
}

/** Finds the vault whose variables to print: its address, and the keys of an in-memory vault. */
async function findServed(
  location: VaultLocation,
  options: EnvOptions,
  command: Command,
): Promise<{ url: string; ephemeral: EphemeralVaultKeys | undefined }> {
  const { folder } = getVaultFiles(location.dataDir, location.vault)
  const hostUrl = options.ephemeral ? undefined : findLockHolder(folder)?.url
  const isVaultSet = !options.ephemeral && command.getOptionValueSource('vault') !== 'default'
  if (isVaultSet) requireExisting(location)
  const isPortSet = command.getOptionValueSource('port') !== 'default'
  const port = isPortSet ? options.port : undefined
  const mayBeInMemory = !isVaultSet && (hostUrl === undefined || isPortSet)
  const ephemeral = mayBeInMemory ? await findRunningInMemory(location, port, options.ephemeral) : undefined
  return { url: ephemeral?.url ?? hostUrl ?? `http://127.0.0.1:${options.port}`, ephemeral }
}

export type EnvOptions = {
  dataDir?: string
  vault: string
  port: number
  publishedPort?: number
  ephemeral?: true
  asHosted?: true
  json?: true
} & { readonly [Format in EnvFormatName]?: true }

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
  printLine('# A whole checkout with its own keys, page and server code: New checkout in the window')
}

function createProgramVariables(
  { variables }: EnvFormat,
  url: string,
  ephemeral: EphemeralVaultKeys | undefined,
): Record<string, string> {
  const values = { url, management: '', private: '', public: '', ...ephemeral?.keys }
  return Object.fromEntries(Object.entries(variables).map(([name, source]) => [name, values[source]]))
}

/** Prints the variables of one kind of program. `location` is that of a vault on disk, whose keys are not known. */
function printProgramBlock(
  { variables, script, origin }: EnvFormat,
  values: Readonly<Record<string, string>>,
  url: string,
  location: VaultLocation | null,
): void {
  const types = new Set(Object.values(variables).filter((source) => source !== 'url'))
  if (location) {
    printLine('# A key is shown only once, when it is created:')
    for (const type of types)
      printLine(`#   ${formatVaultCommand(location, 'keys', 'create', '--type', type)}`)
  }
  for (const [name, value] of Object.entries(values)) printLine(`${name}=${value}`)
  if (script === undefined || origin === undefined) return
  printLine(`# The page may load Elements after: ${formatCommand('serve', '--cors-origin', origin)}`)
  printLine(`# The script tag goes ${script}:`)
  printLine(`#   <script src="${url}/elements.js"></script>`)
}
