import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** What a process did since it was last asked. */
export type Busy = {
  /** The longest time between two turns of its event loop, in ms. */
  readonly block: number
  /** Its processor time, of every thread, in ms. */
  readonly cpu: number
}

const RESOLUTION_MS = 1

// Loaded before the measured program (`--import`), whichever commit that is from; answers over its channel.
if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let before = process.cpuUsage()
  process.on('message', (message) => {
    if (message !== 'busy') return
    const { user, system } = process.cpuUsage(before)
    const block = Math.max(0, delay.max / 1e6 - RESOLUTION_MS)
    process.send?.({ block, cpu: (user + system) / 1000 } satisfies Busy)
    delay.reset()
    before = process.cpuUsage()
  })
  process.channel?.unref()
}
