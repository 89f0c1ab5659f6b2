import fs from 'node:fs'
import path from 'node:path'
import type { openVault } from './vault.ts'

type OwnedVault = Pick<ReturnType<typeof openVault>, 'owner'>

/** The card of the payments in tests, whose number no other test uses. */
export const walletCard = '4784000000380075'
export const maskedWalletCard = 'XXXXXXXXXXXX0075'

/** Reads a PKCS#12 file of tests/wallet-files as base64. */
export function readPkcs12(name: string): string {
  return fs.readFileSync(path.join(import.meta.dirname, 'wallet-files', `${name}.p12`)).toString('base64')
}

export const processorFiles = {
  payment_processor_certificate_data: readPkcs12('processor'),
  payment_processor_certificate_password: 'pässword',
}
export const merchantFiles = {
  merchant_certificate_data: readPkcs12('merchant-legacy'),
  merchant_certificate_password: 'password',
}
export const googleFiles = {
  merchant_certificate_data: readPkcs12('java'),
  merchant_certificate_password: 'password',
}

type PayloadOptions = {
  merchant_registration_id?: string
  variant?: 'pan_only' | 'mpan'
  number?: string
  merchants?: string[]
}

/** Returns the body of `POST /apple-pay` for a payment that a key of the vault decrypts. */
export async function createApplePayload({ owner }: OwnedVault, options: PayloadOptions = {}) {
  const { apple_payment_data, ...rest } = await owner.wallets.createPayload({
    wallet: 'apple',
    number: walletCard,
    ...options,
  })
  if (!apple_payment_data) throw new Error('expected payment data of Apple Pay')
  return { apple_payment_data, ...rest }
}

/** Returns the body of `POST /google-pay` for a payment that a key of the vault decrypts. */
export async function createGooglePayload({ owner }: OwnedVault, options: PayloadOptions = {}) {
  const { google_payment_data, ...rest } = await owner.wallets.createPayload({
    wallet: 'google',
    number: walletCard,
    ...options,
  })
  if (!google_payment_data) throw new Error('expected payment data of Google Pay')
  return { google_payment_data, ...rest }
}

/** Stores a payment of Apple Pay. */
export async function createApplePayment(vault: OwnedVault) {
  return (await vault.owner.applePay.create(await createApplePayload(vault))).apple_pay
}

/** Stores a payment of Google Pay. */
export async function createGooglePayment(vault: OwnedVault) {
  const { google_pay } = await vault.owner.googlePay.create(await createGooglePayload(vault))
  if (!google_pay) throw new Error('expected a payment')
  return google_pay
}
