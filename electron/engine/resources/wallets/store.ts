import type { Database } from '../../db/open.ts'
import { selectValue, sql } from '../../db/statement.ts'
import { defineTable } from '../crud.ts'
import type { Wallet, WalletEntity } from './wallet.ts'

export type WalletMerchantRow = {
  id: string
  wallet: Wallet
  merchant_identifier: string
  created_by: string | null
  created_at: number
}

export type CertificateRow = {
  id: string
  wallet: Wallet
  /** Null for the vault's own key pair. */
  merchant_id: string | null
  domain: string | null
  /** SHA-256 of the public key, in base64. */
  key_hash: string
  /** SHA-256 of Apple's merchant identifier, in hex; null for Google Pay. */
  merchant_hash: string | null
  /** Sealed PKCS#8. */
  private_key: Buffer
  /** JSON of `ShownCertificates`. */
  shown: string
  created_by: string | null
  created_at: number
}

export type WalletTokenRow = {
  id: string
  /** Sealed JSON of `WalletContent`. */
  content: Buffer
  created_by: string | null
  created_at: number
  expires_at: number | null
}

const merchantColumns = 'id, wallet, merchant_identifier, created_by, created_at'
const certificateColumns =
  'id, wallet, merchant_id, domain, key_hash, merchant_hash, private_key, shown, created_by, created_at'
const tokenColumns = 'id, content, created_by, created_at, expires_at'

/** Merchant registrations (rule Z-02). */
export const merchantTable = defineTable<WalletMerchantRow>('wallet_merchant', merchantColumns)
/** Certificates of registrations, and the vault's own key pairs (rule Z-02). */
export const certificateTable = defineTable<CertificateRow>('wallet_certificate', certificateColumns)
/** Stored payments by entity (rule Z-02). */
export const tokenTables = {
  apple_pay: defineTable<WalletTokenRow>('apple_pay', tokenColumns),
  google_pay: defineTable<WalletTokenRow>('google_pay', tokenColumns),
} as const
const domainTable = defineTable<{ id: string; created_at: number }>('wallet_domain', 'id, created_at')

export function listMerchants(db: Database): WalletMerchantRow[] {
  return sql<WalletMerchantRow>(
    db,
    `SELECT ${merchantColumns} FROM wallet_merchant ORDER BY created_at, rowid`,
  ).all()
}

export function countMerchants(db: Database, wallet: Wallet): number {
  return selectValue<number>(db, 'SELECT count(*) FROM wallet_merchant WHERE wallet = @wallet', { wallet })
}

/** Deletes a registration with its certificates. */
export function deleteMerchant(db: Database, id: string): void {
  for (const certificate of listMerchantCertificates(db, id)) certificateTable.deleteRow(db, certificate.id)
  merchantTable.deleteRow(db, id)
}

export function listMerchantCertificates(db: Database, merchant_id: string): CertificateRow[] {
  const query = `SELECT ${certificateColumns} FROM wallet_certificate WHERE merchant_id = ? ORDER BY created_at, rowid`
  return sql<CertificateRow>(db, query).all(merchant_id)
}

/** Lists the certificates and key pairs of a wallet, newest first: those of a registration, or all. */
export function listCertificates(
  db: Database,
  wallet: Wallet,
  merchant_id: string | undefined,
): CertificateRow[] {
  const query = `SELECT ${certificateColumns} FROM wallet_certificate
    WHERE wallet = @wallet AND (@merchant_id IS NULL OR merchant_id = @merchant_id) ORDER BY created_at DESC, rowid DESC`
  return sql<CertificateRow>(db, query).all({ wallet, merchant_id: merchant_id ?? null })
}

/** Returns a stored payment that has not expired, or undefined. */
export function findWalletToken(
  db: Database,
  entity: WalletEntity,
  id: string,
  now: number,
): WalletTokenRow | undefined {
  const row = tokenTables[entity].findRow(db, id)
  return row && (row.expires_at === null || row.expires_at > now) ? row : undefined
}

/** Lists the registered domains of Apple Pay in the order of their registration. */
export function listDomains(db: Database): string[] {
  return sql<string>(db, 'SELECT id FROM wallet_domain ORDER BY created_at, rowid').pluck().all()
}

export function insertDomain(db: Database, domain: string, now: number): void {
  domainTable.insertRow(db, { id: domain, created_at: now })
}

export function deleteDomain(db: Database, domain: string): void {
  domainTable.deleteRow(db, domain)
}
