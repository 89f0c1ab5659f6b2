import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCoffer } from 'coffer/testing'
import { checkout } from '../checkout.ts'

const seed = fileURLToPath(new URL('../coffer.seed.yaml', import.meta.url))
const coffer = await startCoffer({ seed })
beforeEach(() => coffer.reset())
after(() => coffer.close())

const vault = { url: coffer.url, key: coffer.keys.private }
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 }

test('checkout stores a card as a token', async () => {
  const { last4 } = await checkout(vault, card, 'order-1')
  assert.equal(last4, '4242')
})

test('checkout rejects an invalid card', async () => {
  await assert.rejects(
    checkout(vault, { ...card, number: '4242424242424241' }, 'order-2'),
    /refused with 400/,
  )
})
