import { randomBytes } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import type { Fork, Forked } from './fork.ts'
import { ANSWER_BYTES, CONSOLE_BYTES, OUTPUT_BYTES, SAID_LENGTH, START_MS } from './limits.ts'
import { Printed } from './printed.ts'
import type { Ended, FailureReason, Run, RunResult } from './run.ts'
import type { Order, Said } from './runner/messages.ts'

/** How long a process may have run code before it takes no other run, well before the system ends it (`CPU_SECONDS`). */
const RETIRED_MS = 60_000

type Under = {
  readonly id: string
  readonly run: Run
  readonly printed: Printed
  readonly finish: (ended: Ended) => void
  begun: number
  ended: Ended | null
  timer: NodeJS.Timeout | undefined
}

/**
 * One process and what it carries out, one after another. SECURITY: whatever it says may come from the code that
 * runs in it, so it is read up to a bound, and only as words about the run that it was asked for.
 */
export class WarmProcess {
  readonly #forked: Forked
  readonly #started = Promise.withResolvers<boolean>()
  readonly #gone = Promise.withResolvers<void>()
  #free = Promise.withResolvers<boolean>()
  #code: string | null = null
  #isReady = false
  #under: Under | null = null
  #isDead = false
  #line: string[] = []
  #bytes = 0
  #startTimer: NodeJS.Timeout
  #unconfined = false
  #spent = 0

  constructor(fork: Fork, start: Parameters<Fork>[0]) {
    this.#forked = fork(start)
    this.#forked.onExit((signal) => this.#exited(signal))
    this.#startTimer = setTimeout(() => this.kill(), START_MS)
    const decoder = new StringDecoder('utf8')
    this.#forked.stdout.on('data', (chunk: Buffer) => this.#read(chunk, decoder))
    this.#forked.stdout.on('error', () => this.kill())
  }

  /** The code that has run in it; null where none has. */
  get code(): string | null {
    return this.#code
  }

  /** Whether it may get a run, once it has started. */
  get isAlive(): boolean {
    return !this.#isDead
  }

  /** Whether it may get a run now. */
  get isReady(): boolean {
    return this.#isReady && !this.#isDead
  }

  /** Settles to whether the process has started. */
  get started(): Promise<boolean> {
    return this.#started.promise
  }

  /** Settles once the process has ended. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** Settles, after each run, to whether the process could take another one. */
  get free(): Promise<boolean> {
    return this.#free.promise
  }

  /** Carries out one run. Call it for one run at a time, and only while the process is ready. */
  run(run: Run): Promise<RunResult> {
    const printed = new Printed(CONSOLE_BYTES)
    this.#free = Promise.withResolvers<boolean>()
    this.#bytes = 0
    return new Promise((resolve) => {
      const cancel = () => this.#fail('cancelled', 'The run was cancelled.')
      const under: Under = {
        id: randomBytes(16).toString('base64url'),
        run,
        printed,
        begun: performance.now(),
        ended: null,
        timer: undefined,
        finish(ended) {
          clearTimeout(under.timer)
          run.signal?.removeEventListener('abort', cancel)
          under.ended = ended
          resolve({ ended, console: printed.text(), duration_ms: performance.now() - under.begun })
        },
      }
      this.#under = under
      run.signal?.addEventListener('abort', cancel, { once: true })
      this.#send(under)
    })
  }

  /** SIGKILL: nothing in the process can refuse it. A run that is under way ends as `cancelled`. */
  kill(): void {
    if (this.#under && !this.#under.ended) this.#fail('cancelled', 'The run was cancelled.')
    else this.#end()
  }

  /** Why it has not started. */
  get whyNot(): string {
    return this.#unconfined
      ? 'This program starts processes without the permission model of Node, and reactors do not run without it.'
      : 'No process could be started for reactors. They need Node 22.14 or newer.'
  }

  #send(under: Under): void {
    const { code, args, configuration, application, limit_ms } = under.run
    const order: Order = {
      id: under.id,
      ...(code !== this.#code && { code }),
      args,
      configuration,
      application,
    }
    if (args !== null) this.#code = code
    under.begun = performance.now()
    under.timer = setTimeout(() => {
      const seconds = limit_ms / 1000
      this.#fail('time', `The code did not end within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`)
    }, limit_ms)
    this.#forked.send(JSON.stringify(order))
  }

  #read(chunk: Buffer, decoder: StringDecoder): void {
    if (this.#isDead) return
    this.#bytes += chunk.length
    if (this.#bytes > OUTPUT_BYTES) {
      this.#fail('output', 'The code wrote more than a run may write.')
      return
    }
    const lines = decoder.write(chunk).split('\n')
    for (const line of lines.slice(0, -1)) {
      this.#line.push(line)
      const whole = this.#line.join('')
      this.#line = []
      this.#hear(whole)
      if (this.#isDead) return
    }
    this.#line.push(lines.at(-1) ?? '')
  }

  #hear(line: string): void {
    const said = saidOf(line)
    if (said === null) {
      this.#fail('exit', 'The process answered with something that is no answer.')
      return
    }
    if ('ready' in said) {
      clearTimeout(this.#startTimer)
      this.#unconfined = said.ready !== 'confined'
      if (this.#unconfined) this.#end()
      else this.#isReady = true
      this.#started.resolve(this.#isReady)
      return
    }
    const under = this.#under
    // SECURITY: words about another run count for nothing.
    if (!under || said.id !== under.id) return
    if ('printed' in said) {
      if (!under.ended) under.printed.add(said.printed)
    } else if ('ended' in said) {
      if (!under.ended) under.finish(said.ended)
    } else if (under.ended) {
      this.#under = null
      this.#spent += performance.now() - under.begun
      if (said.clean && this.#spent < RETIRED_MS) this.#free.resolve(true)
      else this.#end()
    }
  }

  #fail(reason: FailureReason, detail: string): void {
    const under = this.#under
    this.#end()
    if (under && !under.ended) under.finish({ kind: 'failed', reason, detail })
  }

  #end(): void {
    if (this.#isDead) return
    this.#isDead = true
    clearTimeout(this.#startTimer)
    this.#forked.kill()
    this.#free.resolve(false)
  }

  #exited(signal: string | null): void {
    this.#gone.resolve()
    this.#started.resolve(false)
    const under = this.#under
    // V8 aborts where its heap is full.
    const isFull = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL'
    if (!under || under.ended) this.#end()
    else if (isFull) this.#fail('memory', 'The code needed more memory than a run may have.')
    else this.#fail('exit', 'The process ended before the code had returned.')
  }
}

/**
 * What a line says; null where it is none of the things a process may say. SECURITY: only its text may be long, and that
 * is a string. Lists of millions of members would hold up every other request while they are read.
 */
function saidOf(line: string): Said | null {
  try {
    const tab = line.indexOf('\t')
    const head = tab < 0 ? line : line.slice(0, tab)
    if (head.length > SAID_LENGTH) return null
    const said = JSON.parse(head) as Said
    if ('ready' in said) return said
    if (typeof said.id !== 'string') return null
    if ('printed' in said) return typeof said.printed === 'string' ? said : null
    if ('clean' in said) return said
    const ended = tab < 0 ? said.ended : withText(said.ended, line.slice(tab + 1))
    return isEnded(ended) ? { id: said.id, ended } : null
  } catch {
    return null
  }
}

function withText(ended: Ended, written: string): Ended {
  if (!written.startsWith('"')) throw new TypeError('no text')
  const text = JSON.parse(written) as string
  if (ended.kind === 'returned') return { ...ended, value: text }
  return ended.kind === 'response' ? { ...ended, body: text } : ended
}

/** SECURITY: code can write its own answer past the runner, so that its members are checked here. */
function isEnded(ended: Ended): boolean {
  const isText = (value: unknown) => typeof value === 'string'
  switch (ended.kind) {
    case 'returned':
      return isText(ended.value) && ended.value.length <= ANSWER_BYTES && isJson(ended.value)
    case 'thrown':
      return (
        isStatus(ended.status, 400) &&
        isText(ended.detail) &&
        isErrors(ended.errors) &&
        isPlace(ended.at) &&
        (ended.uncompiled === undefined || isText(ended.uncompiled))
      )
    case 'response':
      return isStatus(ended.status, 100) && isText(ended.body) && Object.values(ended.headers).every(isText)
    default:
      return false
  }
}

function isJson(text: string): boolean {
  JSON.parse(text)
  return true
}

function isErrors(errors: unknown): boolean {
  return Object.values(errors as object).every(
    (texts) => Array.isArray(texts) && texts.every((text) => typeof text === 'string'),
  )
}

function isPlace(at: unknown): boolean {
  if (at === null) return true
  const { line, column } = at as { line: unknown; column: unknown }
  return Number.isInteger(line) && Number.isInteger(column)
}

function isStatus(status: unknown, least: number): boolean {
  return Number.isInteger(status) && Number(status) >= least && Number(status) <= 599
}
