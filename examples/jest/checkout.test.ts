import { beforeEach, expect, test } from '@jest/globals'
import { checkout } from '../checkout.ts'

const { VAULT_URL: url = '', VAULT_KEY: key = '', VAULT_MANAGEMENT_KEY: management = '' } = process.env
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 }

/** The vault runs outside of the tests: what it can be told goes over HTTP. */
const tell = (path: string, body: object = {}) =>
  fetch(`${url}/_coffer/${path}`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': management, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
beforeEach(() => tell('reset'))

test('a card becomes a token', async () => {
  expect((await checkout({ url, key }, card, 'order-1')).last4).toBe('4242')
})

test('a vault that is busy is tried again', async () => {
  await tell('faults', { name: 'busy', operations: ['tokens.create'], status: 503, count: 1 })
  expect((await checkout({ url, key }, card, 'order-2')).last4).toBe('4242')
})
