import { randomUUID } from 'node:crypto'
import { entities } from '../../../../shared/entities.ts'
import { createInvalidError } from '../../../../shared/errors.ts'
import { createdId, nothing } from '../../../../shared/schemas/common.ts'
import { newWalletMerchant, walletMerchant } from '../../../../shared/schemas/wallet.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Database } from '../../db/open.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { assertBelow, byId, createMissingError, defineResource } from '../crud.ts'
import { CertificateReader, type ShownCertificates } from './certificates.ts'
import { insertKey, type NewKey } from './keys.ts'
import {
  type CertificateRow,
  certificateTable,
  countMerchants,
  deleteMerchant,
  listCertificates,
  merchantTable,
  type WalletMerchantRow,
} from './store.ts'
import { type Wallet, wallets } from './wallet.ts'

const MAX_MERCHANTS = 100
/** Google Pay does not name the key that it encrypted for, so each is tried. */
const MAX_CERTIFICATES = 50

const ofMerchant = { merchantId: createdId }
const oneCertificate = z.strictObject({ ...ofMerchant, id: createdId })

/** The key that a registration decrypts with, and what is shown of the certificates of the request. */
type ReadCertificates = Pick<NewKey, 'domain' | 'merchant_hash' | 'privateKey' | 'shown'>

type CertificateSchemas<Input extends z.ZodObject, Output extends z.ZodObject> = {
  readonly input: Input
  readonly output: Output
  /** Opens the files of a request. Throws `unprocessable`. */
  readFiles(input: z.output<Input>, merchant: WalletMerchantRow, reader: CertificateReader): ReadCertificates
}

/** Finds the registrations of a wallet. */
function defineMerchants(wallet: Wallet) {
  const findMerchant = (db: Database, id: string) => matchWallet(wallet, merchantTable.findRow(db, id))
  return defineResource('wallet_merchant', findMerchant, toMerchant)
}

function matchWallet<Row extends { readonly wallet: Wallet }>(
  wallet: Wallet,
  row: Row | undefined,
): Row | undefined {
  return row?.wallet === wallet ? row : undefined
}

/** Returns the operations of a wallet's merchant registrations (rule Z-02). */
export function defineMerchantOperations(wallet: Wallet) {
  const { name, prefix } = wallets[wallet]
  const permission = `${prefix}:manage` as const
  const path = `${prefix}/merchant-registration` as const
  const merchants = defineMerchants(wallet)
  return {
    createMerchant: defineOperation({
      summary: `Register a merchant of ${name}`,
      route: `POST /${path}`,
      permission,
      entity: 'wallet_merchant',
      refusals: ['unprocessable'],
      location: ({ id }) => `/${path}/${id}`,
      input: newWalletMerchant,
      output: walletMerchant,
      handler(context, { merchant_identifier }) {
        const merchant = insertMerchant(context, { wallet, merchant_identifier })
        context.storeReplay(merchant.id)
        return merchant
      },
      replay: merchants.replay,
    }),
    getMerchant: defineOperation({
      summary: `Get a merchant registration of ${name}`,
      route: `GET /${path}/{id}`,
      permission,
      entity: 'wallet_merchant',
      input: byId,
      output: walletMerchant,
      handler: merchants.get,
    }),
    removeMerchant: defineOperation({
      summary: `Delete a merchant registration of ${name} and its certificates`,
      route: `DELETE /${path}/{id}`,
      permission,
      entity: 'wallet_merchant',
      input: byId,
      output: nothing,
      handler(context, { id }) {
        deleteMerchant(context.db, merchants.requireRow(context, id).id)
        return {}
      },
    }),
  }
}

/** Registers a merchant. Throws `unprocessable` above the maximum, and `invalid` for an id that is taken. */
export function insertMerchant(
  context: Context,
  {
    id = randomUUID(),
    wallet,
    merchant_identifier,
  }: Pick<WalletMerchantRow, 'wallet' | 'merchant_identifier'> & { readonly id?: string | undefined },
): z.input<typeof walletMerchant> {
  const { db, actor, now: created_at } = context
  assertBelow(countMerchants(db, wallet), MAX_MERCHANTS, `registrations of ${wallets[wallet].name}`)
  if (merchantTable.findRow(db, id)) throw createInvalidError('id', 'is the id of another registration')
  const row = { id, wallet, merchant_identifier, created_by: getCreatorId(actor), created_at }
  merchantTable.insertRow(db, row)
  context.setRecordEntity(id)
  return toMerchant(context, row)
}

/** Returns the operations of the certificates of a wallet's merchant registrations (rule Z-02). */
export function defineCertificateOperations<Input extends z.ZodObject, Output extends z.ZodObject>(
  wallet: Wallet,
  { input, output, readFiles }: CertificateSchemas<Input, Output>,
) {
  const { name, prefix } = wallets[wallet]
  const permission = `${prefix}:manage` as const
  const path = `${prefix}/merchant-registration` as const
  const merchants = defineMerchants(wallet)
  const findCertificate = (db: Database, id: string) => matchWallet(wallet, certificateTable.findRow(db, id))
  const presentRow = (context: Context, row: CertificateRow): z.input<Output> => toCertificates(context, row)
  const certificates = defineResource('wallet_certificate', findCertificate, presentRow)

  return {
    createCertificates: defineOperation({
      summary: `Add certificates to a merchant registration of ${name}, as PKCS#12 files`,
      route: `POST /${path}/{merchantId}/certificates`,
      permission,
      entity: 'wallet_certificate',
      status: 201,
      refusals: ['unprocessable'],
      input: input.extend(ofMerchant),
      output,
      handler(context, { merchantId, ...files }) {
        const merchant = merchants.requireRow(context, String(merchantId))
        const count = listCertificates(context.db, wallet, undefined).length
        assertBelow(count, MAX_CERTIFICATES, `certificates of ${name}`)
        const read = readFiles(input.parse(files), merchant, new CertificateReader(context.now))
        const row = insertKey(context, { ...read, wallet, merchant_id: merchant.id })
        // The response does not name the registration.
        context.setHeader('Location', `/${path}/${merchant.id}/certificates/${row.id}`)
        context.setRecordEntity(row.id)
        context.storeReplay(row.id)
        return presentRow(context, row)
      },
      replay: certificates.replay,
    }),
    getCertificates: defineOperation({
      summary: `Get the fingerprints and expiry of certificates of ${name}`,
      route: `GET /${path}/{merchantId}/certificates/{id}`,
      permission,
      entity: 'wallet_certificate',
      input: oneCertificate,
      output,
      handler: (context, ids) => presentRow(context, requireCertificate(context, wallet, ids)),
    }),
    removeCertificates: defineOperation({
      summary: `Delete certificates of ${name}; payments encrypted for them can no longer be decrypted`,
      route: `DELETE /${path}/{merchantId}/certificates/{id}`,
      permission,
      entity: 'wallet_certificate',
      input: oneCertificate,
      output: nothing,
      handler(context, ids) {
        certificateTable.deleteRow(context.db, requireCertificate(context, wallet, ids).id)
        return {}
      },
    }),
  }
}

function requireCertificate(
  context: Context,
  wallet: Wallet,
  { merchantId, id }: z.output<typeof oneCertificate>,
): CertificateRow {
  context.setRecordEntity(id)
  const row = matchWallet(wallet, certificateTable.findRow(context.db, id))
  if (row?.merchant_id === merchantId) return row
  throw createMissingError(entities.wallet_certificate.name)
}

function toMerchant({ tenant_id }: Context, { id, merchant_identifier, ...row }: WalletMerchantRow) {
  return { id, tenant_id, merchant_identifier, ...toCreated(row) }
}

/** SECURITY: the private key is not shown. */
function toCertificates({ tenant_id }: Context, { id, domain, shown, ...row }: CertificateRow) {
  const certificates: ShownCertificates = JSON.parse(shown)
  const members = Object.entries(certificates).flatMap(([member, { fingerprint, expires_at }]) => [
    [`${member}_fingerprint`, fingerprint],
    [`${member}_expiration_date`, expires_at],
  ])
  return {
    id,
    tenant_id,
    ...(domain !== null && { domain }),
    ...Object.fromEntries(members),
    ...toCreated(row),
  }
}

function toCreated({ created_by, created_at }: { created_by: string | null; created_at: number }) {
  return { ...(created_by !== null && { created_by }), created_at: formatIsoTime(created_at) }
}
