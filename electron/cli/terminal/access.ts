import type { Command } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import type { ApplicationType } from '../../../shared/permissions.ts'
import type { ControlSession } from '../../host/control/control-session.ts'
import { formatCommand, formatVaultCommand } from '../hint.ts'
import { chooseApplication } from './choose-application.ts'
import type { InMemory } from './in-memory.ts'
import type { NeededKey } from './needed-key.ts'
import { findInMemory, findSession, findSessionAt, requireInMemory } from './shared-vault.ts'
import { UsageError } from './usage-error.ts'
import { toVaultLocation, type VaultLocation } from './vault-options.ts'
import { assertBaseUrl } from './web-address.ts'

/** A running Coffer and a key for it. Disposing makes a borrowed key invalid. */
export type ServerAccess = Disposable & {
  readonly url: string
  readonly key: string
  /** The application whose rights are borrowed. */
  readonly application?: string
}

export type AccessOptions = InMemory & {
  readonly dataDir?: string
  readonly vault: string
  readonly url?: string
  readonly key?: string
  readonly as?: string
}

const environmentKeys = {
  private: 'COFFER_API_KEY',
  public: 'COFFER_PUBLIC_KEY',
  management: 'COFFER_MANAGEMENT_KEY',
} as const satisfies Record<ApplicationType, string>

/**
 * Finds the Coffer that the options select, and a key: that of the options or the environment, or else the rights of an
 * application, borrowed from a Coffer of this user. Throws a usage error if there is no key, `not_found` if nothing
 * runs or no application fits, and `conflict` if several match or the listener is off.
 */
export async function openAccess(
  options: AccessOptions,
  command: Command,
  needed: NeededKey,
): Promise<ServerAccess> {
  const isVaultChosen = ['vault', 'dataDir', 'ephemeral', 'port'].some(
    (name) => command.getOptionValueSource(name) === 'cli',
  )
  const isUrlChosen = command.getOptionValueSource('url') === 'cli'
  const url = isVaultChosen && !isUrlChosen ? undefined : options.url
  if (url !== undefined) assertBaseUrl(url)
  const mayUseEnvironment = options.as === undefined && !isVaultChosen
  const key = options.key ?? (mayUseEnvironment ? process.env[environmentKeys[needed.type]] : undefined)
  if (url !== undefined && key !== undefined) return { url, key, [Symbol.dispose]() {} }
  const location = toVaultLocation(options)
  const session =
    url === undefined
      ? await requireRunning(location, options, command.getOptionValueSource('vault') !== 'default')
      : await findSessionAt(location.dataDir, url)
  if (!session) throw createNoKeyError(url ?? '', needed)
  try {
    const foundUrl = url ?? requireUrl(session)
    const close = { [Symbol.dispose]: () => session.close() }
    if (key !== undefined) return { url: foundUrl, key, ...close }
    if (needed.isLasting) return { url: foundUrl, key: await requireLastingKey(session, needed), ...close }
    const { id, name } = await chooseApplication(session, options.as, needed)
    return { url: foundUrl, key: await session.borrowKey(id), application: name, ...close }
  } catch (error) {
    session.close()
    throw error
  }
}

/** Returns a key that stays valid: that of a starter application of an in-memory vault. Throws a usage error otherwise. */
async function requireLastingKey(session: ControlSession, { type }: NeededKey): Promise<string> {
  const ephemeral = await session.fetchEphemeralKeys()
  if (ephemeral) return ephemeral.keys[type]
  throw new UsageError(
    `The run goes on after the request, and the rights of an application are borrowed only for the request. Pass a key with --key or ${environmentKeys[type]}.`,
  )
}

function createNoKeyError(url: string, { type }: NeededKey): UsageError {
  return new UsageError(
    `Pass a ${type} key for ${url} with --key or ${environmentKeys[type]}. To create one: ${formatCommand('keys', 'create', '--type', type)}`,
  )
}

/**
 * Connects to the open vault that the options name or, without a name, to the running in-memory vault. Returns null if
 * neither is running.
 */
export async function findRunning(
  location: VaultLocation,
  { ephemeral, port }: InMemory,
  isVaultNamed: boolean,
): Promise<ControlSession | null> {
  if (ephemeral || port !== undefined) return requireInMemory(location, port)
  return (await findSession(location)) ?? (isVaultNamed ? null : findInMemory(location, undefined))
}

/** Like `findRunning`, but throws `not_found` with the command that opens the vault. */
export async function requireRunning(
  location: VaultLocation,
  inMemory: InMemory,
  isVaultNamed: boolean,
): Promise<ControlSession> {
  const session = await findRunning(location, inMemory, isVaultNamed)
  if (session) return session
  throw new CofferError(
    'not_found',
    `The vault ${location.vault} is not open in coffer serve or in the window. Open it with: ${formatVaultCommand(location, 'serve')}`,
  )
}

function requireUrl({ greeting: { url, command, pid } }: ControlSession): string {
  if (url !== null) return url
  throw new CofferError(
    'conflict',
    `The vault is open in ${command} (process ${pid}), but its listener is off. Start the listener in the window.`,
  )
}
