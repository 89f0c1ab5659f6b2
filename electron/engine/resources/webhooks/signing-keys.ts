import { createPrivateKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { Keyring } from '../../crypto/keyring.ts'
import { recordChange } from '../../db/changes.ts'
import type { Database } from '../../db/open.ts'
import { sql } from '../../db/statement.ts'

const LABEL = 'private_key'
const generate = promisify(generateKeyPair)

/** A key pair as PEM. */
export type KeyPair = { readonly publicKey: string; readonly privateKey: string }

type SigningKeyRow = { seq: number; id: string; public_key: string; private_key: Buffer; created_at: number }

/** Generates a key pair for event signatures (rule W-03), in another thread, because it takes a tenth of a second. */
export async function newKeyPair(): Promise<KeyPair> {
  return await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

/** Lists the signing keys of the vault. The first one signs. During a rotation, the second one is its replacement. */
export function findSigningKeys(db: Database): SigningKeyRow[] {
  const query = 'SELECT seq, id, public_key, private_key, created_at FROM signing_key ORDER BY seq'
  return sql<SigningKeyRow>(db, query).all()
}

/** Appends a signing key. SECURITY: the private key is sealed. */
export function insertSigningKey(db: Database, keyring: Keyring, pair: KeyPair, now: number): void {
  const id = randomUUID()
  sql(db, 'INSERT INTO signing_key (id, public_key, private_key, created_at) VALUES (?, ?, ?, ?)').run(
    id,
    pair.publicKey,
    keyring.sealValue(pair.privateKey, id, LABEL),
    now,
  )
  recordChange(db, 'signing_key', 'created', id)
}

export function deleteSigningKey(db: Database, { seq, id }: Pick<SigningKeyRow, 'seq' | 'id'>): void {
  sql(db, 'DELETE FROM signing_key WHERE seq = ?').run(seq)
  recordChange(db, 'signing_key', 'deleted', id)
}

/** Opens the sealed private key. */
export function openSigningKey(keyring: Keyring, { id, private_key }: SigningKeyRow): KeyObject {
  return createPrivateKey(keyring.openValue(private_key, id, LABEL))
}
