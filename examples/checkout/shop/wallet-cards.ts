/** The cards in the visitor's wallet, as its sheet shows them. The shop never has their numbers. */
export const walletCards = {
  visa: { name: 'Visa', last4: '4242' },
  mastercard: { name: 'Mastercard', last4: '4444' },
  empty: { name: 'Visa without funds', last4: '0002' },
} as const

export type Wallet = 'apple' | 'google'
export type WalletCard = keyof typeof walletCards
