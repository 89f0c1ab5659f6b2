import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startListener } from '../../listener.ts'
import { openPage } from './open-page.ts'
import { findElementIn, type Shop, startShop } from './start-shop.ts'

type TagPage = Omit<Shop, 'basistheory'> & {
  basistheory(key?: string, options?: object): Promise<Shop['bt']>
  /** Defined only by the oldest script. */
  BasisTheory?: Shop['bt'] & { init(key: string, options: object): Promise<Shop['bt']> }
  card: never
}

/** Types a complete card into the element in `#app`. */
async function typeCard(page: Page) {
  await findElementIn(page, 'app').locator('input').nth(0).fill('')
  // Each complete value moves the focus to the next input.
  await page.keyboard.type('4242424242424242')
  await page.keyboard.type('1230')
  await page.keyboard.type('123')
}

test('N-01 a page with a script tag alone creates a token intent', async () => {
  const { page, key, refused, faults } = await startShop('tag', { permissions: ['token-intent:create'] })
  await page.evaluate(async (key) => {
    const shop = window as TagPage
    const options = { environment: 'test', useSameOriginApi: true, disableTelemetry: true, debug: true }
    shop.bt = await shop.basistheory(key, { ...options, customDomain: 'https://pay.shop.test' })
    const card = shop.bt.createElement('card', {})
    Object.assign(shop, { card })
    await card.mount('#app')
  }, key)
  await typeCard(page)
  const intent = await page.evaluate(() => {
    const { bt, card } = window as TagPage
    return bt.tokenIntents.create({ type: 'card', data: card })
  })
  expect(intent).toMatchObject({
    type: 'card',
    card: { last4: '4242' },
    _debug: { btTraceId: expect.any(String) },
  })
  expect([refused, faults]).toEqual([[], []])
})

test.each([undefined, ''])('N-01 basistheory(%j) rejects as the official loader does', async (key) => {
  const { page } = await startShop('tag', { fresh: false })
  const message = await page.evaluate(
    (key) => (window as TagPage).basistheory(key).catch((error: Error) => error.message),
    key,
  )
  expect(message).toBe('API key is required')
})

test('N-01 /elements.js defines basistheory too, unless the page has one', async () => {
  const { page, url } = await startShop('plain', { fresh: false })
  expect(await page.evaluate(() => typeof (window as TagPage).basistheory)).toBe('function')
  expect(await page.evaluate(() => typeof (window as TagPage).BasisTheory)).toBe('undefined')
  await page.evaluate(async (src) => {
    Object.assign(window, { basistheory: 'own', BasisTheoryElements: undefined })
    const tag = Object.assign(document.createElement('script'), { src })
    const loaded = new Promise((resolve) => tag.addEventListener('load', resolve))
    document.head.append(tag)
    await loaded
  }, `${url}/elements.js`)
  expect(await page.evaluate(() => (window as TagPage).basistheory)).toBe('own')
})

test('N-01 the script at the root of a host defines BasisTheory, as the oldest official script does', async () => {
  const { page, context, key, url } = await startShop('plain')
  await context.route('https://js.basistheory.com/', async (route) => {
    const script = await fetch(`${url}/elements.js`)
    await route.fulfill({ contentType: 'text/javascript', body: await script.text() })
  })
  await page.evaluate(() => Object.assign(window, { BasisTheoryElements: undefined }))
  await page.addScriptTag({ url: 'https://js.basistheory.com' })
  const token = await page.evaluate(async (key) => {
    const { BasisTheory } = window as TagPage
    if (!BasisTheory) throw new Error('The script defines no BasisTheory.')
    const bt = await BasisTheory.init(key, { elements: true })
    const text = BasisTheory.createElement('text', { targetId: 'text', value: 'typed' } as never)
    await text.mount('#app')
    const viaResult = await bt.tokens.create({ type: 'token', data: text })
    return { viaResult, viaGlobal: await BasisTheory.tokens.create({ type: 'token', data: 'plain' }) }
  }, key)
  expect(token).toMatchObject({ viaResult: { type: 'token' }, viaGlobal: { type: 'token' } })
})

test('N-01 a tag with the official hash is blocked by the browser, which prints why', async () => {
  const { answer, origin, page, faults } = await openPage('shop', { fresh: true })
  const { url } = await startListener()
  const integrity = `sha384-${'A'.repeat(64)}`
  answer.html = `<!doctype html><html lang="en"><title>A shop</title>
    <script src="${url}/web-elements/2.12.2/index.js" integrity="${integrity}" crossorigin="anonymous"></script></html>`
  await page.goto(origin)
  expect(await page.evaluate(() => typeof (window as TagPage).basistheory)).toBe('undefined')
  expect(faults.join()).toMatch(/Failed to find a valid digest in the 'integrity' attribute/)
})
