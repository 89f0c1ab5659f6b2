import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { toCofferError } from '../electron/engine/db/storage-error.ts'
import { Engine } from '../electron/engine/engine.ts'
import type { Operations } from '../electron/engine/operations.ts'
import type { EngineOptions } from '../electron/engine/parts.ts'
import type { Caller, CallInfo } from '../electron/engine/pipeline/call.ts'
import { type Client, createClientFrom } from '../shared/client.ts'
import { toProblem } from '../shared/errors.ts'
import { readJson } from '../shared/json.ts'
import type { AccessRule } from '../shared/schemas/rule.ts'
import { isThorough } from './thorough.ts'

export const start = Date.parse('2030-01-01T00:00:00Z')

/** A clock that stands still until a test moves it. */
export class Clock {
  ms = start
  readonly now = (): number => this.ms
  advance(ms: number): void {
    this.ms += ms
  }
}

/** Returns a value after a round trip through JSON text, as over IPC and HTTP. */
export function toWire<T>(value: T): T {
  return readJson(JSON.stringify(value)) as T
}

/** Creates the typed client of the engine that is open when an operation is called. */
export function createTestClient(
  engine: () => Engine,
  caller: Caller,
  info: CallInfo = {},
): Client<Operations> {
  return createClientFrom((name, input) => {
    const [resource = '', operation = ''] = name.split('.')
    return Reflect.get(Reflect.get(engine().as(caller, info), resource), operation)(input)
  })
}

export function createTempFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Template = { folder: string; master: Buffer }
/** The first vault of each test is a copy of the first template, the second one of the second, and so on. */
const templates: Template[] = []
let taken = 0

/**
 * Returns the next template. Templates are created once for all tests of a process, because the migrations of a vault
 * take as long as a small test.
 */
function newVault(): Template {
  const made = templates[taken]
  if (made) return made
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-template-'))
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  const master = randomBytes(32)
  const vault = { tenant_id: randomUUID(), name: 'Test' }
  Engine.create(path.join(folder, 'vault.db'), master, vault, { now: () => start }).close()
  const template = { folder, master }
  templates.push(template)
  return template
}

type Options = Pick<
  EngineOptions,
  'onChanges' | 'onClock' | 'onEvents' | 'onIncident' | 'ephemeral' | 'packages'
>

/**
 * Opens a vault for a test that does not depend on durability. Except in a thorough test run, it is not durable and
 * opens in a third of the time.
 */
export function openBriefVault(options: Options = {}) {
  return openVault({ ...options, ephemeral: !isThorough })
}

/** Opens a real encrypted vault in a temporary file, with a stopped clock. It is deleted when the test ends. */
export function openVault(options: Options = {}) {
  const folder = createTempFolder()
  const file = path.join(folder, 'vault.db')
  const clock = new Clock()
  const engineOptions = { ...options, now: clock.now }
  // A second vault of a test is a copy of another template, with its own keys.
  const { master, folder: copied } = newVault()
  taken++
  onTestFinished(() => {
    taken = 0
  })
  fs.cpSync(copied, folder, { recursive: true })
  let engine = Engine.open(file, master, engineOptions)
  onTestFinished(() => engine.close())
  const owner = createTestClient(() => engine, { kind: 'owner' })
  return {
    folder,
    file,
    master,
    clock,
    owner,
    get engine() {
      return engine
    },
    /** Closes the file and opens it again, like a restart. */
    reopen() {
      engine.close()
      engine = Engine.open(file, master, engineOptions)
    },
    /** Creates a client that calls with the key of a new application. */
    async application(grants: {
      type?: 'private' | 'public' | 'management'
      permissions?: string[]
      rules?: Partial<AccessRule>[]
      expires_at?: string
    }) {
      const made = await owner.applications.create({ name: 'App', type: 'private', ...grants } as never)
      const key = made.key as string
      const client = createTestClient(() => engine, { kind: 'key', key })
      return {
        id: made.id,
        key,
        client,
        with: (info: CallInfo) => createTestClient(() => engine, { kind: 'key', key }, info),
      }
    },
  }
}

/** Returns the problem document that a promise rejects with. Fails if it does not reject. */
export async function catchProblem(promise: Promise<unknown>) {
  const result = await promise.then(
    () => null,
    (error: unknown) => toProblem(toCofferError(error)),
  )
  if (result === null) throw new Error('expected a problem, but the call succeeded')
  return result
}
