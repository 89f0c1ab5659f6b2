import type { TspDetails } from '../../../../../shared/schemas/token-intent.ts'
import {
  createdGooglePayToken,
  deletedGooglePayToken,
  googleCertificates,
  googlePayToken,
  newGoogleCertificates,
  newGooglePayToken,
} from '../../../../../shared/schemas/wallet.ts'
import type { Context } from '../../../pipeline/context.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { byId } from '../../crud.ts'
import { createIntent, requireIntentAgain } from '../../tokens/intents/create-intent.ts'
import { toTokenIntent } from '../../tokens/intents/present.ts'
import { defineCertificateOperations, defineMerchantOperations } from '../merchant-operations.ts'
import { createRefusal, Payments, parseExpiry } from '../payments.ts'
import { decryptGooglePayment, type GooglePlaintext } from './decrypt-payment.ts'

const payments = new Payments('google')

export const create = defineOperation({
  summary: 'Decrypt and store a payment of Google Pay; a card that is not tokenized becomes a token intent',
  route: 'POST /google-pay',
  permission: 'google-pay:create',
  entity: 'google_pay',
  refusals: ['google_pay_refused'],
  location: ({ google_pay, token_intent }) =>
    google_pay ? `/google-pay/${google_pay.id}` : `/token-intents/${token_intent?.id}`,
  input: newGooglePayToken,
  output: createdGooglePayToken,
  handler(context, { google_payment_data, expires_at, merchant_registration_id }) {
    const expiry = parseExpiry(expires_at, context.now)
    const decrypted = decryptGooglePayment(context, google_payment_data, merchant_registration_id)
    const { pan, expirationMonth, expirationYear, authMethod, ...method } = decrypted.paymentMethodDetails
    const data = { number: pan, expiration_month: expirationMonth, expiration_year: expirationYear }
    const details = toDetails(decrypted)
    if (authMethod === 'PAN_ONLY') return storeIntent(context, data, details)
    const authentication = {
      ...(method.cryptogram !== undefined && { threeds_cryptogram: method.cryptogram }),
      ...(method.eciIndicator !== undefined && { eci_indicator: method.eciIndicator }),
    }
    const content = { type: 'dpan', data, authentication, shown: { details } } as const
    const row = payments.insertPayment(context, content, expiry ?? null)
    context.storeReplay({ google_pay: row.id })
    return { google_pay: payments.toCreated(context, row) }
  },
  replay(context, kept: { google_pay?: string; token_intent?: string }) {
    if (kept.google_pay === undefined)
      return { token_intent: toTokenIntent(context, requireIntentAgain(context, kept.token_intent)) }
    return { google_pay: payments.repeatCreation(context, kept.google_pay) }
  },
})

export const get = defineOperation({
  summary: 'Get a payment of Google Pay; its data is masked without google-pay:reveal',
  route: 'GET /google-pay/{id}',
  permission: ['google-pay:read', 'google-pay:reveal'],
  entity: 'google_pay',
  input: byId,
  output: googlePayToken,
  handler: (context, { id }) => payments.readPayment(context, id),
})

export const remove = defineOperation({
  summary: 'Delete a payment of Google Pay',
  route: 'DELETE /google-pay/{id}',
  permission: 'google-pay:delete',
  entity: 'google_pay',
  sdkText: true,
  status: 200,
  input: byId,
  output: deletedGooglePayToken,
  handler: (context, { id }) => ({ ...payments.removePayment(context, id), status: 'deleted' }),
})

export const { createMerchant, getMerchant, removeMerchant } = defineMerchantOperations('google')

export const { createCertificates, getCertificates, removeCertificates } = defineCertificateOperations(
  'google',
  {
    input: newGoogleCertificates,
    output: googleCertificates,
    readFiles(input, _merchant, reader) {
      const { privateKey, shown } = reader.openCertificate(
        input.merchant_certificate_data,
        input.merchant_certificate_password,
        'merchant_certificate_data',
        { p256: true },
      )
      return { privateKey, domain: null, merchant_hash: null, shown: { merchant_certificate: shown } }
    },
  },
)

/** Stores a card that Google did not tokenize as a token intent. It is not recorded as a payment. */
function storeIntent(context: Context, data: Record<string, string | number>, tsp_details: TspDetails) {
  const row = createRefused(() => createIntent(context, { type: 'card', data, extras: { tsp_details } }))
  context.storeReplay({ token_intent: row.id })
  return { token_intent: toTokenIntent(context, row) }
}

function createRefused<Result>(create: () => Result): Result {
  try {
    return create()
  } catch {
    throw createRefusal('google')
  }
}

function toDetails({ messageId, paymentMethodDetails }: GooglePlaintext): TspDetails {
  const { authMethod, eciIndicator, assuranceDetails } = paymentMethodDetails
  return {
    tsp: 'Google',
    auth_method: authMethod,
    ...(messageId !== undefined && { message_id: messageId }),
    ...(eciIndicator !== undefined && { eci_indicator: eciIndicator }),
    ...(assuranceDetails && {
      assurance_details: {
        account_verified: assuranceDetails.accountVerified,
        card_holder_authenticated: assuranceDetails.cardHolderAuthenticated,
      },
    }),
  }
}
