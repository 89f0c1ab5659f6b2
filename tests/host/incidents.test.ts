import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { operations } from '../../electron/engine/operations.ts'
import { toIncident } from '../../electron/engine/pipeline/incident.ts'
import { diagnoseVault } from '../../electron/host/doctor.ts'
import { getIncidents, setIncidentPrinter } from '../../electron/host/incidents/incidents.ts'
import { runInBackground } from '../../electron/host/jobs/background.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import { catchProblem, createTempFolder } from '../vault.ts'
import { inMemoryVault, startHost, storedVault } from './start-host.ts'

const secret = '4242424242424242 in a message'

/** Makes an operation's handler fail until the test ends. */
function breakReading(createError: () => Error = () => new TypeError(secret)) {
  const handler = vi.spyOn(operations.tokens.get, 'handler').mockImplementation(() => {
    throw createError()
  })
  onTestFinished(() => handler.mockRestore())
}

const getIncidentFile = (dataDir: string) => path.join(dataDir, 'incidents.log')
const createIncident = (where: string): Incident => toIncident(new Error(secret), where, null, Date.now())

test('A-06 an HTTP failure is recorded with its trace id in a file only the owner can read', async () => {
  const { window, dataDir, host } = startHost()
  const { keys } = await window.host.createVault(storedVault)
  const listener = await window.host.listenerOn()
  const url = listener.state === 'on' ? listener.url : ''
  expect(fs.existsSync(getIncidentFile(dataDir))).toBe(false)
  expect((await window.host.incidents()).count).toBe(0)
  breakReading()
  const headers = { 'SVC-API-KEY': keys.private, 'SVC-TRACE-ID': 'find-me' }
  const response = await fetch(`${url}/tokens/a`, { headers })
  expect([response.status, response.headers.get('SVC-TRACE-ID')]).toEqual([500, 'find-me'])
  const file = getIncidentFile(dataDir)
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] as string)).toEqual({
    level: 'error',
    time: expect.any(String),
    trace_id: 'find-me',
    class: 'TypeError',
    code: null,
    stack: expect.arrayContaining([expect.stringContaining('electron/engine/pipeline/pipeline.ts')]),
    where: 'tokens.get',
  })
  expect(lines[0]).not.toContain('4242')
  if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o600)

  const report = await window.host.incidents()
  expect(report).toMatchObject({ count: 1, file, incidents: [{ trace_id: 'find-me' }] })
  expect(report.since).toBe(report.last)
  await host.close()
  const findings = await diagnoseVault({ dataDir, name: storedVault.name, now: Date.now() })
  expect(findings.find(({ about }) => about === 'incidents')).toEqual({
    about: 'incidents',
    state: 'warn',
    text: `1 internal error, at ${report.last}: ${file}.`,
    todo: 'Attach this file to a bug report, then remove it. It contains no vault data.',
  })
})

test('an in-memory vault lists its incidents and writes them to no file', async () => {
  const { window, dataDir } = startHost()
  await window.host.createVault(inMemoryVault)
  breakReading(() => Object.assign(new Error(secret), { name: 'OnlyInMemoryError' }))
  await catchProblem(window.tokens.get({ id: 'a' }))
  const { file, incidents } = await window.host.incidents()
  expect(file).toBe(null)
  // All in-memory vaults of a process share their incidents, and only the last 50 are kept.
  const ofThisTest = incidents.filter(({ class: name }) => name === 'OnlyInMemoryError')
  expect(ofThisTest.map(({ where }) => where)).toEqual(['tokens.get'])
  expect(fs.existsSync(getIncidentFile(dataDir))).toBe(false)
})

test('a failure of the host is recorded only once, even if it is reported twice', async () => {
  const { host, window, dataDir } = startHost()
  await window.host.createVault(storedVault)
  const error = new TypeError(secret)
  vi.spyOn(host.maintenance, 'listBackups').mockImplementation(() => {
    throw error
  })
  expect((await catchProblem(window.host.listBackups({}))).code).toBe('internal')
  host.reportIncident(error, 'elsewhere')
  // A rejected input, and an error that the owner sees, are not incidents.
  await catchProblem(window.host.backup({ file: path.join(dataDir, 'none', 'x.coffer-backup') }))
  const { incidents } = await window.host.incidents()
  expect(incidents.map(({ where }) => where)).toEqual(['host.listBackups'])
})

test('if settings cannot be written, the owner gets an error and an incident is recorded', async () => {
  const { window } = startHost()
  await window.host.createVault(storedVault)
  vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' })
  })
  expect((await catchProblem(window.host.updateSettings({ appearance: 'dark' }))).code).toBe('storage_full')
  expect((await window.host.incidents()).incidents.map(({ where }) => where)).toEqual(['settings'])
})

test('a failing subscriber does not stop events to the others', async () => {
  const { host, window, events } = startHost()
  host.subscribe(() => {
    throw new TypeError(secret)
  })
  const received: string[] = []
  host.subscribe(({ type }) => received.push(type))
  await window.host.createVault(inMemoryVault)
  expect([events.length > 0, received.length]).toEqual([true, events.length])
})

test('an incident from a worker thread has the class and stack of its error', async () => {
  const error = await runInBackground('inspect', { database: 3 as never, master: Buffer.alloc(32) }).catch(
    (each) => each,
  )
  expect(toIncident(error, 'thread', null, 0)).toMatchObject({
    class: 'TypeError',
    stack: expect.arrayContaining([expect.stringMatching(/^\w.*(electron\/engine|out\/cli)\//)]),
  })
})

test('members of an incident outside the schema, such as a message, are not written', () => {
  const dataDir = createTempFolder()
  getIncidents(dataDir).recordIncident({
    ...createIncident('place'),
    message: secret,
    cause: { data: secret },
  } as Incident)
  const line = fs.readFileSync(getIncidentFile(dataDir), 'utf8')
  expect(Object.keys(JSON.parse(line)).sort()).toEqual([
    'class',
    'code',
    'level',
    'stack',
    'time',
    'trace_id',
    'where',
  ])
})

test('the newest incidents are stored in two files of bounded size', () => {
  const dataDir = createTempFolder()
  const incidents = getIncidents(dataDir)
  for (let at = 0; at < 1000; at++) incidents.recordIncident(createIncident(`place ${at}`))
  expect(fs.readdirSync(dataDir).sort()).toEqual(['incidents.log', 'incidents.log.1'])
  for (const each of fs.readdirSync(dataDir)) {
    expect(fs.statSync(path.join(dataDir, each)).size).toBeLessThanOrEqual(256 * 1024)
  }
  const { count, incidents: shown } = incidents.readReport()
  expect(count).toBeLessThan(1000)
  expect([shown.length, shown.at(-1)?.where]).toEqual([50, 'place 999'])
})

test('of equal incidents, 20 a minute are recorded and the others counted', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const dataDir = createTempFolder()
  const incidents = getIncidents(dataDir)
  const flood = createIncident('flood')
  for (let at = 0; at < 1000; at++) incidents.recordIncident(flood)
  incidents.recordIncident(createIncident('another'))
  expect(incidents.readReport().count).toBe(21)
  expect(fs.readFileSync(getIncidentFile(dataDir), 'utf8').trim().split('\n')).toHaveLength(21)
  vi.advanceTimersByTime(60_000)
  incidents.recordIncident(flood)
  expect(incidents.readReport().incidents.filter(({ left_out }) => left_out === 980)).toHaveLength(1)
})

test.each([
  ['the folder is missing', (dataDir: string) => fs.rmdirSync(dataDir)],
  ['the file is a folder', (dataDir: string) => fs.mkdirSync(getIncidentFile(dataDir))],
  [
    'the file is a link',
    (dataDir: string) => fs.symlinkSync(path.join(dataDir, 'target'), getIncidentFile(dataDir)),
  ],
])('X-25 recording an incident does not fail if %s', (_, prepare) => {
  const dataDir = createTempFolder()
  prepare(dataDir)
  const printed: string[] = []
  setIncidentPrinter((text) => printed.push(text))
  onTestFinished(() => setIncidentPrinter(null))
  getIncidents(dataDir).recordIncident(createIncident('here'))
  expect(printed.join('\n')).toMatch(/^internal error: Error in here, /)
  expect(fs.existsSync(path.join(dataDir, 'target'))).toBe(false)
})

test('X-25 an incident that a full disk rejects is still listed', () => {
  const dataDir = createTempFolder()
  const write = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' })
  })
  onTestFinished(() => write.mockRestore())
  getIncidents(dataDir).recordIncident(createIncident('here'))
  expect(getIncidents(dataDir).readReport()).toMatchObject({ count: 1, incidents: [{ where: 'here' }] })
})

test('X-25 a truncated line is skipped and loses no other incident', () => {
  const dataDir = createTempFolder()
  const incidents = getIncidents(dataDir)
  incidents.recordIncident(createIncident('whole'))
  fs.appendFileSync(getIncidentFile(dataDir), '{"level":"error","ti')
  incidents.recordIncident(createIncident('after it'))
  expect(incidents.readReport().incidents.map(({ where }) => where)).toEqual(['whole', 'after it'])
})

test('X-25 an incident that a full disk truncates is still listed', () => {
  const dataDir = createTempFolder()
  const { writeSync } = fs
  const write = vi.spyOn(fs, 'writeSync')
  onTestFinished(() => write.mockRestore())
  write.mockImplementationOnce((to, line) => writeSync(to, String(line).slice(0, 40)))
  const incidents = getIncidents(dataDir)
  for (const where of ['cut off', 'after it', 'later']) incidents.recordIncident(createIncident(where))
  const report = incidents.readReport().incidents.map(({ where }) => where)
  expect(report.sort()).toEqual(['after it', 'cut off', 'later'])
})
