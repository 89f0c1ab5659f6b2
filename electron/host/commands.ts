import type { Reply } from '../../shared/client.ts'
import { CofferError, toProblem } from '../../shared/errors.ts'
import { type HostCommands, hostCommands } from '../../shared/host.ts'
import { parsed } from '../../shared/validation.ts'
import { z } from '../../shared/zod.ts'
import { toCofferError } from '../engine/db/storage-error.ts'
import { type Caller, owner } from '../engine/door/call.ts'
import { isIncident } from '../engine/door/incident.ts'
import { unlocked } from '../engine/door/locked.ts'
import { operationNamed } from '../engine/operations.ts'
import { openApi } from '../http/openapi.ts'
import type { Host } from './host.ts'
import { sendRequest } from './send-request.ts'
import { verifyBackup } from './upkeep/verify-backup.ts'

const windowCall = z.strictObject({
  name: z.string().max(100),
  input: z.unknown().prefault({}),
  as: z.string().max(100).optional(),
  trace_id: z.uuid().optional(),
})

type Commands = HostCommands['host']
type Handlers = {
  [Name in keyof Commands]: (
    host: Host,
    input: z.output<Commands[Name]['input']>,
  ) => z.output<Commands[Name]['output']> | Promise<z.output<Commands[Name]['output']>>
}

const handlers: Handlers = {
  status: (host) => host.status(),
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
    unlocked(host.engine()).acceptClock()
    return {}
  },
  listenerOn: (host, input) => host.listenerOn(input),
  listenerOff: (host) => host.listenerOff(),
  async openApi(host) {
    const { listener, settings } = await host.status()
    return openApi(listener.state === 'on' ? listener.url : `http://127.0.0.1:${settings.port}`)
  },
  request: async (host, input) => sendRequest((await host.status()).listener, input),
  faults: (host) => host.faults(),
  setFaults: (host, input) => host.setFaults(input),
  updateSettings: (host, input) => host.updateSettings(input),
  copySecret: (host, input) => host.copySecret(input),
  backup: (host, input) => host.upkeep.backUp(input),
  listBackups: (host, input) => ({ backups: host.upkeep.listBackups(input) }),
  firstSteps: (host) => host.firstSteps(),
  async removeBackup(host, input) {
    await host.upkeep.removeBackup(input)
    return {}
  },
  verifyBackup: (host, input) => host.jobs.run('verify', (watch) => verifyBackup(input, watch)),
  previewRestore: (host, input) => host.broughtBack(input),
  async restore(host, input) {
    await host.restore(input)
    return {}
  },
  async rotateDataKey(host) {
    await host.upkeep.rotateDataKey()
    return {}
  },
  dataKey: (host) => host.upkeep.dataKey(),
  draftRecoveryKey: (host, input) => host.upkeep.draftRecoveryKey(input),
  async rotateMaster(host, input) {
    await host.upkeep.rotateMaster(input)
    return {}
  },
  async changeProtection(host, input) {
    await host.upkeep.changeProtection(input)
    return {}
  },
  async newRecoveryKey(host, input) {
    await host.upkeep.newRecoveryKey(input)
    return {}
  },
  previewImport: (host, input) => host.transfer.preview(input),
  importTokens: (host, input) => host.transfer.importText(input),
  exportTokens: (host, input) => host.transfer.exportText(input),
  selectTokens: (host, input) => host.bulk.select(input),
  selectedIds: (host, input) => host.bulk.copied(input),
  changeTokens: (host, input) => host.bulk.change(input),
  cancel(host, { job }) {
    host.jobs.cancel(job)
    return {}
  },
  checkCode: async (host, { code }) => ({ problem: await host.reactors.check(code) }),
  tryReactor: (host, input) => host.reactors.try(unlocked(host.engine()), input),
  stopReactor(host) {
    host.reactors.stopTrying()
    return {}
  },
  reactorPackages: (host) => ({ packages: host.reactorPackages() }),
  beginUpload: (host, input) => host.documents.begin(input),
  sendPiece: (host, input) => host.documents.take(input),
  endUpload(host, { upload }) {
    host.documents.end(upload)
    return {}
  },
  revealDocument: (host, input) => host.documents.reveal(input),
  readPiece: (host, input) => host.documents.read(input),
  mayCall: (host, { url }) => ({ allowed: host.mayCall(url) }),
  async signingKeys(host) {
    const engine = unlocked(host.engine())
    await engine.outbox.publicKeys()
    return { keys: await engine.as(owner).webhooks.listSigningKeys() }
  },
  async beginSigningKeyRotation(host) {
    await unlocked(host.engine()).outbox.beginKeyRotation()
    return {}
  },
  finishSigningKeyRotation(host) {
    unlocked(host.engine()).outbox.finishKeyRotation()
    return {}
  },
  incidents: (host) => host.incidents.look(),
  reportPage(host, input) {
    host.incidents.reportPage(input)
    return {}
  },
}

const PREFIX = 'host.'

/**
 * Runs a call from a window, over any transport: `host.…` is a host command, everything else an operation, called as
 * the owner or, with `as`, through an application's key. Never throws: errors are returned as values.
 */
export async function runCommand(host: Host, call: unknown): Promise<Reply> {
  let where = 'window'
  try {
    const { name, input, as, trace_id } = parsed(windowCall, call)
    // Polling the status does not count as activity.
    if (name !== 'host.status') host.touch()
    where = name
    if (name.startsWith(PREFIX)) {
      return { ok: true, output: await runHostCommand(host, name.slice(PREFIX.length), input), headers: {} }
    }
    // SECURITY: reachable only through `host.exportTokens`, which asks the owner to confirm plaintext.
    if (name === 'tokens.exportMany') throw new CofferError('not_found', 'There is no such command.')
    // SECURITY: the steps around running code hand over plaintext, for the code alone.
    if (operationNamed(name)?.runs) throw new CofferError('not_found', 'There is no such command.')
    const engine = unlocked(host.engine())
    const caller: Caller = as === undefined ? owner : { kind: 'as', application_id: as }
    const { output, headers } = await engine.call(name, input, caller, { trace_id })
    return { ok: true, output, headers }
  } catch (error) {
    const refusal = toCofferError(error)
    // `where` is safe to record: an unknown name is refused, and a refusal is no incident.
    if (isIncident(refusal)) host.report(refusal, where)
    // Only the owner learns which permission is missing.
    const { missing } = refusal
    return { ok: false, problem: { ...toProblem(refusal), ...(missing && { missing }) } }
  }
}

async function runHostCommand(host: Host, name: string, input: unknown): Promise<unknown> {
  // SECURITY: own members only, so that `constructor` is not a command.
  if (!Object.hasOwn(handlers, name)) throw new CofferError('not_found', 'There is no such command.')
  return run(host, name as keyof Commands, input)
}

async function run<Name extends keyof Commands>(host: Host, name: Name, input: unknown): Promise<unknown> {
  const command = hostCommands().host[name]
  const given = parsed(command.input, input) as z.output<Commands[Name]['input']>
  return command.output.parse(await handlers[name](host, given))
}
