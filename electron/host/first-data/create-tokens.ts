import { setImmediate as turn } from 'node:timers/promises'
import type { newToken } from '../../../shared/schemas/token.ts'
import { mostAtOnce, type RefusedToken } from '../../../shared/schemas/token-batch.ts'
import type { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'

export type NewTokenInput = z.input<typeof newToken>

/** Each chunk is its own commit: short while others call, longer while nobody does. */
const WAITED_FOR_MS = 15
const ALONE_MS = 60
const FIRST = 50

/**
 * Creates any number of tokens as the owner, in chunks, so that other calls are answered in between. Reports progress
 * after each chunk, and returns the refused tokens by their index in the whole. Rejects when the vault cannot
 * continue; earlier chunks are kept.
 */
export async function createTokens(
  engine: Pick<Engine, 'as' | 'calls'>,
  tokens: Iterable<NewTokenInput>,
  progress: (done: number) => void = () => {},
): Promise<RefusedToken[]> {
  const refused: RefusedToken[] = []
  let done = 0
  let size = FIRST
  const rest = tokens[Symbol.iterator]()
  for (;;) {
    const chunk = take(rest, size)
    if (chunk.length === 0) return refused
    const [calls, started] = [engine.calls, performance.now()]
    const report = await engine.as(owner).tokens.createMany({ tokens: chunk })
    const took = performance.now() - started
    await turn()
    // One call is this one's own.
    const budget = engine.calls - calls > 1 ? WAITED_FOR_MS : ALONE_MS
    const fitting = (chunk.length * budget) / took
    for (const each of report.refused) refused.push({ ...each, index: done + each.index })
    done += chunk.length
    progress(done)
    size = Math.max(1, Math.round(Math.min(mostAtOnce, 2 * size, fitting)))
  }
}

function take<T>(items: Iterator<T>, most: number): T[] {
  const taken: T[] = []
  while (taken.length < most) {
    const { done, value } = items.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
