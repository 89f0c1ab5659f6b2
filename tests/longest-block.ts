/**
 * Runs work in this process. Returns its result, and the longest time in ms that the main thread was busy between two
 * turns of the event loop: how long every other request would have waited (rule R-03). It counts processor time, so
 * that a busy machine does not change the figure.
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

/** An object of the maximum size of a request. */
const largest = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at])))

/** If V8 takes more ms of processor time than this to parse and write the object, the bounds grow in proportion. */
const USUAL_MS = 20

/**
 * The bound for a request that must not delay others, in ms of processor time (rule R-03). It is higher on a machine
 * that is slow at the moment, which is measured only if the `block` is too long otherwise.
 */
export function getMaxBlock(block: number, usual = 100): number {
  if (block < usual) return usual
  const before = busyTime()
  JSON.stringify(JSON.parse(largest))
  return usual * Math.max(1, (busyTime() - before) / USUAL_MS)
}
