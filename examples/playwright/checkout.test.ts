import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCoffer } from 'coffer/testing'
import { chromium } from 'playwright-core'

/** The page under test: it sends the card straight to the vault, with a key that may do nothing else. */
const page = (url: string, key: string) => `<!doctype html><title>Shop</title>
<form><label>Card <input name="number"></label><button>Pay</button></form><output></output>
<script>
document.forms[0].addEventListener('submit', async (event) => {
  event.preventDefault()
  const data = document.forms[0].number.value
  const answer = await fetch('${url}/tokens', {
    method: 'POST',
    headers: { 'SVC-API-KEY': '${key}', 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'card_number', data }),
  })
  document.querySelector('output').textContent = answer.ok ? 'Paid' : 'Refused'
})
</script>`

let html = ''
const shop = http.createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html').end(html)
})
await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`

const seed = fileURLToPath(new URL('../coffer.seed.yaml', import.meta.url))
const coffer = await startCoffer({ seed, origins: [origin] })
html = page(coffer.url, coffer.keys.public)
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
after(async () => {
  await browser.close()
  shop.close()
  await coffer.close()
})

async function pay(number: string): Promise<string | null> {
  const tab = await browser.newPage()
  await tab.goto(origin)
  await tab.getByLabel('Card').fill(number)
  await tab.getByRole('button', { name: 'Pay' }).click()
  const output = tab.locator('output:not(:empty)')
  await output.waitFor()
  return output.textContent()
}

test('the page pays with a card that passes its check', async () => {
  assert.equal(await pay('4242424242424242'), 'Paid')
  assert.equal(await pay('4242424242424241'), 'Refused')
})

test('and says so when the vault is down', async () => {
  await coffer.fault({ name: 'down', operations: ['tokens.create'], status: 503 })
  assert.equal(await pay('4242424242424242'), 'Refused')
})
