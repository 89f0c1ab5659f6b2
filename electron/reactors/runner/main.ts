// One process that runs a reactor's code. It gets orders as lines on its input and answers on its output.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Console } from 'node:console'
import type { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { Writable } from 'node:stream'
import vm from 'node:vm'
import { ANSWER_BYTES, CONSOLE_BYTES, HEAD_LENGTH } from '../limits.ts'
import type { Ended } from '../run.ts'
import { confine } from './confine.ts'
import type { Order, Preload, Said } from './messages.ts'
import { requireFrom } from './modules.ts'
import { endedByThrowing, FILE, formulaError, runtimeError, uncompiled } from './thrown.ts'

type Running = { readonly id: string; printable: number; end(ended: Ended): void }
type Compiled = (...given: unknown[]) => unknown

const [, , packagesDir = '', preloaded = ''] = process.argv
/** Whose output it is that something prints: also a timer that a run has left behind belongs to that run. */
const whose = new AsyncLocalStorage<Running>()
const { stringify, parse } = JSON
const resources = process.getActiveResourcesInfo.bind(process)
const exit = process.exit.bind(process)
const soon = setImmediate
const require = requireFrom(packagesDir === '' ? null : packagesDir)

/** SECURITY: nothing runs where Node's permission model is not in force. */
const isConfined =
  process.permission !== undefined &&
  !['fs.read', 'fs.write', 'child', 'worker'].some((scope) => process.permission.has(scope))

let current: Running | null = null
let compiled: Compiled | null = null
let code = ''

function say(said: Said, text?: string): void {
  let rest = Buffer.from(
    text === undefined ? `${stringify(said)}\n` : `${stringify(said)}\t${stringify(text)}\n`,
  )
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest))
    } catch (error) {
      // Whoever reads is slow; without one, there is nothing left to do.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') exit(1)
    }
  }
}

function print(text: string): void {
  const run = whose.getStore() ?? current
  if (!run || run !== current || run.printable <= 0) return
  const printed = text.slice(0, run.printable)
  run.printable -= printed.length
  say({ id: run.id, printed })
}

/** Code is compiled as a function's body, so that lines and columns are those of the code. */
function compile(text: string): Compiled {
  return vm.compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: FILE,
  }) as Compiled
}

async function run(order: Order): Promise<Ended> {
  try {
    if (order.code !== undefined) {
      code = order.code
      compiled = null
    }
    compiled ??= compile(code)
  } catch (error) {
    return uncompiled(error)
  }
  if (order.args === null) return { kind: 'returned', value: 'null' }
  const module: { exports: unknown } = { exports: {} }
  compiled.call(module.exports, module.exports, require, module, FILE, '.')
  const { exports } = module
  if (typeof exports !== 'function') {
    return formulaError('assign a function to module.exports.', null)
  }
  const { args, configuration, application } = order
  const bt = application ? await clientFor(application) : null
  const answer: unknown = await exports({
    args: parse(args),
    configuration,
    bt,
    applicationOptions: application,
  })
  const value = stringify(answer) ?? 'null'
  if (Buffer.byteLength(value) > ANSWER_BYTES) {
    return runtimeError(`The answer is longer than ${ANSWER_BYTES / 1024 / 1024} MiB.`)
  }
  return { kind: 'returned', value }
}

type Legacy = {
  BasisTheory: new () => { init(key: string, options: Readonly<Record<string, unknown>>): Promise<unknown> }
}

function clientFor({ apiKey, environment }: { apiKey: string; environment: string }): Promise<unknown> {
  const { BasisTheory } = require('@basis-theory/basis-theory-js') as Legacy
  return new BasisTheory().init(apiKey, { apiBaseUrl: environment, disableTelemetry: true })
}

async function perform(order: Order): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const running = { id: order.id, printable: CONSOLE_BYTES + 1, end: resolve }
  current = running
  whose.run(running, () => {
    run(order).then(resolve, (thrown) => resolve(endedByThrowing(thrown)))
  })
  const ended = await promise
  sayEnded(order.id, ended)
  const clean = await isAtRest()
  current = null
  say({ id: order.id, clean })
}

/** The text of an answer, which may be long, stands behind the rest. */
function sayEnded(id: string, ended: Ended): void {
  const [head, text] = takenApart(ended)
  if (stringify(head).length > HEAD_LENGTH) {
    say({ id, ended: runtimeError('The errors or headers are too long.') })
  } else if (text !== undefined && Buffer.byteLength(stringify(text)) > 2 * ANSWER_BYTES) {
    say({ id, ended: runtimeError('The answer is too long.') })
  } else say({ id, ended: head }, text)
}

function takenApart(ended: Ended): [Ended, string?] {
  if (ended.kind === 'returned') return [{ ...ended, value: '' }, ended.value]
  return ended.kind === 'response' ? [{ ...ended, body: '' }, ended.body] : [ended]
}

/** Whether nothing of a run is under way any more: no timer, no connection. */
async function isAtRest(): Promise<boolean> {
  await new Promise<void>((resolve) => soon(resolve))
  return !escaped && resources().length <= atRest
}

/** Whether a failure outside of what the run waits for has come up. */
let escaped = false
function onEscaped(error: unknown): void {
  escaped = true
  current?.end(endedByThrowing(error))
}

const out = new Writable({
  decodeStrings: false,
  write(text, _encoding, done) {
    print(String(text))
    done()
  },
})
const input = process.stdin
// Electron's: its processes have no input.
const { parentPort } = process as { parentPort?: EventEmitter }
confine(print)
globalThis.console = new Console({ stdout: out, stderr: out, colorMode: false })
process.on('uncaughtException', onEscaped)
process.on('unhandledRejection', onEscaped)

let atRest = 0
let waiting: Buffer[] = []
input.on('data', (chunk: Buffer) => {
  let rest = chunk
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    const line = Buffer.concat([...waiting, rest.subarray(0, end)]).toString()
    waiting = []
    rest = rest.subarray(end + 1)
    void perform(parse(line) as Order)
  }
  if (rest.length > 0) waiting.push(rest)
})
parentPort?.on('message', ({ data }: { data: string }) => void perform(parse(data) as Order))
if (!parentPort) {
  // Whoever started this process is gone.
  input.on('end', () => exit(0))
  input.on('error', () => exit(0))
}
/** What the next run will probably need, and takes as long as all the rest. */
const slow: Readonly<Record<Preload, () => unknown>> = {
  client: () => require('@basis-theory/basis-theory-js'),
  // Its first use loads it.
  fetch: () => Headers,
}
for (const name of preloaded.split(',')) {
  try {
    slow[name as Preload]?.()
  } catch {
    // The code that needs it is told.
  }
}
function ready(): void {
  atRest = resources().length
  say({ ready: isConfined ? 'confined' : 'unconfined' })
}
// A turn later, what was closed above is gone.
setImmediate(() => setImmediate(ready))
