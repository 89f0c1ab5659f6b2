import { z } from '../zod.ts'
import { createdId, json, nameObject, optionalField } from './common.ts'
import { moment } from './moment.ts'
import { card } from './token.ts'
import { tokenIntent, tspDetails } from './token-intent.ts'

const text = z.string().max(100_000)
const shortText = z.string().max(1000)

/** The payment data of Apple, as the browser receives it. It may have members that Coffer does not read. */
const applePaymentData = z.looseObject({
  paymentData: z.looseObject({
    data: optionalField(text),
    signature: optionalField(text),
    version: optionalField(shortText),
    header: optionalField(
      z.looseObject({
        publicKeyHash: optionalField(shortText),
        ephemeralPublicKey: optionalField(shortText),
        transactionId: optionalField(shortText),
        applicationData: optionalField(shortText),
      }),
    ),
  }),
  transactionIdentifier: optionalField(shortText),
})
export type ApplePaymentToken = z.output<typeof applePaymentData>

/** The payment data of Google, as the browser receives it. It may have members that Coffer does not read. */
const googlePaymentData = z.looseObject({
  protocolVersion: optionalField(text),
  signature: optionalField(text),
  intermediateSigningKey: optionalField(
    z.looseObject({ signedKey: optionalField(text), signatures: optionalField(z.array(text).max(100)) }),
  ),
  signedMessage: optionalField(text),
})
export type GooglePaymentToken = z.output<typeof googlePaymentData>

const newWalletToken = {
  expires_at: optionalField(moment),
  merchant_registration_id: optionalField(createdId),
}

/** Encrypted payment data of Apple Pay (rule Z-02). */
export const newApplePayToken = z.strictObject({ apple_payment_data: applePaymentData, ...newWalletToken })
/** Encrypted payment data of Google Pay (rule Z-02). */
export const newGooglePayToken = z.strictObject({ google_payment_data: googlePaymentData, ...newWalletToken })

const walletToken = {
  id: z.uuid(),
  type: z.string().optional(),
  tenant_id: z.uuid(),
  status: z.string(),
  fingerprint: z.string().optional(),
  expires_at: z.string().optional(),
  created_by: z.string().optional(),
  created_at: z.string(),
  card: card.optional(),
}
const secrets = { data: json.optional(), authentication: json.optional() }
const appleDetails = {
  transaction_id: z.string().optional(),
  payment_data_type: z.string().optional(),
  device_manufacturer_identifier: z.string().optional(),
}
const googleDetails = { details: tspDetails.optional() }

/** An Apple Pay token in a response (rule Z-02). */
export const applePayToken = nameObject('ApplePayToken', { ...walletToken, ...appleDetails, ...secrets })
/** The response to the creation of an Apple Pay token, without its data. */
export const createdApplePayToken = z.object({ apple_pay: z.object({ ...walletToken, ...appleDetails }) })
const deletedWalletToken = {
  id: z.uuid(),
  tenant_id: z.uuid(),
  status: z.string(),
  expires_at: z.string().optional(),
}
export const deletedApplePayToken = z.object({
  apple_pay: z.object({ ...deletedWalletToken, type: z.string() }),
})

/** A Google Pay token in a response (rule Z-02). */
export const googlePayToken = nameObject('GooglePayToken', { ...walletToken, ...googleDetails, ...secrets })
/** A Google Pay token without its data, or the token intent of a card that Google did not tokenize. */
export const createdGooglePayToken = z.object({
  google_pay: z.object({ ...walletToken, ...googleDetails }).optional(),
  token_intent: tokenIntent.optional(),
})
export const deletedGooglePayToken = z.object(deletedWalletToken)

/** A merchant registration (rule Z-02). */
export const walletMerchant = nameObject('WalletMerchant', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  merchant_identifier: z.string(),
  created_by: z.string().optional(),
  created_at: z.string(),
})
export const newWalletMerchant = z.strictObject({ merchant_identifier: z.string().min(1).max(200) })
/** A merchant registration of a seed. Registrations cannot be listed, so that a program needs to know its id. */
export const chosenWalletMerchant = newWalletMerchant.extend({
  id: optionalField(z.uuid()),
  wallet: z.enum(['apple', 'google']),
})

/** A PKCS#12 file in base64. */
const pkcs12 = z.string().min(1).max(20_000)
const password = z.string().max(200)
const domain = z
  .string()
  .max(253)
  .regex(/^(?!-)[a-z\d-]+(\.[a-z\d-]+)+$/i, 'must be a domain name, such as shop.example.com')
  .toLowerCase()

export const newAppleCertificates = z.strictObject({
  payment_processor_certificate_data: pkcs12,
  payment_processor_certificate_password: password,
  merchant_certificate_data: optionalField(pkcs12),
  merchant_certificate_password: optionalField(password),
  domain: optionalField(domain),
})
export const newGoogleCertificates = z.strictObject({
  merchant_certificate_data: pkcs12,
  merchant_certificate_password: password,
})

const certificates = { id: z.uuid(), tenant_id: z.uuid() }
const created = { created_by: z.string().optional(), created_at: z.string() }
const merchantCertificate = {
  merchant_certificate_expiration_date: z.string().optional(),
  merchant_certificate_fingerprint: z.string().optional(),
}
/** The certificates of an Apple Pay registration. SECURITY: never their private keys. */
export const appleCertificates = nameObject('ApplePayCertificates', {
  ...certificates,
  domain: z.string().optional(),
  ...merchantCertificate,
  payment_processor_certificate_expiration_date: z.string(),
  payment_processor_certificate_fingerprint: z.string(),
  ...created,
})
/** The certificate of a Google Pay registration. SECURITY: never its private key. */
export const googleCertificates = nameObject('GooglePayCertificates', {
  ...certificates,
  ...merchantCertificate,
  ...created,
})

export const oneDomain = z.strictObject({ domain })
export const domainList = z.strictObject({ domains: z.array(domain).max(99) })
export const registeredDomains = z.object({
  domains: z.array(z.object({ domain: z.string(), status: z.string() })),
})

export const newApplePaySession = z.strictObject({
  display_name: optionalField(z.string().min(1).max(64)),
  domain: optionalField(domain),
  validation_url: optionalField(z.string().max(2000)),
  merchant_registration_id: optionalField(createdId),
})
/** A merchant session as Apple's server returns it. It is made up, so a real device refuses it. */
export const applePaySession = z.object({
  epochTimestamp: z.int(),
  expiresAt: z.int(),
  merchantSessionIdentifier: z.string(),
  nonce: z.string(),
  merchantIdentifier: z.string(),
  domainName: z.string(),
  displayName: z.string(),
  signature: z.string(),
})

/** What the owner asks for to get payment data as a wallet encrypts it. */
export const newWalletPayload = z.strictObject({
  wallet: z.enum(['apple', 'google']),
  number: z.string().regex(/^\d{13,19}$/, 'must have 13 to 19 digits'),
  merchant_registration_id: optionalField(createdId),
  /** Google Pay: a card that Google has no device number for. Apple Pay: a merchant token. */
  variant: optionalField(z.enum(['pan_only', 'mpan'])),
  /** Apple Pay: the merchants of a payment that several share. */
  merchants: optionalField(z.array(z.string().min(1).max(200)).max(100)),
})
/** The body of `POST /apple-pay` or `POST /google-pay`. */
export const walletPayload = z.object({
  apple_payment_data: z
    .object({
      paymentData: z.object({
        data: z.string(),
        signature: z.string(),
        version: z.string(),
        header: z.object({
          publicKeyHash: z.string(),
          ephemeralPublicKey: z.string(),
          transactionId: z.string(),
        }),
      }),
      paymentMethod: z.object({ displayName: z.string(), network: z.string(), type: z.string() }),
      transactionIdentifier: z.string(),
    })
    .optional(),
  google_payment_data: z
    .object({
      protocolVersion: z.string(),
      signature: z.string(),
      intermediateSigningKey: z.object({ signedKey: z.string(), signatures: z.array(z.string()) }),
      signedMessage: z.string(),
    })
    .optional(),
  merchant_registration_id: z.string().optional(),
})

/** The registrations with their certificates, and the domains, for the owner. SECURITY: never a private key. */
export const walletOverview = z.object({
  merchants: z.array(
    z.object({
      id: z.string(),
      wallet: z.enum(['apple', 'google']),
      merchant_identifier: z.string(),
      certificates: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          fingerprint: z.string(),
          expires_at: z.string(),
        }),
      ),
    }),
  ),
  domains: z.array(z.string()),
})
