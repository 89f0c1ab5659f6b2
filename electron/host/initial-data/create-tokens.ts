import { setImmediate as turn } from 'node:timers/promises'
import type { newToken } from '../../../shared/schemas/token.ts'
import { MAX_BATCH_TOKENS, type RejectedToken } from '../../../shared/schemas/token-batch.ts'
import type { z } from '../../../shared/zod.ts'
import { type Engine, owner, readProcessorTime } from '../../engine/index.ts'

export type NewTokenInput = z.input<typeof newToken>

/**
 * The budget of one chunk, in ms of processor time, since chunks that shrink on a busy machine add work to it. Each
 * chunk is a separate commit. The budget is short while other calls come in, and longer otherwise.
 */
const BUSY_BUDGET_MS = 15
const IDLE_BUDGET_MS = 40
const FIRST_CHUNK_SIZE = 50

/**
 * Creates any number of tokens as the owner, in chunks, so that other calls run in between. Reports progress after
 * each chunk, and returns the rejected tokens by their index in the input. Rejects if the vault cannot continue.
 * Earlier chunks stay.
 */
export async function createTokens(
  engine: Pick<Engine, 'as' | 'calls'>,
  tokens: Iterable<NewTokenInput>,
  progress: (done: number) => void = () => {},
): Promise<RejectedToken[]> {
  const rejected: RejectedToken[] = []
  let done = 0
  let size = FIRST_CHUNK_SIZE
  const iterator = tokens[Symbol.iterator]()
  for (;;) {
    const chunk = takeItems(iterator, size)
    if (chunk.length === 0) return rejected
    const [calls, started] = [engine.calls, readProcessorTime()]
    const report = await engine.as(owner).tokens.createMany({ tokens: chunk })
    const took = readProcessorTime() - started
    await turn()
    // One of these calls comes from this function itself.
    const budget = engine.calls - calls > 1 ? BUSY_BUDGET_MS : IDLE_BUDGET_MS
    const fitting = (chunk.length * budget) / took
    for (const each of report.refused) rejected.push({ ...each, index: done + each.index })
    done += chunk.length
    progress(done)
    size = Math.max(1, Math.round(Math.min(MAX_BATCH_TOKENS, 2 * size, fitting)))
  }
}

function takeItems<T>(items: Iterator<T>, limit: number): T[] {
  const taken: T[] = []
  while (taken.length < limit) {
    const { done, value } = items.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
