import type { z } from 'zod'
import type { newTokens, newTokensReport, RefusedToken } from '../../shared/schemas/token-batch.ts'
import type { Engine } from '../engine/engine.ts'

export type NewTokenInput = z.input<typeof newTokens>['tokens'][number]

/** Each chunk is a commit of its own and short enough that nobody who calls meanwhile waits long. */
const CHUNK = 250

/**
 * Creates any number of tokens as the owner, chunk by chunk, so that other calls are answered in between.
 * Tells after each chunk how many were looked at; gives the refused ones by their place in the whole.
 * Rejects when the vault cannot go on; the chunks before are kept.
 */
export async function createTokens(
  engine: Pick<Engine, 'call'>,
  tokens: Iterable<NewTokenInput>,
  progress: (done: number) => void = () => {},
): Promise<RefusedToken[]> {
  const refused: RefusedToken[] = []
  let done = 0
  for (const chunk of chunksOf(tokens)) {
    const { output } = await engine.call('tokens.createMany', { tokens: chunk }, { kind: 'owner' })
    for (const each of (output as z.output<typeof newTokensReport>).refused) {
      refused.push({ ...each, index: done + each.index })
    }
    done += chunk.length
    progress(done)
  }
  return refused
}

function* chunksOf<T>(items: Iterable<T>): Generator<T[]> {
  let chunk: T[] = []
  for (const item of items) {
    chunk.push(item)
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
