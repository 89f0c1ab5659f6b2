import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'

/** So that the call that has locked is answered, and nothing refers to it. */
const START_DELAY_MS = 200
/** What the collector frees in threads of its own is free by then. */
const COLLECT_DELAY_MS = 50
/** What Node reads from a connection at once. */
const READ_BYTES = 64 * 1024
/** How much more memory the system gives before a size counts as used up. */
const HEAP_GROWTH_BYTES = 256 * 1024
const MAX_WIPED_BYTES = 64 * 1024 * 1024
/** The largest chunk that glibc keeps by its exact size, and how many of each. */
const EXACT_BYTES = 1056
const EXACT_COUNT = 8

let isRunning = false
/** Whether it was asked for once more meanwhile. */
let isDue = false

/**
 * Overwrites what this process has freed and still holds, a moment later: after a lock, plaintext that nothing refers to
 * . Collects all garbage twice, with the option of V8 that zeroes it. On Linux, what native code has freed is
 * overwritten too: free memory is taken, zeroed, and given back, and so is the buffer that Node reads requests into. Takes
 * some 0.2 s of processor time, in steps. One that runs is followed by another. Never rejects, and holds up no exit.
 */
export async function wipeFreedMemory(): Promise<void> {
  isDue = true
  if (isRunning) return
  isRunning = true
  while (isDue) {
    isDue = false
    await wipeOnce()
  }
  isRunning = false
}

async function wipeOnce(): Promise<void> {
  try {
    await delay(START_DELAY_MS, undefined, { ref: false })
    await overwriteReadBuffer()
    exhaustBufferPool()
    const gc = findCollector()
    v8.setFlagsFromString('--clear-free-memory')
    for (let turn = 0; turn < 2; turn++) {
      gc()
      await delay(COLLECT_DELAY_MS, undefined, { ref: false })
      overwriteFreeMemory()
    }
    gc()
  } catch {
    // The vault is locked and its keys are wiped; this is in addition.
  } finally {
    v8.setFlagsFromString('--no-clear-free-memory')
  }
}

/** Throws where V8 has none to give. */
function findCollector(): () => void {
  v8.setFlagsFromString('--expose-gc')
  try {
    return vm.runInNewContext('gc') as () => void
  } finally {
    v8.setFlagsFromString('--no-expose-gc')
  }
}

/** Small buffers share a large one, which stays in use until it is full. */
function exhaustBufferPool(): void {
  for (let part = 0; part < 4; part++) Buffer.allocUnsafe((Buffer.poolSize >>> 1) - 1).fill(0)
}

/** All HTTP connections are read into one buffer of Node. A request longer than it, which nobody else sees, overwrites it. */
async function overwriteReadBuffer(): Promise<void> {
  if (process.platform !== 'linux') return
  const server = http.createServer((request, response) => {
    request.resume().once('end', () => response.end())
  })
  // A name that is no file, and ends with the socket.
  const address = `\0coffer-wipe-${process.pid}-${performance.now()}`
  await once(server.listen(address).unref(), 'listening')
  try {
    const client = net.connect(address).unref()
    const length = 8 * READ_BYTES
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`)
    client.write(Buffer.alloc(length))
    await once(client.resume(), 'close')
  } finally {
    server.close()
  }
}

/** Takes all the memory that the allocator has free, zeroed, until it asks the system for more; largest chunks first. */
function overwriteFreeMemory(): void {
  if (process.platform !== 'linux') return
  const taken: Buffer[] = []
  // Another allocator than that of glibc takes its memory elsewhere, and one whose heap cannot grow does so too.
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

/** As `Buffer.alloc`, whose `calloc` leaves out what glibc keeps for the next small chunk of a size. */
function newZeroed(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size).fill(0)
}

/** The beginning of this process's memory map, which has the heap in it. */
const memoryMap = Buffer.alloc(16 * 1024)

/** Where the allocator's memory ends; grows when nothing in it is free. Itself allocates next to nothing. */
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
