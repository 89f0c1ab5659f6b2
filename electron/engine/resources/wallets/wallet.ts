import type { EntityName } from '../../../../shared/entities.ts'

/** What distinguishes the wallets, besides their payment data. */
export const wallets = {
  apple: { name: 'Apple Pay', entity: 'apple_pay', prefix: 'apple-pay', refusal: 'apple_pay_refused' },
  google: { name: 'Google Pay', entity: 'google_pay', prefix: 'google-pay', refusal: 'google_pay_refused' },
} as const satisfies Readonly<
  Record<string, { readonly entity: EntityName; readonly [name: string]: string }>
>

export type Wallet = keyof typeof wallets
export type WalletEntity = (typeof wallets)[Wallet]['entity']
