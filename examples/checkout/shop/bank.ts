import { BasisTheoryClient } from '@basis-theory/node-sdk'
import { product } from './product.ts'
import type { Vault } from './vault.ts'

/** Asks the cardholder's bank to authenticate a payment, through the official 3D Secure client. */
export function bankBehind({ url, privateKey }: Vault) {
  const { threeds } = new BasisTheoryClient({ apiKey: privateKey, environment: url })
  return {
    /** Announces the purchase. The bank may require a challenge of the cardholder in the page. */
    async announce(session: string) {
      const { authenticationStatus, acsChallengeUrl, acsTransactionId, threedsVersion } =
        await threeds.sessions.authenticate(session, {
          authenticationCategory: 'payment',
          authenticationType: 'payment-transaction',
          merchantInfo: {
            mid: '9876543210001',
            acquirerBin: '000000999',
            name: 'The example shop',
            url: 'https://shop.example.com',
            countryCode: '826',
            categoryCode: '5942',
          },
          purchaseInfo: {
            amount: String(product.price),
            currency: '978',
            exponent: '2',
            date: new Date().toISOString().replace(/\D/g, '').slice(0, 14),
            transactionType: 'purchase',
          },
          cardholderInfo: { name: 'Ada Lovelace', email: 'ada@example.com' },
        })
      if (authenticationStatus !== 'challenge') return undefined
      return {
        sessionId: session,
        acsChallengeUrl,
        acsTransactionId,
        threeDSVersion: threedsVersion,
      }
    },

    /** Returns the bank's decision. It comes from the vault and not from the page, which could claim anything. */
    result: (session: string) => threeds.sessions.getChallengeResult(session),
  }
}
