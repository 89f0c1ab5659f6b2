import { expect, type Page } from '@playwright/test'
import { test } from './coffer.ts'

async function pay(page: Page, number: string) {
  await page.goto('/')
  await page.getByLabel('Card').fill(number)
  await page.getByRole('button', { name: 'Pay' }).click()
}

test('the page pays with a valid card', async ({ coffer, page }) => {
  await pay(page, '4242424242424242')
  await expect(page.locator('output')).toHaveText('Paid')
  await pay(page, '4242424242424241')
  await expect(page.locator('output')).toHaveText('Refused')
  const list = await fetch(`${coffer.url}/v2/tokens?type=card_number`, {
    headers: { 'SVC-API-KEY': coffer.keys.private },
  })
  // One token is from the seed, one from this test.
  expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(2)
})

test('the page reports that the vault is down', async ({ coffer, page }) => {
  await coffer.fault({ name: 'down', operations: ['tokens.create'], status: 503 })
  await pay(page, '4242424242424242')
  await expect(page.locator('output')).toHaveText('Refused')
})
