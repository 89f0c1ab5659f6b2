import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import Driver from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../electron/engine/engine.ts'
import type { EngineOptions } from '../../electron/engine/parts.ts'
import type { Caller } from '../../electron/engine/pipeline/call.ts'
import type { Token } from '../../shared/schemas/token.ts'
import { getMaxBlock, measureLongestBlock } from '../longest-block.ts'
import { isThorough } from '../thorough.ts'
import { catchProblem, createTempFolder, createTestClient, openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

const owner: Caller = { kind: 'owner' }

/** A vault with a token, and two application keys: one reveals its plaintext, one its mask. */
async function openWithToken(options: EngineOptions = {}) {
  const folder = createTempFolder()
  const file = path.join(folder, 'vault.db')
  const master = randomBytes(32)
  const spy = vi.spyOn(Driver.prototype, 'pragma')
  const engine = Engine.create(file, master, { tenant_id: randomUUID(), name: 'Test' }, options)
  const db = spy.mock.contexts.findLast((each) => (each as Driver.Database).open) as Driver.Database
  spy.mockRestore()
  onTestFinished(() => engine.close())
  const client = createTestClient(() => engine, owner)
  const createKey = async (transform: 'reveal' | 'mask') => {
    const permissions = ['token:read', 'token:search'] as const
    const rules = [{ priority: 1, container: '/', transform, permissions: [...permissions] }]
    const { key } = await client.applications.create({ name: transform, type: 'private', rules })
    return { kind: 'key', key: key as string } as const
  }
  const { id } = await client.tokens.create({ type: 'token', data: 'plain', mask: 'masked' })
  const [reveal, mask] = [await createKey('reveal'), await createKey('mask')]
  const readToken = async (caller: Caller, trace_id: string = randomUUID()) => {
    const { output } = await engine.call('tokens.get', { id }, caller, { trace_id })
    return { trace_id, data: (output as Token).data }
  }
  return { db, folder, file, journal: `${file}-records`, master, engine, id, reveal, mask, readToken }
}

/** The trace ids of all reads in the log, oldest first. */
async function listReads(engine: Engine): Promise<string[]> {
  const { data } = await engine.as(owner).logs.list({ size: 5000 } as never)
  return data
    .filter(({ action }) => action === 'tokens.get')
    .map(({ trace_id }) => trace_id)
    .reverse()
}

/** Copies the vault's current files to another folder, as a kill would leave them. */
function copyVault({ folder }: { folder: string }): string {
  const image = createTempFolder()
  fs.cpSync(folder, image, { recursive: true })
  return path.join(image, 'vault.db')
}

const createDiskError = (code = 'ENOSPC') => Object.assign(new Error(code), { code, syscall: 'write' })

/** Makes every write of the journal fail until the returned function is called. */
function failWrites(code?: string): () => void {
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw createDiskError(code)
  })
  onTestFinished(() => spy.mockRestore())
  return () => spy.mockRestore()
}

test('X-44 plaintext waits for the journal, which is written once per turn', async () => {
  const { engine, journal, reveal, mask, readToken, file, master } = await openWithToken()
  engine.outcomes.flushLog()
  // Otherwise the log would have the records of masked responses too, if the copy is made after the next flush.
  engine.lifecycle.pauseWrites()
  const write = vi.spyOn(fs, 'writeSync')
  onTestFinished(() => write.mockRestore())
  const reveals = Array.from({ length: 100 }, () => readToken(reveal))
  const masked = Array.from({ length: 50 }, () => readToken(mask))
  expect(write).not.toHaveBeenCalled()
  let answered = 0
  for (const each of reveals) void each.then(() => answered++)
  // Masked responses do not wait for the journal.
  await Promise.all(masked)
  expect([answered, write.mock.calls.length]).toEqual([0, 0])
  const responses = await Promise.all(reveals)
  expect(write).toHaveBeenCalledTimes(1)
  expect(new Set(responses.map(({ data }) => data))).toEqual(new Set(['plain']))
  // From now on, a kill loses none of these records.
  const image = Engine.open(copyVault({ folder: path.dirname(file) }), master)
  onTestFinished(() => image.close())
  expect(await listReads(image)).toEqual(responses.map(({ trace_id }) => trace_id))
  if (process.platform !== 'win32') expect(fs.statSync(journal).mode & 0o777).toBe(0o600)
  const bytes = fs.readFileSync(journal, 'latin1')
  for (const { trace_id } of responses) expect(bytes).not.toContain(trace_id)
  engine.close()
  expect(fs.readdirSync(path.dirname(file))).toEqual(['vault.db', 'vault.db-commits'])
})

test('X-44 after a kill at any time, the log has each answered read once', async () => {
  const { engine, reveal, mask, readToken, folder, master } = await openWithToken()
  const answered: string[] = []
  for (let round = 0; round < (isThorough ? 12 : 4); round++) {
    for (const { trace_id } of await Promise.all([readToken(reveal), readToken(reveal)]))
      answered.push(trace_id)
    // Some kills come before a flush, some after one, some between a write and its commit.
    if (round % 3 === 1) engine.outcomes.flushLog()
    if (round % 4 === 2) await engine.as(owner).tokens.create({ type: 'token', data: 'x' })
    if (round % 5 === 3) await readToken(mask)
    const file = copyVault({ folder })
    const expectEachOnce = async (image: Engine) => {
      const found = await listReads(image)
      for (const each of answered) expect(found.filter((one) => one === each)).toHaveLength(1)
    }
    const first = Engine.open(file, master)
    await expectEachOnce(first)
    // The journal of the copy continues where the last one ended.
    const killed = copyVault({ folder: path.dirname(file) })
    first.close()
    fs.cpSync(path.dirname(killed), path.dirname(file), { recursive: true })
    const second = Engine.open(file, master)
    await expectEachOnce(second)
    second.close()
  }
})

test('X-44 a second kill before the journal’s records are in the log loses none of them', async () => {
  const { engine, reveal, readToken, folder, master, id } = await openWithToken()
  engine.lifecycle.pauseWrites()
  const answered = [await readToken(reveal), await readToken(reveal)].map(({ trace_id }) => trace_id)
  const file = copyVault({ folder })
  const first = Engine.open(file, master)
  const readAgain = async () => {
    const trace_id = randomUUID()
    await first.call('tokens.get', { id }, reveal, { trace_id })
    answered.push(trace_id)
  }
  await readAgain()
  await readAgain()
  const second = Engine.open(copyVault({ folder: path.dirname(file) }), master)
  expect(await listReads(second)).toEqual(answered)
  second.close()
  first.close()
})

test('X-44 a damaged journal is an incident, and its intact part is used', async () => {
  const { engine, reveal, readToken, folder, master, journal, id } = await openWithToken()
  // Paused writes keep the records in the journal and out of the log.
  engine.lifecycle.pauseWrites()
  const answered: string[] = []
  const ends: number[] = []
  for (let turn = 0; turn < 4; turn++) {
    answered.push((await readToken(reveal)).trace_id)
    ends.push(fs.statSync(journal).size)
  }
  const killed = path.dirname(copyVault({ folder }))
  const openAltered = async (alter: (bytes: Buffer) => Buffer) => {
    const file = copyVault({ folder: killed })
    fs.writeFileSync(`${file}-records`, alter(fs.readFileSync(`${file}-records`)))
    const incidents: string[] = []
    const image = Engine.open(file, master, { onIncident: ({ where }) => incidents.push(where) })
    try {
      const found = await listReads(image)
      // The journal is usable again: another read has its record after the next kill.
      const trace_id = randomUUID()
      await image.call('tokens.get', { id }, reveal, { trace_id })
      const next = Engine.open(copyVault({ folder: path.dirname(file) }), master)
      expect(await listReads(next)).toEqual([...found, trace_id])
      next.close()
      return { found, incidents }
    } finally {
      image.close()
    }
  }
  const size = ends.at(-1) ?? 0
  expect((await openAltered((bytes) => bytes)).found).toEqual(answered)
  for (let at = 0; at < size; at += isThorough ? 97 : 797) {
    const flipped = await openAltered((bytes) => {
      bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at)
      return bytes
    })
    const whole = ends.filter((end) => end <= at).length
    expect(flipped.found, `flipped at ${at}`).toEqual(answered.slice(0, whole))
    expect(flipped.incidents, `flipped at ${at}`).toEqual(['journal'])
    const cut = await openAltered((bytes) => bytes.subarray(0, at))
    expect(cut.found, `cut at ${at}`).toEqual(answered.slice(0, whole))
    expect(cut.incidents.length, `cut at ${at}`).toBe(at === 0 || ends.includes(at) ? 0 : 1)
  }
  // Try chunks in another order, with one missing and with one repeated.
  const [first = 0, second = 0, third = 0] = ends
  const orders: ((bytes: Buffer) => Buffer[])[] = [
    (bytes) => [bytes.subarray(0, first), bytes.subarray(second)],
    (bytes) => [bytes.subarray(0, second), bytes.subarray(first)],
    (bytes) => [bytes.subarray(0, first), bytes.subarray(second, third), bytes.subarray(first, second)],
  ]
  for (const order of orders) {
    const { found, incidents } = await openAltered((bytes) => Buffer.concat(order(bytes)))
    expect(found).toEqual(answered.slice(0, found.length))
    expect(incidents).toEqual(['journal'])
  }
})

test('X-44 reads of plaintext get 507 if they cannot be recorded, masks are shown', async () => {
  const { engine, reveal, mask, id } = await openWithToken()
  const { id: application_id } = (await engine.as(owner).applications.list({})).data.find(
    ({ name }) => name === 'reveal',
  ) as { id: string }
  const ways: [string, unknown][] = [
    ['tokens.get', { id }],
    ['tokens.list', {}],
    ['tokens.listV1', {}],
    ['tokens.search', {}],
    ['tokens.searchV1', { query: '' }],
    ['tokens.detokenize', { payload: `{{ ${id} }}` }],
  ]
  for (const code of ['ENOSPC', 'EIO']) {
    const repair = failWrites(code)
    for (const [name, input] of ways) {
      for (const caller of [reveal, { kind: 'as', application_id } as const]) {
        const refused = await catchProblem(engine.call(name, input, caller))
        expect(refused, name).toMatchObject({ status: 507, code: 'storage_full' })
        expect(JSON.stringify(refused)).not.toContain('plain')
      }
      const { output } = await engine.call(name, input, mask)
      expect(JSON.stringify(output)).toContain('masked')
    }
    repair()
    for (const [name, input] of ways) {
      expect(JSON.stringify((await engine.call(name, input, reveal)).output), name).toContain('plain')
    }
  }
})

test('X-44 a partly written chunk is truncated, and writing resumes', async () => {
  const { engine, reveal, mask, readToken, folder, master } = await openWithToken()
  engine.lifecycle.pauseWrites()
  const answered = [(await readToken(reveal)).trace_id]
  const write = fs.writeSync
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((
    fd: number,
    bytes: Buffer,
    from: number,
    length: number,
    at: number,
  ) => {
    if (from > 0) throw createDiskError()
    return write(fd, bytes, from, length >> 1, at)
  }) as never)
  onTestFinished(() => spy.mockRestore())
  expect(await catchProblem(readToken(reveal))).toMatchObject({ status: 507 })
  answered.push((await readToken(mask)).trace_id)
  spy.mockRestore()
  answered.push((await readToken(reveal)).trace_id)
  answered.push((await readToken(reveal)).trace_id)
  const incidents: string[] = []
  const image = Engine.open(copyVault({ folder }), master, {
    onIncident: ({ where }) => incidents.push(where),
  })
  onTestFinished(() => image.close())
  expect(incidents).toEqual([])
  expect(await listReads(image)).toEqual(answered.filter((_, at) => at !== 1))
  engine.lifecycle.resumeWrites()
  expect(await listReads(engine)).toEqual(answered)
})

test('X-44 on a full disk, pending records are limited in number and stay in order', {
  tags: 'thorough',
}, async () => {
  const logged: string[] = []
  let parts = 0
  const { db, engine, mask, readToken } = await openWithToken({
    onLog: (records) => {
      parts++
      for (const { operation, trace_id } of records) if (operation === 'tokens.get') logged.push(trace_id)
    },
  })
  engine.outcomes.flushLog()
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
  const answered: string[] = []
  let refusal: unknown = null
  const readOnce = () =>
    readToken(mask).then(
      ({ trace_id }) => answered.push(trace_id),
      (error: unknown) => {
        refusal = error
      },
    )
  // Many reads share a turn, and at its end a log write is attempted.
  while (!refusal && answered.length < 100_000) await Promise.all(Array.from({ length: 100 }, readOnce))
  expect(refusal).toMatchObject({ code: 'storage_full' })
  expect(answered.length).toBeGreaterThan(10_000)
  expect(answered.length).toBeLessThan(30_000)
  // A call that was rejected before it reached the pipeline needs a record too.
  const recordEarlyOutcome = () =>
    engine.outcomes.recordOutcome('tokens.get', mask, { status: 400, note: 'early' })
  expect(recordEarlyOutcome).toThrow('The log cannot be written')
  // The owner's own reads have no record, so they still succeed.
  expect(await engine.as(owner).tokens.list({})).toMatchObject({ data: [{}] })
  db.pragma('max_page_count = 1000000')
  parts = 0
  const waitUntilLogged = () => waitFor(() => expect(logged.length).toBe(answered.length))
  const { block } = await measureLongestBlock(waitUntilLogged)
  expect(block).toBeLessThan(getMaxBlock(block))
  expect(logged).toEqual(answered)
  // Few chunks are written, because each of them waits for the disk.
  expect(parts).toBeLessThan(40)
  expect((await readToken(mask)).data).toBe('masked')
})

test('X-44 after a handover, or a kill during it, the log has each read once', async () => {
  const { engine, reveal, mask, readToken, folder, file, master, id } = await openWithToken()
  engine.lifecycle.pauseWrites()
  const answered = [await readToken(reveal), await readToken(mask), await readToken(reveal)].map(
    ({ trace_id }) => trace_id,
  )
  const trace_id = randomUUID()
  const last = engine.call('tokens.get', { id }, reveal, { trace_id })
  const waiting = engine.lifecycle.closeForHandover()
  expect((await last).output).toMatchObject({ data: 'plain' })
  const killed = Engine.open(copyVault({ folder }), master)
  expect(await listReads(killed)).toEqual([answered[0], answered[2], trace_id])
  killed.close()
  const next = Engine.openFromHandover(file, master, waiting)
  onTestFinished(() => next.close())
  expect((await listReads(next)).sort()).toEqual([...answered, trace_id].sort())
  const after = randomUUID()
  await next.call('tokens.get', { id }, reveal, { trace_id: after })
  next.close()
  const again = Engine.open(file, master)
  onTestFinished(() => again.close())
  expect((await listReads(again)).sort()).toEqual([...answered, trace_id, after].sort())
})

test('X-44 a journal that cannot be deleted blocks no close and repeats no record', async () => {
  const { engine, reveal, readToken, file, master, journal } = await openWithToken()
  const { trace_id } = await readToken(reveal)
  const remove = vi.spyOn(fs, 'rmSync').mockImplementation(() => {
    throw createDiskError('EPERM')
  })
  engine.close()
  remove.mockRestore()
  expect(fs.existsSync(journal)).toBe(true)
  const next = Engine.open(file, master)
  onTestFinished(() => next.close())
  expect(await listReads(next)).toEqual([trace_id])
})

test('X-44 an in-memory vault has no journal', async () => {
  const { folder, engine, owner: client } = openVault({ ephemeral: true })
  const { id } = await client.tokens.create({ type: 'token', data: 'plain' })
  const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }] as const
  const { key } = await client.applications.create({ name: 'A', type: 'private', rules } as never)
  const { output } = await engine.call('tokens.get', { id }, { kind: 'key', key: key as string })
  expect(output).toMatchObject({ data: 'plain' })
  expect(fs.readdirSync(folder).filter((each) => each.includes('records'))).toEqual([])
})
