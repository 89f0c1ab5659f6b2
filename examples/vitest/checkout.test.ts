import { fileURLToPath } from 'node:url'
import { startCoffer } from 'coffer/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { checkout } from '../checkout.ts'

const coffer = await startCoffer({ seed: fileURLToPath(new URL('../coffer.seed.yaml', import.meta.url)) })
beforeEach(() => coffer.reset())
afterAll(() => coffer.close())

const vault = { url: coffer.url, key: coffer.keys.private }
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 }
const get = (id: string) => fetch(`${vault.url}/tokens/${id}`, { headers: { 'SVC-API-KEY': vault.key } })

test('checkout stores a card as a token', async () => {
  const { token, last4 } = await checkout(vault, card, 'order-1')
  expect(last4).toBe('4242')
  expect(await (await get(token)).json()).toMatchObject({ metadata: { order: 'order-1' } })
})

test('a retry after a lost response creates no second token', async () => {
  await coffer.fault({ name: 'lost', operations: ['tokens.create'], cut: true, when: 'after', count: 1 })
  await checkout(vault, card, 'order-2')
  const list = await fetch(`${vault.url}/v2/tokens?metadata.order=order-2`, {
    headers: { 'SVC-API-KEY': vault.key },
  })
  expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(1)
})

test('the shop reports that the vault is down', async () => {
  await coffer.fault({ name: 'down', operations: ['tokens.create'], status: 503 })
  await expect(checkout(vault, card, 'order-3')).rejects.toThrow('does not answer')
})

test('a token expires when the vault’s clock is set forward', async () => {
  expect((await get('gift-card')).status).toBe(200)
  await coffer.setNow(new Date('2040-01-02T00:00:00Z'))
  expect((await get('gift-card')).status).toBe(404)
})
