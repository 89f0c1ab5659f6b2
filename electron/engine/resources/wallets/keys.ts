import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { createInvalidError } from '../../../../shared/errors.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { hashPublicKey } from './apple-pay/ec-v1.ts'
import { hashMerchantIdentifier, type ShownCertificates } from './certificates.ts'
import { type CertificateRow, certificateTable, listCertificates, merchantTable } from './store.ts'
import type { Wallet } from './wallet.ts'

const LABEL = 'private_key'

/** A key to store, with what is shown of its certificate. SECURITY: `privateKey` is plaintext. */
export type NewKey = Pick<CertificateRow, 'wallet' | 'merchant_id' | 'domain' | 'merchant_hash'> & {
  readonly privateKey: KeyObject
  readonly shown: ShownCertificates
}

/** Stores a key with its private half sealed (rule Z-02). */
export function insertKey(context: Context, { privateKey, shown, ...columns }: NewKey): CertificateRow {
  const id = randomUUID()
  const plaintext = privateKey.export({ format: 'der', type: 'pkcs8' })
  const row: CertificateRow = {
    ...columns,
    id,
    key_hash: hashPublicKey(createPublicKey(privateKey)).toString('base64'),
    private_key: context.keyring.sealValue(plaintext, id, LABEL),
    shown: JSON.stringify(shown),
    created_by: getCreatorId(context.actor),
    created_at: context.now,
  }
  plaintext.fill(0)
  certificateTable.insertRow(context.db, row)
  return row
}

/** Opens the private key of a row. SECURITY: the result is plaintext. */
export function openKey({ keyring }: Pick<Context, 'keyring'>, row: CertificateRow): KeyObject {
  const bytes = keyring.openBytes(row.private_key, row.id, LABEL)
  const key = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
  bytes.fill(0)
  return key
}

/** Returns the key to encrypt for: the newest of a registration or of the vault, which makes its own if it has none. */
export function takeKey(context: Context, wallet: Wallet, merchant_id: string | undefined): CertificateRow {
  const [newest] = listKeys(context, wallet, merchant_id)
  if (newest) return newest
  if (merchant_id !== undefined)
    throw createInvalidError('merchant_registration_id', 'names a registration without certificates')
  return insertKey(context, {
    wallet,
    merchant_id: null,
    domain: null,
    merchant_hash: wallet === 'apple' ? hashMerchantIdentifier(context.tenant_id) : null,
    privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    shown: {},
  })
}

/**
 * Lists the keys that may decrypt payment data: those of a registration, or all of the wallet. Throws `invalid` if there
 * is no such registration.
 */
export function listKeys(
  context: Context,
  wallet: Wallet,
  merchant_id: string | undefined,
): CertificateRow[] {
  if (merchant_id !== undefined && merchantTable.findRow(context.db, merchant_id)?.wallet !== wallet)
    throw createInvalidError('merchant_registration_id', 'names a registration that does not exist')
  return listCertificates(context.db, wallet, merchant_id)
}
