import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { findLastFour, findPossibleLastFour, type StoredTokenContent } from './last-four.ts'
import { getMetadataPairs } from './metadata.ts'

// What the owner finds tokens by in `token_term`. Terms are compared byte by byte; no UTF-8 text holds the byte 0xff, so
// a term with it added is above every longer one.

/** A metadata value is found by this many bytes of its beginning. */
export const MAX_VALUE_TERM_BYTES = 200

/** What terms are made of, and the token's place in the order of creation. */
export type IndexedToken = StoredTokenContent & { readonly seq: number; readonly metadata: string | null }

/** A text as it is compared: case is ignored. Upper case, because lower case depends on the neighbouring letters. */
export function foldCase(text: string): string {
  return text.toUpperCase()
}

/** The term of tokens with this metadata key. */
export function toKeyTerm(key: string): Buffer {
  return Buffer.from(`k${foldCase(key)}\0`)
}

/** The beginning of the terms of metadata keys that begin with a text. */
export function toKeyPrefix(text: string): Buffer {
  return Buffer.from(`k${foldCase(text)}`)
}

/** The term of tokens with this metadata pair. */
export function toPairTerm(key: string, value: string): Buffer {
  return Buffer.concat([toValuePrefix(value), Buffer.from(`\0${foldCase(key)}`)])
}

/** The beginning of the terms of metadata pairs whose value begins with a text. */
export function toValuePrefix(text: string): Buffer {
  return Buffer.from(`v${foldCase(text)}`).subarray(0, MAX_VALUE_TERM_BYTES)
}

/** The term of tokens whose mask shows these last four characters. SECURITY: a keyed digest, as of a search index. */
export function toLastFourTerm(keyring: Keyring, last_four: string): Buffer {
  return Buffer.concat([Buffer.from('d'), keyring.computeLastFourDigest(foldCase(last_four))])
}

/** The least that is above every term with this beginning. */
export function getUpperBound(prefix: Buffer): Buffer {
  return Buffer.concat([prefix, Buffer.of(0xff)])
}

/** Returns every term of a token. */
export function listTerms(keyring: Keyring, token: IndexedToken): Buffer[] {
  return buildTerms(keyring, token, findLastFour(keyring, token))
}

function buildTerms(keyring: Keyring, token: IndexedToken, last_four: string | null): Buffer[] {
  const terms = getMetadataPairs(token).flatMap(([key, value]) => [toKeyTerm(key), toPairTerm(key, value)])
  if (last_four !== null) terms.push(toLastFourTerm(keyring, last_four))
  return terms
}

/** Returns the last token whose terms are in the index; later ones are read themselves. */
export function readTermProgress(db: Database): number {
  return sql(db, 'SELECT upto FROM token_term_progress').pluck().get() as number
}

/** Notes how far the index has come. */
export function writeTermProgress(db: Database, upto: number): void {
  sql(db, 'UPDATE token_term_progress SET upto = ?').run(upto)
}

/** Deletes a token's terms, which are those of its content as stored, if the index has them. */
export function deleteTerms(db: Database, keyring: Keyring, token: IndexedToken): void {
  if (token.seq > readTermProgress(db)) return
  for (const term of buildTerms(keyring, token, findPossibleLastFour(keyring, token))) {
    sql(db, 'DELETE FROM token_term WHERE term = ? AND seq = ?').run(term, token.seq)
  }
}

/** Writes the terms of a changed token, if the index has come past it. */
export function insertTerms(db: Database, keyring: Keyring, token: IndexedToken): void {
  if (token.seq > readTermProgress(db)) return
  for (const term of listTerms(keyring, token)) {
    sql(db, 'INSERT OR IGNORE INTO token_term (term, seq) VALUES (?, ?)').run(term, token.seq)
  }
}

/** Called after a token was deleted: if it was the last, the next one gets its place, and has no terms yet. */
export function lowerTermProgress(db: Database): void {
  sql(
    db,
    `UPDATE token_term_progress SET upto = last.seq
     FROM (SELECT coalesce(max(seq), 0) AS seq FROM token) AS last WHERE upto > last.seq`,
  ).run()
}
