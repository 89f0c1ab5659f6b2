import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import type { ApplePlaintext } from './apple-pay/decrypt-payment.ts'
import { encryptForApplePay } from './apple-pay/ec-v1.ts'
import type { GooglePlaintext } from './google-pay/decrypt-payment.ts'
import { createFakeSignature, encryptForGooglePay } from './google-pay/ec-v2.ts'

/** A payment of a test card, and the key of the vault to encrypt it for. */
type PayloadRequest = {
  readonly number: string
  readonly variant: 'pan_only' | 'mpan' | undefined
  readonly merchants: readonly string[] | undefined
  readonly privateKey: KeyObject
  readonly merchantHash: Buffer
  readonly now: number
}

/** How long payment data of Google is valid: a week. */
const VALID_MS = 7 * 24 * 60 * 60 * 1000
const CARD_YEARS = 3
const ECI = '7'
/** The amount for each merchant, in cents. */
const AMOUNT = 100

/** Makes payment data as Apple's API for browsers returns it (rule Z-02). */
export function makeApplePayload({
  number,
  variant,
  merchants,
  privateKey,
  merchantHash,
  now,
}: PayloadRequest) {
  const plaintext: ApplePlaintext & Record<string, unknown> = {
    applicationPrimaryAccountNumber: number,
    applicationExpirationDate: `${String(getExpiryYear(now)).slice(2)}1231`,
    currencyCode: '840',
    transactionAmount: AMOUNT * (merchants?.length ?? 1),
    deviceManufacturerIdentifier: '040010030273',
    paymentDataType: '3DSecure',
    paymentData: { onlinePaymentCryptogram: makeCryptogram(), eciIndicator: ECI },
    ...(merchants && {
      authenticationResponses: merchants.map((merchantIdentifier) => ({
        merchantIdentifier,
        authenticationData: makeCryptogram(),
        transactionAmount: AMOUNT,
      })),
    }),
    ...(variant === 'mpan' && { merchantTokenIdentifier: `MTI${randomBytes(16).toString('hex')}` }),
  }
  const paymentData = encryptForApplePay(JSON.stringify(plaintext), createPublicKey(privateKey), merchantHash)
  return {
    paymentData,
    paymentMethod: { displayName: `Card ${number.slice(-4)}`, network: 'Visa', type: 'debit' },
    transactionIdentifier: paymentData.header.transactionId,
  }
}

/** Makes payment data as Google's API for browsers returns it (rule Z-02). */
export function makeGooglePayload({ number, variant, privateKey, now }: PayloadRequest) {
  const isCardOnly = variant === 'pan_only'
  const expiration = String(now + VALID_MS)
  const plaintext: Omit<GooglePlaintext, 'messageExpiration'> & Record<string, unknown> = {
    messageExpiration: expiration,
    messageId: `AH2E${randomBytes(24).toString('base64url')}`,
    paymentMethod: 'CARD',
    paymentMethodDetails: {
      pan: number,
      expirationMonth: 12,
      expirationYear: getExpiryYear(now),
      authMethod: isCardOnly ? 'PAN_ONLY' : 'CRYPTOGRAM_3DS',
      ...(!isCardOnly && { cryptogram: makeCryptogram(), eciIndicator: ECI }),
      assuranceDetails: { accountVerified: true, cardHolderAuthenticated: !isCardOnly },
    },
  }
  const message = encryptForGooglePay(JSON.stringify(plaintext), createPublicKey(privateKey))
  return {
    protocolVersion: 'ECv2',
    signature: createFakeSignature(),
    intermediateSigningKey: {
      signedKey: JSON.stringify({ keyValue: createFakeSignature(), keyExpiration: expiration }),
      signatures: [createFakeSignature()],
    },
    signedMessage: JSON.stringify(message),
  }
}

function getExpiryYear(now: number): number {
  return new Date(now).getUTCFullYear() + CARD_YEARS
}

function makeCryptogram(): string {
  return randomBytes(20).toString('base64')
}
