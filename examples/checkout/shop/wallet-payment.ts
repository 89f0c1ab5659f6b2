import { type BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import type { Vault } from './vault.ts'

/** Encrypted payment data of a wallet, as the page receives it from the browser. */
export type WalletPayment = {
  readonly apple_payment_data?: BasisTheory.ApplePayMethodToken
  readonly google_payment_data?: BasisTheory.GooglePayMethodToken
}

/** Decrypts and stores a payment in the vault. Returns how expressions name it, such as `apple_pay: 6f1…`. */
export async function storeWalletPayment(
  { url, privateKey }: Vault,
  { apple_payment_data, google_payment_data }: WalletPayment,
): Promise<string> {
  const client = new BasisTheoryClient({ apiKey: privateKey, environment: url })
  if (apple_payment_data) {
    const { applePay } = await client.applePay.create({ applePaymentData: apple_payment_data })
    return `apple_pay: ${applePay?.id}`
  }
  const { googlePay } = await client.googlePay.create({ googlePaymentData: google_payment_data ?? {} })
  return `google_pay: ${googlePay?.id}`
}
