import fs from 'node:fs'
import type { Command } from 'commander'
import { CofferError } from '../../../shared/errors.ts'
import { asHostedDetails } from '../../../shared/host/as-hosted.ts'
import { formatCommand } from '../hint.ts'
import { findInMemory, findSession, requireInMemory } from '../terminal/shared-vault.ts'
import { printLine, toVaultLocation, type VaultLocation } from '../terminal/vault-options.ts'
import type { EnvOptions } from './env.ts'

/**
 * Prints what makes the programs of a shell find a running Coffer under the names of the hosted service (rule H-05).
 * Throws `not_found` if no running Coffer answers them.
 */
export async function printHostedEnv(options: EnvOptions, command: Command): Promise<void> {
  const { shell_file, chromium } = await fetchAccess(toVaultLocation(options), options, command)
  if (options.json) return printLine(JSON.stringify({ shell_file, chromium }))
  printLine('# Programs of this shell find Coffer under the names of the hosted service, while Coffer runs.')
  printLine(`# For the present shell: eval "$(${formatCommand('env', '--as-hosted')})"`)
  printLine(fs.readFileSync(shell_file, 'utf8').trimEnd())
  printLine('# A Chromium with a profile of its own finds it with these arguments:')
  for (const argument of chromium) printLine(`#   '${argument}'`)
}

async function fetchAccess(
  location: VaultLocation,
  { ephemeral, port }: EnvOptions,
  command: Command,
): Promise<{ shell_file: string; chromium: string[] }> {
  const chosenPort = command.getOptionValueSource('port') === 'default' ? undefined : port
  const session = ephemeral
    ? await requireInMemory(location, chosenPort)
    : ((await findSession(location)) ?? (await findInMemory(location, chosenPort)))
  try {
    const { access } = asHostedDetails.parse((await session?.call('host.asHosted', {})) ?? NOTHING)
    if (access) return access
  } finally {
    session?.close()
  }
  throw new CofferError(
    'not_found',
    `No running Coffer answers the names of the hosted service. Start one with: ${formatCommand('serve', '--as-hosted')}`,
  )
}

const NOTHING = { access: null, connections: [] }
