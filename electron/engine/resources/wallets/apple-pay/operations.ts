import { randomBytes } from 'node:crypto'
import { CofferError, createInvalidError } from '../../../../../shared/errors.ts'
import { nothing } from '../../../../../shared/schemas/common.ts'
import {
  appleCertificates,
  applePaySession,
  applePayToken,
  createdApplePayToken,
  deletedApplePayToken,
  domainList,
  newAppleCertificates,
  newApplePaySession,
  newApplePayToken,
  oneDomain,
  registeredDomains,
} from '../../../../../shared/schemas/wallet.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId } from '../../crud.ts'
import { findMerchantHash, hashMerchantIdentifier } from '../certificates.ts'
import { defineCertificateOperations, defineMerchantOperations } from '../merchant-operations.ts'
import { createRefusal, Payments, parseExpiry } from '../payments.ts'
import { deleteDomain, insertDomain, listDomains, merchantTable } from '../store.ts'
import { decryptApplePayment } from './decrypt-payment.ts'

const payments = new Payments('apple')

const MAX_DOMAINS = 99
const SESSION_LIFETIME_MS = 5 * 60_000

export const create = defineOperation({
  summary: 'Decrypt and store a payment of Apple Pay',
  route: 'POST /apple-pay',
  permission: 'apple-pay:create',
  entity: 'apple_pay',
  refusals: ['apple_pay_refused'],
  location: ({ apple_pay }) => `/apple-pay/${apple_pay.id}`,
  input: newApplePayToken,
  output: createdApplePayToken,
  handler(context, { apple_payment_data, expires_at, merchant_registration_id }) {
    const expiry = parseExpiry(expires_at, context.now)
    const { card_expires_at, ...content } = decryptApplePayment(
      context,
      apple_payment_data,
      merchant_registration_id,
    )
    if (card_expires_at <= context.now) throw createRefusal('apple')
    const row = payments.insertPayment(context, content, expiry ?? card_expires_at)
    context.storeReplay(row.id)
    return { apple_pay: payments.toCreated(context, row) }
  },
  replay: (context, id) => ({ apple_pay: payments.repeatCreation(context, id) }),
})

export const get = defineOperation({
  summary: 'Get a payment of Apple Pay; its data is masked without apple-pay:reveal',
  route: 'GET /apple-pay/{id}',
  permission: ['apple-pay:read', 'apple-pay:reveal'],
  entity: 'apple_pay',
  input: byId,
  output: applePayToken,
  handler: (context, { id }) => payments.readPayment(context, id),
})

export const remove = defineOperation({
  summary: 'Delete a payment of Apple Pay',
  route: 'DELETE /apple-pay/{id}',
  permission: 'apple-pay:delete',
  entity: 'apple_pay',
  sdkText: true,
  status: 200,
  input: byId,
  output: deletedApplePayToken,
  handler(context, { id }) {
    const payment = payments.removePayment(context, id)
    return { apple_pay: { ...payment, status: payment.type === 'mpan' ? 'unlinked' : 'deleted' } }
  },
})

export const createSession = defineOperation({
  summary: 'Create a merchant session of Apple Pay; it is made up, so a real device refuses it',
  route: 'POST /apple-pay/session',
  permission: 'apple-pay:session',
  entity: 'apple_pay',
  effect: 'read',
  refusals: ['unprocessable'],
  sdkText: true,
  input: newApplePaySession,
  output: applePaySession,
  handler(context, { domain, display_name = domain ?? 'Coffer', merchant_registration_id }) {
    const merchantIdentifier = requireMerchantIdentifier(context, domain, merchant_registration_id)
    return {
      epochTimestamp: context.now,
      expiresAt: context.now + SESSION_LIFETIME_MS,
      merchantSessionIdentifier: `SSH${randomBytes(32).toString('hex').toUpperCase()}`,
      nonce: randomBytes(4).toString('hex'),
      merchantIdentifier,
      domainName: domain ?? '',
      displayName: display_name,
      signature: randomBytes(64).toString('hex'),
    }
  },
})

/** Without a registration, the session is for the vault itself, whose domains must be registered. */
function requireMerchantIdentifier(
  { db, tenant_id }: Context,
  domain: string | undefined,
  merchant_id: string | undefined,
): string {
  if (merchant_id !== undefined) {
    const merchant = merchantTable.findRow(db, merchant_id)
    if (merchant?.wallet === 'apple') return merchant.merchant_identifier
    throw createInvalidError('merchant_registration_id', 'names a registration that does not exist')
  }
  if (domain === undefined || listDomains(db).includes(domain)) return tenant_id
  throw new CofferError(
    'unprocessable',
    `The domain ${domain} is not registered. Register it with POST /apple-pay/domain-registration.`,
  )
}

export const listRegisteredDomains = defineOperation({
  summary: 'List the domains that are registered for Apple Pay',
  route: 'GET /apple-pay/domain-registration',
  permission: 'apple-pay:manage',
  entity: 'wallet_domain',
  input: nothing,
  output: registeredDomains,
  handler: ({ db }) => toRegistered(listDomains(db)),
})

export const createDomain = defineOperation({
  summary: 'Register a domain for Apple Pay; Coffer does not check that it serves Apple’s file',
  route: 'POST /apple-pay/domain-registration',
  permission: 'apple-pay:manage',
  entity: 'wallet_domain',
  refusals: ['unprocessable'],
  input: oneDomain,
  output: registeredDomains,
  handler(context, { domain }) {
    const { db, now } = context
    const domains = listDomains(db)
    if (!domains.includes(domain)) {
      if (domains.length >= MAX_DOMAINS)
        throw new CofferError(
          'unprocessable',
          `A tenant can register at most ${MAX_DOMAINS} domains. Deregister some first.`,
        )
      insertDomain(db, domain, now)
    }
    context.setRecordEntity(domain)
    context.storeReplay(domain)
    return toRegistered(listDomains(db))
  },
  replay: ({ db }) => toRegistered(listDomains(db)),
})

export const replaceDomains = defineOperation({
  summary: 'Replace the domains that are registered for Apple Pay',
  route: 'PUT /apple-pay/domain-registration',
  permission: 'apple-pay:manage',
  entity: 'wallet_domain',
  input: domainList,
  output: registeredDomains,
  handler(context, { domains }) {
    const { db, now } = context
    const before = listDomains(db)
    for (const domain of before) if (!domains.includes(domain)) deleteDomain(db, domain)
    for (const domain of new Set(domains)) if (!before.includes(domain)) insertDomain(db, domain, now)
    context.storeReplay(null)
    return toRegistered(listDomains(db))
  },
  replay: ({ db }) => toRegistered(listDomains(db)),
})

export const removeDomain = defineOperation({
  summary: 'Deregister a domain of Apple Pay',
  route: 'POST /apple-pay/domain-deregistration',
  permission: 'apple-pay:manage',
  entity: 'wallet_domain',
  status: 204,
  input: oneDomain,
  output: nothing,
  handler(context, { domain }) {
    if (listDomains(context.db).includes(domain)) deleteDomain(context.db, domain)
    context.setRecordEntity(domain)
    context.storeReplay(null)
    return {}
  },
  replay: () => ({}),
})

function toRegistered(domains: readonly string[]) {
  return { domains: domains.map((domain) => ({ domain, status: 'verified' })) }
}

export const { createMerchant, getMerchant, removeMerchant } = defineMerchantOperations('apple')

export const { createCertificates, getCertificates, removeCertificates } = defineCertificateOperations(
  'apple',
  {
    input: newAppleCertificates,
    output: appleCertificates,
    readFiles(input, { merchant_identifier }, reader) {
      const processor = reader.openCertificate(
        input.payment_processor_certificate_data,
        input.payment_processor_certificate_password,
        'payment_processor_certificate_data',
        { p256: true },
      )
      // SECURITY: the key of the merchant certificate is not stored, because Coffer never connects to Apple.
      const merchant =
        input.merchant_certificate_data === undefined
          ? undefined
          : reader.openCertificate(
              input.merchant_certificate_data,
              input.merchant_certificate_password ?? '',
              'merchant_certificate_data',
              { p256: false },
            )
      return {
        privateKey: processor.privateKey,
        domain: input.domain ?? null,
        merchant_hash: findMerchantHash(processor.certificate) ?? hashMerchantIdentifier(merchant_identifier),
        shown: {
          payment_processor_certificate: processor.shown,
          ...(merchant && { merchant_certificate: merchant.shown }),
        },
      }
    },
  },
)
