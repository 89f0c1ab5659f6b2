/**
 * Runs work in this process and returns its result with the longest time, in ms, that the main thread was busy between
 * two turns of the event loop: how long every other request would have waited (rule R-03). Processor time is counted,
 * so that a busy machine does not change the figure.
 */
export async function measureLongestBlock<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; block: number }> {
  let longest = 0
  let before = busyTime()
  let next: NodeJS.Immediate
  const turn = () => {
    const now = busyTime()
    longest = Math.max(longest, now - before)
    before = now
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  try {
    const result = await work()
    return { result, block: Math.max(longest, busyTime() - before) }
  } finally {
    clearImmediate(next)
  }
}

/** The processor time of this thread, in ms. */
function busyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** As large an object as a request may bring. */
const largest = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at])))

/** Where V8 takes more ms of processor time to read and write it, bounds are as much wider. */
const USUAL_MS = 20

/**
 * What a request that holds nobody up may take, in ms of processor time (rule R-03): more on a machine that is slow at
 * this moment, which is measured only where the `block` is too long otherwise.
 */
export function getMaxBlock(block: number, usual = 100): number {
  if (block < usual) return usual
  const before = busyTime()
  JSON.stringify(JSON.parse(largest))
  return usual * Math.max(1, (busyTime() - before) / USUAL_MS)
}
