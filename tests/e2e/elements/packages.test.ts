import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { pickSome } from '../../thorough.ts'
import { type Fixture, type Shop, startShop } from './start-shop.ts'

/** `npm test` tries only the first package. isolation.test.ts uses the second one, and a test below the third. */
const packages = pickSome<Fixture>(['web-elements-1', 'web-elements-2', 'js', 'tag'], 1)

/** Mounts a form with a card and a name. The page stores both as `card` and `name`. */
async function showForm(page: Page) {
  await page.evaluate(async () => {
    const { bt } = window as Shop
    const box = document.querySelector('#app') as HTMLElement
    box.innerHTML = '<div id="card"></div><div id="name"></div><div id="date"></div>'
    const card = bt.createElement('card', { title: 'Card' })
    const name = bt.createElement('text', { targetId: 'name', title: 'Name' })
    const date = bt.createElement('cardExpirationDate', { targetId: 'date', title: 'Date' })
    Object.assign(window, { card, holder: name, date })
    await Promise.all([card.mount('#card'), name.mount('#name'), date.mount('#date')])
  })
  const card = page.frameLocator('#card iframe').locator('input')
  return {
    card,
    name: page.frameLocator('#name iframe').locator('input'),
    date: page.frameLocator('#date iframe').locator('input'),
    async fillForm() {
      await card.nth(0).fill('')
      // Each complete value moves the focus to the next input.
      await page.keyboard.type('4242424242424242')
      await page.keyboard.type('1230')
      await page.keyboard.type('123')
      await this.name.fill('Ada Lovelace')
      await this.date.fill('04/29')
    },
  }
}

type PackagesPage = Shop & {
  card: never
  holder: never
  date: Record<'month' | 'year' | 'format', (format?: string) => never>
}

test.each(packages)('%s validates elements and creates tokens with a public key', async (fixture) => {
  const { page, vault, refused, faults } = await startShop(fixture, {
    permissions: ['token:create', 'token:update', 'token-intent:create'],
  })
  const form = await showForm(page)
  await form.name.fill('Ada')
  await form.card.nth(0).fill('4242424242424241')
  const error = await page.evaluate(async () => {
    const { bt, card, holder } = window as PackagesPage
    try {
      await bt.tokenize({ first: { type: 'card', data: card }, second: { type: 'token', data: holder } })
      return null
    } catch (error) {
      const { name, message, details, validation } = error as Error & {
        details: { first: { data: unknown } }
        validation: unknown
      }
      return { name, message, details, validation, isAlias: details.first.data === details.first }
    }
  })
  expect(error).toEqual({
    name: 'BasisTheoryValidationError',
    message: expect.any(String),
    details: {
      first: {
        number: { type: 'invalid' },
        expiration_month: { type: 'incomplete' },
        expiration_year: { type: 'incomplete' },
        cvc: { type: 'incomplete' },
      },
    },
    validation: [
      { targetId: 'cardNumber', type: 'invalid' },
      { targetId: 'expirationDate', type: 'incomplete' },
      { targetId: 'cvc', type: 'incomplete' },
    ],
    isAlias: true,
  })
  expect((await vault.owner.tokens.list({})).data).toEqual([])

  await form.fillForm()
  const made = await page.evaluate(async () => {
    const { bt, card, holder, date } = window as PackagesPage
    const token = await bt.tokens.create({ type: 'card', data: card, metadata: { orderId: 'Order-1' } })
    const updated = await bt.tokens.update(token.id, { metadata: { orderId: 'Order-2' } })
    const tokenized = await bt.tokenize({
      person: {
        type: 'token',
        data: { name: holder, month: date.month(), year: date.year(), text: date.format('yyyy-MM') },
      },
    })
    const intent = await bt.tokenIntents.create({ type: 'card', data: card })
    return { token, updated, tokenized, intent }
  })
  expect(made.token).toMatchObject({ type: 'card', tenantId: expect.any(String) })
  expect(made.updated.metadata).toEqual({ orderId: 'Order-2' })
  expect(made.intent).toMatchObject({ type: 'card', card: { last4: '4242', expirationMonth: 12 } })
  const { client } = await vault.application({
    rules: [
      { description: 'all', priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] },
    ],
  })
  const stored = await client.tokens.get({ id: made.token.id })
  expect(stored.data).toEqual({
    number: '4242424242424242',
    expiration_month: 12,
    expiration_year: 2030,
    cvc: '123',
  })
  const person = (made.tokenized as { person: { id: string } }).person
  expect((await client.tokens.get({ id: person.id })).data).toEqual({
    name: 'Ada Lovelace',
    month: 4,
    year: 2029,
    text: '2029-04',
  })
  expect(refused).toEqual([])
  expect(faults).toEqual([])

  const refusal = await page.evaluate(async () => {
    const { bt, holder } = window as PackagesPage
    try {
      await bt.tokens.create({ type: 'card', data: holder })
      return null
    } catch (error) {
      const { name, status, data } = error as Error & { status: number; data: unknown }
      return { name, status, data }
    }
  })
  expect(refusal).toMatchObject({ name: 'BasisTheoryApiError', status: 400, data: { status: 400 } })
})

test.each(pickSome<Fixture>(['js', 'react'], 1))(
  '%s accepts the script’s URL as an option',
  async (fixture) => {
    const { page, url, refused, faults } = await startShop(fixture, { hasLine: false })
    const script = await page.locator('script[src]').getAttribute('src')
    expect(script).toBe(`${url}/elements.js`)
    const token = await page.evaluate(async () => {
      const { bt } = window as Shop
      const place = document.body.appendChild(document.createElement('div'))
      const text = bt.createElement('text', { targetId: 'text', value: 'typed' } as never)
      await text.mount(place)
      return bt.tokens.create({ type: 'token', data: text })
    })
    expect(token).toMatchObject({ type: 'token', id: expect.any(String) })
    expect([refused, faults]).toEqual([[], []])
  },
)

test.each(packages)(
  '%s rejects with the name and properties of the error class',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, context, url, key } = await startShop(fixture)
    const form = await showForm(page)
    await form.name.fill('Ada')
    const destination = http.createServer((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
      response.setHeader('Content-Type', 'application/json')
      response.statusCode = request.method === 'OPTIONS' ? 204 : 422
      response.end(request.method === 'OPTIONS' ? '' : '{"reason":"no"}')
    })
    await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      destination.closeAllConnections()
      destination.close()
    })
    const address = `http://127.0.0.1:${(destination.address() as AddressInfo).port}/`
    /** Returns the error with which a call in the page rejects. */
    const getError = (code: string) =>
      page.evaluate(
        async ({ code, address }) => {
          const call = new Function('bt', 'holder', 'date', 'address', `return ${code}`)
          const { bt, holder, date } = window as PackagesPage
          try {
            await call(bt, holder, date, address)
            return 'no error'
          } catch (error) {
            const { name, message, ...members } = error as Error
            return { name, isError: error instanceof Error, isTold: message.length > 0, ...members }
          }
        },
        { code, address },
      )
    const is = { isError: true, isTold: true }
    expect(await getError('bt.client.post(address, { a: holder })')).toEqual({
      ...is,
      name: 'HttpClientError',
      status: 422,
      data: { reason: 'no' },
      headers: expect.objectContaining({ 'content-type': 'application/json' }),
    })
    expect(await getError("bt.tokens.retrieve('none')")).toMatchObject({
      ...is,
      name: 'BasisTheoryApiError',
      status: 403,
      data: { status: 403, title: expect.any(String) },
    })
    expect(await getError('bt.tokenize({ a: [{ b: date.month() }, holder], c: { d: date } })')).toEqual({
      ...is,
      name: 'BasisTheoryValidationError',
      details: { a: { 0: { b: { type: 'incomplete' } } }, c: { d: { type: 'incomplete' } } },
      validation: [
        { targetId: 'date', type: 'incomplete' },
        { targetId: 'date', type: 'incomplete' },
      ],
    })
    expect(
      await getError("bt.createElement('text', { targetId: 'x', validation: /(a+)+$/ }).mount('#app')"),
    ).toEqual({
      ...is,
      name: 'BasisTheoryConfigurationError',
      details: {
        configuration: { type: 'invalid-configuration', message: expect.stringContaining('validation') },
      },
    })
    expect(await getError("bt.createElement('text', {}).mount('#app')")).toMatchObject({
      ...is,
      name: 'BasisTheoryConfigurationError',
    })
    // The vault is unreachable.
    await context.route(`${url}/**`, (route) => route.abort())
    expect(await getError('bt.tokens.create({ type: "token", data: holder })')).toEqual({
      ...is,
      name: 'BasisTheoryApiError',
      status: -1,
      data: undefined,
    })
    expect(JSON.stringify(await getError('bt.tokens.create({ type: "token", data: holder })'))).not.toContain(
      key,
    )
  },
)
