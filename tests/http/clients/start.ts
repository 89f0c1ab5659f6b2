import { expect } from 'vitest'
import type { ChallengeChoice } from '../../../shared/schemas/three-ds.ts'
import { startListener } from '../../listener.ts'
import { openBriefVault } from '../../vault.ts'

/** A card as the clients send it. */
export const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

/** The browser details that a 3D Secure session needs. */
export const deviceInfo = {
  browserJavascriptEnabled: true,
  browserJavaEnabled: false,
  browserLanguage: 'en-GB',
  browserColorDepth: '24',
  browserScreenHeight: '1080',
  browserScreenWidth: '1920',
  browserUserAgent: 'Mozilla/5.0',
}
/** A payment for 3D Secure to authenticate. */
export const payment = {
  authenticationCategory: 'payment',
  authenticationType: 'payment-transaction',
  merchantInfo: {
    mid: '9876543210001',
    acquirerBin: '000000999',
    name: 'Shop',
    url: 'https://shop.example.com',
    countryCode: '826',
    categoryCode: '7922',
  },
  purchaseInfo: {
    amount: '80000',
    currency: '826',
    exponent: '2',
    date: '20300101141010',
    transactionType: 'purchase',
  },
  cardholderInfo: { name: 'Ada Lovelace', email: 'ada@example.com' },
}

/** A card that triggers a challenge. */
export const challengedCard = { number: '4000020000000000', expiration_month: 12, expiration_year: 2035 }

/** A card that the account updater replaces. */
export const renewedCard = { number: '4111111111111111', expiration_month: 12, expiration_year: 2023 }

/** Completes a challenge as the cardholder would. */
export async function passChallenge(url = '', choice: ChallengeChoice = 'pass'): Promise<void> {
  const body = new URLSearchParams({ choice })
  expect((await fetch(`${url}/answer`, { method: 'POST', body })).status).toBe(200)
}

/** Starts a listener with one application of each type, for clients of the hosted service. */
export async function startClientServer(packages: Readonly<Record<string, string>> = {}) {
  const installed = new Map(Object.entries(packages))
  const { vault, url, port, close } = await startListener({
    vault: openBriefVault({ packages: () => installed }),
  })
  const management = await vault.application({
    type: 'management',
    permissions: [
      ...['application:create', 'application:read', 'application:update', 'application:delete'],
      ...['tenant:read', 'tenant:update', 'report:read', 'log:read'],
    ],
  })
  const backend = await vault.application({
    permissions: ['token-intent:create', 'token-intent:read', 'token-intent:delete'],
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: [
          ...(['token:create', 'token:read', 'token:update', 'token:delete'] as const),
          ...(['token:use', 'token:search'] as const),
        ],
      },
    ],
  })
  const browser = await vault.application({
    type: 'public',
    permissions: ['token:create', 'token-intent:create'],
  })
  return { vault, url, port, close, management, backend, browser }
}

/** Returns all items of an auto-paging response of a node SDK. */
export async function collectAll<T>(page: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of page) all.push(item)
  return all
}

/** Returns the error that a promise rejects with. Fails if the promise resolves. */
export async function awaitRejection(promise: PromiseLike<unknown>): Promise<unknown> {
  const result = await Promise.resolve(promise).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  if (result === null) throw new Error('expected a rejection, but the call succeeded')
  return result.error
}
