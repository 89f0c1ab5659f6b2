import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findElement, findElementIn, type Shop, startShop } from './start-shop.ts'

const readHeight = (page: Page, title: string) =>
  page.locator(`iframe[title="${title}"]`).evaluate((iframe) => iframe.clientHeight)

test('an element in a hidden tab panel gets its height when it becomes visible', {
  tags: 'thorough',
}, async () => {
  const { page, faults } = await startShop('plain', { fresh: false })
  await page.evaluate(async () => {
    const { bt } = window as Shop
    const tab = document.body.appendChild(document.createElement('section'))
    tab.id = 'tab'
    tab.style.display = 'none'
    const card = bt.createElement('card', { title: 'Card' })
    let ready = 0
    card.on('ready', () => ready++)
    Object.assign(window, { card, ready: () => ready })
    await card.mount('#tab')
  })
  expect(await readHeight(page, 'Card')).toBe(0)
  const input = findElement(page, 'Card').getByLabel('Card number')
  for (let turn = 0; turn < 3; turn++) {
    await page.evaluate(() => document.getElementById('tab')?.removeAttribute('style'))
    await expect.poll(() => readHeight(page, 'Card')).toBeGreaterThanOrEqual(20)
    await input.fill(turn === 0 ? '4242' : '')
    await page.evaluate(() => document.getElementById('tab')?.setAttribute('style', 'display:none'))
    if (turn === 0) expect(await input.inputValue()).toBe('4242')
  }
  expect(await page.evaluate(() => (window as unknown as { ready: () => number }).ready())).toBe(1)
  expect(faults).toEqual([])
})

test('elements work in open, closed and nested shadow trees', {
  tags: 'thorough',
}, async () => {
  const { page, vault, faults } = await startShop('plain', { fresh: false })
  await page.evaluate(async () => {
    const { bt } = window as Shop
    const outer = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
    const host = outer.appendChild(document.createElement('div'))
    const inner = host.attachShadow({ mode: 'closed' })
    const place = inner.appendChild(document.createElement('div'))
    const card = bt.createElement('card', { title: 'Card' })
    await card.mount(place)
    Object.assign(window, { card, host })
  })
  const frame = page.frames().find((each) => each.url().includes('/elements/frame?'))
  if (!frame) throw new Error('The element has no frame.')
  await frame.locator('input').first().click()
  await page.keyboard.type('42424242424242421230123')
  const made = await page.evaluate(() => {
    const { bt, card } = window as Shop & { card: never }
    return bt.tokens.create({ type: 'card', data: card })
  })
  expect((await vault.owner.tokens.reveal({ id: made.id })).data).toMatchObject({ cvc: '123' })
  const problem = await page.evaluate(async () => {
    const { bt, card, host } = window as unknown as Shop & { card: never; host: HTMLElement }
    host.remove()
    return bt.tokens.create({ type: 'card', data: card }).catch((error: Error) => error.message)
  })
  expect(problem).toBe('Element was removed from the DOM')
  expect(faults).toEqual([])
})

test('two instances with different keys reject each other’s elements', { tags: 'thorough' }, async () => {
  const { page, vault, key, faults } = await startShop('web-elements-2')
  const other = await vault.application({ type: 'public', permissions: ['token:create'] })
  const made = await page.evaluate(async (key) => {
    const shop = window as Shop
    const first = shop.bt
    const second = await shop.start(key)
    const elements = await Promise.all(
      [first, second].map(async (bt, at) => {
        const place = document.body.appendChild(document.createElement('div'))
        const text = bt.createElement('text', {
          targetId: `text-${at}`,
          title: `Text ${at}`,
          value: `${at}`,
        } as never)
        await text.mount(place)
        return text
      }),
    )
    const [one, two] = elements
    const ids = [
      await first.tokens.create({ type: 'token', data: one as never }),
      await second.tokens.create({ type: 'token', data: two as never }),
    ].map(({ id }) => id)
    const rejection = await first.tokens
      .create({ type: 'token', data: { one, two } as never })
      .catch((error: Error) => error.message)
    let mirrored = ''
    try {
      one?.setValueRef(two as never)
    } catch (error) {
      mirrored = (error as Error).message
    }
    return { ids, rejection, mirrored }
  }, other.key)
  const apart = 'The element was created by an init call with another key.'
  expect([made.rejection, made.mirrored]).toEqual([apart, apart])
  const [first, second] = await Promise.all(made.ids.map((id) => vault.owner.tokens.reveal({ id })))
  expect([first?.data, second?.data]).toEqual(['0', '1'])
  expect(first?.created_by).not.toBe(second?.created_by)
  expect(second?.created_by).toBe(other.id)
  expect(key).not.toBe(other.key)
  expect(faults).toEqual([])
})

// mount.test.ts has a test with the same strict policy.
test('elements work under the minimal content security policy', {
  tags: 'thorough',
}, async () => {
  const policy =
    "default-src 'none'; script-src 'unsafe-inline' http://127.0.0.1:*; frame-src http://127.0.0.1:*"
  const { page, vault, faults } = await startShop('web-elements-2', {
    headers: { 'Content-Security-Policy': policy },
  })
  const id = await page.evaluate(async () => {
    const { bt } = window as Shop
    for (const type of [
      'card',
      'cardNumber',
      'cardExpirationDate',
      'cardVerificationCode',
      'text',
    ] as const) {
      const place = document.body.appendChild(document.createElement('div'))
      const made = bt.createElement(type as 'text', { targetId: type, title: type, value: 'x' } as never)
      await made.mount(place)
      if (type === 'text') return (await bt.tokens.create({ type: 'token', data: made })).id
    }
    return ''
  })
  expect((await vault.owner.tokens.reveal({ id })).data).toBe('x')
  expect(await readHeight(page, 'card')).toBeGreaterThanOrEqual(20)
  expect(faults).toEqual([])
})

test('a page whose content security policy forbids frames gets instructions', {
  tags: 'thorough',
}, async () => {
  const { page } = await startShop('plain', {
    headers: { 'Content-Security-Policy': "script-src 'unsafe-inline' http://127.0.0.1:*; frame-src 'none'" },
  })
  const error = await page.evaluate(() =>
    (window as Shop).bt
      .createElement('text', { targetId: 'a' })
      .mount('#app')
      .catch(({ name, message }: Error) => ({ name, message })),
  )
  expect(error).toMatchObject({ name: 'BasisTheoryConfigurationError' })
  // The element's container contains no input.
  expect(await findElementIn(page, 'app').locator('input').count()).toBe(0)
})
