import { nothing } from '../../../../shared/schemas/common.ts'
import {
  chosenWalletMerchant,
  newWalletPayload,
  walletMerchant,
  walletOverview,
  walletPayload,
} from '../../../../shared/schemas/wallet.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import type { ShownCertificates } from './certificates.ts'
import { openKey, takeKey } from './keys.ts'
import { makeApplePayload, makeGooglePayload } from './make-payload.ts'
import { insertMerchant } from './merchant-operations.ts'
import { type CertificateRow, listDomains, listMerchantCertificates, listMerchants } from './store.ts'

export const createPayload = defineOperation({
  summary: 'Encrypt a test card as a wallet does, for a key of the vault',
  entity: 'wallet_certificate',
  // The first payload of a wallet creates the vault's own key pair.
  effect: 'write',
  input: newWalletPayload,
  output: walletPayload,
  handler(context, { wallet, number, merchant_registration_id, variant, merchants }) {
    const key = takeKey(context, wallet, merchant_registration_id)
    const request = {
      number,
      variant,
      merchants,
      privateKey: openKey(context, key),
      merchantHash: Buffer.from(key.merchant_hash ?? '', 'hex'),
      now: context.now,
    }
    context.setRecordEntity(key.id)
    return {
      ...(wallet === 'apple'
        ? { apple_payment_data: makeApplePayload(request) }
        : { google_payment_data: makeGooglePayload(request) }),
      ...(merchant_registration_id !== undefined && { merchant_registration_id }),
    }
  },
})

export const createMerchant = defineOperation({
  summary: 'Register a merchant of a wallet under a chosen id',
  entity: 'wallet_merchant',
  effect: 'write',
  input: chosenWalletMerchant,
  output: walletMerchant,
  handler: insertMerchant,
})

export const getOverview = defineOperation({
  summary: 'List the merchant registrations of both wallets, their certificates, and the registered domains',
  entity: 'wallet_merchant',
  input: nothing,
  output: walletOverview,
  handler({ db }) {
    const merchants = listMerchants(db).map(({ id, wallet, merchant_identifier }) => ({
      id,
      wallet,
      merchant_identifier,
      certificates: listMerchantCertificates(db, id).flatMap(toOverview),
    }))
    return { merchants, domains: listDomains(db) }
  },
})

function toOverview({ id, shown }: CertificateRow) {
  const certificates: ShownCertificates = JSON.parse(shown)
  return Object.entries(certificates).map(([name, certificate]) => ({ id, name, ...certificate }))
}
