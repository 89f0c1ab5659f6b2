import { isMainThread } from 'node:worker_threads'

/** What a process did since it was last asked. */
export type Busy = {
  /** The most processor time of its main thread between two looks of a timer, in ms: other programs do not count. */
  readonly block: number
  /** Its processor time, of every thread, in ms. */
  readonly cpu: number
}

const RESOLUTION_MS = 1

// Loaded before the measured program (`--import`), whichever commit that is from; answers over its channel.
if (isMainThread && process.send) {
  let longest = 0
  let before = busyTime()
  setInterval(() => {
    const now = busyTime()
    longest = Math.max(longest, now - before)
    before = now
  }, RESOLUTION_MS).unref()
  let used = process.cpuUsage()
  process.on('message', (message) => {
    if (message !== 'busy') return
    const { user, system } = process.cpuUsage(used)
    process.send?.({ block: longest, cpu: (user + system) / 1000 } satisfies Busy)
    longest = 0
    used = process.cpuUsage()
  })
  process.channel?.unref()
}

/** The processor time of this thread, in ms. */
function busyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
