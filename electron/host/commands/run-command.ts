import type { Reply } from '../../../shared/client.ts'
import { CofferError, toProblem } from '../../../shared/errors.ts'
import { parseInput } from '../../../shared/validation.ts'
import { z } from '../../../shared/zod.ts'
import {
  type Caller,
  findOperation,
  isIncident,
  owner,
  requireUnlocked,
  toCofferError,
} from '../../engine/index.ts'
import type { Host } from '../host.ts'
import type { HostCommands } from './catalogue.ts'
import type { HostCommand } from './command.ts'

const windowCall = z.strictObject({
  name: z.string().max(100),
  input: z.unknown().prefault({}),
  as: z.string().max(100).optional(),
  trace_id: z.uuid().optional(),
})

const PREFIX = 'host.'
/** Loaded by the first call: startup needs neither the schemas nor what the commands import. */
let commands: HostCommands['host'] | undefined

/**
 * Runs a call from a window, over any transport. `host.…` is a host command. Everything else is an operation, called
 * as the owner or, with `as`, through an application's key. Never throws: errors are returned as values.
 */
export async function runCommand(host: Host, call: unknown): Promise<Reply> {
  let where = 'window'
  try {
    const { name, input, as, trace_id } = parseInput(windowCall, call)
    // Polling the status does not count as activity.
    if (name !== 'host.status') host.markActivity()
    where = name
    if (name.startsWith(PREFIX)) {
      return { ok: true, output: await runHostCommand(host, name.slice(PREFIX.length), input), headers: {} }
    }
    // SECURITY: reachable only through `host.exportTokens`, which asks the owner to confirm plaintext.
    if (name === 'tokens.exportMany') throw new CofferError('not_found', 'There is no such command.')
    // SECURITY: the operations around a code run return plaintext, which is meant for the code alone.
    if (findOperation(name)?.runs) throw new CofferError('not_found', 'There is no such command.')
    const engine = requireUnlocked(host.getEngine())
    const caller: Caller = as === undefined ? owner : { kind: 'as', application_id: as }
    const { output, headers } = await engine.call(name, input, caller, { trace_id })
    return { ok: true, output, headers }
  } catch (error) {
    const failure = toCofferError(error)
    // `where` can be recorded, because it is a known name: an unknown name is rejected, and a rejection is not an
    // incident.
    if (isIncident(failure)) host.reportIncident(failure, where)
    // Only the owner may learn which permission is missing.
    const { missing } = failure
    return { ok: false, problem: { ...toProblem(failure), ...(missing && { missing }) } }
  }
}

async function runHostCommand(host: Host, name: string, input: unknown): Promise<unknown> {
  commands ??= (await import('./catalogue.ts')).hostCommands.host
  // SECURITY: own properties only, so that `constructor` is not a command.
  if (!Object.hasOwn(commands, name)) throw new CofferError('not_found', 'There is no such command.')
  const command: HostCommand = commands[name as keyof typeof commands]
  return command.output.parse(await command.handler(host, parseInput(command.input, input)))
}
