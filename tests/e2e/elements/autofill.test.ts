import fs from 'node:fs'
import { chromium, type Frame, type Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { findChromium, getChromiumOptions } from '../chromium.ts'
import { findElement, type Shop, startShop } from './start-shop.ts'

const year = String(new Date().getFullYear() + 2)
const card = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  expiryMonth: '07',
  expiryYear: year,
  cvc: '123',
}
const shown = ['4242 4242 4242 4242', `07/${year.slice(-2)}`, '123']

test('events of browser autofill are handled like typing', async () => {
  const { page, vault, faults } = await startShop('plain', { fresh: false })
  await page.evaluate(async () => {
    const card = (window as Shop).bt.createElement('card', { title: 'Card' })
    Object.assign(window, { card })
    await card.mount('#app')
    // The user has typed into one input of the page, and the browser fills in the others.
    document.body.append(Object.assign(document.createElement('input'), { id: 'own' }))
  })
  await page.locator('#own').focus()
  const inputs = findElement(page, 'Card').getByRole('textbox')
  for (const [at, text] of [card.number, `07/${year}`, card.cvc].entries()) {
    // Chromium sends keydown and keyup without a key, and `input` without an input type.
    await inputs.nth(at).evaluate((input: HTMLInputElement, text) => {
      input.dispatchEvent(new Event('keydown', { bubbles: true }))
      input.value = text
      for (const type of ['input', 'keyup', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
    }, text)
  }
  expect(await inputs.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))).toEqual(
    shown,
  )
  const id = await page.evaluate(async () => {
    const { bt, card } = window as Shop & { card: never }
    return (await bt.tokens.create({ type: 'card', data: card })).id
  })
  expect((await vault.owner.tokens.reveal({ id })).data).toMatchObject({ expiration_year: Number(year) })
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('own')
  expect(faults).toEqual([])
})

// The headless shell does not support autofill.
const full = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  findChromium(),
].find((file) => fs.existsSync(file) && !file.includes('headless-shell'))

test.skipIf(!full)('Chromium fills in card elements with a saved card', { tags: 'thorough' }, async () => {
  const { origin, key, vault } = await startShop('plain')
  const browser = await chromium.launch({
    ...getChromiumOptions(),
    ...(full && { executablePath: full }),
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run'],
    ignoreDefaultArgs: ['--headless', '--headless=old'],
  })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(origin)
  await page.evaluate(async (key) => {
    const shop = window as Shop
    shop.bt = await shop.start(key)
    const addElement = async (type: string, options: object) => {
      const place = document.body.appendChild(document.createElement('div'))
      const made = shop.bt.createElement(type as 'text', { targetId: type, title: type, ...options } as never)
      const changes: unknown[] = []
      made.on('change', (event) => changes.push(event))
      Object.assign(window, { [type]: made, [`${type}-changes`]: changes })
      await made.mount(place)
    }
    await addElement('card', {
      autoComplete: { number: 'cc-number', expirationDate: 'cc-exp', csc: 'cc-csc' },
    })
    await addElement('cardNumber', { autoComplete: 'cc-number' })
    await addElement('cardExpirationDate', { autoComplete: 'cc-exp' })
    await addElement('cardVerificationCode', { autoComplete: 'cc-csc' })
  }, key)
  const readValues = (title: string) =>
    page
      .frameLocator(`iframe[title="${title}"]`)
      .getByRole('textbox')
      .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))
  await fillByBrowser(page, 'card')
  expect(await readValues('card')).toEqual(shown)
  const last = await page.evaluate(() => {
    const noted = (window as unknown as Record<string, unknown[]>)['card-changes']
    return noted?.at(-1)
  })
  expect(last).toMatchObject({ complete: true, cardBrand: 'visa', cardLast4: '4242' })
  const id = await page.evaluate(async () => {
    const { bt, card } = window as Shop & { card: never }
    return (await bt.tokens.create({ type: 'card', data: card })).id
  })
  expect((await vault.owner.tokens.reveal({ id })).data).toMatchObject({ number: card.number, cvc: '123' })
  await fillByBrowser(page, 'cardNumber')
  const [number, expiry, code] = shown
  expect(await readValues('cardNumber')).toEqual([number])
  expect(await readValues('cardExpirationDate')).toEqual([expiry])
  expect(await readValues('cardVerificationCode')).toEqual([code])
  expect(faults).toEqual([])
})

/** Triggers autofill at the first input of an element. Waits until the browser has recognized the form. */
async function fillByBrowser(page: Page, title: string): Promise<void> {
  const iframe = await page.locator(`iframe[title="${title}"]`).elementHandle()
  const frame = await iframe?.contentFrame()
  if (!frame) throw new Error('The element has no frame.')
  const input = frame.locator('input').first()
  await input.click()
  await expect
    .poll(async () => {
      await triggerAutofill(page, frame)
      return input.inputValue()
    })
    .not.toBe('')
}

async function triggerAutofill(page: Page, frame: Frame): Promise<void> {
  const session = await page.context().newCDPSession(frame)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { result } = await session.send('Runtime.evaluate', { expression: 'document.querySelector("input")' })
  const { node } = await session.send('DOM.describeNode', { objectId: result.objectId ?? '' })
  try {
    await session.send('Autofill.trigger', {
      fieldId: node.backendNodeId,
      frameId: frameTree.frame.id,
      card,
    })
  } catch {
    // The browser has not recognized the field yet.
  } finally {
    await session.detach()
  }
}
