import type net from 'node:net'
import { type Client, clientOver, type Reply } from '../../../shared/client.ts'
import { CofferError, fromProblem } from '../../../shared/errors.ts'
import { readJson } from '../../../shared/json.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import type { Caller } from '../../engine/door/call.ts'
import type { Operations } from '../../engine/operations.ts'
import type { OwnersEngine } from '../transfer/owners-engine.ts'
import type { Watch } from '../work/background.ts'
import { linesOf } from './lines.ts'
import { answered, type Greeting, greeting, MOST_ANSWERED, PROTOCOL, proofOf } from './protocol.ts'
import type { Lent } from './serve-control.ts'
import { connectTo, NoSocket, socketsIn } from './socket-folder.ts'

type Waiting = {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: CofferError) => void
  readonly onProgress?: Watch['onProgress']
}

const GREETING_MS = 5000

/** A vault that another process of this user holds open, as its owner sees it through that process's control socket. */
export class ControlSession implements OwnersEngine {
  readonly greeting: Greeting
  /** Called when the owner stops in the window what this command has announced. */
  onStop: () => void = () => {}
  readonly #socket: net.Socket
  readonly #lines: AsyncGenerator<string>
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #ended: CofferError | null = null

  private constructor(socket: net.Socket, lines: AsyncGenerator<string>, greeted: Greeting) {
    this.#socket = socket
    this.#lines = lines
    this.greeting = greeted
  }

  /** Reads who is there; null where that is nobody. Throws `NoSocket`. */
  static async at(file: string): Promise<ControlSession | null> {
    const socket = await connectTo(file)
    if (!socket) return null
    socket.on('error', () => {})
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      socket.destroy()
    }, GREETING_MS)
    const lines = linesOf(socket, MOST_ANSWERED)
    try {
      const { value } = await lines.next()
      const { data } = greeting.safeParse(JSON.parse(value ?? 'null'))
      if (data) return new ControlSession(socket, lines, data)
    } catch {
      // Something else answers there.
    } finally {
      clearTimeout(late)
    }
    socket.destroy()
    throw new NoSocket(
      isLate ? `Nobody answers at ${file} in time.` : `What answers at ${file} is not Coffer.`,
    )
  }

  get tenant_id(): string {
    return this.greeting.vault?.tenant_id ?? ''
  }

  /** Begins to talk. Throws `conflict` where another version is at the other end. */
  begin(version: string): this {
    const { greeting: there } = this
    if (there.protocol !== PROTOCOL || there.version !== version) {
      this.close()
      throw new CofferError(
        'conflict',
        `The vault is open in ${there.command} (process ${there.pid}) of Coffer ${there.version}, and this is Coffer ${version}. Use that version, or close the vault there first.`,
      )
    }
    this.#send({ protocol: PROTOCOL, version })
    void this.#hear()
    return this
  }

  as(caller: Caller): Client<Operations> {
    // The other side knows no other caller.
    if (caller.kind !== 'owner') throw new Error('A control socket is its owner’s.')
    return clientOver<Operations>((name, input) => this.call(name, input))
  }

  /** Proves that this process could have opened the vault. Throws `forbidden`. */
  async prove(master: Buffer): Promise<void> {
    await this.call('control.prove', { proof: proofOf(master, this.greeting.nonce) })
  }

  async readChunk(document: string, number: number): Promise<Buffer | null> {
    const text = (await this.call('control.chunk', { document, number })) as string | null
    return text === null ? null : Buffer.from(text, 'base64')
  }

  /** The keys of a vault in memory, if its server lends them. */
  async lent(): Promise<Lent | null> {
    return (await this.call('control.lent', {})) as Lent | null
  }

  /** Calls an operation as the owner, or a command of the host. Rejects with CofferErrors; `unavailable` where the process ends. */
  async call(name: string, input: unknown, onProgress?: Watch['onProgress']): Promise<unknown> {
    if (this.#ended) throw this.#ended
    const id = ++this.#last
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress })
      this.#send({ id, name, input })
    })
    if (reply.ok) return reply.output
    throw this.#sentence(fromProblem(reply.problem))
  }

  /** Shows the work of this command in the window. Nobody waits for it. */
  announce(on: 'import' | 'export', done: number, total: number): void {
    this.call('control.working', { on, done, total }).catch(() => {})
  }

  close(): void {
    this.#end(new CofferError('unavailable', 'The connection was closed.'))
    this.#socket.destroy()
  }

  async #hear(): Promise<void> {
    let failure: unknown
    try {
      for await (const line of this.#lines) {
        const said = answered.parse(readJson(line))
        if ('stop' in said) {
          this.onStop()
          continue
        }
        const waiting = this.#waiting.get(said.id)
        if (!waiting) continue
        if ('done' in said) {
          waiting.onProgress?.(said.done, said.total)
          continue
        }
        this.#waiting.delete(said.id)
        waiting.resolve(said.reply as Reply)
      }
    } catch (error) {
      failure = error
    }
    const { command, pid } = this.greeting
    this.#end(
      new CofferError(
        'unavailable',
        `${command} (process ${pid}), which has the vault open, has ended or broken off. Run the command again.`,
        { cause: failure },
      ),
    )
    this.#socket.destroy()
  }

  #end(error: CofferError): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #send(message: object): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  /** A vault that was locked can be opened by the command itself, unless it was in memory. */
  #sentence(error: CofferError): CofferError {
    if (error.code !== 'locked') return error
    const { command, pid, vault } = this.greeting
    const then = vault?.in_memory
      ? 'A vault in memory is gone then.'
      : 'Run the command again: it opens the vault itself, or uses it where it is open then.'
    return new CofferError('locked', `The vault was locked in ${command} (process ${pid}). ${then}`, {
      cause: error,
    })
  }
}

/** Every process of this user with a socket in this data folder, and why others cannot be reached. Close what you do not use. */
export async function sessionsIn(
  dataDir: string,
): Promise<{ sessions: ControlSession[]; problems: string[] }> {
  const problems: string[] = []
  const failed = (error: unknown) => {
    problems.push(error instanceof NoSocket ? error.message : toCofferError(error).message)
    return null
  }
  const files = (await socketsIn(dataDir).catch(failed)) ?? []
  const found = await Promise.all(files.map((file) => ControlSession.at(file).catch(failed)))
  return { sessions: found.filter((each) => each !== null), problems }
}
