import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createInstruction, visaCard } from '../agentic.ts'
import { findAxeViolations } from './axe.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** A bidirectional override makes this name look like that of a picture. */
const turned = 'invoice\u202egnp.exe'
const long = 'x'.repeat(180)

const createDemo = ({ owner }: StartedWindow) =>
  owner.host.createVault({ name: 'demo', protection: { memory: true } })

/** Returns how far the contents of an element reach beyond it, in pixels. */
const readOverflow = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.scrollWidth - element.clientWidth)

const readPageOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight)

test('Z-03 opening one of many agents shows its instructions, and marks its name', async () => {
  const { page } = await openWindow({
    async prepareVault(vault) {
      await createDemo(vault)
      await createInstruction(vault, visaCard, 'Travel')
      for (let at = 0; at < 60; at++) await vault.owner.agents.create({ name: `Agent ${at}` })
      await vault.owner.agents.create({ name: long })
      await vault.owner.agents.create({ name: turned })
    },
  })
  await page.setViewportSize({ width: 900, height: 700 })
  await goTo(page, '#/agents')
  await page.getByRole('button', { name: 'invoiceU+202Egnp.exe' }).waitFor()
  // An id of one line can be selected by a double click.
  const id = page.getByRole('cell', { name: /^agt_/ }).first()
  expect((await id.boundingBox())?.height).toBeLessThan(36)
  const travel = page.getByRole('button', { name: 'Travel' })
  await travel.focus()
  await page.keyboard.press('Enter')
  const heading = page.getByRole('heading', { name: 'Instructions of Travel' })
  await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
  const instruction = page.getByText('A train ticket')
  await instruction.waitFor()
  for (const shown of [heading, instruction]) {
    const top = (await shown.boundingBox())?.y ?? 0
    expect(top).toBeGreaterThan(90)
    expect(top).toBeLessThan(680)
  }
  const row = page.getByRole('row', { name: /Travel/ })
  expect(await row.getAttribute('aria-current')).toBe('true')
  expect(await readOverflow(page, '.screen-scroll')).toBe(0)
})

test('Z-03 long names of merchants, registrations and domains stay within their screens', async () => {
  const { page } = await openWindow({
    async prepareVault(vault) {
      await createDemo(vault)
      const { applePay, invitations, merchants, wallets } = vault.owner
      await invitations.create({ email: `${'e'.repeat(60)}@${'long-part.'.repeat(10)}example.com` })
      await merchants.create({ tenant_id: 'self', name: long })
      await wallets.createMerchant({ wallet: 'apple', merchant_identifier: long })
      for (let at = 0; at < 20; at++) {
        await wallets.createMerchant({ wallet: 'google', merchant_identifier: `${at}` })
      }
      await applePay.createDomain({ domain: `${'long-part.'.repeat(20)}example.com` })
    },
  })
  for (const [hash, selector, shown, rows] of [
    ['#/settings/members', '.settings-body', page.getByRole('button', { name: /^Delete the invitation/ }), 0],
    ['#/merchants', '.screen-scroll', page.getByRole('button', { name: /^Delete the merchant x/ }), 1],
    ['#/merchants?view=wallets', '.screen-scroll', page.getByText('Domains:'), 21],
  ] as const) {
    await goTo(page, hash)
    await shown.waitFor()
    await checkWidths(page, selector, rows)
  }
})

/** Checks that only the part of the page scrolls, and that each id is on one line. */
async function checkWidths(page: Page, selector: string, rows: number): Promise<void> {
  for (const width of [900, 2560]) {
    await page.setViewportSize({ width, height: 800 })
    expect({ width, overflow: await readOverflow(page, selector) }).toEqual({ width, overflow: 0 })
    const lines = page.getByRole('cell', { name: /^[\da-f-]{36}$/ }).evaluateAll((cells) =>
      cells.map((cell) => {
        const text = document.createRange()
        text.selectNodeContents(cell)
        return text.getClientRects().length
      }),
    )
    expect({ width, lines: await lines }).toEqual({ width, lines: Array(rows).fill(1) })
    // Only the section scrolls, not the page.
    expect(await readPageOverflow(page)).toBe(0)
  }
  expect(await findAxeViolations(page)).toEqual([])
}

test('Z-02 a registration is only deleted with its certificates after its name was typed', async () => {
  const { vault, page } = await openWindow({
    async prepareVault(vault) {
      await createDemo(vault)
      await vault.owner.wallets.createMerchant({ wallet: 'google', merchant_identifier: 'shop' })
    },
  })
  await goTo(page, '#/merchants?view=wallets')
  await page.getByRole('button', { name: 'Delete the registration shop' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this registration?' })
  await dialog.getByRole('textbox').fill('sho')
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  expect((await vault.owner.wallets.getOverview()).merchants).toHaveLength(1)
  await dialog.getByRole('textbox').fill('shop')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No registrations yet').waitFor()
  await page.getByText('/google-pay/merchant-registration').waitFor()
  await dialog.waitFor({ state: 'detached' })
})

test('the palette finds merchants, wallets and the account updater', async () => {
  const { page } = await openWindow({ prepareVault: createDemo })
  await page.keyboard.press('Control+k')
  for (const [text, found] of [
    ['apple pay', 'Apple Pay and Google Pay'],
    ['merchant', 'Merchants'],
    ['account updater', 'Jobs of the account updater'],
  ] as const) {
    await page.getByPlaceholder(/Search screens/).fill(text)
    await page.locator('#palette-hits [data-action]').first().getByText(found).waitFor()
  }
})
