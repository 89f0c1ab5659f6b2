// The entry point of a process that runs code. It reads requests as lines from stdin and writes messages to stdout.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Console } from 'node:console'
import type { EventEmitter } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import vm from 'node:vm'
import { MAX_CONSOLE_BYTES, MAX_HEAD_LENGTH, MAX_RESULT_BYTES } from '../limits.ts'
import type { RunOutcome } from '../run.ts'
import { confineProcess } from './confine.ts'
import { type CodeInput, createInput, toFailure, toOutcome } from './contract.ts'
import type { Preload, RunnerMessage, RunRequest } from './messages.ts'
import { createCodeRequire } from './modules.ts'
import { createFormulaError, createRuntimeError, FILE, toCompileFailure } from './thrown.ts'

type CurrentRun = {
  readonly id: string
  printable: number
  getMisread: CodeInput['getMisread']
  fail(thrown: unknown): void
}
type CompiledCode = (...args: unknown[]) => unknown

const [, , packagesDir = '', preloaded = ''] = process.argv
/** The run that output belongs to: output of a timer that a run leaves behind counts as output of that run. */
const runStorage = new AsyncLocalStorage<CurrentRun>()
const { stringify, parse } = JSON
const resources = process.getActiveResourcesInfo.bind(process)
const exit = process.exit.bind(process)
const soon = setImmediate
const require = createCodeRequire(packagesDir === '' ? null : packagesDir)

/**
 * SECURITY: the process reports whether Node's permission model is in force; without it, no code runs. Asked about all
 * files, some versions of Node 22 and 23 answer whether any may be read, so it asks about the root.
 */
const isConfined =
  process.permission !== undefined &&
  !['fs.read', 'fs.write'].some((scope) =>
    process.permission.has(scope, path.parse(process.execPath).root),
  ) &&
  !['child', 'worker'].some((scope) => process.permission.has(scope))

let current: CurrentRun | null = null
let compiled: CompiledCode | null = null
let code = ''

function sendMessage(message: RunnerMessage, text?: string): void {
  let remaining = Buffer.from(
    text === undefined ? `${stringify(message)}\n` : `${stringify(message)}\t${stringify(text)}\n`,
  )
  while (remaining.length > 0) {
    try {
      remaining = remaining.subarray(fs.writeSync(1, remaining))
    } catch (error) {
      // With EAGAIN, the reader is slow, so retry. Any other error means that the reader has exited.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') exit(1)
    }
  }
}

function printText(text: string): void {
  const run = runStorage.getStore() ?? current
  if (!run || run !== current || run.printable <= 0) return
  const printed = text.slice(0, run.printable)
  run.printable -= printed.length
  sendMessage({ id: run.id, printed })
}

/** Compiles code as a function body, so that lines and columns match the code. */
function compileCode(text: string): CompiledCode {
  return vm.compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: FILE,
  }) as CompiledCode
}

async function runCode(request: RunRequest, run: CurrentRun): Promise<RunOutcome> {
  try {
    if (request.code !== undefined) {
      code = request.code
      compiled = null
    }
    compiled ??= compileCode(code)
  } catch (error) {
    return toCompileFailure(error)
  }
  if (request.args === null) return { kind: 'returned', value: 'null' }
  const module: { exports: unknown } = { exports: {} }
  compiled.call(module.exports, module.exports, require, module, FILE, '.')
  const { exports } = module
  if (typeof exports !== 'function') {
    return createFormulaError('assign a function to module.exports.', null)
  }
  const { input, getMisread } = await createInput(request, createClient)
  run.getMisread = getMisread
  const value = stringify(await exports(input)) ?? 'null'
  if (Buffer.byteLength(value) > MAX_RESULT_BYTES) {
    return createRuntimeError(`The result is longer than ${MAX_RESULT_BYTES / 1024 / 1024} MiB.`)
  }
  return toOutcome(request.contract, value)
}

type Legacy = {
  BasisTheory: new () => { init(key: string, options: Readonly<Record<string, unknown>>): Promise<unknown> }
}

function createClient({ apiKey, environment }: { apiKey: string; environment: string }): Promise<unknown> {
  const { BasisTheory } = require('@basis-theory/basis-theory-js') as Legacy
  return new BasisTheory().init(apiKey, { apiBaseUrl: environment, disableTelemetry: true })
}

async function performRun(request: RunRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<RunOutcome>()
  const running: CurrentRun = {
    id: request.id,
    printable: MAX_CONSOLE_BYTES + 1,
    getMisread: () => null,
    fail: (thrown) => resolve(toFailure(request.contract, thrown, running.getMisread())),
  }
  current = running
  runStorage.run(running, () => {
    runCode(request, running).then(resolve, running.fail)
  })
  const ended = await promise
  sendOutcome(request.id, ended)
  const clean = await isAtRest()
  current = null
  sendMessage({ id: request.id, clean })
}

/** Sends the text of a result, which may be long, after the rest of the message. */
function sendOutcome(id: string, ended: RunOutcome): void {
  const [head, text] = splitOutcome(ended)
  if (stringify(head).length > MAX_HEAD_LENGTH) {
    sendMessage({
      id,
      ended: createRuntimeError('The errors or headers are longer than 65,536 characters of JSON.'),
    })
  } else if (text !== undefined && Buffer.byteLength(stringify(text)) > 2 * MAX_RESULT_BYTES) {
    sendMessage({ id, ended: createRuntimeError('The result is longer than 4 MiB as a JSON string.') })
  } else sendMessage({ id, ended: head }, text)
}

function splitOutcome(ended: RunOutcome): [RunOutcome, string?] {
  if (ended.kind === 'returned') return [{ ...ended, value: '' }, ended.value]
  return ended.kind === 'response' ? [{ ...ended, body: '' }, ended.body] : [ended]
}

/** Whether the run has left no timer and no connection behind. */
async function isAtRest(): Promise<boolean> {
  await new Promise<void>((resolve) => soon(resolve))
  return !hasEscaped && resources().length <= atRest
}

/** Whether an error was thrown outside the promise that the run awaits. */
let hasEscaped = false
function onEscaped(error: unknown): void {
  hasEscaped = true
  current?.fail(error)
}

const out = new Writable({
  decodeStrings: false,
  write(text, _encoding, done) {
    printText(String(text))
    done()
  },
})
const input = process.stdin
// Set in Electron's utility processes, which have no stdin.
const { parentPort } = process as { parentPort?: EventEmitter }
confineProcess(printText)
globalThis.console = new Console({ stdout: out, stderr: out, colorMode: false })
process.on('uncaughtException', onEscaped)
process.on('unhandledRejection', onEscaped)

let atRest = 0
let pendingInput: Buffer[] = []
input.on('data', (chunk: Buffer) => {
  let rest = chunk
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    const line = Buffer.concat([...pendingInput, rest.subarray(0, end)]).toString()
    pendingInput = []
    rest = rest.subarray(end + 1)
    void performRun(parse(line) as RunRequest)
  }
  if (rest.length > 0) pendingInput.push(rest)
})
parentPort?.on('message', ({ data }: { data: string }) => void performRun(parse(data) as RunRequest))
if (!parentPort) {
  // Coffer has exited.
  input.on('end', () => exit(0))
  input.on('error', () => exit(0))
}
/** What the next run may need. Loading it takes as long as the rest of the start. */
const preloads: Readonly<Record<Preload, () => unknown>> = {
  client: () => require('@basis-theory/basis-theory-js'),
  // Node loads its implementation of `fetch` at the first access to `Headers`.
  fetch: () => Headers,
  https: () => require('node:https'),
}
/** Loads one thing in each turn of the event loop, until the first run arrives. */
function preloadNext([name, ...others]: readonly string[]): void {
  if (name === undefined || code !== '') return
  try {
    preloads[name as Preload]?.()
  } catch {
    // Not reported here: code that requires the module gets the error.
  }
  soon(() => preloadNext(others))
}
function sendReady(): void {
  atRest = resources().length
  sendMessage({ ready: isConfined ? 'confined' : 'unconfined' })
  soon(() => preloadNext(preloaded.split(',')))
}
// Resources that were closed above are released one turn of the event loop later.
setImmediate(() => setImmediate(sendReady))
