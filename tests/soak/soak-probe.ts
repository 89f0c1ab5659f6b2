// Loaded into the served program with `--import`: reports the resources of the process to its parent, on request.
import fs from 'node:fs'

/** The resources of a process at one moment. Memory is in bytes, and the heap is measured after a collection. */
export type ProcessResources = {
  readonly rss: number
  readonly heap: number
  /** The number of timers, sockets, workers and other objects that keep the event loop alive. */
  readonly handles: number
  /** The number of open file descriptors, or 0 if the system does not list them. */
  readonly files: number
}

function countOpenFiles(): number {
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
  process.send?.({ rss, heap: heapUsed, handles, files: countOpenFiles() } satisfies ProcessResources)
})
// The IPC channel must not keep the process alive.
process.channel?.unref()
