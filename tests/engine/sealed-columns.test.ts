import { expect, test } from 'vitest'
import { sealedColumns } from '../../electron/engine/crypto/sealed-columns.ts'
import { withDatabase } from '../rows.ts'
import { openVault } from '../vault.ts'

/** The binary columns whose values are not sealed under the data key. */
const unsealed = [
  // Keys that are sealed under the master secret, or public.
  'key.wrapped',
  'client_key.public',
  // Digests of keys, scopes, log records and tokens.
  'application_key.digest',
  'session.digest',
  'session.nonce',
  'idempotency.scope',
  'idempotency_token.scope',
  'log_chain.digest',
  'network_token.fingerprint',
  'token.index_digests',
  'token_index.digest',
  'token.fingerprint',
  'token_intent.fingerprint',
  'token_pair.folded',
  'token_pair.exact',
  // Search terms, positions in the log, and a random identifier.
  'token_term.term',
  'log_term.places',
  'commit_count.id',
]

test('a new data key re-encrypts every sealed column', () => {
  const columns = withDatabase(openVault(), (db) => {
    const binary = `SELECT tables.name || '.' || columns.name
      FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.schema = 'main' AND columns.type NOT IN ('INTEGER', 'REAL', 'TEXT')
      AND tables.name NOT LIKE 'sqlite_%'`
    return db.prepare(binary).pluck().all() as string[]
  })
  const sealed = sealedColumns.map(({ table, value }) => `${table}.${value}`)
  for (const column of columns) {
    const places = [...sealed, ...unsealed].filter((each) => each === column)
    expect(
      places,
      `${column} is a BLOB. Add it to sealed-columns.ts if its values are sealed, otherwise to \`unsealed\` in this test.`,
    ).toHaveLength(1)
  }
  expect(columns.toSorted()).toEqual([...sealed, ...unsealed].sort())
})
