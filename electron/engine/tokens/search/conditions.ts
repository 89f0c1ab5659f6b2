import { lengthOf } from '../../../../shared/characters.ts'
import { covers, normalizeContainer } from '../../../../shared/containers.ts'
import type { CreatedTogether, Find } from '../../../../shared/find.ts'
import { typesNamed } from '../../../../shared/token-types.ts'
import { fromBase58 } from '../../crypto/base58.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { containersOf, indexDigestsOf } from '../store.ts'
import { lastFourOf } from '../terms/last-four.ts'
import { metadataOf } from '../terms/metadata.ts'
import {
  above,
  folded,
  keyBeginning,
  keyTerm,
  LONGEST_VALUE,
  lastFourTerm,
  pairTerm,
  termedUpTo,
  valueBeginning,
} from '../terms/terms.ts'
import {
  countIn,
  countOfType,
  dataOf,
  findLightAfter,
  type LightRow,
  seqsOf,
  type Where,
} from './find-store.ts'

/** The most tokens that one part of a search may match for their places to be collected. */
const MOST_COLLECTED = 20_000
/** The most tokens without terms that are read for one answer. */
export const MOST_UNTERMED = 2_000

/** The shortest beginnings that are looked for: of ids, so that four digits find no ids; of names and containers. */
export const SHORTEST_ID = 5
const SHORTEST_NAME = 2

type Vault = { readonly db: Database; readonly keyring: Keyring }

/** One part of what a token must match. */
export type Condition = {
  /** The places of all tokens that match; null if there are too many to collect. */
  readonly collect: () => Set<number> | null
  /** Whether `collect` gives only tokens that match. */
  readonly isExact: boolean
  readonly test: (row: LightRow) => boolean
  /** What is true of every token that matches, where SQL can tell more quickly. */
  readonly where?: Where
}

/** Returns one condition for each part of a search. Throws `invalid` for a container that is none. */
export function conditionsOf(vault: Vault, find: Find): Condition[] {
  const { text, container, type, fingerprint, id, created, last4, metadata } = find
  const untermed = untermedOf(vault.db)
  const conditions: Condition[] = []
  if (id !== undefined) conditions.push(byId(vault, id))
  if (created !== undefined) conditions.push(byCreation(vault, created))
  if (fingerprint !== undefined) conditions.push(byFingerprint(vault, fingerprint))
  if (last4 !== undefined) conditions.push(byLastFour(vault, untermed, last4))
  for (const { key, value } of metadata ?? []) conditions.push(byMetadata(vault, untermed, key, value))
  if (text !== undefined) conditions.push(byText(vault, untermed, text))
  const scope = container === undefined ? '/' : normalizeContainer(container, 'find.container')
  if (scope !== '/') conditions.push(byContainer(vault, scope))
  if (type !== undefined) conditions.push(byType(vault, type))
  return conditions
}

/** The tokens whose terms are not in the index; null if there are too many to read. */
type Untermed = () => readonly LightRow[] | null

function untermedOf(db: Database): Untermed {
  let rows: LightRow[] | undefined
  return () => {
    rows ??= findLightAfter(db, termedUpTo(db), MOST_UNTERMED + 1)
    return rows.length > MOST_UNTERMED ? null : rows
  }
}

/** Collects the places that `sources` give, until there are too many. */
function collected(sources: readonly ((limit: number) => number[])[]): Set<number> | null {
  const places = new Set<number>()
  for (const source of sources) {
    const found = source(MOST_COLLECTED + 1)
    if (found.length > MOST_COLLECTED) return null
    for (const seq of found) places.add(seq)
    if (places.size > MOST_COLLECTED) return null
  }
  return places
}

/** As `collected`, with the tokens whose terms are not in the index and that match. */
function collectedWith(
  untermed: Untermed,
  test: Condition['test'],
  sources: readonly ((limit: number) => number[])[],
): Set<number> | null {
  const rest = untermed()
  const places = rest && collected(sources)
  if (places) for (const row of rest) if (test(row)) places.add(row.seq)
  return places
}

function byId({ db }: Vault, id: string): Condition {
  return {
    collect: () => collected([(limit) => seqsOf.id(db, id, limit)]),
    isExact: true,
    test: (row) => row.id === id,
  }
}

/** By place and time: the place of a deleted token may be given again, so calls may overlap. */
function byCreation({ db }: Vault, calls: readonly CreatedTogether[]): Condition {
  const callsAt = Map.groupBy(calls, ({ at }) => at)
  const ends = calls.flatMap(({ first, last }) => [first, last])
  return {
    collect: () => {
      const size = calls.reduce((sum, { first, last }) => sum + last - first + 1, 0)
      if (size > MOST_COLLECTED) return null
      return collected(calls.map((call) => (limit) => seqsOf.creation(db, call, limit)))
    },
    isExact: true,
    test: ({ seq, created_at }) =>
      callsAt.get(created_at)?.some(({ first, last }) => first <= seq && seq <= last) ?? false,
    where: { source: 'seq BETWEEN ? AND ?', values: [Math.min(...ends), Math.max(...ends)] },
  }
}

function byFingerprint({ db }: Vault, fingerprint: string): Condition {
  const bytes = fromBase58(fingerprint)
  return {
    collect: () => (bytes ? collected([(limit) => seqsOf.fingerprint(db, bytes, limit)]) : new Set()),
    isExact: true,
    test: (row) => bytes !== null && (row.fingerprint?.equals(bytes) ?? false),
  }
}

function byContainer({ db }: Vault, scope: string): Condition {
  return {
    collect: () =>
      countIn(db, scope) > MOST_COLLECTED ? null : collected([(limit) => seqsOf.container(db, scope, limit)]),
    isExact: true,
    test: (row) => containersOf(row).some((each) => covers(scope, each)),
  }
}

function byType({ db }: Vault, type: string): Condition {
  return {
    collect: () =>
      countOfType(db, type) > MOST_COLLECTED ? null : collected([(limit) => seqsOf.type(db, type, limit)]),
    isExact: true,
    test: (row) => row.type === type,
    where: { source: 'type = ?', values: [type] },
  }
}

/** True of a token that has a term, and of all whose terms are not in the index. */
function hasTerm(db: Database, term: Buffer): Where {
  return {
    source: '(seq > ? OR EXISTS (SELECT 1 FROM token_term WHERE term = ? AND token_term.seq = token.seq))',
    values: [termedUpTo(db), term],
  }
}

function byLastFour({ db, keyring }: Vault, untermed: Untermed, last4: string): Condition {
  const term = lastFourTerm(keyring, last4)
  const test = hasLastFour({ db, keyring }, last4)
  return {
    collect: () => collectedWith(untermed, test, [(limit) => seqsOf.term(db, term, limit)]),
    isExact: true,
    test,
    where: hasTerm(db, term),
  }
}

function hasLastFour({ db, keyring }: Vault, last4: string): Condition['test'] {
  const wanted = folded(last4)
  return (row) => lastFourOf(keyring, { ...row, data: dataOf(db, row.seq) }) === wanted
}

function byMetadata({ db }: Vault, untermed: Untermed, key: string, value: string | undefined): Condition {
  const term = value === undefined ? keyTerm(key) : pairTerm(key, value)
  const [wantedKey, wantedValue] = [folded(key), value === undefined ? null : folded(value)]
  const test = (row: LightRow) =>
    metadataOf(row).some(
      ([name, each]) => folded(name) === wantedKey && (wantedValue === null || folded(each) === wantedValue),
    )
  return {
    collect: () => collectedWith(untermed, test, [(limit) => seqsOf.term(db, term, limit)]),
    isExact: isWhole(key) && isWhole(value ?? ''),
    test,
    where: hasTerm(db, term),
  }
}

/** Whether only what has a text has its term, too: terms are cut, and separated by this character. */
function isWhole(text: string): boolean {
  return !text.includes('\0') && valueBeginning(text).length < LONGEST_VALUE
}

/** A token that anything about it shows or names: see `find.text`. */
function byText({ db, keyring }: Vault, untermed: Untermed, text: string): Condition {
  const wanted = folded(text)
  const ids = [...new Set([text, text.toLowerCase()])]
  const isLongId = lengthOf(text) >= SHORTEST_ID
  const isName = lengthOf(text) >= SHORTEST_NAME
  const bytes = fromBase58(text)
  const path = containerBeginning(text)
  const types: readonly string[] = isName ? typesNamed(text) : []
  const digest = keyring.indexDigest(text)
  const lastFour = lastFourIn(text)
  const last = lastFour === null ? null : hasLastFour({ db, keyring }, lastFour)
  const test = (row: LightRow) =>
    ids.some((id) => (isLongId ? row.id.startsWith(id) : row.id === id)) ||
    types.includes(row.type) ||
    (path !== null && containersOf(row).some((each) => each.startsWith(path))) ||
    metadataOf(row).some(
      ([key, value]) => folded(value).startsWith(wanted) || (isName && folded(key).startsWith(wanted)),
    ) ||
    (bytes !== null && (row.fingerprint?.equals(bytes) ?? false)) ||
    [...indexDigestsOf(row)].some((each) => each.equals(digest)) ||
    (last?.(row) ?? false)
  const [value, key] = [valueBeginning(text), keyBeginning(text)]
  const sources: ((limit: number) => number[])[] = [
    ...ids.map((id) => (limit: number) => (isLongId ? seqsOf.idBeginning : seqsOf.id)(db, id, limit)),
    (limit) => seqsOf.terms(db, value, above(value), limit),
    (limit) => seqsOf.digest(db, digest, limit),
    ...types.map((type) => (limit: number) => seqsOf.type(db, type, limit)),
  ]
  if (isName) sources.push((limit) => seqsOf.terms(db, key, above(key), limit))
  if (path !== null) sources.push((limit) => seqsOf.containerBeginning(db, path, limit))
  if (bytes) sources.push((limit) => seqsOf.fingerprint(db, bytes, limit))
  if (lastFour !== null) sources.push((limit) => seqsOf.term(db, lastFourTerm(keyring, lastFour), limit))
  return { collect: () => collectedWith(untermed, test, sources), isExact: isWhole(text), test }
}

/** The beginning of a container's path that a text stands for; null if it can be none. */
export function containerBeginning(text: string): string | null {
  const path = (text.startsWith('/') ? text : `/${text}`).toLowerCase()
  return lengthOf(text) >= SHORTEST_NAME && /^[/a-z0-9_-]+$/.test(path) ? path : null
}

/** The last four characters that a text is, or ends in where the others are masked as a row shows them; else null. */
function lastFourIn(text: string): string | null {
  if (lengthOf(text) === 4) return text
  return /^[X#*•][X#*•\s-]*([^X#*•\s-]{4})$/u.exec(text)?.[1] ?? null
}
