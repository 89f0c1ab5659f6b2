import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import v8 from 'node:v8'
import { expect, onTestFinished, test, vi } from 'vitest'
import { wipeFreedMemory } from '../../electron/host/jobs/wipe-freed-memory.ts'
import { countInMemory } from './process-memory.ts'

const MIB = 1024 * 1024

test("X-70 wiping freed memory takes less than 300 MiB if the allocator's heap never grows", async () => {
  // An unreadable heap has the same effect as an allocator other than glibc's, or as a mapping directly after the heap.
  const unreadable = vi.spyOn(fs, 'readSync').mockReturnValue(0)
  const take = Buffer.allocUnsafeSlow
  const before = process.memoryUsage.rss()
  let peak = before
  const taking = vi.spyOn(Buffer, 'allocUnsafeSlow').mockImplementation((size) => {
    if (taking.mock.calls.length % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss())
    return take(size)
  })
  await wipeFreedMemory()
  taking.mockRestore()
  unreadable.mockRestore()
  expect((peak - before) / MIB).toBeLessThan(300)
})

test('X-70 a second lock during the wipe is followed by another wipe', async () => {
  // The vault of another test may have been locked just now.
  await wipeFreedMemory()
  const flags = vi.spyOn(v8, 'setFlagsFromString')
  const first = wipeFreedMemory()
  await wipeFreedMemory()
  await first
  const times = flags.mock.calls.filter(([flag]) => flag === '--clear-free-memory').length
  flags.mockRestore()
  expect(times).toBe(2)
})

test.runIf(process.platform === 'linux')(
  'X-70 wiping freed memory zeroes strings that died in the old generation, and freed buffers',
  async () => {
    const child = fork(path.join(import.meta.dirname, 'wipe-child.ts'))
    onTestFinished(() => void child.kill('SIGKILL'))
    // Those of all buffers, and of strings alone.
    const numbers = Array.from({ length: 20 }, (_, index) => [index, (index + 1) * 99]).flat()
    const texts = Object.fromEntries(
      numbers.map((number) => [number, createHash('sha256').update(`text ${number}`).digest('hex')]),
    )
    const countTexts = () => Object.values(countInMemory(child.pid ?? 0, texts))
    await once(child, 'message')
    expect(countTexts().every((count) => count > 0)).toBe(true)
    child.send('wipe')
    await once(child, 'message')
    expect(countTexts().filter((count) => count > 0)).toEqual([])
  },
)
