import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { serveInProcess } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

/** The number of reads on a full disk. `COFFER_READS=10000` also runs ten times as many kills as the thorough tests. */
const reads = Number(process.env.COFFER_READS ?? (isThorough ? 500 : 100))
const rounds = reads > 500 ? 60 : isThorough ? 6 : 1
const patience = reads > 500 ? 900_000 : 120_000

const passphrase = 'correct horse battery staple'
const env = { COFFER_PASSPHRASE: passphrase }
const serve = (dataDir: string) => startCoffer(['serve', '--data-dir', dataDir, '--port', '0', '--json'], env)

type Serving = { url: string; child: ReturnType<typeof serve> }

async function serving(dataDir: string): Promise<Serving & { keys: { private: string } }> {
  const child = serve(dataDir)
  return { child, ...(await child.json()) }
}

/**
 * Reads a token repeatedly on several connections until `enough`, called with the number of refused reads, returns
 * true. Returns the trace ids of answered and of refused reads.
 */
async function readOn({ url }: Serving, key: string, id: string, enough: (refused: number) => boolean) {
  const answered: string[] = []
  const refused: string[] = []
  const connection = async () => {
    while (!enough(refused.length)) {
      const trace = randomUUID()
      const answer = await fetch(`${url}/tokens/${id}`, {
        headers: { 'SVC-API-KEY': key, 'SVC-TRACE-ID': trace },
      }).catch(() => null)
      // The server was killed.
      if (!answer) return
      const text = await answer.text().catch(() => '')
      if (answer.status === 200 && text.includes('plain-text')) answered.push(trace)
      else if (answer.status === 507) refused.push(text)
      else return
    }
  }
  await Promise.all(Array.from({ length: 16 }, connection))
  return { answered, refused }
}

/**
 * Returns a condition that is true after this many reads, if at least one was refused. The log may restart before the
 * disk is full, so the first refusal may come late.
 */
function untilRefused(reads: number) {
  let count = 0
  return (refused: number) => ++count > reads && refused > 0
}

/** Counts each trace id in the log of a killed vault. */
async function countRecords(dataDir: string): Promise<Map<string, number>> {
  await using vault = await openVault({ dataDir, name: 'default', with: { passphrase } })
  const found = new Map<string, number>()
  for (let start: string | undefined; ; ) {
    const input = { size: 1000, operation: 'tokens.get', ...(start && { start }) }
    const { data, pagination } = await vault.engine.as({ kind: 'owner' }).logs.list(input as never)
    for (const { trace_id } of data) found.set(trace_id, (found.get(trace_id) ?? 0) + 1)
    start = pagination.next
    if (start === undefined) return found
  }
}

async function servingToken(dataDir: string): Promise<Serving & { key: string; id: string }> {
  const { url, keys, child } = await serving(dataDir)
  return { child, url, key: keys.private, id: await newToken(url, keys.private) }
}

async function newToken(url: string, key: string): Promise<string> {
  const made = await fetch(`${url}/tokens`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'token', data: 'plain-text' }),
  })
  return ((await made.json()) as { id: string }).id
}

/** Creates a vault with one token and closes it, so that its write-ahead log is empty. */
async function vaultWithToken(dataDir: string): Promise<{ key: string; id: string }> {
  const { facts, stop } = await serveInProcess(['--data-dir', dataDir, '--json'], env)
  const key: string = facts.keys.private
  const id = await newToken(facts.url, key)
  expect(await stop()).toBe(0)
  return { key, id }
}

test(
  'X-44 kill -9 loses no record of a plaintext read',
  async () => {
    const dataDir = createTempFolder()
    const first = await servingToken(dataDir)
    const { key, id } = first
    const all: string[] = []
    for (let round = 0; round < rounds; round++) {
      const { child, url } = round === 0 ? first : await serving(dataDir)
      let most = 0
      const after = 20 + Math.floor(Math.random() * 200)
      const { answered } = await readOn({ child, url }, key, id, () => {
        if (++most === after) child.signal('SIGKILL')
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
  patience,
)

/**
 * A data folder on a disk that can be filled: a real one of 8 MB if `COFFER_READS` is set and this user may mount it,
 * otherwise a limit on the size of the server's files.
 */
function smallDisk() {
  const folder = createTempFolder()
  if (reads <= 500 || process.getuid?.() !== 0) {
    const limit = (pid: number, bytes: number | 'unlimited') =>
      execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`])
    return {
      dataDir: folder,
      fill: (pid: number) => limit(pid, sizeOf(folder, 'default', 'vault.db-wal') + 8192),
      free: (pid?: number) => void (pid && limit(pid, 'unlimited')),
    }
  }
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  const filler = path.join(folder, 'filler')
  return {
    dataDir: folder,
    fill(_pid: number) {
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
    free: (_pid?: number) => fs.rmSync(filler),
  }
}

function sizeOf(...parts: string[]): number {
  return fs.statSync(path.join(...parts), { throwIfNoEntry: false })?.size ?? 0
}

const linux = test.runIf(process.platform === 'linux')

linux(
  'X-44 a full disk refuses plaintext with 507, and loses no record',
  async () => {
    const { dataDir, fill, free } = smallDisk()
    const { key, id } = await vaultWithToken(dataDir)
    const { child, url } = await serving(dataDir)
    let count = 0
    const first = await readOn({ child, url }, key, id, () => ++count > 40)
    fill(child.pid)
    const { answered, refused } = await readOn({ child, url }, key, id, untilRefused(reads))
    expect(refused.length).toBeGreaterThan(0)
    expect(answered.length + refused.length).toBeGreaterThanOrEqual(reads)
    expect(refused.every((text) => text.includes('storage_full') && !text.includes('plain-text'))).toBe(true)
    free(child.pid)
    count = 0
    const withRoom = await readOn({ child, url }, key, id, () => ++count > 20)
    expect(withRoom.refused).toEqual([])
    fill(child.pid)
    const last = await readOn({ child, url }, key, id, untilRefused(reads))
    expect(last.refused.length).toBeGreaterThan(0)
    child.signal('SIGKILL')
    await child.ended
    free()
    const records = await countRecords(dataDir)
    const all = [first.answered, answered, withRoom.answered, last.answered].flat()
    expect(all.filter((each) => records.get(each) !== 1)).toEqual([])
    expect(records.size).toBe(all.length)
  },
  patience,
)
