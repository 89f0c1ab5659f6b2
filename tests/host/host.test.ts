import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { findLockHolder } from '../../electron/host/files/vault-lock.ts'
import { DailyBackups } from '../../electron/host/maintenance/daily-backups.ts'
import { Maintenance } from '../../electron/host/maintenance/maintenance.ts'
import type { HostEvent } from '../../shared/host/events.ts'
import { hostSettings } from '../../shared/host/settings.ts'
import { catchProblem } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { gatePassphrases } from './passphrase-gate.ts'
import { inMemoryVault, passphrase, startHost, storedVault } from './start-host.ts'

const MINUTE = 60_000

test('a created vault is locked with wiped keys and reopened with either credential', async () => {
  const { host, window, events, dataDir } = startHost()
  const created = await window.host.createVault(storedVault)
  expect(created.keys.private).toMatch(/^key_local_pvt_/)
  expect(created.recovery_key).toBeDefined()
  const open = await window.host.status()
  expect(open.vault).toEqual({
    name: 'work',
    tenant_id: expect.any(String),
    protection: 'passphrase',
    now: '2030-01-01T00:00:00.000+00:00',
  })
  expect(open.last_vault).toBe('work')

  const token = await window.tokens.create({ type: 'token', data: 'secret' })
  await window.host.lock()
  expect(host.getEngine()).toBeNull()
  expect(events.at(-1)).toMatchObject({ type: 'status', status: { vault: null, last_vault: 'work' } })
  expect(findLockHolder(path.join(dataDir, 'work'))).toBeUndefined()
  expect(await catchProblem(window.tokens.get({ id: token.id }))).toMatchObject({ status: 423 })

  expect(
    await catchProblem(window.host.unlock({ name: 'work', with: { passphrase: 'wrong' } })),
  ).toMatchObject({
    status: 401,
  })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  expect((await window.tokens.get({ id: token.id })).id).toBe(token.id)
  await window.host.lock()
  await window.host.unlock({ name: 'work', with: { recovery_key: created.recovery_key as string } })
  expect((await window.tokens.get({ id: token.id })).id).toBe(token.id)
})

test('if the data folder becomes unreachable, a notice says so and the vault can be locked', async () => {
  const { host, window, dataDir } = startHost()
  await window.host.createVault(storedVault)
  fs.rmSync(dataDir, { recursive: true })
  fs.writeFileSync(dataDir, '')
  onTestFinished(() => fs.rmSync(dataDir))
  expect(await window.host.status()).toMatchObject({
    vault: { name: 'work' },
    vaults: [{ name: 'work' }],
    notices: [expect.stringContaining('cannot be reached')],
  })
  host.lock()
  // The list of vaults is unchanged, so that the window does not treat this as a first run.
  expect(await window.host.status()).toMatchObject({ vault: null, vaults: [{ name: 'work' }] })
})

test('the status reports the keychain even if a vault was opened before the first status', async () => {
  const { window, events } = startHost()
  await window.host.createVault(inMemoryVault)
  expect((await window.host.status()).keychain).toMatch(/has not answered yet/)
  await waitFor(() => {
    const latest = events.findLast((event) => event.type === 'status')
    expect(String(latest?.type === 'status' && latest.status.keychain)).not.toMatch(/has not answered yet/)
  })
})

test('X-35 the master secret is wiped when the host locks', async () => {
  const { host, window } = startHost()
  await window.host.createVault(inMemoryVault)
  const master = host.openVault?.withMaster((each) => each)
  expect(master?.some((byte) => byte !== 0)).toBe(true)
  await window.host.lock()
  expect(master?.every((byte) => byte === 0)).toBe(true)
})

test('X-12 after a lock the listener stays open and responds with 423', async () => {
  const { window, dataDir } = startHost()
  const { keys } = await window.host.createVault(storedVault)
  const listener = await window.host.listenerOn()
  if (listener.state !== 'on') throw new Error('refused')
  const requestTokens = () => fetch(`${listener.url}/v2/tokens`, { headers: { 'SVC-API-KEY': keys.private } })
  expect((await requestTokens()).status).toBe(200)
  expect(findLockHolder(path.join(dataDir, 'work'))?.url).toBe(listener.url)
  await window.host.lock()
  expect((await requestTokens()).status).toBe(423)
  expect((await window.host.status()).listener).toEqual(listener)
  await window.host.unlock({ name: 'work', with: { passphrase } })
  expect((await requestTokens()).status).toBe(200)
  await window.host.listenerOff()
  await expect(requestTokens()).rejects.toThrow()
  expect(findLockHolder(path.join(dataDir, 'work'))?.url).toBeUndefined()
})

test('X-12 the status reports a taken port and the next free one', async () => {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  const { window, events } = startHost()
  const listenerState = await window.host.listenerOn({ port })
  expect(listenerState).toMatchObject({ state: 'refused', reason: expect.stringContaining(`Port ${port}`) })
  expect(events.at(-1)).toMatchObject({ type: 'status', status: { listener: listenerState } })
  const next = listenerState.state === 'refused' ? listenerState.next_port : undefined
  expect(next).toBeGreaterThan(port)
  expect(await window.host.listenerOn({ port: next })).toMatchObject({ state: 'on', port: next })
})

test('X-27 a vault idle for the auto-lock time is locked, and each use restarts that time', async () => {
  const { host, window, clock } = startHost()
  await window.host.createVault(storedVault)
  await window.host.updateSettings({ auto_lock_minutes: 10 })
  clock.advance(9 * MINUTE)
  host.checkIdle()
  await window.tokens.list()
  clock.advance(9 * MINUTE)
  await window.host.status()
  host.checkIdle()
  expect(host.getEngine()).not.toBeNull()
  clock.advance(MINUTE)
  host.checkIdle()
  expect(host.getEngine()).toBeNull()
})

test('X-27 a clock that is set back does not keep an idle vault open', async () => {
  const { host, window, clock } = startHost()
  await window.host.createVault(storedVault)
  clock.advance(-24 * 60 * MINUTE)
  host.checkIdle()
  clock.advance(16 * MINUTE)
  host.checkIdle()
  expect(host.getEngine()).toBeNull()
})

test('a request of an application resets the idle time of the vault', async () => {
  const { host, window, clock } = startHost()
  const { keys } = await window.host.createVault(storedVault)
  clock.advance(14 * MINUTE)
  await host.getEngine()?.call('tokens.list', {}, { kind: 'key', key: keys.private })
  host.getEngine()?.outcomes.flushLog()
  clock.advance(14 * MINUTE)
  host.checkIdle()
  expect(host.getEngine()).not.toBeNull()
})

test('an in-memory vault is not locked when idle, which would delete it', async () => {
  const { host, window, clock } = startHost()
  await window.host.createVault(inMemoryVault)
  expect((await window.host.status()).vault?.protection).toBe('memory')
  clock.advance(24 * 60 * MINUTE)
  host.checkIdle()
  host.lockUnattended()
  expect(host.getEngine()).not.toBeNull()
  await window.host.lock()
  expect(host.getEngine()).toBeNull()
})

test('only the clock of an in-memory vault can be moved, and the status says how far', async () => {
  const { window } = startHost()
  await window.host.createVault(storedVault)
  await expect(window.host.moveClock({ advance: 60 })).rejects.toMatchObject({ code: 'conflict' })
  await window.host.createVault(inMemoryVault)
  await window.host.moveClock({ advance: 60 })
  expect((await window.host.status()).vault).toMatchObject({ clock_moved_ms: 60_000 })
  await expect(window.host.moveClock({ to: 'next expiry' })).rejects.toMatchObject({
    code: 'unprocessable',
  })
  await window.host.moveClock({ to: 'this computer' })
  expect((await window.host.status()).vault).not.toHaveProperty('clock_moved_ms')
})

test('X-35 a lock during the opening of a vault leaves that vault locked', async () => {
  const gate = gatePassphrases()
  const { host, window } = startHost()
  await window.host.createVault(storedVault)
  await window.host.lock()
  gate.closeGate()
  const opening = catchProblem(window.host.unlock({ name: 'work', with: { passphrase } }))
  await new Promise(setImmediate)
  host.lock()
  gate.openGate()
  expect(await opening).toMatchObject({ status: 423 })
  expect(host.getEngine()).toBeNull()
  await window.host.unlock({ name: 'work', with: { passphrase } })
})

test('a lock during a creation locks the vault, and the error says to get a new recovery key', async () => {
  const { host, window, events } = startHost()
  const gate = gatePassphrases()
  gate.closeGate()
  const making = catchProblem(window.host.createVault(storedVault))
  await new Promise(setImmediate)
  host.lock()
  gate.openGate()
  expect(await making).toMatchObject({ status: 423, detail: expect.stringContaining('new recovery key') })
  expect(events.findLast(({ type }) => type === 'status')).toMatchObject({
    type: 'status',
    status: { vault: null, vaults: [{ name: 'work' }] },
  })
  await window.host.unlock({ name: 'work', with: { passphrase } })
})

test('a failed creation or opening leaves the open vault open', async () => {
  const { host, window } = startHost()
  await window.host.createVault(inMemoryVault)
  const engine = host.getEngine()
  const short = { name: 'other', protection: { passphrase: 'short' } }
  expect(await catchProblem(window.host.createVault(short))).toMatchObject({ status: 400 })
  expect(await catchProblem(window.host.unlock({ name: 'none', with: { passphrase } }))).toMatchObject({
    status: 404,
  })
  expect(host.getEngine()).toBe(engine)
})

test('X-27 a vault that cannot be closed does not block opening the next one', async () => {
  const { host, window, clock, events } = startHost({ overrides: { port: 0, auto_lock_minutes: 5 } })
  await window.host.createVault(inMemoryVault)
  const before = host.openVault
  if (!before) throw new Error('No vault is open.')
  const { lock } = before
  vi.spyOn(before, 'lock').mockImplementation(() => {
    lock.call(before)
    throw new Error('cannot be closed')
  })
  await window.host.createVault(storedVault)
  const published = events.filter(({ type }) => type === 'status')
  expect(published.at(-1)).toMatchObject({ status: { vault: { name: 'work' } } })
  expect(host.incidents.readReport().incidents.map(({ where }) => where)).toContain('lock')
  clock.advance(6 * MINUTE)
  host.checkIdle()
  expect(host.openVault).toBeNull()
})

test('if an error occurs after an unlock, the vault is locked again', async () => {
  const { host, window, events } = startHost()
  await window.host.createVault(storedVault)
  await window.host.lock()
  const resume = vi.spyOn(host.maintenance, 'resumeRotation').mockImplementation(() => {
    throw new Error('a mistake of ours')
  })
  const unlockWork = () => window.host.unlock({ name: 'work', with: { passphrase } })
  expect(await catchProblem(unlockWork())).toMatchObject({ status: 500 })
  expect(host.openVault).toBeNull()
  expect(events.at(-1)).toMatchObject({ type: 'status', status: { vault: null } })
  resume.mockRestore()
  await unlockWork()
  expect(host.openVault?.name).toBe('work')
})

test.each([
  ['its own work', () => vi.spyOn(Maintenance.prototype, 'resumeRotation')],
  ['its daily backups', () => vi.spyOn(DailyBackups.prototype, 'start')],
])('X-27 the open vault stays open if %s of the next one cannot start', async (_step, spyOnStep) => {
  const { host, window, clock, events } = startHost({ overrides: { port: 0, auto_lock_minutes: 5 } })
  await window.host.createVault(storedVault)
  const before = host.openVault
  const step = spyOnStep().mockImplementationOnce(() => {
    throw new Error('a mistake of ours')
  })
  onTestFinished(() => step.mockRestore())
  const next = { name: 'next', protection: { passphrase } }
  expect(await catchProblem(window.host.createVault(next))).toMatchObject({ status: 500 })
  expect(host.openVault).toBe(before)
  expect(before?.isLocked).toBe(false)
  const statuses = events.filter(({ type }) => type === 'status')
  expect(statuses.at(-1)).toMatchObject({ status: { vault: { name: 'work' } } })
  clock.advance(6 * MINUTE)
  host.checkIdle()
  expect(before?.isLocked).toBe(true)
  await window.host.unlock({ name: 'next', with: { passphrase } })
  expect(host.openVault?.name).toBe('next')
})

test('X-27 a failure after the next vault was taken over is reported, and that vault is complete', async () => {
  const { host, window, clock, events } = startHost({ overrides: { port: 0, auto_lock_minutes: 5 } })
  await window.host.createVault(inMemoryVault)
  vi.spyOn(host.events, 'dropAll').mockImplementation(() => {
    throw new Error('a mistake of ours')
  })
  await window.host.createVault(storedVault)
  const statuses = events.filter(({ type }) => type === 'status')
  expect(statuses.at(-1)).toMatchObject({ status: { vault: { name: 'work' } } })
  expect((await window.host.status()).last_vault).toBe('work')
  expect(host.incidents.readReport().incidents.map(({ where }) => where)).toContain('adopt')
  clock.advance(6 * MINUTE)
  host.checkIdle()
  expect(host.openVault).toBeNull()
})

test('O-05 subscribers receive log records until they unsubscribe', async () => {
  const { host, window, events } = startHost()
  await window.host.createVault(inMemoryVault)
  const later: unknown[] = []
  const stop = host.subscribe((event) => later.push(event))
  stop()
  const { id } = await window.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await waitFor(() => {
    const records = events.flatMap((event) => (event.type === 'log' ? event.records : []))
    expect(records.at(-1)).toMatchObject({ operation: 'tokens.create', entity_id: id, status: 201 })
  })
  expect(JSON.stringify(events)).not.toContain('4242424242424242')
  expect(later).toEqual([])
})

test('subscribers receive changes in batches, but not those pending when the vault is locked', async () => {
  const { host, window, events } = startHost()
  await window.host.createVault(inMemoryVault)
  const listChanges = () => events.flatMap((event) => (event.type === 'changes' ? event.changes : []))
  const ids = ['5555341244441115', 'second', 'third']
  await Promise.all(ids.map((id) => window.tokens.create({ id, type: 'token', data: 'x' })))
  await waitFor(() => expect(listChanges()).toEqual([{ entity: 'token', kind: 'created', ids }]))
  const before = events.length
  await window.tokens.remove({ id: 'second' })
  host.lock()
  await window.host.createVault(inMemoryVault)
  await window.tokens.create({ id: 'other', type: 'token', data: 'x' })
  await waitFor(() =>
    expect(listChanges()).toContainEqual({ entity: 'token', kind: 'created', ids: ['other'] }),
  )
  const later = events.slice(before).flatMap((event) => (event.type === 'changes' ? event.changes : []))
  expect(later).toEqual([{ entity: 'token', kind: 'created', ids: ['other'] }])
})

test('each sample application sees the sample data as its permissions allow', async () => {
  const { window, clientAs, events } = startHost()
  await window.host.createVault({ ...inMemoryVault, sample_data: true })
  const { pagination } = await window.applications.list({})
  expect(pagination.total_items).toBe(6)
  const all = await window.tokens.list({ size: 100 })
  expect(all.data.length).toBeGreaterThan(35)
  expect(new Set(all.data.map(({ type }) => type)).size).toBe(8)
  const { data: applications } = await window.applications.list({})
  const connectAs = (name: string) => clientAs(applications.find((each) => each.name === name)?.id as string)
  const cards = { type: 'card', size: 100 } as const
  const masked = await connectAs('Support desk').tokens.list(cards)
  const cardList = await connectAs('Payments').tokens.list(cards)
  expect(masked.data.length).toBe(14)
  expect(cardList.data.length).toBe(14)
  expect(JSON.stringify(masked)).not.toContain('4242424242424242')
  expect(JSON.stringify(cardList)).toContain('4242424242424242')
  expect(await catchProblem(connectAs('Browser checkout').tokens.list(cards))).toMatchObject({ status: 403 })
  const progress = events.filter((event) => event.type === 'progress')
  expect(progress.at(-1)).toEqual({ type: 'progress', job: 'sample data', done: 45, total: 45 })
})

test('settings from CLI options override stored ones until the owner changes them', async () => {
  const { window, dataDir } = startHost({ overrides: { port: 0, origins: ['http://localhost:1'] } })
  await window.host.updateSettings({ appearance: 'dark' })
  const changed = await window.host.updateSettings({ origins: ['http://localhost:3000'] })
  const defaults = hostSettings.parse({})
  expect(changed).toEqual({ ...defaults, port: 0, origins: ['http://localhost:3000'], appearance: 'dark' })
  const next = startHost({ dataDir, overrides: {} })
  expect((await next.window.host.status()).settings).toEqual({ ...changed, port: 4747 })
  const bad = window.host.updateSettings({ origins: ['http://localhost:3000/path'] })
  expect(await catchProblem(bad)).toMatchObject({
    status: 400,
    errors: { 'origins[0]': [expect.any(String)] },
  })
})

test('changed listener settings reopen the listener', async () => {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  await window.host.listenerOn()
  await window.host.updateSettings({ origins: ['http://localhost:3000'] })
  const { listener } = await window.host.status()
  if (listener.state !== 'on') throw new Error('refused')
  const preflight = await fetch(`${listener.url}/v2/tokens`, {
    method: 'OPTIONS',
    headers: { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'GET' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
})

test('a host name with an invalid port is rejected, but accepted in the settings file', async () => {
  const { dataDir } = startHost()
  fs.mkdirSync(dataDir, { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'settings.json'), '{"settings":{"hosts":["vault.test:99999"]}}')
  const { window } = startHost({ dataDir, overrides: {} })
  const { settings, notices } = await window.host.status()
  expect([settings.hosts, notices]).toEqual([['vault.test:99999'], []])
  expect(await catchProblem(window.host.updateSettings({ hosts: ['a.test', 'a.test:99999'] }))).toMatchObject(
    {
      status: 400,
      errors: { 'hosts[1]': ['must be a host name, with or without a port from 1 to 65535'] },
    },
  )
  expect((await window.host.updateSettings({ appearance: 'dark' })).hosts).toEqual(['vault.test:99999'])
})

test('X-65 stored layouts beyond the bounds are dropped, and the other settings kept', async () => {
  const { dataDir } = startHost()
  fs.mkdirSync(dataDir, { recursive: true })
  const widths = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`metadata.${at}`, 100]))
  const lists = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`list ${at}`, {}]))
  for (const grids of [{ tokens: { widths } }, lists]) {
    fs.writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify({ settings: { port: 4999, grids } }))
    const { settings, notices } = await startHost({ dataDir, overrides: {} }).window.host.status()
    expect([settings.port, settings.grids, notices]).toEqual([4999, {}, []])
  }
})

test('a damaged settings file is reported and set aside', async () => {
  const { dataDir } = startHost()
  fs.mkdirSync(dataDir, { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'settings.json'), '{"settings":{"port":"x"}}')
  const { window } = startHost({ dataDir, overrides: {} })
  const { settings, notices } = await window.host.status()
  expect(settings.port).toBe(4747)
  expect(notices).toEqual([expect.stringContaining('settings.damaged.json')])
  expect(fs.readFileSync(path.join(dataDir, 'settings.damaged.json'), 'utf8')).toContain('"x"')
  expect(fs.existsSync(path.join(dataDir, 'settings.json'))).toBe(false)
})

test.each([
  ['an unknown command', { name: 'host.none' }, 404],
  ['X-36 an inherited property', { name: 'host.constructor' }, 404],
  ['X-36 a prototype', { name: 'host.__proto__' }, 404],
  ['X-36 a prototype as an operation', { name: '__proto__' }, 404],
  ['X-36 extra members', { name: 'host.status', actor: { kind: 'owner' } }, 400],
  ['a call without a name', {}, 400],
  ['null', null, 400],
  ['invalid input', { name: 'host.listenerOn', input: { port: 'x' } }, 400],
  ['an unknown application', { name: 'tokens.list', input: {}, as: 'nobody' }, 404],
])('%s from the window is rejected with an error status', async (_name, call, status) => {
  const { host, window } = startHost()
  await window.host.createVault(inMemoryVault)
  expect(await runCommand(host, call)).toMatchObject({ ok: false, problem: { status } })
})

test('a host with a clipboard copies and clears secrets, and without one it copies nothing', async () => {
  expect(await startHost().window.host.copySecret({ text: 'x' })).toEqual({ copied: false })
  const desktop = startHost({ copySecret: async () => 30 })
  expect(await desktop.window.host.copySecret({ text: 'x' })).toEqual({ copied: true, clears_in_seconds: 30 })
})

test('T-14 tokens that expired while the vault was locked are deleted when it opens', async () => {
  const { window, host, clock } = startHost()
  await window.host.createVault(storedVault)
  const expires_at = new Date(clock.ms + 60_000).toISOString()
  const { id } = await window.tokens.create({ type: 'token', data: 'x', expires_at })
  host.lock()
  clock.advance(60_000)
  await window.host.unlock({ name: 'work', with: { passphrase } })
  const { data } = await window.logs.list({ entity_id: id })
  expect(data.filter((record) => record.action === 'tokens.expire')).toHaveLength(1)
})

test('log records of a closed vault are not sent after the status of the next vault', async () => {
  const { host, window, events } = startHost()
  await window.host.createVault(inMemoryVault)
  // The pending write is completed and recorded only when the vault is closed.
  host.getEngine()?.lifecycle.pauseWrites()
  const waiting = window.tokens.create({ id: 'earlier', type: 'token', data: 'x' })
  await window.host.createVault(inMemoryVault)
  await waiting
  const { tenant_id } = (await window.host.status()).vault ?? {}
  await window.tokens.create({ id: 'later', type: 'token', data: 'x' })
  const readTokenRecords = () => {
    const isTokenRecord = (event: HostEvent) =>
      event.type === 'status' && event.status.vault?.tenant_id === tenant_id
    return events
      .slice(events.findIndex(isTokenRecord))
      .flatMap((event) => (event.type === 'log' ? event.records.map(({ entity_id }) => entity_id) : []))
  }
  await waitFor(() => expect(readTokenRecords()).toContain('later'))
  expect(readTokenRecords()).not.toContain('earlier')
})

test('X-46 a vault that is found lost while another is being opened does not reject that one', async () => {
  const { window, host, dataDir } = startHost()
  await window.host.createVault(storedVault)
  const lost = host.openVault
  const opening = window.host.createVault(inMemoryVault)
  fs.renameSync(path.join(dataDir, storedVault.name), path.join(dataDir, 'elsewhere'))
  lost?.onLost('The files are gone.', true)
  await opening
  expect(host.openVault?.name).toBe('in-memory')
})

test('X-46 a vault whose files are found lost when another is opened leaves no engine behind', async () => {
  const { window, host, dataDir } = startHost()
  await window.host.createVault(storedVault)
  fs.renameSync(path.join(dataDir, storedVault.name), path.join(dataDir, 'elsewhere'))
  await window.host.createVault(inMemoryVault)
  expect(JSON.stringify((await window.host.status()).notices)).not.toContain('elsewhere')
  await window.host.lock()
  expect(host.getEngine()).toBeNull()
})
