import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'

/** Leaves time to answer the call that locked the vault, even on a busy machine, so that nothing refers to its data. */
const START_DELAY_MS = 500
/** Gives the threads of the garbage collector time to free memory. */
const COLLECT_DELAY_MS = 50
/** The maximum number of bytes that Node reads from a connection in one step. */
const READ_BYTES = 64 * 1024
/** How much the heap must grow before the free chunks of a size are considered used up. */
const HEAP_GROWTH_BYTES = 256 * 1024
const MAX_WIPED_BYTES = 64 * 1024 * 1024
/** The largest chunk that glibc caches by its exact size, in bytes, and how many chunks of each size it caches. */
const EXACT_BYTES = 1056
const EXACT_COUNT = 8

let running: Promise<void> | null = null
/** Whether another wipe was requested in the meantime. */
let isDue = false

/**
 * Overwrites memory that this process has freed but still holds, shortly after a lock: it may hold plaintext that
 * nothing refers to (X-70). Collects all garbage several times, with V8's options to zero it. On Linux, it also
 * overwrites the buffer that Node reads requests into, and the memory freed by native code, which is allocated, zeroed
 * and released. Takes about 0.2 s of processor time, in steps. A call during a wipe schedules another one, and resolves after it.
 * Never rejects, and delays no exit.
 */
export function wipeFreedMemory(): Promise<void> {
  isDue = true
  running ??= wipeWhileDue()
  return running
}

async function wipeWhileDue(): Promise<void> {
  while (isDue) {
    isDue = false
    await wipeOnce()
  }
  running = null
}

async function wipeOnce(): Promise<void> {
  try {
    await delay(START_DELAY_MS, undefined, { ref: false })
    await overwriteReadBuffer()
    exhaustBufferPool()
    const gc = findCollector()
    // Never reset, because V8 sweeps the pages of the heap only after the collection. It has no effect on others.
    v8.setFlagsFromString('--zero-unused-memory')
    v8.setFlagsFromString('--clear-free-memory')
    for (let turn = 0; turn < 2; turn++) {
      // V8 zeroes what it frees in the old generation only in such a collection.
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      await delay(COLLECT_DELAY_MS, undefined, { ref: false })
      overwriteFreeMemory()
    }
    gc()
  } catch {
    // A failure is ignored, because the vault is locked and its keys are wiped: this is only an additional measure.
  } finally {
    v8.setFlagsFromString('--no-clear-free-memory')
  }
}

/** Returns V8's garbage collector. Throws if V8 does not offer it. */
function findCollector(): NodeJS.GCFunction {
  v8.setFlagsFromString('--expose-gc')
  try {
    return vm.runInNewContext('gc')
  } finally {
    v8.setFlagsFromString('--no-expose-gc')
  }
}

/**
 * Fills what is left of the large buffer that small buffers share, because it stays in use, with its old content. Zeroes
 * the next one too, which is made of freed memory.
 */
function exhaustBufferPool(): void {
  const { buffer: pool } = Buffer.allocUnsafe(1)
  let part: Buffer
  // Parts of a pool begin at multiples of eight bytes.
  do part = Buffer.allocUnsafe(8).fill(0)
  while (part.buffer === pool)
  Buffer.from(part.buffer).fill(0)
}

/**
 * Overwrites the single buffer into which Node reads all HTTP connections, with a longer request over a private socket.
 */
async function overwriteReadBuffer(): Promise<void> {
  if (process.platform !== 'linux') return
  const server = http.createServer((request, response) => {
    request.resume().once('end', () => response.end())
  })
  // An abstract socket name: it is not a file, and disappears with the socket.
  const address = `\0coffer-wipe-${process.pid}-${performance.now()}`
  await once(server.listen(address).unref(), 'listening')
  try {
    // Node would read the response into new memory, of which it fills only the start: the rest may hold plaintext.
    const onread = { buffer: Buffer.alloc(1024), callback: () => true }
    const client = net.connect({ path: address, onread }).unref()
    const length = 8 * READ_BYTES
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`)
    client.write(Buffer.alloc(length))
    await once(client.resume(), 'close')
  } finally {
    server.close()
  }
}

/**
 * Allocates and zeroes all free memory of the allocator, largest chunks first, until it asks the system for more. Then
 * does the same for the sizes that glibc caches.
 */
function overwriteFreeMemory(): void {
  if (process.platform !== 'linux') return
  const taken: Buffer[] = []
  // The resident size is limited too, because an allocator other than glibc's, or one whose heap cannot grow, does not
  // take its memory from the heap.
  const maxResident = process.memoryUsage.rss() + MAX_WIPED_BYTES
  const hasFree = (maxHeapEnd: number) => endOfHeap() < maxHeapEnd && process.memoryUsage.rss() < maxResident
  for (let size = READ_BYTES; size >= 128; size /= 2) {
    const maxHeapEnd = endOfHeap() + HEAP_GROWTH_BYTES
    const together = Math.max(8, HEAP_GROWTH_BYTES / 2 / size)
    for (let bytes = 0; bytes < MAX_WIPED_BYTES && hasFree(maxHeapEnd); bytes += together * size) {
      for (let count = 0; count < together; count++) taken.push(newZeroed(size))
    }
  }
  for (let size = 80; size <= EXACT_BYTES; size += 16) {
    for (let count = 0; count < EXACT_COUNT; count++) taken.push(newZeroed(size))
  }
}

/**
 * Returns a zeroed buffer. Does not use `Buffer.alloc`, whose `calloc` skips the chunks that glibc caches for the next
 * small allocation.
 */
function newZeroed(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size).fill(0)
}

/** Receives the start of this process's memory map, which includes the heap. */
const memoryMap = Buffer.alloc(16 * 1024)

/**
 * Returns where the heap ends. The heap grows when it has no free memory. This call itself allocates almost nothing.
 */
function endOfHeap(): number {
  const file = fs.openSync('/proc/self/maps', 'r')
  try {
    let length = 0
    for (let read = 1; read > 0 && length < memoryMap.length; length += read)
      read = fs.readSync(file, memoryMap, length, memoryMap.length - length, null)
    const [, end = '0'] = /-([0-9a-f]+) .*\[heap\]/.exec(memoryMap.toString('latin1', 0, length)) ?? []
    return Number.parseInt(end, 16)
  } finally {
    fs.closeSync(file)
  }
}
