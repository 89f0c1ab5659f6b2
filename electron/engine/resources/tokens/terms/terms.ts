import type { Keyring } from '../../../crypto/keyring.ts'
import type { Database } from '../../../db/open.ts'
import { selectValue, sql } from '../../../db/statement.ts'
import { findLastFour, findPossibleLastFour, type StoredTokenContent } from './last-four.ts'
import { getMetadataPairs } from './metadata.ts'

// `token_term` holds the terms for the owner's search. Terms are compared byte by byte. UTF-8 text never contains
// the byte 0xff, so a prefix followed by 0xff is above every term with that prefix.

/** The maximum number of leading bytes of a metadata value that are indexed. */
export const MAX_VALUE_TERM_BYTES = 200

/** A token's `seq`, and the content from which its terms are computed. */
export type IndexedToken = StoredTokenContent & { readonly seq: number; readonly metadata: string | null }

/** Folds case for comparisons. Uses upper case, because lower case may depend on neighbouring letters. */
export function foldCase(text: string): string {
  return text.toUpperCase()
}

/** Returns the term of a metadata key. */
export function toKeyTerm(key: string): Buffer {
  return Buffer.from(`k${foldCase(key)}\0`)
}

/** Returns the prefix shared by the terms of all metadata keys that begin with `text`. */
export function toKeyPrefix(text: string): Buffer {
  return Buffer.from(`k${foldCase(text)}`)
}

/** Returns the term of a metadata pair. */
export function toPairTerm(key: string, value: string): Buffer {
  return Buffer.concat([toValuePrefix(value), Buffer.from(`\0${foldCase(key)}`)])
}

/** Returns the prefix shared by the terms of all metadata pairs whose value begins with `text`. */
export function toValuePrefix(text: string): Buffer {
  return Buffer.from(`v${foldCase(text)}`).subarray(0, MAX_VALUE_TERM_BYTES)
}

/** Returns the term of a mask's last four characters. SECURITY: it is a keyed digest, as for search indexes. */
export function toLastFourTerm(keyring: Keyring, last_four: string): Buffer {
  return Buffer.concat([Buffer.from('d'), keyring.computeLastFourDigest(foldCase(last_four))])
}

/** Returns the exclusive upper bound of the terms with a prefix. */
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

/** Returns the `seq` of the last indexed token. Searches read later tokens directly. */
export function readTermProgress(db: Database): number {
  return selectValue<number>(db, 'SELECT upto FROM token_term_progress')
}

/** Stores the `seq` of the last indexed token. */
export function writeTermProgress(db: Database, upto: number): void {
  sql(db, 'UPDATE token_term_progress SET upto = ?').run(upto)
}

/** Deletes a token's terms, if it is indexed. `token` must have the content as stored. */
export function deleteTerms(db: Database, keyring: Keyring, token: IndexedToken): void {
  if (token.seq > readTermProgress(db)) return
  for (const term of buildTerms(keyring, token, findPossibleLastFour(keyring, token))) {
    sql(db, 'DELETE FROM token_term WHERE term = ? AND seq = ?').run(term, token.seq)
  }
}

/** Writes the terms of a changed token, if the token is already indexed. */
export function insertTerms(db: Database, keyring: Keyring, token: IndexedToken): void {
  if (token.seq > readTermProgress(db)) return
  for (const term of listTerms(keyring, token)) {
    sql(db, 'INSERT OR IGNORE INTO token_term (term, seq) VALUES (?, ?)').run(term, token.seq)
  }
}

/**
 * Must be called after a token is deleted, because the next new token may get the `seq` of the deleted token, and would
 * then be treated as indexed although its terms are not written.
 */
export function lowerTermProgress(db: Database): void {
  const statement = `UPDATE token_term_progress SET upto = last.seq
     FROM (SELECT coalesce(max(seq), 0) AS seq FROM token) AS last WHERE upto > last.seq`
  sql(db, statement).run()
}
