import { isMainThread } from 'node:worker_threads'

/** The processor time of a process since the previous query. */
export type Busy = {
  /**
   * The maximum processor time of the main thread between two ticks of a timer, in ms. Excludes the time of other
   * programs.
   */
  readonly block: number
  /** The processor time of all its threads, in ms. */
  readonly cpu: number
}

const RESOLUTION_MS = 1

// `--import` loads this module before the measured program, which may be of either commit. It responds over IPC.
if (isMainThread && process.send) {
  let maxBlock = 0
  let before = readBusyTime()
  setInterval(() => {
    const now = readBusyTime()
    maxBlock = Math.max(maxBlock, now - before)
    before = now
  }, RESOLUTION_MS).unref()
  let used = process.cpuUsage()
  process.on('message', (message) => {
    if (message !== 'busy') return
    const { user, system } = process.cpuUsage(used)
    process.send?.({ block: maxBlock, cpu: (user + system) / 1000 } satisfies Busy)
    maxBlock = 0
    used = process.cpuUsage()
  })
  process.channel?.unref()
}

/** The processor time of this thread, in ms. */
function readBusyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
