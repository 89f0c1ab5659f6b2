import { once } from 'node:events'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import threads, { type Worker, type WorkerOptions } from 'node:worker_threads'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import type { Incident } from '../../shared/schemas/incident.ts'
import { pickSome } from '../thorough.ts'
import { createTestClient, openVault as openPlain } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

type WatchedVault = ReturnType<typeof openWatchedVault>

const MB = 1_000_000
/** A checkpoint begins before the log has more pages than this. */
const MAX_LOG_PAGES = 9500
/** Data whose token adds about 25 pages to the log. */
const large = 'x'.repeat(100_000)

/** The started threads, with their worker data. */
const started: { thread: Worker; options: WorkerOptions }[] = []
/** While set, messages to the thread are collected here instead of sent, as if the thread's disk did not respond. */
let stuck: (() => void)[] | null = null
/** How often the thread was told to checkpoint the write-ahead log. */
let orders = 0
const before = threads.Worker

class WatchedWorker extends before {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, options)
    started.push({ thread: this, options })
  }

  override postMessage(order: unknown): void {
    if (order === 'move') orders++
    if (stuck && order === 'move') stuck.push(() => super.postMessage(order))
    else super.postMessage(order)
  }
}

beforeAll(() => {
  threads.Worker = WatchedWorker
  syncBuiltinESMExports()
})

afterAll(() => {
  threads.Worker = before
  syncBuiltinESMExports()
})

function openWatchedVault() {
  const incidents: Incident[] = []
  started.length = 0
  orders = 0
  return Object.assign(openPlain({ onIncident: (each) => incidents.push(each) }), { incidents })
}

const writeTokens = (vault: WatchedVault, tokens: number) =>
  Promise.all(Array.from({ length: tokens }, () => vault.owner.tokens.create({ type: 'token', data: large })))

/**
 * Reads the log's index. Returns the number of pages in the log, and how many of them have been copied to the database.
 */
function readLogIndex(vault: WatchedVault): { frames: number; moved: number } {
  const index = fs.readFileSync(`${vault.file}-shm`)
  return { frames: index.readUInt32LE(16), moved: index.readUInt32LE(96) }
}

/**
 * Writes tokens until the log has this many pages. Writes the last ones one at a time, because several in one turn
 * would be delayed at the limit. Returns the number of tokens.
 */
async function writeUpTo(vault: WatchedVault, frames: number): Promise<number> {
  let tokens = 0
  for (let left = frames; left > 0; left = frames - readLogIndex(vault).frames) {
    const more = left > 600 ? 20 : 1
    await writeTokens(vault, more)
    tokens += more
  }
  return tokens
}

/** Writes until the thread is told to checkpoint the log. Returns the number of tokens. */
async function fillLog(vault: WatchedVault): Promise<number> {
  let tokens = await writeUpTo(vault, MAX_LOG_PAGES - 2000)
  const early = orders
  for (; orders === early; tokens++) await writeTokens(vault, 1)
  return tokens
}

async function countTokens(vault: WatchedVault): Promise<number> {
  return (await vault.owner.tokens.listV1({})).pagination.total_items
}

test('X-77 the checkpoint thread copies a long log without another commit, and the count is synced', async () => {
  const vault = openWatchedVault()
  const synced: number[] = []
  const sync = vi.spyOn(fs, 'fdatasyncSync').mockImplementation((file) => synced.push(fs.fstatSync(file).ino))
  onTestFinished(() => sync.mockRestore())
  await fillLog(vault)
  const { frames } = readLogIndex(vault)
  expect(fs.statSync(`${vault.file}-wal`).size).toBeLessThan(40 * MB)
  await waitFor(() => expect(readLogIndex(vault).moved).toBe(frames))
  await waitFor(() => expect(synced).toContain(fs.statSync(`${vault.file}-commits`).ino))
  await vault.owner.tokens.create({ type: 'token', data: 'next' })
  await waitFor(() => expect(readLogIndex(vault).frames).toBeLessThan(100))
  expect(vault.incidents).toEqual([])
})

test('most of a long write-ahead log is checkpointed while writes continue', {
  tags: 'thorough',
}, async () => {
  const vault = openWatchedVault()
  await writeUpTo(vault, 8000)
  await waitFor(async () => {
    await writeTokens(vault, 1)
    expect(readLogIndex(vault).moved).toBeGreaterThan(7500)
  })
  expect(readLogIndex(vault).moved).toBeLessThanOrEqual(readLogIndex(vault).frames)
  expect(orders).toBe(1)
  expect(vault.incidents).toEqual([])
})

test('a short write-ahead log starts no checkpoint thread', async () => {
  const vault = openWatchedVault()
  await writeTokens(vault, 20)
  expect(started).toEqual([])
})

test('under sustained writes the write-ahead log stays below 40 MB', {
  tags: 'thorough',
}, async () => {
  const vault = openWatchedVault()
  let largest = 0
  for (let round = 0; round < 40; round++) {
    await writeTokens(vault, 20)
    largest = Math.max(largest, fs.statSync(`${vault.file}-wal`).size)
  }
  expect(largest).toBeGreaterThan(20 * MB)
  expect(largest).toBeLessThan(40 * MB)
  vault.reopen()
  expect(await countTokens(vault)).toBe(800)
  expect(vault.incidents).toEqual([])
})

test('reads are answered while writes wait for the checkpoint thread', { tags: 'thorough' }, async () => {
  const vault = openWatchedVault()
  const { id } = await vault.owner.tokens.create({ type: 'token', data: 'read' })
  await fillLog(vault)
  let reads = 0
  const writes = writeTokens(vault, 40).then(() => 'written')
  for (;;) {
    const first = await Promise.race([writes, vault.owner.tokens.get({ id }).then(() => 'read')])
    if (first === 'written') break
    reads++
    await turn()
  }
  expect(reads).toBeGreaterThan(0)
})

test('X-35 the key is transferred to the checkpoint thread, which ends on lock', async () => {
  const vault = openWatchedVault()
  await writeUpTo(vault, 3000)
  const [only] = started
  const key = only?.options.workerData.key as Uint8Array
  // The key was transferred, so this thread can no longer read it.
  expect(key.byteLength).toBe(0)
  const ended = once(only?.thread as Worker, 'exit')
  vault.engine.close()
  // By now, no other connection has the file open.
  expect(fs.existsSync(`${vault.file}-wal`)).toBe(false)
  expect(await ended).toEqual([0])
  expect(started).toHaveLength(1)
  expect(vault.incidents).toEqual([])
})

test.for(pickSome([0, 1, 5, 20, 50], 1))(
  'X-42 a lock %d ms after the checkpoint thread starts loses no answered write',
  async (ms) => {
    const vault = openWatchedVault()
    const tokens = await fillLog(vault)
    await new Promise((resolve) => setTimeout(resolve, ms))
    vault.engine.close()
    expect(fs.existsSync(`${vault.file}-wal`)).toBe(false)
    vault.reopen()
    expect(await countTokens(vault)).toBe(tokens)
    expect(vault.incidents).toEqual([])
  },
)

test('a killed checkpoint thread is an incident, and later commits checkpoint instead', {
  tags: 'thorough',
}, async () => {
  const vault = openWatchedVault()
  await writeUpTo(vault, 3000)
  await started[0]?.thread.terminate()
  await waitFor(() => expect(vault.incidents).toMatchObject([{ where: 'checkpoint' }]))
  await writeUpTo(vault, 12_000)
  const { frames, moved } = readLogIndex(vault)
  expect(moved).toBe(frames)
  await writeTokens(vault, 20)
  expect(readLogIndex(vault).frames).toBeLessThan(2000)
  vault.reopen()
  expect(vault.incidents).toHaveLength(1)
})

test('a killed checkpoint thread releases the writes that wait for it', { tags: 'thorough' }, async () => {
  const vault = openWatchedVault()
  stuck = []
  // With fake timers, the write timeout of five seconds never passes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    stuck = null
    vi.useRealTimers()
  })
  const tokens = await writeUpTo(vault, MAX_LOG_PAGES - 1000)
  const writes = writeTokens(vault, 200)
  // The first message requested a checkpoint during writes. The second one is sent once writes are paused.
  while (stuck.length < 2) await turn()
  await started[0]?.thread.terminate()
  await writes
  expect(vault.incidents).toMatchObject([{ where: 'checkpoint' }])
  vi.useRealTimers()
  vault.reopen()
  expect(await countTokens(vault)).toBe(tokens + 200)
})

test('writes wait at most five seconds for an unresponsive checkpoint thread', {
  tags: 'thorough',
}, async () => {
  const vault = openWatchedVault()
  stuck = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    stuck = null
    vi.useRealTimers()
  })
  await writeUpTo(vault, MAX_LOG_PAGES - 1000)
  let written = 0
  const writes = Promise.all(
    Array.from({ length: 200 }, async () => {
      await writeTokens(vault, 1)
      written++
    }),
  )
  // The first message requested a checkpoint during writes. The second one is sent once writes are paused.
  while (stuck.length < 2) await turn()
  const { frames } = readLogIndex(vault)
  await vi.advanceTimersByTimeAsync(4900)
  expect(readLogIndex(vault).frames).toBe(frames)
  expect(written).toBeLessThan(200)
  expect(vault.incidents).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  await writes
  expect(vault.incidents).toMatchObject([{ where: 'checkpoint' }])
  // No write waits again until the thread has replied. Until then, SQLite checkpoints the log in commits.
  await writeTokens(vault, 200)
  expect(readLogIndex(vault).frames).toBeLessThan(12_500)
  vi.useRealTimers()
  for (const go of stuck) go()
  stuck = null
  await writeTokens(vault, 400)
  await waitFor(() => expect(readLogIndex(vault).frames).toBeLessThan(9500))
  vault.reopen()
  expect(vault.incidents).toHaveLength(1)
})

test('a handover succeeds although the checkpoint thread has the file open', async () => {
  const vault = openWatchedVault()
  const tokens = await writeUpTo(vault, 3000)
  await waitFor(() => expect(started).toHaveLength(1))
  vault.engine.lifecycle.pauseWrites()
  vault.engine.lifecycle.drain()
  const waiting = vault.engine.lifecycle.closeForHandover()
  expect(fs.existsSync(`${vault.file}-wal`)).toBe(false)
  const next = Engine.openFromHandover(vault.file, vault.master, waiting)
  try {
    const owner = createTestClient(() => next, { kind: 'owner' })
    expect((await owner.tokens.listV1({})).pagination.total_items).toBe(tokens)
  } finally {
    next.close()
  }
})

test('X-46 a process that reads the database delays checkpoints, but not writes', {
  tags: 'thorough',
}, async () => {
  const vault = openWatchedVault()
  const reader = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
  try {
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM token').get()
    await writeUpTo(vault, 10_000)
    expect(readLogIndex(vault).moved).toBeLessThan(readLogIndex(vault).frames)
  } finally {
    reader.close()
  }
  // Once no reader is left, the log restarts from its beginning.
  while (readLogIndex(vault).frames > 3000) await writeTokens(vault, 20)
  expect(vault.incidents).toEqual([])
})

test('a data key rotation empties the write-ahead log, and starts no checkpoint thread', {
  tags: 'thorough',
}, async () => {
  const vault = openWatchedVault()
  await writeUpTo(vault, 3000)
  const before = started.length
  await vault.engine.lifecycle.rotateDataKey(vault.master)
  // No thread was started meanwhile, because emptying the log needs exclusive access to the file.
  expect(started.length).toBe(before)
  expect(fs.statSync(`${vault.file}-wal`).size).toBe(0)
  await writeTokens(vault, 1)
  expect(vault.incidents).toEqual([])
})
