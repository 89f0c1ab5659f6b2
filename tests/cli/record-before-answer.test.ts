import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { readFileSize } from '../read-file-size.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { serveInProcess } from './in-process.ts'
import { startServe } from './run-coffer.ts'

/** The number of reads on a full disk. `COFFER_READS=10000` also runs ten times as many kills as the thorough tests. */
const reads = Number(process.env.COFFER_READS ?? (isThorough ? 500 : 100))
const rounds = reads > 500 ? 60 : isThorough ? 6 : 1
const TIMEOUT_MS = reads > 500 ? 900_000 : 120_000

const passphrase = 'correct horse battery staple'
const env = { COFFER_PASSPHRASE: passphrase }

type RunningServe = { url: string; child: ReturnType<typeof startServe> }

async function startServing(dataDir: string): Promise<RunningServe & { keys: { private: string } }> {
  const child = startServe(dataDir, env)
  return { child, ...(await child.json()) }
}

/**
 * Reads a token repeatedly on several connections until `enough` returns true. `enough` receives the number of refused
 * reads. Returns the trace ids of answered and of refused reads.
 */
async function readUntil(
  { url }: RunningServe,
  key: string,
  id: string,
  enough: (refused: number) => boolean,
) {
  const answered: string[] = []
  const refused: string[] = []
  const readRepeatedly = async () => {
    while (!enough(refused.length)) {
      const trace = randomUUID()
      const response = await fetch(`${url}/tokens/${id}`, {
        headers: { 'SVC-API-KEY': key, 'SVC-TRACE-ID': trace },
      }).catch(() => null)
      // The server was killed.
      if (!response) return
      const text = await response.text().catch(() => '')
      if (response.status === 200 && text.includes('plain-text')) answered.push(trace)
      else if (response.status === 507) refused.push(text)
      else return
    }
  }
  await Promise.all(Array.from({ length: 16 }, readRepeatedly))
  return { answered, refused }
}

/**
 * Returns a condition that is true after this many reads, if at least one was refused. The log may restart before the
 * disk is full, so the first refusal may come late.
 */
function createRefusalCondition(reads: number) {
  let count = 0
  return (refused: number) => ++count > reads && refused > 0
}

/** Counts each trace id in the log of a killed vault. */
async function countRecords(dataDir: string): Promise<Map<string, number>> {
  await using vault = await openVault({ dataDir, name: 'default', with: { passphrase } })
  const found = new Map<string, number>()
  for (let start: string | undefined; ; ) {
    const input = { size: 1000, action: 'tokens.get', ...(start && { start }) }
    const { data, pagination } = await vault.engine.as({ kind: 'owner' }).logs.list(input as never)
    for (const { trace_id } of data) found.set(trace_id, (found.get(trace_id) ?? 0) + 1)
    start = pagination.next
    if (start === undefined) return found
  }
}

async function startWithToken(dataDir: string): Promise<RunningServe & { key: string; id: string }> {
  const { url, keys, child } = await startServing(dataDir)
  return { child, url, key: keys.private, id: await createToken(url, keys.private) }
}

async function createToken(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/tokens`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'token', data: 'plain-text' }),
  })
  return ((await response.json()) as { id: string }).id
}

/** Creates a vault with one token and closes it, so that its write-ahead log is empty. */
async function createVaultWithToken(dataDir: string): Promise<{ key: string; id: string }> {
  const { facts, stop } = await serveInProcess(['--data-dir', dataDir, '--json'], env)
  const key: string = facts.keys.private
  const id = await createToken(facts.url, key)
  expect(await stop()).toBe(0)
  return { key, id }
}

test(
  'X-44 kill -9 loses no record of a plaintext read',
  async () => {
    const dataDir = createTempFolder()
    const first = await startWithToken(dataDir)
    const { key, id } = first
    const all: string[] = []
    for (let round = 0; round < rounds; round++) {
      const { child, url } = round === 0 ? first : await startServing(dataDir)
      let count = 0
      const after = 20 + Math.floor(Math.random() * 200)
      const { answered } = await readUntil({ child, url }, key, id, () => {
        if (++count === after) child.signal('SIGKILL')
        return false
      })
      await child.ended
      expect(answered.length).toBeGreaterThan(0)
      all.push(...answered)
    }
    const records = await countRecords(dataDir)
    expect(all.filter((each) => records.get(each) !== 1)).toEqual([])
    expect([...records.values()].filter((times) => times !== 1)).toEqual([])
  },
  TIMEOUT_MS,
)

/**
 * A data folder on a disk that can be filled: a real one of 8 MB if `COFFER_READS` is set and this user may mount it,
 * otherwise a limit on the size of the server's files.
 */
function createSmallDisk() {
  const folder = createTempFolder()
  if (reads <= 500 || process.getuid?.() !== 0) {
    const limitFileSize = (pid: number, bytes: number | 'unlimited') =>
      execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`])
    return {
      dataDir: folder,
      fillDisk: (pid: number) =>
        limitFileSize(pid, readFileSize(path.join(folder, 'default', 'vault.db-wal')) + 8192),
      freeDisk: (pid?: number) => void (pid && limitFileSize(pid, 'unlimited')),
    }
  }
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  const filler = path.join(folder, 'filler')
  return {
    dataDir: folder,
    fillDisk(_pid: number) {
      const descriptor = fs.openSync(filler, 'w')
      try {
        for (;;) fs.writeSync(descriptor, Buffer.alloc(4096))
      } catch {
        // Fill the disk except for a little space, so that some reads still succeed.
        fs.ftruncateSync(descriptor, fs.fstatSync(descriptor).size - 65_536)
      } finally {
        fs.closeSync(descriptor)
      }
    },
    freeDisk: (_pid?: number) => fs.rmSync(filler),
  }
}

const linux = test.runIf(process.platform === 'linux')

linux(
  'X-44 a full disk refuses plaintext with 507, and loses no record',
  async () => {
    const { dataDir, fillDisk, freeDisk } = createSmallDisk()
    const { key, id } = await createVaultWithToken(dataDir)
    const { child, url } = await startServing(dataDir)
    let count = 0
    const first = await readUntil({ child, url }, key, id, () => ++count > 40)
    fillDisk(child.pid)
    const { answered, refused } = await readUntil({ child, url }, key, id, createRefusalCondition(reads))
    expect(refused.length).toBeGreaterThan(0)
    expect(answered.length + refused.length).toBeGreaterThanOrEqual(reads)
    expect(refused.every((text) => text.includes('storage_full') && !text.includes('plain-text'))).toBe(true)
    freeDisk(child.pid)
    count = 0
    const afterFreeing = await readUntil({ child, url }, key, id, () => ++count > 20)
    expect(afterFreeing.refused).toEqual([])
    fillDisk(child.pid)
    const last = await readUntil({ child, url }, key, id, createRefusalCondition(reads))
    expect(last.refused.length).toBeGreaterThan(0)
    child.signal('SIGKILL')
    await child.ended
    freeDisk()
    const records = await countRecords(dataDir)
    const all = [first.answered, answered, afterFreeing.answered, last.answered].flat()
    expect(all.filter((each) => records.get(each) !== 1)).toEqual([])
    expect(records.size).toBe(all.length)
  },
  TIMEOUT_MS,
)
