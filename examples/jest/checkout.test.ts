import { beforeEach, expect, test } from '@jest/globals'
import type { RunningCoffer } from 'coffer/testing'
import { checkout } from '../checkout.ts'

/** The vault of this file, from coffer-environment.mjs. */
declare const coffer: RunningCoffer
beforeEach(() => coffer.reset())

const vault = { url: coffer.url, key: coffer.keys.private }
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 }
const get = (path: string) => fetch(vault.url + path, { headers: { 'SVC-API-KEY': vault.key } })

test('checkout stores a card as a token', async () => {
  const { token, last4 } = await checkout(vault, card, 'order-1')
  expect(last4).toBe('4242')
  expect((await get(`/tokens/${token}`)).status).toBe(200)
})

test('checkout retries when the vault is busy', async () => {
  await coffer.fault({ name: 'busy', operations: ['tokens.create'], status: 503, count: 1 })
  expect((await checkout(vault, card, 'order-2')).last4).toBe('4242')
})

test('the vault has only the tokens of the seed and of this test', async () => {
  await checkout(vault, card, 'order-1')
  const list = (await (await get('/v2/tokens?size=100')).json()) as { data: unknown[] }
  expect(list.data).toHaveLength(22)
})
