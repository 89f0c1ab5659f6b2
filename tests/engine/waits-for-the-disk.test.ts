import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Driver from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../electron/engine/engine.ts'
import { termIndex } from '../../electron/engine/resources/tokens/search/term-index.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import { catchProblem, createTempFolder, openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

type ConfirmSync = (error: NodeJS.ErrnoException | null) => void

const createDiskError = () =>
  Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' })

/** A vault with one token, whose disk confirms background commits only when the test allows it. */
async function openOnSlowDisk() {
  const incidents: Incident[] = []
  const changes: string[] = []
  const vault = openVault({
    onIncident: (incident) => incidents.push(incident),
    onChanges: (all) => changes.push(...all.map(({ entity, kind }) => `${entity} ${kind}`)),
  })
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'read' })
  const { client } = await vault.application({ permissions: ['token:read'] })
  changes.length = 0
  const readToken = async () => (await client.tokens.get({ id })).id
  const waiting: ConfirmSync[] = []
  const { fdatasync } = fs
  const spy = vi.spyOn(fs, 'fdatasync').mockImplementation((descriptor, confirm) => {
    if (fs.fstatSync(descriptor).ino === fs.statSync(`${vault.file}-wal`).ino) waiting.push(confirm)
    else fdatasync(descriptor, confirm)
  })
  // All test files of a process share `fs`, and a spy on a spy would call itself.
  onTestFinished(() => spy.mockRestore())
  const countTokens = async () => (await vault.owner.tokens.listV1({})).pagination.total_items
  /** Starts a write after a read. Resolves once the write is waiting for the disk. */
  const startWriteAfterRead = async (data: string) => {
    const before = await countTokens()
    await readToken()
    const response = vault.owner.tokens.create({ type: 'token', data })
    let isAnswered = false
    void response.then(
      () => (isAnswered = true),
      () => (isAnswered = true),
    )
    const takeConfirm = () =>
      waitFor(() => {
        const next = waiting.shift()
        expect(next).toBeDefined()
        return next as ConfirmSync
      })
    let confirmed = await takeConfirm()
    // On a busy machine, a commit of log records or of an index may come first.
    while ((await countTokens()) === before) {
      confirmed(null)
      confirmed = await takeConfirm()
    }
    return { response, confirm: confirmed, isAnswered: () => isAnswered }
  }
  return { vault, id, readToken, countTokens, waiting, incidents, changes, startWriteAfterRead }
}

/** Makes every checkpoint of the log fail until the returned spy is restored. */
function failRepairs() {
  const pragma = Driver.prototype.pragma
  return vi.spyOn(Driver.prototype, 'pragma').mockImplementation(function (this: Driver.Database, ...args) {
    if (args[0] === 'wal_checkpoint(FULL)')
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
    return Reflect.apply(pragma, this, args)
  })
}

/** A vault with a write that waits for the disk. */
async function openWithWrite(data: string) {
  const opened = await openOnSlowDisk()
  return { ...opened, ...(await opened.startWriteAfterRead(data)) }
}

test('R-03 X-42 a write waits for the disk, and a read does not', async () => {
  const { vault, id, readToken, changes, startWriteAfterRead } = await openOnSlowDisk()
  const { response, confirm, isAnswered } = await startWriteAfterRead('slow')
  const counted = vault.engine.lifecycle.total?.total ?? 0
  expect(await readToken()).toBe(id)
  expect(isAnswered()).toBe(false)
  expect(changes).toEqual([])
  confirm(null)
  expect((await response).type).toBe('token')
  expect(changes).toContain('token created')
  expect(vault.engine.lifecycle.total?.total).toBe(counted + 1)
})

test('R-03 X-42 a write without a preceding read is committed synchronously', async () => {
  const { vault, waiting } = await openOnSlowDisk()
  await vault.owner.tokens.create({ type: 'token', data: 'at once' })
  expect(waiting).toEqual([])
})

test('R-03 an indexing run that changes nothing does not delay writes', async () => {
  const { vault, waiting } = await openOnSlowDisk()
  const write = vi.spyOn(termIndex, 'write')
  onTestFinished(() => write.mockRestore())
  vault.engine.lifecycle.resumeWrites()
  await waitFor(() => expect(write).toHaveReturnedWith(false))
  expect(waiting).toEqual([])
  await vault.owner.tokens.create({ type: 'token', data: 'at once' })
})

test('X-41 a second write waits until the first one is on disk', async () => {
  const { vault, countTokens, startWriteAfterRead } = await openOnSlowDisk()
  const first = await startWriteAfterRead('first')
  const second = vault.owner.tokens.create({ type: 'token', data: 'second' })
  expect(await countTokens()).toBe(2)
  first.confirm(null)
  await Promise.all([first.response, second])
  expect(await countTokens()).toBe(3)
})

test('X-41 a power cut during a write loses no acknowledged write', async () => {
  const { vault, id, startWriteAfterRead } = await openOnSlowDisk()
  const before = fs.statSync(`${vault.file}-wal`).size
  const { response, confirm } = await startWriteAfterRead('cut')
  const image = createTempFolder()
  fs.cpSync(vault.folder, image, { recursive: true })
  // The disk has the end of the commit, but not its beginning.
  const log = fs.readFileSync(path.join(image, 'vault.db-wal'))
  expect(log.length).toBeGreaterThan(before + 8192)
  log.fill(0, before + 24, before + 4096)
  fs.writeFileSync(path.join(image, 'vault.db-wal'), log)
  fs.rmSync(path.join(image, 'vault.db-shm'))
  const after = Engine.open(path.join(image, 'vault.db'), vault.master, { now: vault.clock.now })
  const owner = after.as({ kind: 'owner' })
  expect((await owner.tokens.get({ id })).id).toBe(id)
  expect((await owner.tokens.listV1({})).pagination.total_items).toBe(1)
  after.close()
  confirm(null)
  await response
})

test('X-42 a write pending when the vault is closed is stored and answered', async () => {
  const { vault, startWriteAfterRead } = await openOnSlowDisk()
  const { response, confirm } = await startWriteAfterRead('locked')
  vault.engine.close()
  const { id } = await response
  confirm(null)
  vi.mocked(fs.fdatasync).mockRestore()
  vault.reopen()
  expect((await vault.owner.tokens.get({ id })).id).toBe(id)
})

test('X-25 a commit whose log cannot be synced is checkpointed into the database file', async () => {
  const { vault, incidents, startWriteAfterRead } = await openOnSlowDisk()
  const { response, confirm } = await startWriteAfterRead('moved')
  confirm(createDiskError())
  const { id } = await response
  expect(incidents).toEqual([])
  // The database file contains the token even without its log.
  const image = createTempFolder()
  for (const end of ['', '-commits']) fs.copyFileSync(vault.file + end, path.join(image, `vault.db${end}`))
  const copy = Engine.open(path.join(image, 'vault.db'), vault.master, { now: vault.clock.now })
  expect((await copy.as({ kind: 'owner' }).tokens.get({ id })).id).toBe(id)
  copy.close()
})

test('X-25 writes fail while neither log nor database file can be synced, then succeed', async () => {
  const { vault, incidents, startWriteAfterRead } = await openOnSlowDisk()
  const { response, confirm } = await startWriteAfterRead('lost')
  const failing = failRepairs()
  confirm(createDiskError())
  expect(await catchProblem(response)).toMatchObject({ status: 503, code: 'unavailable' })
  expect(await catchProblem(vault.owner.tokens.create({ type: 'token', data: 'next' }))).toMatchObject({
    status: 503,
  })
  expect(incidents.length).toBeGreaterThan(0)
  // On a busy machine, a commit of log records comes first.
  vi.mocked(fs.fdatasync).mockRestore()
  failing.mockRestore()
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'later' })
  vault.reopen()
  expect((await vault.owner.tokens.get({ id })).id).toBe(id)
})

test('W-02 the event of a write becomes due only after the write is on disk', async () => {
  const { vault, startWriteAfterRead } = await openOnSlowDisk()
  const url = 'http://localhost:1/hooks'
  await vault.owner.webhooks.create({ name: 'Told', url, events: ['token.created'] })
  const { response, isAnswered } = await startWriteAfterRead('told')
  expect(isAnswered()).toBe(false)
  const [due] = vault.engine.outbox.takeDueDeliveries(10)
  expect(due?.event).toMatchObject({ type: 'token.created' })
  // Taking the delivery has synced the write, so its response arrives.
  await response
})

test('X-42 a commit that cannot be synced is not counted, even if a later sync succeeds', async () => {
  const { vault, startWriteAfterRead } = await openOnSlowDisk()
  const { response, confirm } = await startWriteAfterRead('refused')
  const failing = failRepairs()
  const counted = vault.engine.lifecycle.total?.total
  confirm(createDiskError())
  await catchProblem(response)
  // The system reports a failed sync only once, so the next one appears to succeed.
  vi.mocked(fs.fdatasync).mockImplementation((_, confirmed) => void setImmediate(() => confirmed(null)))
  const next = await catchProblem(vault.owner.tokens.create({ type: 'token', data: 'next' }))
  expect(next).toMatchObject({ status: 503 })
  expect(vault.engine.lifecycle.total?.total).toBe(counted)
  failing.mockRestore()
})

test('X-25 the error of a rejected write says that the write may be stored', async () => {
  const { response, confirm, changes, vault } = await openWithWrite('told')
  const failing = failRepairs()
  confirm(createDiskError())
  expect((await catchProblem(response)).detail).toMatch(/may or may not be stored.*before you try again/)
  expect(changes).toContain('token created')
  expect(vault.engine.outbox.takeDueDeliveries(10)).toEqual([])
  failing.mockRestore()
})

test('X-25 draining the queue rejects a pending write that cannot be synced', async () => {
  const { vault, response } = await openWithWrite('lost')
  const failing = failRepairs()
  const synced = vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
    throw createDiskError()
  })
  vault.engine.lifecycle.drain()
  synced.mockRestore()
  expect(await catchProblem(response)).toMatchObject({ status: 503 })
  failing.mockRestore()
})

test('X-44 records of plaintext reads stay in the journal until they are on disk', async () => {
  const { vault, id, waiting } = await openOnSlowDisk()
  const { client } = await vault.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
  })
  const journal = `${vault.file}-records`
  const revealMany = (times: number) =>
    Promise.all(Array.from({ length: times }, () => client.tokens.get({ id })))
  await revealMany(250)
  await waitFor(() => expect(waiting).toHaveLength(1))
  await revealMany(50)
  const { size } = fs.statSync(journal)
  const transaction = vi.spyOn(Driver.prototype, 'transaction').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
  })
  // Listing the log first writes the pending records, which fails.
  await vault.owner.logs.list({}).catch(() => {})
  await revealMany(1)
  expect(fs.statSync(journal).size).toBeGreaterThan(size)
  transaction.mockRestore()
})

test('X-44 closing the vault does not delete a journal whose records are not on disk', async () => {
  const { vault, id, waiting } = await openOnSlowDisk()
  const { client } = await vault.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
  })
  await client.tokens.get({ id })
  const failing = failRepairs()
  await waitFor(() => expect(waiting).toHaveLength(1))
  waiting.shift()?.(createDiskError())
  vault.engine.close()
  failing.mockRestore()
  expect(fs.existsSync(`${vault.file}-records`)).toBe(true)
})

test('O-05 a maintenance record is synced immediately, even as the last of a full batch', async () => {
  const { vault, readToken, waiting } = await openOnSlowDisk()
  vault.engine.outcomes.flushLog()
  await Promise.all(Array.from({ length: 199 }, readToken))
  vault.engine.outcomes.recordMaintenance('vault.backup', 'owner')
  const counted = vault.engine.lifecycle.total?.total
  waiting.at(-1)?.(null)
  expect(vault.engine.lifecycle.total?.total).toBe(counted)
})

test('R-03 a write is not delayed indefinitely by the log records of reads', async () => {
  const { vault, readToken, waiting } = await openOnSlowDisk()
  const readMany = () => Promise.all(Array.from({ length: 250 }, readToken))
  await readMany()
  let answered = false
  const response = vault.owner.tokens.create({ type: 'token', data: 'between' }).then(() => {
    answered = true
  })
  for (let confirmed = 0; confirmed < 5 && !answered; confirmed++) {
    await waitFor(() => expect(waiting).toHaveLength(1))
    await readMany()
    waiting.shift()?.(null)
    // These reads run before anything that waits for the end of the turn, like requests from sockets.
    await readMany()
  }
  await turn()
  expect(answered).toBe(true)
  await response
})

test('X-44 30,000 reads all succeed while the disk confirms no commit', {
  tags: 'thorough',
}, async () => {
  const { readToken, waiting } = await openOnSlowDisk()
  for (let at = 0; at < 120; at++) await Promise.all(Array.from({ length: 250 }, readToken))
  expect(waiting.length).toBeGreaterThan(0)
})
