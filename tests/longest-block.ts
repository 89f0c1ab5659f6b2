/**
 * Runs a function. Returns its result and the longest time in ms that this thread was busy between two turns of the
 * event loop, which is how long any other request would have waited (rule R-03). This is processor time, so that other
 * load on the machine does not change it. The turns of at most 1 ms count as one, so that this thread sleeps while it
 * waits for others.
 */
export async function measureLongestBlock<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; block: number }> {
  let longest = 0
  let before = busyTime()
  let isDone = false
  const endTurn = () => {
    const now = busyTime()
    longest = Math.max(longest, now - before)
    before = now
  }
  /** Ends a turn before the thread looks for input, and another before it runs what waits for `setImmediate`. */
  const watchTurns = () => {
    endTurn()
    setImmediate(() => {
      endTurn()
      if (!isDone) setTimeout(watchTurns, 1)
    })
  }
  watchTurns()
  try {
    const result = await work()
    return { result, block: Math.max(longest, busyTime() - before) }
  } finally {
    isDone = true
  }
}

/** The processor time of this thread, in ms. */
function busyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** An object with the maximum number of members of a request, as JSON. */
const largest = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at])))

/**
 * The processor time, in ms, in which V8 usually parses and writes that object. If it takes longer, the bounds grow in
 * proportion.
 */
const USUAL_MS = 20

/**
 * Returns the maximum block of a request that must not delay others, in ms of processor time (rule R-03). It is higher
 * while the machine is slow, which is measured only if `block` would otherwise be too long.
 */
export function getMaxBlock(block: number, usual = 100): number {
  if (block < usual) return usual
  const before = busyTime()
  JSON.stringify(JSON.parse(largest))
  return usual * Math.max(1, (busyTime() - before) / USUAL_MS)
}

/**
 * Does work of which no turn may take longer than `usual` ms of processor time, and returns its result. It is done up to
 * five times, because a collection of garbage or other load may fall into a turn.
 */
export async function expectShortTurns<T>(work: () => T | Promise<T>, usual?: number): Promise<T> {
  for (let left = 4; ; left--) {
    const { result, block } = await measureLongestBlock(work)
    const max = getMaxBlock(block, usual)
    if (block < max) return result
    if (left === 0) throw new Error(`A turn took ${block.toFixed()} ms, of at most ${max.toFixed()} ms.`)
  }
}
