import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { operations } from '../../electron/engine/operations.ts'
import {
  createErrorFromTrace,
  isIncident,
  parsePageFrames,
  toErrorTrace,
  toIncident,
} from '../../electron/engine/pipeline/incident.ts'
import { runAfterwards } from '../../electron/engine/pipeline/run-afterwards.ts'
import { CofferError, createInternalError } from '../../shared/errors.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import { catchProblem, createTempFolder, createTestClient } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

const secret = '4242424242424242 in a message'

function openEngine() {
  const file = path.join(createTempFolder(), 'vault.db')
  const master = randomBytes(32)
  const incidents: Incident[] = []
  const onIncident = (incident: Incident) => incidents.push(incident)
  const engine = Engine.create(file, master, { tenant_id: randomUUID(), name: 'Test' }, { onIncident })
  onTestFinished(() => engine.close())
  /** Changes the file with another connection, unknown to the engine. */
  const alterDatabase = (sql: string) => {
    const db = openDatabase(file, deriveDatabaseKey(master), { create: false })
    db.exec(sql)
    db.close()
  }
  const createOwner = (trace_id?: string) =>
    createTestClient(() => engine, { kind: 'owner' }, trace_id === undefined ? {} : { trace_id })
  return { engine, incidents, alterDatabase, createOwner, owner: createOwner() }
}

test('A-06 an error in a handler is an incident, and hidden from the caller', async () => {
  const { incidents, createOwner } = openEngine()
  const handler = vi.spyOn(operations.tokens.get, 'handler').mockImplementation(() => {
    throw new TypeError(secret)
  })
  onTestFinished(() => handler.mockRestore())
  const problem = await catchProblem(createOwner('trace-1').tokens.get({ id: 'a' }))
  expect(problem).toMatchObject({ code: 'internal', detail: 'Something went wrong inside the vault.' })
  expect(incidents).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-/),
      trace_id: 'trace-1',
      class: 'TypeError',
      code: null,
      stack: expect.arrayContaining([
        expect.stringMatching(/electron\/engine\/pipeline\/pipeline\.ts:\d+:\d+/),
      ]),
      where: 'tokens.get',
    },
  ])
  expect(JSON.stringify(incidents)).not.toContain('4242')
})

test('A-06 a rejected call is not an incident', async () => {
  const { incidents, owner } = openEngine()
  await catchProblem(owner.tokens.get({ id: 'a' }))
  await catchProblem(owner.tokens.create({ type: 'card', data: { number: '1' } } as never))
  expect(incidents).toEqual([])
})

test('X-25 each write of a failed commit is an incident with its trace id', async () => {
  const { incidents, alterDatabase, createOwner } = openEngine()
  alterDatabase(`CREATE TRIGGER fails BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, '${secret}'); END`)
  const writes = ['one', 'two'].map((trace) =>
    createOwner(trace).tokens.create({ type: 'token', data: trace }),
  )
  for (const write of writes) expect((await catchProblem(write)).code).toBe('internal')
  expect(incidents.map(({ trace_id, where, code }) => [trace_id, where, code])).toEqual([
    ['one', 'tokens.create', 'SQLITE_CONSTRAINT_TRIGGER'],
    ['two', 'tokens.create', 'SQLITE_CONSTRAINT_TRIGGER'],
  ])
  expect(JSON.stringify(incidents)).not.toContain('4242')
})

test('X-25 a failed sweep and a failed log write are incidents', async () => {
  const { engine, incidents, alterDatabase, owner } = openEngine()
  const { key } = await owner.applications.create({
    name: 'App',
    type: 'private',
    permissions: ['token:read'],
  })
  alterDatabase('ALTER TABLE session RENAME TO elsewhere')
  engine.sweeper.start()
  await waitFor(() => expect(incidents).toMatchObject([{ where: 'sweep', code: 'SQLITE_ERROR' }]))
  alterDatabase(`CREATE TRIGGER fails BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'no'); END`)
  await catchProblem(
    createTestClient(() => engine, { kind: 'key', key: key as string }).tokens.get({ id: 'a' }),
  )
  engine.outcomes.flushLog()
  expect(incidents.at(-1)).toMatchObject({ where: 'log', code: 'SQLITE_CONSTRAINT_TRIGGER' })
  alterDatabase('DROP TRIGGER fails')
})

const forged = '\n    at canary (/etc/4242424242424242.ts:1:1)\n    at canary (node:secret-4242:1:1)'

test.each([
  ['in its message', new Error(`x${forged}`)],
  ['in a message that was changed afterwards', Object.assign(new Error(`x${forged}`), { message: 'y' })],
  ['in its stack', Object.assign(new Error('x'), { stack: `Error: x${forged}` })],
  ['in its code', Object.assign(new Error('x'), { code: '4242424242424242' })],
  ['in a code that resembles a system code', Object.assign(new Error('x'), { code: 'E4242424242424242' })],
  ['in its class', Object.assign(new Error('x'), { name: 'Error 4242424242424242' })],
  ['in its cause', createInternalError(new Error('4242424242424242'))],
  ['as the thrown value', '4242424242424242'],
  ['as a member', Object.assign(new Error('x'), { data: '4242424242424242' })],
])('X-23 an error with data %s leaves none in its incident', (_, error) => {
  const incident = toIncident(error, 'here', 'trace', Date.now())
  expect(JSON.stringify(incident)).not.toMatch(/4242|canary|etc/)
  const revived = toIncident(createErrorFromTrace(toErrorTrace(error)), 'here', 'trace', Date.now())
  expect(JSON.stringify(revived)).not.toMatch(/4242|canary|etc/)
})

test('an incident reads only the start of a very long stack', () => {
  const frame = `    at inside (${import.meta.filename}:1:1)\n`
  const error = Object.assign(new Error('x'), { stack: `Error: x\n${frame}${'-'.repeat(100_000)}\n${frame}` })
  expect(toIncident(error, 'here', null, 0).stack).toEqual(['inside (tests/engine/incidents.test.ts:1:1)'])
})

test('X-23 a number in a trace id is masked, as in the log', () => {
  expect(toIncident(new Error('x'), 'here', 'a-4242424242424242', 0).trace_id).toBe('a-XXXXXXXXXXXX4242')
  const trace = '5f1c6e4a-3a51-4d06-a2fd-123456789012'
  expect(toIncident(new Error('x'), 'here', trace, 0).trace_id).toBe(trace)
})

test('an error reported by the window keeps only stack frames from its own scripts', () => {
  const stack = [
    '    at draw (app://coffer/assets/index-1a2b.js:10:2345)',
    '    at http://127.0.0.1:4748/console/assets/index.js:1:2',
    '    at evil (https://elsewhere.test/x.js:1:1)',
    '    at 4242424242424242',
  ].join('\n')
  expect(parsePageFrames(stack)).toEqual([
    'draw (/assets/index-1a2b.js:10:2345)',
    '/console/assets/index.js:1:2',
  ])
})

test('errors that the owner can fix are not incidents', () => {
  const createCause = (code: string) => ({ cause: Object.assign(new Error('x'), { code }) })
  expect(isIncident(new CofferError('unavailable', 'A path.', createCause('EACCES')))).toBe(false)
  expect(isIncident(new CofferError('storage_full', 'Full.', createCause('ENOSPC')))).toBe(false)
  expect(isIncident(new CofferError('conflict', 'Taken.'))).toBe(false)
  expect(isIncident(new CofferError('unavailable', 'Disk.', createCause('SQLITE_IOERR_READ')))).toBe(true)
  expect(isIncident(new CofferError('damaged', 'A page.'))).toBe(true)
  expect(isIncident(createInternalError(new Error('x')))).toBe(true)
  expect(isIncident(new Error('x'))).toBe(true)
})

test('A-06 an error thrown after a response is reported once and not rethrown', async () => {
  const mistakes = [new TypeError('thrown'), new TypeError('rejected')] as const
  const reports: unknown[] = []
  const collectReport = (error: unknown, where: string, trace_id?: string) =>
    reports.push([error, where, trace_id])
  runAfterwards(collectReport, 'here', () => {
    throw mistakes[0]
  })
  runAfterwards(collectReport, 'there', () => Promise.reject(mistakes[1]), 'trace-1')
  expect(reports).toEqual([])
  await waitFor(() => expect(reports).toHaveLength(2))
  expect(reports).toEqual([
    [mistakes[0], 'here', undefined],
    [mistakes[1], 'there', 'trace-1'],
  ])
})

/** Files whose deferred functions throw no error, or catch their errors themselves. */
const guarded = ['http/gate.ts', 'host/jobs/watchdog.ts', 'host/webhooks/deliveries.ts']

test('A-06 host and listener defer no function whose error would go unreported', () => {
  const root = path.join(import.meta.dirname, '..', '..', 'electron')
  const found = ['http', 'host'].flatMap((area) =>
    fs
      .readdirSync(path.join(root, area), { recursive: true, encoding: 'utf8' })
      .map((file) => `${area}/${file.replaceAll(path.sep, '/')}`)
      .filter((file) => file.endsWith('.ts') && !guarded.includes(file))
      .filter((file) => /\bsetImmediate\(|\bnextTick\(/.test(fs.readFileSync(path.join(root, file), 'utf8'))),
  )
  expect(found).toEqual([])
})
