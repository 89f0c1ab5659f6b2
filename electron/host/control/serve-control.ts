import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import type { Reply } from '../../../shared/client.ts'
import { CofferError, toProblem } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host/events.ts'
import { readJson } from '../../../shared/json.ts'
import { exportQuery } from '../../../shared/schemas/token-export.ts'
import { parseInput } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { createLockedError, isIncident, owner, toCofferError } from '../../engine/index.ts'
import { runCommand } from '../commands/run-command.ts'
import { readProcessName } from '../files/vault-lock.ts'
import type { Host } from '../host.ts'
import { createCancelledError } from '../jobs/background.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { readLines } from './lines.ts'
import {
  type ControlRequest,
  computeProof,
  controlRequest,
  type Greeting,
  hello,
  MAX_REQUEST_BYTES,
  ownCalls,
  PROTOCOL,
} from './protocol.ts'
import { offerChangeKey, sealedChange, unsealChange } from './sealed-change.ts'
import { listenIn, NoSocket } from './socket-folder.ts'

/** The base URL and the keys of an in-memory vault. */
export type EphemeralVaultKeys = {
  readonly url: string
  readonly keys: { readonly management: string; readonly private: string; readonly public: string }
}

type ControlServerDeps = {
  readonly host: Host
  readonly getEphemeralKeys: () => EphemeralVaultKeys | null
  /** Called once the command has sent a valid hello. */
  readonly onHello: () => void
  readonly createLink: () => string | null
}

const MAX_CONNECTIONS = 32
/** The maximum number of calls of one command that run at the same time. */
const MAX_CONCURRENT_CALLS = 8
const HELLO_TIMEOUT_MS = 5000

/** SECURITY: only the host commands that the CLI needs. */
const hostCalls: ReadonlySet<string> = new Set([
  'host.beginSigningKeyRotation',
  'host.finishSigningKeyRotation',
  'host.cancel',
  'host.asHosted',
])

/**
 * SECURITY: operations with this prefix are excluded. Drafts hold request bodies in plaintext, and reading them leaves
 * no record.
 */
const DRAFTS_PREFIX = 'drafts.'

/** Long host commands, with the names of their jobs. */
const hostJobs: ReadonlyMap<string, JobName> = new Map([
  ['host.backup', 'backup'],
  ['host.rotateDataKey', 'rotate data key'],
])

/**
 * Opens this process's control socket, through which commands of the same user use the open vault. Resolves to a
 * function that closes it. If no socket can be opened, Coffer runs without one and a notice gives the reason.
 * `getEphemeralKeys` returns the keys of an in-memory vault for commands of the same user. They are never written to
 * disk. `createLink` returns a link that opens the console once.
 */
export async function openControlSocket(
  host: Host,
  getEphemeralKeys: ControlServerDeps['getEphemeralKeys'] = () => null,
  createLink: ControlServerDeps['createLink'] = () => null,
): Promise<() => void> {
  const connections = new Set<net.Socket>()
  /** Connections whose hello has not come, oldest first. */
  const unknown = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    // SECURITY: programs that connect and send nothing do not keep out a command of the owner (case X-66).
    if (connections.size >= MAX_CONNECTIONS) {
      const [cut = socket] = unknown
      cut.destroy()
      unknown.delete(cut)
      connections.delete(cut)
      if (cut === socket) return
    }
    connections.add(socket)
    unknown.add(socket)
    socket.on('close', () => {
      connections.delete(socket)
      unknown.delete(socket)
    })
    const onHello = () => unknown.delete(socket)
    new ControlConnection(socket, { host, getEphemeralKeys, createLink, onHello })
      .serve()
      .catch((error: unknown) => {
        socket.destroy()
        // Invalid input from another program is not an incident, and neither is a command that has exited.
        const failure = toCofferError(error)
        if (isIncident(failure) && !isSystemError(error)) host.reportIncident(failure, 'control socket')
      })
  })
  let remove: () => void
  try {
    remove = await listenIn(host.getStatus().data_dir, server)
  } catch (error) {
    if (!(error instanceof NoSocket)) throw error
    host.addNotice(`Commands such as coffer keys cannot reach this vault while it is open. ${error.message}`)
    return () => {}
  }
  server.unref()
  process.once('exit', remove)
  return () => {
    process.off('exit', remove)
    for (const each of connections) each.destroy()
    server.close()
    remove()
  }
}

class ControlConnection {
  readonly #socket: net.Socket
  readonly #deps: ControlServerDeps
  readonly #vault: OpenVault | null
  readonly #nonce = randomBytes(16).toString('hex')
  /** Called when the command disconnects, to end the jobs that it started. */
  readonly #cleanups = new Set<() => void>()
  #isProven = false
  /** The key that was offered for one change. */
  #offered: ReturnType<typeof offerChangeKey> | null = null
  /** The revealed document, whose content may be read because the reveal is recorded. */
  #revealed: string | null = null
  #working: ((done: number, total: number) => void) | null = null

  constructor(socket: net.Socket, deps: ControlServerDeps) {
    this.#socket = socket
    this.#deps = deps
    this.#vault = deps.host.openVault
  }

  async serve(): Promise<void> {
    const { listener, version } = this.#deps.host.getStatus()
    const vault = this.#vault
    const greeting: Greeting = {
      protocol: PROTOCOL,
      version,
      pid: process.pid,
      command: readProcessName(),
      url: listener.state === 'on' ? listener.url : null,
      vault: vault && {
        name: vault.name,
        tenant_id: vault.engine.tenant_id,
        in_memory: isEphemeral(vault),
      },
      nonce: this.#nonce,
    }
    this.#sendMessage(greeting)
    this.#socket.on('close', () => {
      for (const end of this.#cleanups) end()
    })
    await this.#readRequests(version)
  }

  async #readRequests(version: string): Promise<void> {
    const socket = this.#socket
    const timeout = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS)
    // Coffer may be stopping and must not wait for a closed connection.
    socket.on('close', () => clearTimeout(timeout))
    const running = new Set<Promise<void>>()
    let isKnown = false
    for await (const line of readLines(socket, MAX_REQUEST_BYTES)) {
      const message = parseLine(line)
      if (!isKnown) {
        clearTimeout(timeout)
        // SECURITY: a browser or another program that does not send a valid hello gets no reply.
        const { data } = hello.safeParse(message)
        if (data?.protocol !== PROTOCOL || data.version !== version) break
        isKnown = true
        this.#deps.onHello()
        continue
      }
      const { data } = controlRequest.safeParse(message)
      if (!data) break
      const run = this.#handleRequest(data).finally(() => running.delete(run))
      running.add(run)
      // A client that reads slowly, or calls too often, has to wait.
      if (running.size >= MAX_CONCURRENT_CALLS) await Promise.race(running)
      if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
    await Promise.all(running)
    socket.end()
  }

  async #handleRequest({ id, name, input }: ControlRequest): Promise<void> {
    let reply: Reply
    try {
      reply = await this.#runCall({ id, name, input })
    } catch (error) {
      const failure = toCofferError(error)
      if (isIncident(failure)) this.#deps.host.reportIncident(failure, `control socket: ${name}`)
      reply = { ok: false, problem: toProblem(failure) }
    }
    this.#sendMessage({ id, reply })
  }

  async #runCall({ id, name, input }: ControlRequest): Promise<Reply> {
    const { host } = this.#deps
    switch (name) {
      case 'control.prove':
        return toReply(this.#checkProof(parseInput(ownCalls.prove, input)))
      case 'control.lent':
        return toReply(this.#deps.getEphemeralKeys())
      case 'control.window':
        // SECURITY: the window can do more than a command, such as reveal plaintext.
        this.#assertProven()
        return toReply(this.#deps.createLink())
      case 'control.offer':
        return toReply(this.#offerChangeKey())
      case 'control.change':
        return this.#changeKeys(id, parseInput(sealedChange, input))
      case 'control.borrow':
        return toReply(this.#issueKey(parseInput(ownCalls.borrow, input)))
      case 'control.chunk':
        return toReply(this.#readChunk(parseInput(ownCalls.chunk, input)))
      case 'control.working':
        return toReply(this.#reportWork(parseInput(ownCalls.working, input)))
      case 'tokens.exportMany': {
        const query = parseInput(exportQuery, input)
        if (query.clear) this.#assertProven()
        const { output } = await this.#requireVault().engine.call(name, query, owner)
        host.markActivity()
        return toReply(output)
      }
      case 'documents.revealToOwner': {
        this.#assertProven()
        const { output } = await this.#requireVault().engine.call(name, input, owner)
        this.#revealed = (output as { document: { id: string } }).document.id
        return toReply(output)
      }
    }
    if (name === 'tokens.reveal') this.#assertProven()
    const job = hostJobs.get(name)
    if (job !== undefined) return this.#runJob(id, job, () => runCommand(host, { name, input }))
    if (name.startsWith(DRAFTS_PREFIX) || (name.startsWith('host.') && !hostCalls.has(name)))
      throw new CofferError('not_found', 'There is no such command.')
    this.#requireVault()
    return runCommand(host, { name, input })
  }

  /** SECURITY: the window may have opened another vault in the meantime. */
  #requireVault(): OpenVault {
    const { host } = this.#deps
    if (!this.#vault || host.openVault !== this.#vault) throw createLockedError()
    return this.#vault
  }

  #checkProof({ proof }: z.output<typeof ownCalls.prove>): object {
    const vault = this.#requireVault()
    const expected = Buffer.from(vault.withMaster((master) => computeProof(master, this.#nonce)))
    const actual = Buffer.from(proof)
    this.#isProven = actual.length === expected.length && timingSafeEqual(actual, expected)
    this.#assertProven()
    return {}
  }

  /** SECURITY: as in the window, plaintext in bulk requires a fresh proof that the caller can open the vault. */
  #assertProven(): void {
    const vault = this.#requireVault()
    if (this.#isProven || isEphemeral(vault)) return
    throw new CofferError(
      'forbidden',
      'No plaintext was sent, because the credential of the vault was not confirmed. Run the command again.',
    )
  }

  /** SECURITY: the key is never stored, and becomes invalid when the command disconnects or is killed. */
  #issueKey({ application_id }: z.output<typeof ownCalls.borrow>): string {
    const { identification } = this.#requireVault().engine
    const { key, revoke } = identification.issueRunKey({ application_id }, 'by the command line')
    this.#cleanups.add(revoke)
    return key
  }

  #offerChangeKey(): object {
    const vault = this.#requireVault()
    this.#offered = vault.withMaster((master) => offerChangeKey({ master, nonce: this.#nonce }))
    return this.#offered.offer
  }

  /** SECURITY: only a command that has the master secret can have sealed the change, and each offer is used once. */
  #changeKeys(id: number, sealed: z.output<typeof sealedChange>): Promise<Reply> {
    const vault = this.#requireVault()
    const offered = this.#offered
    this.#offered = null
    const change =
      offered && vault.withMaster((master) => unsealChange({ master, nonce: this.#nonce }, offered, sealed))
    if (!change)
      throw new CofferError(
        'forbidden',
        'The change was not confirmed with the credential of the open vault. Nothing was changed. Run the command again.',
      )
    this.#deps.host.markActivity()
    return this.#runJob(id, 'rotate master', async () => {
      await this.#deps.host.maintenance.changeKeys(change)
      return toReply({})
    })
  }

  #readChunk({ document, number }: z.output<typeof ownCalls.chunk>): string | null {
    this.#assertProven()
    if (document !== this.#revealed) throw new CofferError('forbidden', 'This document was not revealed.')
    return this.#requireVault().engine.documents.readChunk(document, number)?.toString('base64') ?? null
  }

  /**
   * Runs a job of the host, which is cancelled if the command disconnects. Its progress is also sent to the command.
   */
  async #runJob(id: number, job: JobName, run: () => Promise<Reply>): Promise<Reply> {
    const { host } = this.#deps
    this.#requireVault()
    // The window or another command runs this job. This call will be rejected, so it must not be able to cancel the
    // job.
    if (host.jobs.running.includes(job)) return run()
    const unsubscribe = host.subscribe((event) => {
      if (event.type === 'progress' && event.job === job)
        this.#sendMessage({ id, done: event.done, total: event.total })
    })
    const cancelJob = () => host.jobs.cancelJob(job)
    this.#cleanups.add(cancelJob)
    try {
      return await run()
    } finally {
      this.#cleanups.delete(cancelJob)
      unsubscribe()
    }
  }

  /** Shows the command's import or export in the window, as a job that ends with the connection. */
  #reportWork({ on, done, total }: z.output<typeof ownCalls.working>): object {
    this.#requireVault()
    if (!this.#working) this.#startWork(on)
    this.#working?.(done, total)
    return {}
  }

  #startWork(on: 'import' | 'export'): void {
    const { jobs } = this.#deps.host
    this.#working = () => {}
    // A job of this name is already running, so the import or export of this command is not shown.
    if (jobs.running.includes(on)) return
    void jobs
      .runJob(on, async ({ signal, onProgress }) => {
        this.#working = (done, total) => onProgress?.(done, total)
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#cleanups.add(resolve)
        signal?.addEventListener('abort', () => this.#sendMessage({ stop: true }), { once: true })
        await promise
        onProgress?.(1, 1)
        if (signal?.aborted) throw createCancelledError()
      })
      .catch(() => {
        // The command itself reports how its import or export ended.
      })
  }

  #sendMessage(message: object): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function parseLine(line: string): unknown {
  try {
    return readJson(line)
  } catch {
    return undefined
  }
}

function toReply(output: unknown): Reply {
  return { ok: true, output, headers: {} }
}
