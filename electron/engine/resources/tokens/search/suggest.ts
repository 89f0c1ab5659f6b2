import { countCodePoints } from '../../../../../shared/characters.ts'
import { listScopes } from '../../../../../shared/containers.ts'
import type { Suggestion } from '../../../../../shared/find.ts'
import { findTypesByName } from '../../../../../shared/token-types.ts'
import { decodeBase58 } from '../../../crypto/base58.ts'
import type { Database } from '../../../db/open.ts'
import { sql } from '../../../db/statement.ts'
import type { Context } from '../../../pipeline/context.ts'
import { getMetadataPairs } from '../terms/metadata.ts'
import {
  foldCase,
  getUpperBound,
  readTermProgress,
  toKeyPrefix,
  toKeyTerm,
  toValuePrefix,
} from '../terms/terms.ts'
import { createConditions, MIN_ID_LENGTH, toContainerPrefix } from './conditions.ts'
import { findLightRow, type LightRow, listLightRowsAfter, seqQueries } from './find-store.ts'
import { createSearchPlan, walkMatches } from './matches.ts'

/** The maximum number of suggestions of each kind. */
const MAX_SUGGESTIONS = { values: 6, keys: 4, containers: 4, ids: 3 }
/** The maximum number of terms, containers and tokens that are read. */
const MAX_SCANNED_TERMS = 500
const MAX_SCANNED_CONTAINERS = 2_000
const MAX_SCANNED_ROWS = 200
/** The maximum number of unindexed tokens read, oldest first: after a bulk creation, there are more for seconds. */
const MAX_UNINDEXED_ROWS = 512

/** Returns suggestions for a search text: single tokens first, then metadata, types and containers. */
export function listSuggestions(context: Context, text: string): Suggestion[] {
  return [
    ...suggestTokens(context, text),
    ...suggestPairs(context, text),
    ...suggestKeys(context, text),
    ...suggestTypes(context, text),
    ...suggestContainers(context, text),
  ]
}

/** Whether one of the newest tokens has these last four characters or this fingerprint. */
function hasMatch(context: Context, find: { last4: string } | { fingerprint: string }): boolean {
  const { db, now } = context
  let scanned = 0
  const plan = createSearchPlan(db, now, createConditions(context, find))
  for (const { row } of walkMatches(plan, { sort: 'newest', after: null, isBackwards: false })) {
    if (row) return true
    if (++scanned > MAX_SCANNED_ROWS) break
  }
  return false
}

function* suggestTokens(context: Context, text: string): Generator<Suggestion> {
  const { db, now } = context
  if (countCodePoints(text) === 4 && hasMatch(context, { last4: text })) yield { kind: 'last4', value: text }
  if (decodeBase58(text)?.length === 32 && hasMatch(context, { fingerprint: text })) {
    yield { kind: 'fingerprint', value: text }
  }
  const find = countCodePoints(text) >= MIN_ID_LENGTH ? seqQueries.idPrefix : seqQueries.id
  for (const id of new Set([text, text.toLowerCase()])) {
    for (const seq of find(db, id, MAX_SUGGESTIONS.ids)) {
      const row = findLightRow(db, seq)
      if (row && (row.expires_at === null || row.expires_at > now)) yield { kind: 'id', value: row.id }
    }
  }
}

type PairTest = (key: string, value: string) => boolean

/** Collects distinct pairs, ignoring case. Keeps the first spelling of each. */
class Pairs {
  readonly #pairs = new Map<string, [string, string]>()

  add(row: LightRow | undefined, test: PairTest): void {
    for (const [key, value] of row ? getMetadataPairs(row) : []) {
      const name = JSON.stringify([foldCase(key), foldCase(value)])
      if (test(key, value) && !this.#pairs.has(name)) this.#pairs.set(name, [key, value])
    }
  }

  get isFull(): boolean {
    return this.#pairs.size >= MAX_SUGGESTIONS.values
  }

  get all(): [string, string][] {
    return [...this.#pairs.values()].slice(0, MAX_SUGGESTIONS.values)
  }
}

function suggestPairs(context: Context, text: string): Suggestion[] {
  const [, key, value = ''] = /^([^:=]+)[:=]\s*(.*)$/s.exec(text) ?? []
  const pairs = new Pairs()
  if (key !== undefined) addPairsOfKey(context, key.trim(), value, pairs)
  const prefix = foldCase(text)
  const matchesPair: PairTest = (_, each) => foldCase(each).startsWith(prefix)
  addPairsWithPrefix(context, text, matchesPair, pairs)
  return pairs.all.map(([name, each]) => ({ kind: 'metadata', key: name, value: each }))
}

/** Adds the pairs whose value begins with `text` and that pass `test`. */
function addPairsWithPrefix({ db }: Context, text: string, test: PairTest, pairs: Pairs): void {
  let scanned = 0
  for (const { seq } of iterateTermsWithPrefix(db, toValuePrefix(text))) {
    pairs.add(findLightRow(db, seq), test)
    if (pairs.isFull || ++scanned >= MAX_SCANNED_TERMS) return
  }
  for (const row of listUnindexedRows(db)) pairs.add(row, test)
}

/** Adds pairs with a key: those whose value begins with `value` or, if that is empty, those of the newest tokens. */
function addPairsOfKey(context: Context, key: string, value: string, pairs: Pairs): void {
  const { db } = context
  const [name, valuePrefix] = [foldCase(key), foldCase(value)]
  const matchesPair: PairTest = (each, its) =>
    foldCase(each) === name && foldCase(its).startsWith(valuePrefix)
  if (value !== '') {
    addPairsWithPrefix(context, value, matchesPair, pairs)
    return
  }
  for (const row of listUnindexedRows(db)) pairs.add(row, matchesPair)
  for (const seq of listNewestWithTerm(db, toKeyTerm(key), MAX_SCANNED_ROWS)) {
    if (pairs.isFull) return
    pairs.add(findLightRow(db, seq), matchesPair)
  }
}

function listUnindexedRows(db: Context['db']): LightRow[] {
  return listLightRowsAfter(db, readTermProgress(db), MAX_UNINDEXED_ROWS)
}

function suggestKeys({ db }: Context, text: string): Suggestion[] {
  const prefix = foldCase(text)
  const keysByName = new Map<string, string>()
  const addKeys = (row: LightRow | undefined) => {
    for (const [key] of row ? getMetadataPairs(row) : []) {
      if (foldCase(key).startsWith(prefix) && !keysByName.has(foldCase(key)))
        keysByName.set(foldCase(key), key)
    }
  }
  for (const { seq } of iterateTermsWithPrefix(db, toKeyPrefix(text))) {
    addKeys(findLightRow(db, seq))
    if (keysByName.size >= MAX_SUGGESTIONS.keys) break
  }
  for (const row of listUnindexedRows(db)) addKeys(row)
  return [...keysByName.values()].slice(0, MAX_SUGGESTIONS.keys).map((key) => ({ kind: 'metadata', key }))
}

function suggestTypes({ db }: Context, text: string): Suggestion[] {
  const storedTypes = listStoredTypes(db)
  return findTypesByName(text)
    .filter((type) => storedTypes.includes(type))
    .map((value) => ({ kind: 'type', value }))
}

/** Suggests containers whose path or last segment begins with `text`, those with the fewest segments first. */
function suggestContainers({ db }: Context, text: string): Suggestion[] {
  const path = toContainerPrefix(text)
  if (path === null) return []
  const all = [
    ...listContainersFrom(db, path, MAX_SCANNED_CONTAINERS),
    ...listContainersFrom(db, '/', MAX_SCANNED_CONTAINERS),
  ]
  const scopes = new Set(all.flatMap(listScopes))
  scopes.delete('/')
  return [...scopes]
    .filter(
      (scope) => scope.startsWith(path) || (!text.includes('/') && getLastSegment(scope).startsWith(path)),
    )
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS.containers)
    .map((value) => ({ kind: 'container', value }))
}

/** Returns the last segment of a container path, such as `/high/` of `/pci/high/`. */
function getLastSegment(scope: string): string {
  return scope.slice(scope.lastIndexOf('/', scope.length - 2))
}

/** A term, and the `seq` of the oldest token that has it. One seek finds both. */
type TermAt = { readonly term: Buffer; readonly seq: number }

/** Yields the distinct terms with a prefix. */
function* iterateTermsWithPrefix(db: Database, prefix: Buffer): Generator<TermAt> {
  const to = getUpperBound(prefix)
  const query = 'SELECT term, seq FROM token_term WHERE term >= ? AND term < ? LIMIT 1'
  let row = sql<TermAt>(db, query).get(prefix, to)
  while (row) {
    yield row
    row = sql<TermAt>(db, 'SELECT term, seq FROM token_term WHERE term > ? AND term < ? LIMIT 1').get(
      row.term,
      to,
    )
  }
}

/** Returns the `seq` of up to `limit` tokens with a term, newest first. */
function listNewestWithTerm(db: Database, term: Buffer, limit: number): number[] {
  return sql<number>(db, 'SELECT seq FROM token_term WHERE term = ? ORDER BY seq DESC LIMIT ?')
    .pluck()
    .all(term, limit)
}

/** Returns the types of the stored tokens. */
function listStoredTypes(db: Database): string[] {
  return sql<string>(db, 'SELECT type FROM token_type_count WHERE tokens > 0').pluck().all()
}

/** Returns up to `limit` primary containers, sorted by path, starting at a path. */
function listContainersFrom(db: Database, from: string, limit: number): string[] {
  const query = 'SELECT DISTINCT container FROM token_count WHERE container >= ? AND tokens > 0 LIMIT ?'
  return sql<string>(db, query).pluck().all(from, limit)
}
