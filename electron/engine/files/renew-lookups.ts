import { readJson } from '../../../shared/json.ts'
import { isTokenType } from '../../../shared/token-types.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import { sql } from '../db/statement.ts'
import { WorkBudget } from '../expressions/work-budget.ts'
import { insertKeyedPairs } from '../resources/tokens/pairs.ts'
import { insertIndexDigests, type TokenRow, toPairedToken } from '../resources/tokens/store.ts'
import { getMetadataPairs } from '../resources/tokens/terms/metadata.ts'
import { computeIndexValues, evaluateFingerprintText } from '../resources/tokens/types/content.ts'

/** The number of tokens per transaction. They are read one by one, because a token may be large. */
const BATCH_TOKENS = 500

type RenewLookupsOptions = { readonly fingerprints: boolean }
type LookupTokenRow = TokenRow & { readonly seq: number }

/**
 * Recomputes search indexes, metadata pairs and, if requested, fingerprints, after their keys were renewed. No other
 * connection may have the file open. Drops a search index or fingerprint that the current rules reject, because no
 * search could match it.
 */
export function renewLookups(
  db: Database,
  keyring: Keyring,
  { fingerprints }: RenewLookupsOptions,
  onProgress: (done: number, total: number) => void,
): void {
  db.exec(`
DELETE FROM token_pair;
DELETE FROM token_index;
DROP TABLE IF EXISTS token_metadata;
DROP TABLE IF EXISTS token_pair_progress;
-- Rebuilt after the vault is opened.
DELETE FROM token_term;
UPDATE token_term_progress SET upto = 0;
`)
  const total = Number(sql(db, 'SELECT count(*) FROM token').pluck().get())
  let after = 0
  let done = 0
  const batch = db.transaction(() => {
    for (let at = 0; at < BATCH_TOKENS; at++) {
      const row = sql<LookupTokenRow>(db, 'SELECT * FROM token WHERE seq > ? ORDER BY seq LIMIT 1').get(after)
      if (!row) return false
      renewToken(db, keyring, row, fingerprints)
      after = row.seq
      done++
    }
    return true
  })
  while (batch.immediate()) onProgress(done, total)
  if (fingerprints) renewIntents(db, keyring)
  onProgress(total, total)
}

function renewToken(db: Database, keyring: Keyring, row: LookupTokenRow, fingerprints: boolean): void {
  insertKeyedPairs(db, keyring, toPairedToken(row))
  const isPrinted = fingerprints && row.fingerprint !== null
  if ((row.index_digests === null && !isPrinted) || !isTokenType(row.type)) return
  const content = {
    type: row.type,
    data: readJson(keyring.openValue(row.data, row.id, 'data')),
    metadata: Object.fromEntries(getMetadataPairs(row)),
    fingerprint_expression: row.fingerprint_expression ?? undefined,
    search_indexes: row.search_indexes === null ? undefined : (JSON.parse(row.search_indexes) as string[]),
  }
  const values = row.index_digests === null ? [] : computeIndexValues(content)
  const index_digests =
    values.length > 0 ? Buffer.concat(values.map((each) => keyring.computeIndexDigest(each))) : null
  const fingerprint = isPrinted ? computeFingerprint(keyring, content) : row.fingerprint
  const statement = 'UPDATE token SET index_digests = ?, fingerprint = ? WHERE seq = ?'
  sql(db, statement).run(index_digests, fingerprint, row.seq)
  insertIndexDigests(db, { ...row, index_digests })
}

function computeFingerprint(
  keyring: Keyring,
  content: Parameters<typeof evaluateFingerprintText>[1],
): Buffer | null {
  try {
    return keyring.computeFingerprint(content.type, evaluateFingerprintText(new WorkBudget(), content))
  } catch {
    // The expression yields nothing, or the current rules reject the expression.
    return null
  }
}

type LookupIntentRow = { readonly id: string; readonly type: string; readonly data: Buffer }

/** Renews the fingerprints of token intents in one transaction, because they are few and expire within a day. */
function renewIntents(db: Database, keyring: Keyring): void {
  const renew = db.transaction(() => {
    let after = ''
    while (true) {
      const query = 'SELECT id, type, data FROM token_intent WHERE id > ? ORDER BY id LIMIT 1'
      const intent = sql<LookupIntentRow>(db, query).get(after)
      if (!intent) return
      after = intent.id
      if (!isTokenType(intent.type)) continue
      const data = readJson(keyring.openValue(intent.data, intent.id, 'intent'))
      const text = evaluateFingerprintText(new WorkBudget(), {
        type: intent.type,
        data,
        metadata: {},
        fingerprint_expression: undefined,
      })
      sql(db, 'UPDATE token_intent SET fingerprint = ? WHERE id = ?').run(
        keyring.computeFingerprint(intent.type, text),
        intent.id,
      )
    }
  })
  renew.immediate()
}
