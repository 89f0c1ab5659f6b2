/**
 * Runs work in this process and returns its result with the longest time, in ms, that the main thread was busy between
 * two turns of the event loop: how long every other request would have waited (rule R-03). Processor time is counted,
 * so that a busy machine does not change the figure.
 */
export async function longestBlock<T>(work: () => T | Promise<T>): Promise<{ result: T; block: number }> {
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
