import type { GooglePaymentToken } from '../../../../../shared/schemas/wallet.ts'
import { z } from '../../../../../shared/zod.ts'
import type { Context } from '../../../pipeline/context.ts'
import { listKeys, openKey } from '../keys.ts'
import { createRefusal } from '../payments.ts'
import type { CertificateRow } from '../store.ts'
import { decryptGooglePay, type GoogleMessage } from './ec-v2.ts'

const text = z.string().max(1000)

const signedMessage = z.object({
  encryptedMessage: z.string(),
  ephemeralPublicKey: z.string().max(200),
  tag: z.string().max(200),
})
const signedKey = z.object({ keyExpiration: z.coerce.number() })

/** What Google encrypts. */
const plaintext = z.object({
  messageExpiration: z.coerce.number(),
  messageId: text.optional(),
  paymentMethodDetails: z.object({
    pan: text,
    expirationMonth: z.int().min(1).max(12),
    expirationYear: z.int().min(2000).max(9999),
    authMethod: z.enum(['PAN_ONLY', 'CRYPTOGRAM_3DS']),
    cryptogram: text.optional(),
    eciIndicator: text.optional(),
    assuranceDetails: z
      .object({ accountVerified: z.boolean().optional(), cardHolderAuthenticated: z.boolean().optional() })
      .optional(),
  }),
})
export type GooglePlaintext = z.output<typeof plaintext>

/**
 * Decrypts payment data of Google Pay with a key of the registration or, without one, of the vault (rule Z-02). Throws
 * the refusal, and `invalid` for an unknown registration. SECURITY: the result is plaintext. Google's signatures are not
 * checked, because only Google can make them; what has expired is refused.
 */
export function decryptGooglePayment(
  context: Context,
  payment: GooglePaymentToken,
  merchant_id: string | undefined,
): GooglePlaintext {
  const keys = listKeys(context, 'google', merchant_id)
  try {
    const message = signedMessage.parse(JSON.parse(payment.signedMessage ?? ''))
    const intermediate = payment.intermediateSigningKey?.signedKey
    if (intermediate !== undefined)
      assertNotExpired(context, signedKey.parse(JSON.parse(intermediate)).keyExpiration)
    const decrypted = plaintext.parse(JSON.parse(decryptWithAny(context, message, keys).toString()))
    assertNotExpired(context, decrypted.messageExpiration)
    return decrypted
  } catch {
    // SECURITY: the same result for every failure; the reason would help an attacker to forge payment data.
    throw createRefusal('google')
  }
}

/** Unlike Apple, Google does not name the key that it encrypted for. */
function decryptWithAny(context: Context, message: GoogleMessage, keys: readonly CertificateRow[]): Buffer {
  for (const row of keys) {
    try {
      return decryptGooglePay(message, openKey(context, row))
    } catch {
      // It was encrypted for another key.
    }
  }
  throw createRefusal('google')
}

function assertNotExpired({ now }: Context, expires_at: number): void {
  if (!(expires_at > now)) throw createRefusal('google')
}
