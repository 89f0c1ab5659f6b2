import type { Wallet, WalletCard } from './shop/wallet-cards.ts'

/** The numbers of the cards, which a phone has stored. */
const numbers: Readonly<Record<WalletCard, string>> = {
  visa: '4242424242424242',
  mastercard: '5555555555554444',
  empty: '4000000000000002',
}

/** A wallet: encrypts a payment with one of its cards. */
export type EncryptPayment = (payment: { wallet: Wallet; card: WalletCard }) => Promise<object>

/**
 * Replaces the visitor's phone: Coffer encrypts a card as `coffer wallet-payload` does, for a key of the vault. A
 * browser with Apple Pay or Google Pay needs no such function.
 */
export function createWallet(url: string, managementKey: string): EncryptPayment {
  return async ({ wallet, card }) => {
    const response = await fetch(`${url}/_coffer/wallet-payload`, {
      method: 'POST',
      headers: { 'BT-API-KEY': managementKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ wallet, number: numbers[card] }),
    })
    if (!response.ok) throw new Error(`The wallet cannot encrypt a payment: ${response.status}`)
    return (await response.json()) as object
  }
}
