import fs from 'node:fs'
import v8 from 'node:v8'
import { expect, test, vi } from 'vitest'
import { wipeFreedMemory } from '../../electron/host/jobs/wipe-freed-memory.ts'

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
  const flags = vi.spyOn(v8, 'setFlagsFromString')
  const first = wipeFreedMemory()
  await wipeFreedMemory()
  await first
  const times = flags.mock.calls.filter(([flag]) => flag === '--clear-free-memory').length
  flags.mockRestore()
  expect(times).toBe(2)
})
