import type { Reply } from '../../shared/client.ts'
import { CofferError, toProblem } from '../../shared/errors.ts'
import {
  type CommandInput,
  type CommandOutput,
  getHostCommands,
  type HostCommandMap,
} from '../../shared/host/commands.ts'
import { parseInput } from '../../shared/validation.ts'
import { z } from '../../shared/zod.ts'
import {
  type Caller,
  findOperation,
  isIncident,
  owner,
  requireUnlocked,
  toCofferError,
} from '../engine/index.ts'
import { openApi } from '../http/openapi.ts'
import type { Host } from './host.ts'
import { verifyBackup } from './maintenance/verify-backup.ts'
import { sendRequest } from './send-request.ts'

const windowCall = z.strictObject({
  name: z.string().max(100),
  input: z.unknown().prefault({}),
  as: z.string().max(100).optional(),
  trace_id: z.uuid().optional(),
})

type CommandHandlers = {
  [Name in keyof HostCommandMap]: (
    host: Host,
    input: CommandInput<Name>,
  ) => CommandOutput<Name> | Promise<CommandOutput<Name>>
}

const handlers: CommandHandlers = {
  status: (host) => host.readStatus(),
  createVault: (host, input) => host.createVault(input),
  async unlock(host, input) {
    await host.unlock(input)
    return {}
  },
  lock(host) {
    host.lock()
    return {}
  },
  deleteVault: (host, input) => host.deleteVault(input),
  acceptClock(host) {
    requireUnlocked(host.getEngine()).clock.acceptTime()
    return {}
  },
  listenerOn: (host, input) => host.listenerOn(input),
  listenerOff: (host) => host.listenerOff(),
  async openApi(host) {
    const { listener, settings } = await host.readStatus()
    return openApi(listener.state === 'on' ? listener.url : `http://127.0.0.1:${settings.port}`)
  },
  request: async (host, input) => sendRequest((await host.readStatus()).listener, input),
  faults: (host) => host.getFaults(),
  setFaults: (host, input) => host.setFaults(input),
  updateSettings: (host, input) => host.updateSettings(input),
  copySecret: (host, input) => host.copySecret(input),
  backup: (host, input) => host.maintenance.backUp(input),
  listBackups: (host, input) => ({ backups: host.maintenance.listBackups(input) }),
  firstSteps: (host) => host.firstSteps(),
  async removeBackup(host, input) {
    await host.maintenance.removeBackup(input)
    return {}
  },
  verifyBackup: (host, input) => host.jobs.runJob('verify', (watch) => verifyBackup(input, watch)),
  previewRestore: (host, input) => host.previewRestore(input),
  async restore(host, input) {
    await host.restoreBackup(input)
    return {}
  },
  async rotateDataKey(host) {
    await host.maintenance.rotateDataKey()
    return {}
  },
  dataKey: (host) => host.maintenance.getDataKey(),
  draftRecoveryKey: (host, input) => host.maintenance.draftRecoveryKey(input),
  async rotateMaster(host, input) {
    await host.maintenance.rotateMaster(input)
    return {}
  },
  async changeProtection(host, input) {
    await host.maintenance.changeProtection(input)
    return {}
  },
  async newRecoveryKey(host, input) {
    await host.maintenance.newRecoveryKey(input)
    return {}
  },
  previewImport: (host, input) => host.transfer.previewImport(input),
  importTokens: (host, input) => host.transfer.importText(input),
  exportTokens: (host, input) => host.transfer.exportText(input),
  selectTokens: (host, input) => host.bulk.selectTokens(input),
  selectedIds: (host, input) => host.bulk.selectedIds(input),
  changeTokens: (host, input) => host.bulk.changeTokens(input),
  cancel(host, { job }) {
    host.jobs.cancelJob(job)
    return {}
  },
  checkCode: async (host, { code }) => ({ problem: await host.reactors.checkSyntax(code) }),
  tryReactor: (host, input) => host.reactors.testReactor(requireUnlocked(host.getEngine()), input),
  tryProxy: (host, input) => host.proxies.testProxy(requireUnlocked(host.getEngine()), input),
  stopReactor(host) {
    host.reactors.stopTest()
    return {}
  },
  reactorPackages: (host) => ({ packages: host.reactorPackages() }),
  beginUpload: (host, input) => host.documents.startUpload(input),
  sendPiece: (host, input) => host.documents.receiveChunk(input),
  endUpload(host, { upload }) {
    host.documents.endUpload(upload)
    return {}
  },
  revealDocument: (host, input) => host.documents.revealDocument(input),
  readPiece: (host, input) => host.documents.readNextChunk(input),
  mayCall: (host, { url }) => ({ allowed: host.mayCall(url) }),
  async signingKeys(host) {
    const engine = requireUnlocked(host.getEngine())
    await engine.outbox.getPublicKeys()
    return { keys: await engine.as(owner).webhooks.listSigningKeys() }
  },
  async beginSigningKeyRotation(host) {
    await requireUnlocked(host.getEngine()).outbox.startKeyRotation()
    return {}
  },
  finishSigningKeyRotation(host) {
    requireUnlocked(host.getEngine()).outbox.finishKeyRotation()
    return {}
  },
  incidents: (host) => host.incidents.readReport(),
  reportPage(host, input) {
    host.incidents.reportPage(input)
    return {}
  },
}

const PREFIX = 'host.'

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
  // SECURITY: own properties only, so that `constructor` is not a command.
  if (!Object.hasOwn(handlers, name)) throw new CofferError('not_found', 'There is no such command.')
  return callHandler(host, name as keyof HostCommandMap, input)
}

async function callHandler<Name extends keyof HostCommandMap>(
  host: Host,
  name: Name,
  input: unknown,
): Promise<unknown> {
  const command = getHostCommands().host[name]
  const commandInput = parseInput(command.input, input) as CommandInput<Name>
  return command.output.parse(await handlers[name](host, commandInput))
}
