// Loaded into the served program with `--import`: tells its parent, when asked, what the process holds.
import fs from 'node:fs'

/** What a process holds at one moment; memory in bytes, the heap after a collection. */
export type Held = {
  readonly rss: number
  readonly heap: number
  /** Timers, sockets, workers and whatever else keeps an event loop busy. */
  readonly handles: number
  /** Open file descriptors; 0 where the system does not list them. */
  readonly files: number
}

function openFiles(): number {
  try {
    return fs.readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

process.on('message', () => {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const handles = process.getActiveResourcesInfo().length
  process.send?.({ rss, heap: heapUsed, handles, files: openFiles() } satisfies Held)
})
// Being asked is no reason to stay.
process.channel?.unref()
