import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import type { Reply } from '../../../shared/client.ts'
import { CofferError, toProblem } from '../../../shared/errors.ts'
import type { JobName } from '../../../shared/host.ts'
import { readJson } from '../../../shared/json.ts'
import { exportQuery } from '../../../shared/schemas/token-export.ts'
import { parsed } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { owner } from '../../engine/door/call.ts'
import { isIncident } from '../../engine/door/incident.ts'
import { locked } from '../../engine/door/locked.ts'
import { runCommand } from '../commands.ts'
import { processName } from '../files/claim.ts'
import type { Host } from '../host.ts'
import { isEphemeral } from '../vault/ephemeral.ts'
import type { OpenVault } from '../vault/vault.ts'
import { cancelled } from '../work/background.ts'
import { linesOf } from './lines.ts'
import {
  type Asked,
  asked,
  type Greeting,
  hello,
  MOST_ASKED,
  ownCalls,
  PROTOCOL,
  proofOf,
} from './protocol.ts'
import { listenIn, NoSocket } from './socket-folder.ts'

/** Address and keys of a vault in memory. */
export type Lent = {
  readonly url: string
  readonly keys: { readonly management: string; readonly private: string; readonly public: string }
}

type Options = { readonly host: Host; readonly lent: () => Lent | null }

const MOST_CONNECTIONS = 32
/** Calls of one command that are at work at once. */
const MOST_AT_ONCE = 8
const HELLO_MS = 5000

/** SECURITY: of the host's commands, only what a command of the terminal needs. */
const hostCalls: ReadonlySet<string> = new Set([
  'host.beginSigningKeyRotation',
  'host.finishSigningKeyRotation',
  'host.cancel',
])

/** SECURITY: of the operations, not what the window has sent: bodies in clear, whose reading leaves no record. */
const WINDOWS_OWN = 'drafts.'

/** Its long work, and the names of the jobs. */
const hostJobs: ReadonlyMap<string, JobName> = new Map([
  ['host.backup', 'backup'],
  ['host.rotateDataKey', 'rotate data key'],
])

/**
 * Opens this process's control socket, through which commands of the same user work with the vault that it holds open.
 * Resolves to a function that closes it. Where there can be no socket, Coffer works on without one, and the owner reads
 * why in its notices. `lent`: keys for commands of the same user, which are on no disk.
 */
export async function openControl(host: Host, lent: Options['lent'] = () => null): Promise<() => void> {
  const connections = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    if (connections.size >= MOST_CONNECTIONS) return void socket.destroy()
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    new Connection(socket, { host, lent }).serve().catch((error: unknown) => {
      socket.destroy()
      // What a stranger sends is no incident, nor is a command that has gone.
      const failure = toCofferError(error)
      if (isIncident(failure) && !isOfSystem(error)) host.report(failure, 'control socket')
    })
  })
  let remove: () => void
  try {
    remove = await listenIn(host.statusNow().data_dir, server)
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

/** One command at the other end. It works with the vault that was open when it came, and with no other. */
class Connection {
  readonly #socket: net.Socket
  readonly #options: Options
  readonly #vault: OpenVault | null
  readonly #nonce = randomBytes(16).toString('hex')
  /** What this command has started here: it ends with the command. */
  readonly #ends = new Set<() => void>()
  #isProven = false
  /** The document whose content may be read, because that is recorded. */
  #revealed: string | null = null
  #working: ((done: number, total: number) => void) | null = null

  constructor(socket: net.Socket, options: Options) {
    this.#socket = socket
    this.#options = options
    this.#vault = options.host.openVault
  }

  async serve(): Promise<void> {
    const { listener, version } = this.#options.host.statusNow()
    const vault = this.#vault
    const greeting: Greeting = {
      protocol: PROTOCOL,
      version,
      pid: process.pid,
      command: processName(),
      url: listener.state === 'on' ? listener.url : null,
      vault: vault && {
        name: vault.name,
        tenant_id: vault.engine.tenant_id,
        in_memory: isEphemeral(vault),
      },
      nonce: this.#nonce,
    }
    this.#send(greeting)
    this.#socket.on('close', () => {
      for (const end of this.#ends) end()
    })
    await this.#hear(version)
  }

  async #hear(version: string): Promise<void> {
    const socket = this.#socket
    const late = setTimeout(() => socket.destroy(), HELLO_MS)
    // Coffer may be stopping: it does not wait for one who has gone.
    socket.on('close', () => clearTimeout(late))
    const running = new Set<Promise<void>>()
    let isKnown = false
    for await (const line of linesOf(socket, MOST_ASKED)) {
      const said = read(line)
      if (!isKnown) {
        clearTimeout(late)
        // SECURITY: a browser, or any other program, that speaks something else is not answered.
        const { data } = hello.safeParse(said)
        if (data?.protocol !== PROTOCOL || data.version !== version) break
        isKnown = true
        continue
      }
      const { data } = asked.safeParse(said)
      if (!data) break
      const run = this.#answer(data).finally(() => running.delete(run))
      running.add(run)
      // A reader that does not read, or asks for too much at once, waits.
      if (running.size >= MOST_AT_ONCE) await Promise.race(running)
      if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
    await Promise.all(running)
    socket.end()
  }

  async #answer({ id, name, input }: Asked): Promise<void> {
    let reply: Reply
    try {
      reply = await this.#reply({ id, name, input })
    } catch (error) {
      const failure = toCofferError(error)
      if (isIncident(failure)) this.#options.host.report(failure, `control socket: ${name}`)
      reply = { ok: false, problem: toProblem(failure) }
    }
    this.#send({ id, reply })
  }

  async #reply({ id, name, input }: Asked): Promise<Reply> {
    const { host } = this.#options
    switch (name) {
      case 'control.prove':
        return answerOf(this.#prove(parsed(ownCalls.prove, input)))
      case 'control.lent':
        return answerOf(this.#options.lent())
      case 'control.chunk':
        return answerOf(this.#chunk(parsed(ownCalls.chunk, input)))
      case 'control.working':
        return answerOf(this.#work(parsed(ownCalls.working, input)))
      case 'tokens.exportMany': {
        const query = parsed(exportQuery, input)
        if (query.clear) this.#assertProven()
        const { output } = await this.#open().engine.call(name, query, owner)
        host.touch()
        return answerOf(output)
      }
      case 'documents.revealToOwner': {
        this.#assertProven()
        const { output } = await this.#open().engine.call(name, input, owner)
        this.#revealed = (output as { document: { id: string } }).document.id
        return answerOf(output)
      }
    }
    if (name === 'tokens.reveal') this.#assertProven()
    const job = hostJobs.get(name)
    if (job !== undefined) return this.#run({ id, name, input }, job)
    if (name.startsWith(WINDOWS_OWN) || (name.startsWith('host.') && !hostCalls.has(name)))
      throw new CofferError('not_found', 'There is no such command.')
    this.#open()
    return runCommand(host, { name, input })
  }

  /** SECURITY: the window may have opened another vault meanwhile. */
  #open(): OpenVault {
    const { host } = this.#options
    if (!this.#vault || host.openVault !== this.#vault) throw locked()
    return this.#vault
  }

  #prove({ proof }: z.output<typeof ownCalls.prove>): object {
    const vault = this.#open()
    const expected = Buffer.from(vault.withMaster((master) => proofOf(master, this.#nonce)))
    const given = Buffer.from(proof)
    this.#isProven = given.length === expected.length && timingSafeEqual(given, expected)
    this.#assertProven()
    return {}
  }

  /** SECURITY: as in the window, plaintext in bulk takes what opens the vault, at this moment. */
  #assertProven(): void {
    const vault = this.#open()
    if (this.#isProven || isEphemeral(vault)) return
    throw new CofferError(
      'forbidden',
      'Plaintext leaves the vault only after its owner has authenticated again.',
    )
  }

  #chunk({ document, number }: z.output<typeof ownCalls.chunk>): string | null {
    this.#assertProven()
    if (document !== this.#revealed) throw new CofferError('forbidden', 'This document was not revealed.')
    return this.#open().engine.readChunk(document, number)?.toString('base64') ?? null
  }

  /** Runs a job of the host, which ends with the command and whose progress goes to the command too. */
  async #run({ id, name, input }: Asked, job: JobName): Promise<Reply> {
    const { host } = this.#options
    this.#open()
    // One that the window has started is the window's; this one will be refused.
    if (host.jobs.running.includes(job)) return runCommand(host, { name, input })
    const unsubscribe = host.subscribe((event) => {
      if (event.type === 'progress' && event.job === job)
        this.#send({ id, done: event.done, total: event.total })
    })
    const cancel = () => host.jobs.cancel(job)
    this.#ends.add(cancel)
    try {
      return await runCommand(host, { name, input })
    } finally {
      this.#ends.delete(cancel)
      unsubscribe()
    }
  }

  /** Shows the command's work in the window as a job, which ends with the connection. */
  #work({ on, done, total }: z.output<typeof ownCalls.working>): object {
    this.#open()
    if (!this.#working) this.#begin(on)
    this.#working?.(done, total)
    return {}
  }

  #begin(on: 'import' | 'export'): void {
    const { jobs } = this.#options.host
    this.#working = () => {}
    // The window has one of its own at work: this one then runs beside it, unseen.
    if (jobs.running.includes(on)) return
    void jobs
      .run(on, async ({ signal, onProgress }) => {
        this.#working = (done, total) => onProgress?.(done, total)
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#ends.add(resolve)
        signal?.addEventListener('abort', () => this.#send({ stop: true }), { once: true })
        await promise
        onProgress?.(1, 1)
        if (signal?.aborted) throw cancelled()
      })
      .catch(() => {
        // The command says how it ended.
      })
  }

  #send(message: object): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
  }
}

/** Whether the system has refused to read or write: nothing else is read or written here than the connection. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function read(line: string): unknown {
  try {
    return readJson(line)
  } catch {
    return undefined
  }
}

function answerOf(output: unknown): Reply {
  return { ok: true, output, headers: {} }
}
