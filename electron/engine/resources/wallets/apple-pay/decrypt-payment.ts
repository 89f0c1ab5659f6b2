import type { JsonObject } from '../../../../../shared/json.ts'
import type { ApplePaymentToken } from '../../../../../shared/schemas/wallet.ts'
import { z } from '../../../../../shared/zod.ts'
import type { Context } from '../../../pipeline/context.ts'
import { listKeys, openKey } from '../keys.ts'
import { createRefusal, type NewPayment } from '../payments.ts'
import { decryptApplePay } from './ec-v1.ts'

const text = z.string().max(1000)

/** What Apple encrypts. */
const plaintext = z.object({
  applicationPrimaryAccountNumber: text,
  /** YYMMDD. */
  applicationExpirationDate: z.string().regex(/^\d{2}(0[1-9]|1[0-2])\d{2}$/),
  deviceManufacturerIdentifier: text.optional(),
  paymentDataType: text.optional(),
  paymentData: z
    .object({ onlinePaymentCryptogram: text.optional(), eciIndicator: text.optional() })
    .optional(),
  merchantTokenIdentifier: text.optional(),
  authenticationResponses: z
    .array(
      z.object({
        merchantIdentifier: text.optional(),
        authenticationData: text.optional(),
        transactionAmount: z.union([text, z.number()]).transform(String).optional(),
      }),
    )
    .max(100)
    .optional(),
})
export type ApplePlaintext = z.input<typeof plaintext>

type DecryptedPayment = NewPayment & {
  /** When the card expires, in epoch ms. */
  readonly card_expires_at: number
}

/**
 * Decrypts payment data of Apple Pay with the key that it names: of the registration or, without one, of the vault
 * (rule Z-02). Throws the refusal, and `invalid` for an unknown registration. SECURITY: the result is plaintext. Apple's
 * signature is not checked, because only Apple can make one.
 */
export function decryptApplePayment(
  context: Context,
  payment: ApplePaymentToken,
  merchant_id: string | undefined,
): DecryptedPayment {
  const { data = '', header } = payment.paymentData
  const key = listKeys(context, 'apple', merchant_id).find(
    ({ key_hash }) => key_hash === header?.publicKeyHash,
  )
  try {
    if (!key) throw createRefusal('apple')
    const sent = { data, ephemeralPublicKey: header?.ephemeralPublicKey ?? '' }
    const opened = decryptApplePay(sent, openKey(context, key), Buffer.from(key.merchant_hash ?? '', 'hex'))
    return toContent(plaintext.parse(JSON.parse(opened.toString())), header?.transactionId)
  } catch {
    // SECURITY: the same result for every failure; the reason would help an attacker to forge payment data.
    throw createRefusal('apple')
  }
}

function toContent(
  decrypted: z.output<typeof plaintext>,
  transaction_id: string | undefined,
): DecryptedPayment {
  const { applicationExpirationDate: date } = decrypted
  const { paymentDataType, deviceManufacturerIdentifier, merchantTokenIdentifier } = decrypted
  const [year, month] = [2000 + Number(date.slice(0, 2)), Number(date.slice(2, 4))]
  return {
    type: merchantTokenIdentifier === undefined ? 'dpan' : 'mpan',
    data: {
      number: decrypted.applicationPrimaryAccountNumber,
      expiration_month: month,
      expiration_year: year,
    },
    authentication: toAuthentication(decrypted),
    shown: {
      ...(transaction_id !== undefined && { transaction_id }),
      ...(paymentDataType !== undefined && { payment_data_type: paymentDataType }),
      ...(deviceManufacturerIdentifier !== undefined && {
        device_manufacturer_identifier: deviceManufacturerIdentifier,
      }),
    },
    // The card is valid until the end of its last month.
    card_expires_at: Date.UTC(year, month),
  }
}

function toAuthentication({
  paymentData = {},
  authenticationResponses,
}: z.output<typeof plaintext>): JsonObject {
  const { onlinePaymentCryptogram, eciIndicator } = paymentData
  return {
    ...(onlinePaymentCryptogram !== undefined && { threeds_cryptogram: onlinePaymentCryptogram }),
    ...(eciIndicator !== undefined && { eci_indicator: eciIndicator }),
    ...(authenticationResponses && {
      authentication_responses: authenticationResponses.map((each) => ({
        ...(each.merchantIdentifier !== undefined && { merchant_identifier: each.merchantIdentifier }),
        ...(each.authenticationData !== undefined && { authentication_data: each.authenticationData }),
        ...(each.transactionAmount !== undefined && { transaction_amount: each.transactionAmount }),
      })),
    }),
  }
}
