import type net from 'node:net'
import { type Client, createClientFrom, type Reply } from '../../../shared/client.ts'
import { CofferError, fromProblem } from '../../../shared/errors.ts'
import { readJson } from '../../../shared/json.ts'
import { z } from '../../../shared/zod.ts'
import { type Caller, type Operations, toCofferError } from '../../engine/index.ts'
import type { JobWatch } from '../jobs/background.ts'
import type { OwnersEngine } from '../transfer/owner-client.ts'
import { readLines } from './lines.ts'
import {
  computeProof,
  controlMessage,
  type Greeting,
  greeting,
  MAX_REPLY_BYTES,
  PROTOCOL,
} from './protocol.ts'
import { changeOffer, isGenuineOffer } from './sealed-change.ts'
import type { EphemeralVaultKeys } from './serve-control.ts'
import { connectTo, listSockets, NoSocket } from './socket-folder.ts'

type PendingReply = {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: CofferError) => void
  readonly onProgress?: JobWatch['onProgress']
}

const GREETING_TIMEOUT_MS = 5000

/**
 * A vault that another process of this user has open. Calls reach it as the owner, through that process's control
 * socket.
 */
export class ControlSession implements OwnersEngine {
  readonly greeting: Greeting
  /** Called when the owner stops this command's import or export in the window. */
  onStop: () => void = () => {}
  readonly #socket: net.Socket
  readonly #lines: AsyncGenerator<string>
  readonly #pending = new Map<number, PendingReply>()
  #lastId = 0
  #ended: CofferError | null = null

  private constructor(socket: net.Socket, lines: AsyncGenerator<string>, greeted: Greeting) {
    this.#socket = socket
    this.#lines = lines
    this.greeting = greeted
  }

  /** Connects and reads the greeting. Returns null if no process listens there. Throws `NoSocket`. */
  static async connect(file: string): Promise<ControlSession | null> {
    const socket = await connectTo(file)
    if (!socket) return null
    socket.on('error', () => {})
    let hasTimedOut = false
    const timeout = setTimeout(() => {
      hasTimedOut = true
      socket.destroy()
    }, GREETING_TIMEOUT_MS)
    const lines = readLines(socket, MAX_REPLY_BYTES)
    try {
      const { value } = await lines.next()
      const { data } = greeting.safeParse(JSON.parse(value ?? 'null'))
      if (data) return new ControlSession(socket, lines, data)
    } catch {
      // Another program listens on this socket.
    } finally {
      clearTimeout(timeout)
    }
    socket.destroy()
    throw new NoSocket(
      hasTimedOut ? `No process responded at ${file} in time.` : `The process at ${file} is not Coffer.`,
    )
  }

  /** Why every call is rejected; null while the connection is open. */
  get ended(): CofferError | null {
    return this.#ended
  }

  get tenant_id(): string {
    return this.greeting.vault?.tenant_id ?? ''
  }

  /** Starts the session. Throws `conflict` if the other process runs another version. */
  startSession(version: string): this {
    const { greeting: remote } = this
    if (remote.protocol !== PROTOCOL || remote.version !== version) {
      this.close()
      throw new CofferError(
        'conflict',
        `The vault is open in ${remote.command} (process ${remote.pid}) of Coffer ${remote.version}, and this is Coffer ${version}. Use that version, or close the vault there first.`,
      )
    }
    this.#sendMessage({ protocol: PROTOCOL, version })
    void this.#readMessages()
    return this
  }

  as(caller: Caller): Client<Operations> {
    // The control socket accepts calls only as the owner.
    if (caller.kind !== 'owner') throw new Error('Only the owner may use a control socket.')
    return createClientFrom<Operations>((name, input) => this.call(name, input))
  }

  /** Proves to the other process that this one can open the vault. Throws `forbidden`. */
  async proveAccess(master: Buffer): Promise<void> {
    await this.call('control.prove', { proof: computeProof(master, this.greeting.nonce) })
  }

  readonly documents = {
    readChunk: async (document: string, number: number): Promise<Buffer | null> => {
      const text = (await this.call('control.chunk', { document, number })) as string | null
      return text === null ? null : Buffer.from(text, 'base64')
    },
  }

  /** Returns the keys of an in-memory vault, if its server issues them. */
  async fetchEphemeralKeys(): Promise<EphemeralVaultKeys | null> {
    return (await this.call('control.lent', {})) as EphemeralVaultKeys | null
  }

  /** Returns a key with the rights of an application. It is valid until this session is closed. */
  async borrowKey(application_id: string): Promise<string> {
    return z.string().parse(await this.call('control.borrow', { application_id }))
  }

  /**
   * Returns a key of the other process, to which this command seals a change of what opens the vault. Throws
   * `conflict` unless that process proves that it has the same master secret.
   */
  async fetchChangeOffer(master: Buffer): Promise<z.output<typeof changeOffer>> {
    const offer = changeOffer.parse(await this.call('control.offer', {}))
    // SECURITY: another program of this user may listen on a socket of its own, and gets nothing sealed.
    if (isGenuineOffer({ master, nonce: this.greeting.nonce }, offer)) return offer
    const { command, pid } = this.greeting
    throw new CofferError(
      'conflict',
      `${command} (process ${pid}) does not have the master secret that vault.json leads to. Nothing was changed. Stop that process, and run the command again.`,
    )
  }

  /** Returns a link that opens the console once; null without a console. Throws `forbidden` without `proveAccess`. */
  async fetchWindowLink(): Promise<string | null> {
    return z
      .string()
      .nullable()
      .parse(await this.call('control.window', {}))
  }

  /**
   * Calls an operation as the owner, or a host command. Rejects with a CofferError: `unavailable` if the other process
   * exits.
   */
  async call(name: string, input: unknown, onProgress?: JobWatch['onProgress']): Promise<unknown> {
    if (this.#ended) throw this.#ended
    const id = ++this.#lastId
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onProgress })
      this.#sendMessage({ id, name, input })
    })
    if (reply.ok) return reply.output
    throw this.#toLocalError(fromProblem(reply.problem))
  }

  /** Shows the progress of this command's import or export in the window, without waiting for a reply. */
  announceWork(on: 'import' | 'export', done: number, total: number): void {
    this.call('control.working', { on, done, total }).catch(() => {})
  }

  close(): void {
    this.#rejectPending(new CofferError('unavailable', 'The connection was closed.'))
    this.#socket.destroy()
  }

  async #readMessages(): Promise<void> {
    let failure: unknown
    try {
      for await (const line of this.#lines) {
        const message = controlMessage.parse(readJson(line))
        if ('stop' in message) {
          this.onStop()
          continue
        }
        const pending = this.#pending.get(message.id)
        if (!pending) continue
        if ('done' in message) {
          pending.onProgress?.(message.done, message.total)
          continue
        }
        this.#pending.delete(message.id)
        pending.resolve(message.reply as Reply)
      }
    } catch (error) {
      failure = error
    }
    const { command, pid } = this.greeting
    this.#rejectPending(
      new CofferError(
        'unavailable',
        `${command} (process ${pid}), which had the vault open, has exited or closed the connection. Run the command again.`,
        { cause: failure },
      ),
    )
    this.#socket.destroy()
  }

  #rejectPending(error: CofferError): void {
    this.#ended ??= error
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  #sendMessage(message: object): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  /** After a lock, the command can open the vault itself, unless the vault was in memory. */
  #toLocalError(error: CofferError): CofferError {
    if (error.code !== 'locked') return error
    const { command, pid, vault } = this.greeting
    const then = vault?.in_memory
      ? 'An in-memory vault is deleted when it is locked.'
      : 'Run the command again to open the vault.'
    return new CofferError('locked', `The vault was locked in ${command} (process ${pid}). ${then}`, {
      cause: error,
    })
  }
}

/**
 * Connects to every process of this user with a socket in this data folder. Returns the sessions, and a reason for each
 * process that cannot be reached. The caller closes the sessions it does not use.
 */
export async function openSessions(
  dataDir: string,
): Promise<{ sessions: ControlSession[]; problems: string[] }> {
  const problems: string[] = []
  const recordProblem = (error: unknown) => {
    problems.push(error instanceof NoSocket ? error.message : toCofferError(error).message)
    return null
  }
  const files = (await listSockets(dataDir).catch(recordProblem)) ?? []
  const results = await Promise.all(files.map((file) => ControlSession.connect(file).catch(recordProblem)))
  return { sessions: results.filter((each) => each !== null), problems }
}
