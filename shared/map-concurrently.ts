/**
 * Runs `run` for each item, up to `limit` at a time, and returns the results in order. After a failure, no further calls are
 * started, and this rejects once all running calls have ended.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  let failed = false
  const runWorker = async () => {
    for (const [at, item] of entries) {
      if (failed) return
      try {
        results[at] = await run(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: limit }, runWorker))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return results
}
