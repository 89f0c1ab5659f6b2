import type { Keyring } from '../../crypto/keyring.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'
import { type Content, everLastFourOf, lastFourOf } from './last-four.ts'
import { metadataOf } from './metadata.ts'

// What the owner finds tokens by in `token_term`. Terms are compared byte by byte; no UTF-8 text holds the byte 0xff, so
// a term with it added is above every longer one.

/** A metadata value is found by this many bytes of its beginning. */
export const LONGEST_VALUE = 200

/** What terms are made of, and the token's place in the order of creation. */
export type Termed = Content & { readonly seq: number; readonly metadata: string | null }

/** A text as it is compared: case is ignored. Upper case, because lower case depends on the neighbouring letters. */
export function folded(text: string): string {
  return text.toUpperCase()
}

/** The term of tokens with this metadata key. */
export function keyTerm(key: string): Buffer {
  return Buffer.from(`k${folded(key)}\0`)
}

/** The beginning of the terms of metadata keys that begin with a text. */
export function keyBeginning(text: string): Buffer {
  return Buffer.from(`k${folded(text)}`)
}

/** The term of tokens with this metadata pair. */
export function pairTerm(key: string, value: string): Buffer {
  return Buffer.concat([valueBeginning(value), Buffer.from(`\0${folded(key)}`)])
}

/** The beginning of the terms of metadata pairs whose value begins with a text. */
export function valueBeginning(text: string): Buffer {
  return Buffer.from(`v${folded(text)}`).subarray(0, LONGEST_VALUE)
}

/** The term of tokens whose mask shows these last four characters. SECURITY: a keyed digest, as of a search index. */
export function lastFourTerm(keyring: Keyring, last_four: string): Buffer {
  return Buffer.concat([Buffer.from('d'), keyring.lastFourDigest(folded(last_four))])
}

/** The least that is above every term with this beginning. */
export function above(beginning: Buffer): Buffer {
  return Buffer.concat([beginning, Buffer.of(0xff)])
}

/** Returns every term of a token. */
export function termsOf(keyring: Keyring, token: Termed): Buffer[] {
  return allTerms(keyring, token, lastFourOf(keyring, token))
}

function allTerms(keyring: Keyring, token: Termed, last_four: string | null): Buffer[] {
  const terms = metadataOf(token).flatMap(([key, value]) => [keyTerm(key), pairTerm(key, value)])
  if (last_four !== null) terms.push(lastFourTerm(keyring, last_four))
  return terms
}

/** Returns the last token whose terms are in the index; later ones are read themselves. */
export function termedUpTo(db: Database): number {
  return sql(db, 'SELECT upto FROM token_term_progress').pluck().get() as number
}

/** Notes how far the index has come. */
export function setTermedUpTo(db: Database, upto: number): void {
  sql(db, 'UPDATE token_term_progress SET upto = ?').run(upto)
}

/** Deletes a token's terms, which are those of its content as stored, if the index has them. */
export function deleteTerms(db: Database, keyring: Keyring, token: Termed): void {
  if (token.seq > termedUpTo(db)) return
  for (const term of allTerms(keyring, token, everLastFourOf(keyring, token))) {
    sql(db, 'DELETE FROM token_term WHERE term = ? AND seq = ?').run(term, token.seq)
  }
}

/** Writes the terms of a changed token, if the index has come past it. */
export function insertTerms(db: Database, keyring: Keyring, token: Termed): void {
  if (token.seq > termedUpTo(db)) return
  for (const term of termsOf(keyring, token)) {
    sql(db, 'INSERT OR IGNORE INTO token_term (term, seq) VALUES (?, ?)').run(term, token.seq)
  }
}

/** Called after a token was deleted: if it was the last, the next one gets its place, and has no terms yet. */
export function lowerTermedUpTo(db: Database): void {
  sql(
    db,
    `UPDATE token_term_progress SET upto = last.seq
     FROM (SELECT coalesce(max(seq), 0) AS seq FROM token) AS last WHERE upto > last.seq`,
  ).run()
}
