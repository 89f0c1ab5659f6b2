import { randomBytes } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import type { Fork, ForkedProcess } from './fork.ts'
import {
  MAX_CONSOLE_BYTES,
  MAX_MESSAGE_LENGTH,
  MAX_OUTPUT_BYTES,
  MAX_RESULT_BYTES,
  START_TIMEOUT_MS,
} from './limits.ts'
import { Printed } from './printed.ts'
import type { CodeRun, FailureReason, RunOutcome, RunResult } from './run.ts'
import type { RunnerMessage, RunRequest } from './runner/messages.ts'

/** The busy time after which a process gets no further run, well below the system's limit (`MAX_CPU_SECONDS`). */
const MAX_BUSY_MS = 60_000

type ActiveRun = {
  readonly id: string
  readonly run: CodeRun
  readonly printed: Printed
  readonly finish: (ended: RunOutcome) => void
  started: number
  ended: RunOutcome | null
  timer: NodeJS.Timeout | undefined
}

/**
 * A process, which carries out one run after another. SECURITY: its output may come from the code it runs, so we read
 * a bounded amount, and accept only messages about the current run.
 */
export class WarmProcess {
  readonly #forked: ForkedProcess
  readonly #wrapper: string | null
  readonly #started = Promise.withResolvers<boolean>()
  readonly #exit = Promise.withResolvers<void>()
  #free = Promise.withResolvers<boolean>()
  #code: string | null = null
  #isReady = false
  #active: ActiveRun | null = null
  #isDead = false
  #line: string[] = []
  #bytes = 0
  #startTimer: NodeJS.Timeout
  #unconfined = false
  #busyMs = 0

  constructor(fork: Fork, start: Parameters<Fork>[0]) {
    this.#forked = fork(start)
    this.#wrapper = fork.isolation?.by ?? null
    this.#forked.onExit((signal) => this.#onExit(signal))
    this.#startTimer = setTimeout(() => this.kill(), START_TIMEOUT_MS)
    const decoder = new StringDecoder('utf8')
    this.#forked.stdout.on('data', (chunk: Buffer) => this.#readOutput(chunk, decoder))
    this.#forked.stdout.on('error', () => this.kill())
  }

  get code(): string | null {
    return this.#code
  }

  /** Whether the process is starting or running; false once it has exited or been ended. */
  get isAlive(): boolean {
    return !this.#isDead
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isDead
  }

  get started(): Promise<boolean> {
    return this.#started.promise
  }

  get exited(): Promise<void> {
    return this.#exit.promise
  }

  /** Resolves after each run to whether the process can take another one. */
  get free(): Promise<boolean> {
    return this.#free.promise
  }

  /** Carries out one run. Call it only while the process is ready, and for one run at a time. */
  run(run: CodeRun): Promise<RunResult> {
    const printed = new Printed(MAX_CONSOLE_BYTES)
    this.#free = Promise.withResolvers<boolean>()
    this.#bytes = 0
    return new Promise((resolve) => {
      const cancelRun = () => this.#failRun('cancelled', 'The run was cancelled.')
      const active: ActiveRun = {
        id: randomBytes(16).toString('base64url'),
        run,
        printed,
        started: performance.now(),
        ended: null,
        timer: undefined,
        finish(ended) {
          clearTimeout(active.timer)
          run.signal?.removeEventListener('abort', cancelRun)
          active.ended = ended
          resolve({ ended, console: printed.getText(), duration_ms: performance.now() - active.started })
        },
      }
      this.#active = active
      run.signal?.addEventListener('abort', cancelRun, { once: true })
      this.#sendRun(active)
    })
  }

  /** Kills the process with SIGKILL, which it cannot ignore. An active run ends as `cancelled`. */
  kill(): void {
    if (this.#active && !this.#active.ended) this.#failRun('cancelled', 'The run was cancelled.')
    else this.#endProcess()
  }

  get startFailure(): string {
    if (this.#unconfined)
      return 'Reactors need the permission model of Node, but this program starts processes without it.'
    return this.#wrapper
      ? `No process could be started for the reactor in ${this.#wrapper}, which worked earlier. Restart Coffer to use what works now.`
      : 'No process could be started for the reactor. Reactors need Node 22.14, 23.7 or newer.'
  }

  #sendRun(active: ActiveRun): void {
    const { code, contract, args, configuration, application, limit_ms } = active.run
    const request: RunRequest = {
      id: active.id,
      ...(code !== this.#code && { code }),
      contract,
      args,
      configuration,
      application,
    }
    if (args !== null) this.#code = code
    active.started = performance.now()
    active.timer = setTimeout(() => {
      const seconds = limit_ms / 1000
      this.#failRun('time', `The code did not end within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`)
    }, limit_ms)
    this.#forked.send(JSON.stringify(request))
  }

  #readOutput(chunk: Buffer, decoder: StringDecoder): void {
    if (this.#isDead) return
    this.#bytes += chunk.length
    if (this.#bytes > MAX_OUTPUT_BYTES) {
      this.#failRun('output', 'The code wrote more than 12 MiB of output.')
      return
    }
    const lines = decoder.write(chunk).split('\n')
    for (const line of lines.slice(0, -1)) {
      this.#line.push(line)
      const fullLine = this.#line.join('')
      this.#line = []
      this.#onMessage(fullLine)
      if (this.#isDead) return
    }
    this.#line.push(lines.at(-1) ?? '')
  }

  #onMessage(line: string): void {
    const message = parseMessage(line)
    if (message === null) {
      this.#failRun('exit', 'The process sent an invalid message.')
      return
    }
    if ('ready' in message) {
      this.#onReady(message.ready === 'confined')
      return
    }
    const active = this.#active
    // SECURITY: ignore messages about any other run.
    if (!active || message.id !== active.id) return
    const isOutput = 'printed' in message || 'ended' in message
    // Output counts until the run has ended, and only then is the process free.
    if (isOutput === (active.ended !== null)) return
    if ('printed' in message) active.printed.add(message.printed)
    else if ('ended' in message) active.finish(message.ended)
    else this.#onFree(active.started, message.clean)
  }

  #onReady(isConfined: boolean): void {
    clearTimeout(this.#startTimer)
    this.#unconfined = !isConfined
    if (this.#unconfined) this.#endProcess()
    else this.#isReady = true
    this.#started.resolve(this.#isReady)
  }

  #onFree(started: number, isClean: boolean): void {
    this.#active = null
    this.#busyMs += performance.now() - started
    if (isClean && this.#busyMs < MAX_BUSY_MS) this.#free.resolve(true)
    else this.#endProcess()
  }

  #failRun(reason: FailureReason, detail: string): void {
    const active = this.#active
    this.#endProcess()
    if (active && !active.ended) active.finish({ kind: 'failed', reason, detail })
  }

  #endProcess(): void {
    if (this.#isDead) return
    this.#isDead = true
    clearTimeout(this.#startTimer)
    this.#forked.kill()
    this.#free.resolve(false)
  }

  #onExit(signal: string | null): void {
    // First, so that a failed start ends a waiting run before the pool replaces the process.
    this.#started.resolve(false)
    this.#exit.resolve()
    const active = this.#active
    // V8 aborts the process when its heap is full.
    const isFull = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL'
    if (!active || active.ended) this.#endProcess()
    else if (isFull) this.#failRun('memory', 'The code ran out of memory: its heap is limited to 256 MiB.')
    else this.#failRun('exit', 'The process exited before the code returned.')
  }
}

/**
 * Parses one line of output; null for anything but a valid message. SECURITY: only the attached text may be long, and
 * it must be a string: parsing an array of millions of items would block every other request.
 */
function parseMessage(line: string): RunnerMessage | null {
  try {
    const tab = line.indexOf('\t')
    const head = tab < 0 ? line : line.slice(0, tab)
    if (head.length > MAX_MESSAGE_LENGTH) return null
    const message = JSON.parse(head) as RunnerMessage
    if ('ready' in message) return message
    if (typeof message.id !== 'string') return null
    if ('printed' in message) return typeof message.printed === 'string' ? message : null
    if ('clean' in message) return message
    const ended = tab < 0 ? message.ended : attachText(message.ended, line.slice(tab + 1))
    return isEnded(ended) ? { id: message.id, ended } : null
  } catch {
    return null
  }
}

function attachText(ended: RunOutcome, written: string): RunOutcome {
  if (!written.startsWith('"')) throw new TypeError('no text')
  const text = JSON.parse(written) as string
  if (ended.kind === 'returned') return { ...ended, value: text }
  return ended.kind === 'response' ? { ...ended, body: text } : ended
}

/** SECURITY: code can bypass the runner and write its own result, so every property is checked here. */
function isEnded(ended: RunOutcome): boolean {
  const isText = (value: unknown) => typeof value === 'string'
  switch (ended.kind) {
    case 'returned':
      // Whether it is JSON shows when it is used: reading a long text twice would delay other requests.
      return isText(ended.value) && ended.value.length <= MAX_RESULT_BYTES
    case 'thrown':
      return (
        isStatus(ended.status, 400) &&
        isText(ended.detail) &&
        isErrors(ended.errors) &&
        isSourceLocation(ended.at) &&
        (ended.uncompiled === undefined || isText(ended.uncompiled))
      )
    case 'response':
      return isStatus(ended.status, 100) && isText(ended.body) && Object.values(ended.headers).every(isText)
    default:
      return false
  }
}

function isErrors(errors: unknown): boolean {
  return Object.values(errors as object).every(
    (messages) => Array.isArray(messages) && messages.every((text) => typeof text === 'string'),
  )
}

function isSourceLocation(at: unknown): boolean {
  if (at === null) return true
  const { line, column } = at as { line: unknown; column: unknown }
  return Number.isInteger(line) && Number.isInteger(column)
}

function isStatus(status: unknown, min: number): boolean {
  return Number.isInteger(status) && Number(status) >= min && Number(status) <= 599
}
