import { lengthOf } from '../../../../shared/characters.ts'
import { ancestorsOf } from '../../../../shared/containers.ts'
import type { Suggestion } from '../../../../shared/find.ts'
import { typesNamed } from '../../../../shared/token-types.ts'
import { fromBase58 } from '../../crypto/base58.ts'
import type { Context } from '../../door/context.ts'
import { metadataOf } from '../terms/metadata.ts'
import { folded, keyBeginning, keyTerm, termedUpTo, valueBeginning } from '../terms/terms.ts'
import { conditionsOf, containerBeginning, SHORTEST_ID } from './conditions.ts'
import { findLight, findLightAfter, type LightRow, seqsOf } from './find-store.ts'
import { matching, planOf } from './matches.ts'
import { containersFrom, newestWith, termsBeginning, typesHeld } from './suggest-store.ts'

/** How many of each kind are suggested. */
const MOST = { values: 6, keys: 4, containers: 4, ids: 3 }
/** How many terms, containers and new tokens are looked at. */
const MOST_TERMS = 500
const MOST_CONTAINERS = 2_000
const MOST_ROWS = 200
/** The oldest tokens without terms. There can be more while many are created, because they are indexed some seconds later. */
const MOST_NEW = 512

/** Returns what there is that a typed text may stand for: single tokens first, then metadata, then whole groups. */
export function suggestionsFor(context: Context, text: string): Suggestion[] {
  return [
    ...ones(context, text),
    ...values(context, text),
    ...keys(context, text),
    ...types(context, text),
    ...containers(context, text),
  ]
}

/** Whether a token has these last four characters, or this fingerprint. */
function isAny(context: Context, find: { last4: string } | { fingerprint: string }): boolean {
  const { db, now } = context
  let looked = 0
  for (const { row } of matching(planOf(db, now, conditionsOf(context, find)), 'newest', null)) {
    if (row) return true
    if (++looked > MOST_ROWS) break
  }
  return false
}

function* ones(context: Context, text: string): Generator<Suggestion> {
  const { db, now } = context
  if (lengthOf(text) === 4 && isAny(context, { last4: text })) yield { kind: 'last4', value: text }
  if (fromBase58(text)?.length === 32 && isAny(context, { fingerprint: text })) {
    yield { kind: 'fingerprint', value: text }
  }
  const find = lengthOf(text) >= SHORTEST_ID ? seqsOf.idBeginning : seqsOf.id
  for (const id of new Set([text, text.toLowerCase()])) {
    for (const seq of find(db, id, MOST.ids)) {
      const row = findLight(db, seq)
      if (row && (row.expires_at === null || row.expires_at > now)) yield { kind: 'id', value: row.id }
    }
  }
}

type PairTest = (key: string, value: string) => boolean

/** Collects pairs as they are written, each once regardless of case. */
class Pairs {
  readonly #found = new Map<string, [string, string]>()

  add(row: LightRow | undefined, test: PairTest): void {
    for (const [key, value] of row ? metadataOf(row) : []) {
      const name = JSON.stringify([folded(key), folded(value)])
      if (test(key, value) && !this.#found.has(name)) this.#found.set(name, [key, value])
    }
  }

  get isFull(): boolean {
    return this.#found.size >= MOST.values
  }

  get all(): [string, string][] {
    return [...this.#found.values()].slice(0, MOST.values)
  }
}

function values(context: Context, text: string): Suggestion[] {
  const [, key, value = ''] = /^([^:=]+)[:=]\s*(.*)$/s.exec(text) ?? []
  const pairs = new Pairs()
  if (key !== undefined) addOfKey(context, key.trim(), value, pairs)
  const wanted = folded(text)
  const test: PairTest = (_, each) => folded(each).startsWith(wanted)
  addBeginning(context, text, test, pairs)
  return pairs.all.map(([name, each]) => ({ kind: 'metadata', key: name, value: each }))
}

/** Adds pairs whose value begins with a text. */
function addBeginning({ db }: Context, text: string, test: PairTest, pairs: Pairs): void {
  let looked = 0
  for (const { seq } of termsBeginning(db, valueBeginning(text))) {
    pairs.add(findLight(db, seq), test)
    if (pairs.isFull || ++looked >= MOST_TERMS) return
  }
  for (const row of newTokens(db)) pairs.add(row, test)
}

/** Adds pairs of one key: with values that begin with a text, or those of the newest tokens. */
function addOfKey(context: Context, key: string, value: string, pairs: Pairs): void {
  const { db } = context
  const [name, begins] = [folded(key), folded(value)]
  const test: PairTest = (each, its) => folded(each) === name && folded(its).startsWith(begins)
  if (value !== '') {
    addBeginning(context, value, test, pairs)
    return
  }
  for (const row of newTokens(db)) pairs.add(row, test)
  for (const seq of newestWith(db, keyTerm(key), MOST_ROWS)) {
    if (pairs.isFull) return
    pairs.add(findLight(db, seq), test)
  }
}

/** Tokens whose terms are not in the index yet. */
function newTokens(db: Context['db']): LightRow[] {
  return findLightAfter(db, termedUpTo(db), MOST_NEW)
}

function keys({ db }: Context, text: string): Suggestion[] {
  const wanted = folded(text)
  const found = new Map<string, string>()
  const add = (row: LightRow | undefined) => {
    for (const [key] of row ? metadataOf(row) : []) {
      if (folded(key).startsWith(wanted) && !found.has(folded(key))) found.set(folded(key), key)
    }
  }
  for (const { seq } of termsBeginning(db, keyBeginning(text))) {
    add(findLight(db, seq))
    if (found.size >= MOST.keys) break
  }
  for (const row of newTokens(db)) add(row)
  return [...found.values()].slice(0, MOST.keys).map((key) => ({ kind: 'metadata', key }))
}

function types({ db }: Context, text: string): Suggestion[] {
  const held = typesHeld(db)
  return typesNamed(text)
    .filter((type) => held.includes(type))
    .map((value) => ({ kind: 'type', value }))
}

/** Containers whose path, or a segment of it, begins with a text: the shallowest first. */
function containers({ db }: Context, text: string): Suggestion[] {
  const path = containerBeginning(text)
  if (path === null) return []
  const all = [...containersFrom(db, path, MOST_CONTAINERS), ...containersFrom(db, '/', MOST_CONTAINERS)]
  const scopes = new Set(all.flatMap(ancestorsOf))
  scopes.delete('/')
  return [...scopes]
    .filter((scope) => scope.startsWith(path) || (!text.includes('/') && lastSegment(scope).startsWith(path)))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    .slice(0, MOST.containers)
    .map((value) => ({ kind: 'container', value }))
}

/** `/high/` of `/pci/high/`. */
function lastSegment(scope: string): string {
  return scope.slice(scope.lastIndexOf('/', scope.length - 2))
}
