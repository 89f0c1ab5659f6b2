import { countCodePoints } from '../../../../../shared/characters.ts'
import { getContainerRange, includesContainer, normalizeContainer } from '../../../../../shared/containers.ts'
import type { CreatedTogether, Find } from '../../../../../shared/find.ts'
import { findTypesByName } from '../../../../../shared/token-types.ts'
import { decodeBase58 } from '../../../crypto/base58.ts'
import type { VaultStorage } from '../../../crypto/keyring.ts'
import type { Database } from '../../../db/open.ts'
import { getContainers, iterateIndexDigests } from '../store.ts'
import { findLastFour } from '../terms/last-four.ts'
import { getMetadataPairs } from '../terms/metadata.ts'
import {
  foldCase,
  getUpperBound,
  MAX_VALUE_TERM_BYTES,
  readTermProgress,
  toKeyPrefix,
  toKeyTerm,
  toLastFourTerm,
  toPairTerm,
  toValuePrefix,
} from '../terms/terms.ts'
import {
  countTokensIn,
  countTokensOfType,
  type LightRow,
  listLightRowsAfter,
  readSealedData,
  seqQueries,
  type TokenWhereClause,
} from './find-store.ts'

/** The maximum number of tokens collected for a condition. One that matches more is tested on each token. */
const MAX_COLLECTED_TOKENS = 20_000
/** The maximum number of tokens whose terms are not in the index yet that one request reads. */
export const MAX_UNINDEXED_TOKENS = 2_000

/**
 * The minimum lengths, in characters, of prefixes to search for. The length for ids is 5, so that four digits match
 * only last-four values.
 */
export const MIN_ID_LENGTH = 5
const MIN_NAME_LENGTH = 2

/** One condition of a search. A token must meet all conditions. */
export type TokenCondition = {
  /** The `seq` of all tokens that match; null if there are too many to collect. */
  readonly collect: () => Set<number> | null
  /** Whether `collect` returns only tokens that match, so that they need no test. */
  readonly isExact: boolean
  readonly test: (row: LightRow) => boolean
  /** A faster check in SQL. It includes every token that meets the condition, and may include others. */
  readonly where?: TokenWhereClause
}

/** Returns the conditions of a search, one for each part. Throws `invalid` for an invalid container. */
export function createConditions(vault: VaultStorage, find: Find): TokenCondition[] {
  const { text, container, type, fingerprint, id, created, last4, metadata } = find
  const readUnindexed = createUnindexedReader(vault.db)
  const conditions: TokenCondition[] = []
  if (id !== undefined) conditions.push(createIdCondition(vault, id))
  if (created !== undefined) conditions.push(createCreationCondition(vault, created))
  if (fingerprint !== undefined) conditions.push(createFingerprintCondition(vault, fingerprint))
  if (last4 !== undefined) conditions.push(createLastFourCondition(vault, readUnindexed, last4))
  for (const { key, value } of metadata ?? [])
    conditions.push(createMetadataCondition(vault, readUnindexed, key, value))
  if (text !== undefined) conditions.push(createTextCondition(vault, readUnindexed, text))
  const scope = container === undefined ? '/' : normalizeContainer(container, 'find.container')
  if (scope !== '/') conditions.push(createContainerCondition(vault, scope))
  if (type !== undefined) conditions.push(createTypeCondition(vault, type))
  return conditions
}

/** Reads the tokens whose terms are not in the index yet; null if there are too many. */
type UnindexedReader = () => readonly LightRow[] | null

function createUnindexedReader(db: Database): UnindexedReader {
  let rows: LightRow[] | undefined
  return () => {
    rows ??= listLightRowsAfter(db, readTermProgress(db), MAX_UNINDEXED_TOKENS + 1)
    return rows.length > MAX_UNINDEXED_TOKENS ? null : rows
  }
}

/** Returns the `seq` of all tokens that the sources find; null if there are too many. */
function collectSeqs(sources: readonly ((limit: number) => number[])[]): Set<number> | null {
  const seqs = new Set<number>()
  for (const source of sources) {
    const batch = source(MAX_COLLECTED_TOKENS + 1)
    if (batch.length > MAX_COLLECTED_TOKENS) return null
    for (const seq of batch) seqs.add(seq)
    if (seqs.size > MAX_COLLECTED_TOKENS) return null
  }
  return seqs
}

/** Like `collectSeqs`, plus the matching tokens whose terms are not in the index yet. */
function collectSeqsAndUnindexed(
  readUnindexed: UnindexedReader,
  matches: TokenCondition['test'],
  sources: readonly ((limit: number) => number[])[],
): Set<number> | null {
  const unindexed = readUnindexed()
  const seqs = unindexed && collectSeqs(sources)
  if (seqs) for (const row of unindexed) if (matches(row)) seqs.add(row.seq)
  return seqs
}

function createIdCondition({ db }: VaultStorage, id: string): TokenCondition {
  return {
    collect: () => collectSeqs([(limit) => seqQueries.id(db, id, limit)]),
    isExact: true,
    test: (row) => row.id === id,
  }
}

/**
 * Matches both the `seq` and the creation time of a token, because SQLite may reuse the `seq` of a deleted token,
 * so ranges of different calls may overlap.
 */
function createCreationCondition({ db }: VaultStorage, calls: readonly CreatedTogether[]): TokenCondition {
  const callsAt = Map.groupBy(calls, ({ at }) => at)
  const ends = calls.flatMap(({ first, last }) => [first, last])
  return {
    collect: () => {
      const size = calls.reduce((sum, { first, last }) => sum + last - first + 1, 0)
      if (size > MAX_COLLECTED_TOKENS) return null
      const toSource =
        ({ first, last, at }: CreatedTogether) =>
        (limit: number) =>
          seqQueries.creation(db, first, last, at, limit)
      return collectSeqs(calls.map(toSource))
    },
    isExact: true,
    test: ({ seq, created_at }) =>
      callsAt.get(created_at)?.some(({ first, last }) => first <= seq && seq <= last) ?? false,
    where: { source: 'seq BETWEEN ? AND ?', values: [Math.min(...ends), Math.max(...ends)] },
  }
}

function createFingerprintCondition({ db }: VaultStorage, fingerprint: string): TokenCondition {
  const bytes = decodeBase58(fingerprint)
  return {
    collect: () => (bytes ? collectSeqs([(limit) => seqQueries.fingerprint(db, bytes, limit)]) : new Set()),
    isExact: true,
    test: (row) => bytes !== null && (row.fingerprint?.equals(bytes) ?? false),
  }
}

function createContainerCondition({ db }: VaultStorage, scope: string): TokenCondition {
  const range = getContainerRange(scope)
  return {
    collect: () =>
      countTokensIn(db, range) > MAX_COLLECTED_TOKENS
        ? null
        : collectSeqs([(limit) => seqQueries.containers(db, range, limit)]),
    isExact: true,
    test: (row) => getContainers(row).some((each) => includesContainer(scope, each)),
  }
}

function createTypeCondition({ db }: VaultStorage, type: string): TokenCondition {
  return {
    collect: () =>
      countTokensOfType(db, type) > MAX_COLLECTED_TOKENS
        ? null
        : collectSeqs([(limit) => seqQueries.type(db, type, limit)]),
    isExact: true,
    test: (row) => row.type === type,
    where: { source: 'type = ?', values: [type] },
  }
}

/** Matches tokens that have a term, and all tokens whose terms are not in the index yet. */
function buildTermClause(db: Database, term: Buffer): TokenWhereClause {
  return {
    source: '(seq > ? OR EXISTS (SELECT 1 FROM token_term WHERE term = ? AND token_term.seq = token.seq))',
    values: [readTermProgress(db), term],
  }
}

function createLastFourCondition(
  { db, keyring }: VaultStorage,
  readUnindexed: UnindexedReader,
  last4: string,
): TokenCondition {
  const term = toLastFourTerm(keyring, last4)
  const matchesRow = createLastFourTest({ db, keyring }, last4)
  return {
    collect: () =>
      collectSeqsAndUnindexed(readUnindexed, matchesRow, [(limit) => seqQueries.term(db, term, limit)]),
    isExact: true,
    test: matchesRow,
    where: buildTermClause(db, term),
  }
}

function createLastFourTest({ db, keyring }: VaultStorage, last4: string): TokenCondition['test'] {
  const foldedLast4 = foldCase(last4)
  return (row) => findLastFour(keyring, { ...row, data: readSealedData(db, row.seq) }) === foldedLast4
}

function createMetadataCondition(
  { db }: VaultStorage,
  readUnindexed: UnindexedReader,
  key: string,
  value: string | undefined,
): TokenCondition {
  const term = value === undefined ? toKeyTerm(key) : toPairTerm(key, value)
  const [foldedKey, foldedValue] = [foldCase(key), value === undefined ? null : foldCase(value)]
  const matchesRow = (row: LightRow) =>
    getMetadataPairs(row).some(
      ([name, each]) =>
        foldCase(name) === foldedKey && (foldedValue === null || foldCase(each) === foldedValue),
    )
  return {
    collect: () =>
      collectSeqsAndUnindexed(readUnindexed, matchesRow, [(limit) => seqQueries.term(db, term, limit)]),
    isExact: isCompleteTerm(key) && isCompleteTerm(value ?? ''),
    test: matchesRow,
    where: buildTermClause(db, term),
  }
}

/** Matches tokens of which a metadata value is the text, or begins with it as a word. */
export function createWordCondition({ db }: VaultStorage, text: string): TokenCondition {
  const word = `${foldCase(text)} `
  const value = toValuePrefix(text)
  // After the word comes a space, or the NUL that ends a value.
  const end = Buffer.concat([value, Buffer.from('!')])
  const matchesRow = (row: LightRow) =>
    getMetadataPairs(row).some(([, each]) => `${foldCase(each)} `.startsWith(word))
  return {
    collect: () =>
      collectSeqsAndUnindexed(createUnindexedReader(db), matchesRow, [
        (limit) => seqQueries.terms(db, value, end, limit),
      ]),
    isExact: false,
    test: matchesRow,
  }
}

/**
 * Whether a match of the term is enough. Long values are truncated in terms, and a NUL separates value and key, so a
 * match of a long value or of one with a NUL must be checked against the whole string.
 */
function isCompleteTerm(text: string): boolean {
  return !text.includes('\0') && toValuePrefix(text).length < MAX_VALUE_TERM_BYTES
}

/** Matches tokens by anything visible about them, as described for `find.text`. */
function createTextCondition(
  { db, keyring }: VaultStorage,
  readUnindexed: UnindexedReader,
  text: string,
): TokenCondition {
  const foldedText = foldCase(text)
  const ids = [...new Set([text, text.toLowerCase()])]
  const isLongId = countCodePoints(text) >= MIN_ID_LENGTH
  const isName = countCodePoints(text) >= MIN_NAME_LENGTH
  const bytes = decodeBase58(text)
  const path = toContainerPrefix(text)
  const types: readonly string[] = isName ? findTypesByName(text) : []
  const digest = keyring.computeIndexDigest(text)
  const lastFour = extractLastFour(text)
  const matchesLastFour = lastFour === null ? null : createLastFourTest({ db, keyring }, lastFour)
  const matchesRow = (row: LightRow) =>
    ids.some((id) => (isLongId ? row.id.startsWith(id) : row.id === id)) ||
    types.includes(row.type) ||
    (path !== null && getContainers(row).some((each) => each.startsWith(path))) ||
    getMetadataPairs(row).some(
      ([key, value]) =>
        foldCase(value).startsWith(foldedText) || (isName && foldCase(key).startsWith(foldedText)),
    ) ||
    (bytes !== null && (row.fingerprint?.equals(bytes) ?? false)) ||
    [...iterateIndexDigests(row)].some((each) => each.equals(digest)) ||
    (matchesLastFour?.(row) ?? false)
  const [value, key] = [toValuePrefix(text), toKeyPrefix(text)]
  const sources: ((limit: number) => number[])[] = [
    ...ids.map((id) => (limit: number) => (isLongId ? seqQueries.idPrefix : seqQueries.id)(db, id, limit)),
    (limit) => seqQueries.terms(db, value, getUpperBound(value), limit),
    (limit) => seqQueries.digest(db, digest, limit),
    ...types.map((type) => (limit: number) => seqQueries.type(db, type, limit)),
  ]
  if (isName) sources.push((limit) => seqQueries.terms(db, key, getUpperBound(key), limit))
  const containers = path === null ? null : ([path, `${path}\u{10ffff}`] as const)
  if (containers) sources.push((limit) => seqQueries.containers(db, containers, limit))
  if (bytes) sources.push((limit) => seqQueries.fingerprint(db, bytes, limit))
  if (lastFour !== null)
    sources.push((limit) => seqQueries.term(db, toLastFourTerm(keyring, lastFour), limit))
  // The counters know at once that too many tokens match; reading them would take longer than a whole page.
  const isAboveLimit = () =>
    types.some((type) => countTokensOfType(db, type) > MAX_COLLECTED_TOKENS) ||
    (containers !== null && countTokensIn(db, containers) > MAX_COLLECTED_TOKENS)
  return {
    collect: () => (isAboveLimit() ? null : collectSeqsAndUnindexed(readUnindexed, matchesRow, sources)),
    isExact: isCompleteTerm(text),
    test: matchesRow,
  }
}

/** Returns the container prefix, with a leading slash, that a text can represent; null if it cannot. */
export function toContainerPrefix(text: string): string | null {
  const path = (text.startsWith('/') ? text : `/${text}`).toLowerCase()
  return countCodePoints(text) >= MIN_NAME_LENGTH && /^[/a-z0-9_-]+$/.test(path) ? path : null
}

/** Returns a text of four characters, also after mask characters, as in `XXXX-1234`; otherwise null. */
function extractLastFour(text: string): string | null {
  if (countCodePoints(text) === 4) return text
  return /^[X#*•][X#*•\s-]*([^X#*•\s-]{4})$/u.exec(text)?.[1] ?? null
}
