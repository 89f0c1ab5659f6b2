import { normalizeContainer } from '../../../../../shared/containers.ts'
import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import { cursorPage, offsetPage } from '../../../../../shared/schemas/common.ts'
import { token } from '../../../../../shared/schemas/token.ts'
import { tokenListV1Query, tokenSearch, tokenSearchV1 } from '../../../../../shared/schemas/token-search.ts'
import { formatSettingHint } from '../../../../../shared/settings.ts'
import { z } from '../../../../../shared/zod.ts'
import { decodeBase58 } from '../../../crypto/base58.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { toPairLookup } from '../pairs.ts'
import { listPage } from '../read/list.ts'
import { listOffsetPage } from '../read/offset-list.ts'
import type { Candidates } from '../read/offset-store.ts'
import type { WalkFilter } from '../read/walk.ts'
import { countList } from './count.ts'
import { parseQueryV1, parseQueryV2, type QueryV1, type QueryV2 } from './search-query.ts'

const v1 = { since: '2025-01-03', sunset: '2025-03-01' } as const

/** Throws `gone` if the tenant's settings simulate the shutdown of v1 (rule L-10). */
function assertNotShutDown({ settings }: Context, successor: string): void {
  if (settings.deprecated_operations === 'serve') return
  throw new CofferError(
    'gone',
    `This operation was shut down on March 1, 2025. Use ${successor} instead. ${formatSettingHint('deprecated_operations')}`,
  )
}

export const listV1 = defineOperation({
  summary: 'Deprecated: list tokens, newest first; rejects pages that are too large or too far down',
  route: 'GET /tokens',
  permission: 'token:read',
  entity: 'token',
  deprecated: { ...v1, successor: '/v2/tokens' },
  refusals: ['gone'],
  input: tokenListV1Query,
  output: offsetPage(token),
  handler(context, { id, metadata, ...page }) {
    assertNotShutDown(context, 'GET /v2/tokens')
    const { db, keyring } = context
    const pairs =
      metadata && keepFirstOfEachKey(metadata).map(([key, value]) => toPairLookup(db, keyring, key, value))
    const candidates = { ...(id && { ids: id }), ...(pairs && { metadata: pairs }) }
    return listOffsetPage(context, candidates, page, 'token:read')
  },
})

/** Drops each pair whose key an earlier pair has too, ignoring case (rule L-06). */
function keepFirstOfEachKey(pairs: readonly [string, string][]): [string, string][] {
  const first = new Map<string, [string, string]>()
  for (const pair of pairs) if (!first.has(pair[0].toLowerCase())) first.set(pair[0].toLowerCase(), pair)
  return [...first.values()]
}

export const searchV1 = defineOperation({
  summary:
    'Deprecated: search tokens by id, metadata or search index; rejects pages that are too large or too far down',
  route: 'POST /tokens/search',
  permission: ['token:search', 'token:read'],
  entity: 'token',
  effect: 'read',
  deprecated: { ...v1, successor: '/v2/tokens/search' },
  refusals: ['gone'],
  input: tokenSearchV1,
  output: offsetPage(token),
  handler(context, { query, ...page }) {
    assertNotShutDown(context, 'POST /v2/tokens/search')
    return listOffsetPage(
      context,
      toCandidates(context, parseQueryV1(query)),
      page,
      'token:search',
      'token:read',
    )
  },
})

function toCandidates({ db, keyring }: Context, query: QueryV1): Candidates {
  switch (query.by) {
    case 'all':
      return {}
    case 'id':
      return { ids: [query.value] }
    case 'data':
      return { index: keyring.computeIndexDigest(query.value) }
    case 'metadata':
      return { metadata: query.pairs.map(([key, value]) => toPairLookup(db, keyring, key, value)) }
  }
}

export const search = defineOperation({
  summary: 'Search tokens by type, fingerprint, metadata or search index',
  route: 'POST /v2/tokens/search',
  permission: ['token:search', 'token:read'],
  entity: 'token',
  effect: 'read',
  input: tokenSearch,
  output: cursorPage(token),
  handler(context, { query, start, size }) {
    const { by, container } = parseQueryV2(query)
    const scope = container === undefined ? undefined : normalizeContainer(container, 'query')
    const filter = toWalkFilter(context, by)
    return listPage(context, filter, { container: scope, start, size }, 'token:search', 'token:read')
  },
})

export const count = defineOperation({
  summary: 'Count the tokens that a search finds; null if counting would take too long',
  entity: 'token',
  input: z.strictObject({ query: tokenSearch.shape.query }),
  output: z.object({ total: z.int().nullable() }),
  handler(context, { query }) {
    const { by, container } = parseQueryV2(query)
    const scope = container === undefined ? undefined : normalizeContainer(container, 'query')
    return {
      total: countList(context.db, { filter: toWalkFilter(context, by), container: scope, now: context.now }),
    }
  },
})

function toWalkFilter({ db, keyring }: Context, term: QueryV2['by']): WalkFilter {
  switch (term.field) {
    case 'type':
      return { by: 'type', type: term.value }
    case 'fingerprint': {
      const fingerprint = decodeBase58(term.value)
      if (!fingerprint) throw createInvalidError('query', 'must contain the fingerprint of a token')
      return { by: 'fingerprint', fingerprint }
    }
    case 'metadata':
      return {
        by: 'metadata',
        key: term.key,
        value: term.value,
        pair: toPairLookup(db, keyring, term.key, term.value),
      }
    case 'data':
      return { by: 'index', digest: keyring.computeIndexDigest(term.value) }
    default:
      return { by: 'all' }
  }
}
