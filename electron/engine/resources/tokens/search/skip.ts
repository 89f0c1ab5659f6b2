import type { Database } from '../../../db/open.ts'
import { countSeqsBetween, findSeqAt, listPlacementsAfter } from './find-store.ts'
import {
  type ContainerWalk,
  type CreationWalk,
  isDescending,
  type ListPosition,
  type SearchPlan,
  sortSeqs,
  type Walk,
} from './matches.ts'

/** How many tokens one query skips, which takes some milliseconds. */
const CHUNK_ROWS = 20_000
const MAX_SEQ = Number.MAX_SAFE_INTEGER

/** How far to skip: this many tokens, or the tokens until a time in epoch ms. */
export type SkipTarget = { readonly skip: number; readonly until: number | undefined }

/** Some skipped tokens, and the position of the last one. */
export type SkipStep = { readonly skipped: number; readonly position: ListPosition }

/**
 * Skips tokens of a search without reading them, chunk by chunk, so that the caller can limit the time. Returns null
 * if the search has to test each token. Tokens that expired, but are not deleted yet, are skipped too.
 */
export function skipTokens(plan: SearchPlan, walk: Walk, target: SkipTarget): Iterable<SkipStep> | null {
  const { db, candidates, rest } = plan
  if (rest.length > 0) return null
  if (walk.sort === 'container') {
    return candidates === null && target.until === undefined ? skipPlacements(db, walk, target.skip) : null
  }
  if (candidates === null) return skipSeqs(db, walk, target)
  return target.until === undefined ? skipCollected(candidates, walk, target.skip) : null
}

function* skipSeqs(db: Database, walk: CreationWalk, { skip, until }: SkipTarget): Generator<SkipStep> {
  const isDown = isDescending(walk)
  const order = isDown ? 'DESC' : 'ASC'
  const [first, last] = isDown ? [MAX_SEQ, -1] : [-1, MAX_SEQ]
  const end = until === undefined ? last : (findSeqAt(db, until, isDown ? 'until' : 'since') ?? last)
  let at = walk.after ?? first
  for (let left = skip; left > 0; ) {
    const limit = Math.min(left, CHUNK_ROWS)
    const chunk = countSeqsBetween(db, [Math.min(at, end), Math.max(at, end)], order, limit)
    if (chunk.tokens > 0) yield { skipped: chunk.tokens, position: chunk.last }
    if (chunk.tokens < limit) return
    at = chunk.last
    left -= limit
  }
}

function* skipCollected(
  candidates: ReadonlySet<number>,
  walk: CreationWalk,
  skip: number,
): Generator<SkipStep> {
  const seqs = sortSeqs(candidates, isDescending(walk), walk.after)
  const skipped = Math.min(skip, seqs.length)
  const position = seqs[skipped - 1]
  if (position !== undefined) yield { skipped, position }
}

function* skipPlacements(
  db: Database,
  { after, isBackwards }: ContainerWalk,
  skip: number,
): Generator<SkipStep> {
  let position = after
  let left = skip
  while (left > 0) {
    const skipped = Math.min(left, CHUNK_ROWS)
    const [row] = listPlacementsAfter(db, position, 1, isBackwards, skipped - 1)
    if (!row) return
    position = [row.container, row.created_at, row.id]
    yield { skipped, position }
    left -= skipped
  }
}
