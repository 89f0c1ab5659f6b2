import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { findElement, type Shop, startShop } from './start-shop.ts'

const number = '4242424242424242'

/** Mounts a text element with this title, which is also its target id, and returns its input. */
async function mountText(page: Page, title: string) {
  await page.evaluate(async (title) => {
    const { bt } = window as Shop
    const place = document.createElement('div')
    place.id = `place-${title}`
    document.body.append(place)
    const made = bt.createElement('text', { targetId: title, title })
    const elements = window as unknown as Record<string, unknown>
    elements[title] = made
    await made.mount(`#place-${title}`)
  }, title)
  return findElement(page, title).locator('input')
}

/** Starts a shop whose application may read plaintext. */
async function startReader() {
  const shop = await startShop('plain')
  const rules = [
    {
      priority: 1,
      container: '/',
      transform: 'reveal' as const,
      permissions: ['token:read' as const, 'token:use' as const],
    },
  ]
  const reader = await shop.vault.application({ type: 'private', rules })
  return { ...shop, apiKey: reader.key, reader }
}

test('X-62 X-60 a reference reveals a value only in an element, and a forged one fails', async () => {
  const { page, context, origin, vault, apiKey, reader, faults } = await startReader()
  const { id } = await vault.owner.tokens.create({ type: 'token', data: { number, pin: 1234 } })
  const shown = await mountText(page, 'shown')
  const second = await mountText(page, 'second')
  const references = await page.evaluate(
    async ({ id, apiKey }) => {
      const { bt } = window as Shop
      const token = (await bt.tokens.retrieve(id, { apiKey })) as { data: Record<string, unknown> }
      return token.data
    },
    { id, apiKey },
  )
  expect(JSON.stringify(references)).not.toContain(number)
  const setReference = (title: string, reference: unknown) =>
    page.evaluate(
      ({ title, reference }) => {
        const made = (window as unknown as Record<string, { setValue(reference: unknown): void }>)[title]
        made?.setValue(reference)
      },
      { title, reference },
    )
  const { number: real, pin } = references as Record<
    string,
    { correlationId: string; elementId: string; path: string }
  >
  await setReference('shown', real)
  await expect.poll(() => shown.inputValue()).toBe(number)
  await setReference('second', {
    ...real,
    correlationId: pin?.correlationId === real?.correlationId ? 'forged' : pin?.correlationId,
  })
  await setReference('second', { ...real, path: 'data.number' })
  await setReference('second', { ...real, elementId: 'another' })
  // This call resolves after those above, so they have had their effect.
  await setReference('second', pin)
  await expect.poll(() => second.inputValue()).toBe('1234')
  // A displayed value can be sent again.
  const made = await page.evaluate(async () => {
    const { bt, shown } = window as Shop & { shown: never }
    return bt.tokens.create({ type: 'token', data: { again: shown } } as never)
  })
  const again = await vault.owner.tokens.reveal({ id: (made as { id: string }).id })
  expect(again.data).toEqual({ again: number })
  // An instance with another key has its own data frame.
  await page.evaluate(async (key) => {
    const shop = window as Shop
    shop.bt = await shop.start(key)
  }, reader.key)
  const foreign = await mountText(page, 'foreign')
  await setReference('foreign', real)
  // A second page of the shop.
  const other = await context.newPage()
  await other.goto(origin)
  await other.evaluate(async (key) => {
    const shop = window as Shop
    shop.bt = await shop.start(key)
  }, reader.key)
  const elsewhere = await mountText(other, 'elsewhere')
  await other.evaluate((reference) => {
    const made = (window as unknown as { elsewhere: { setValue(reference: unknown): void } }).elsewhere
    made.setValue(reference)
  }, real)
  // Lock and unlock the vault, so that references become invalid.
  vault.reopen()
  await page.evaluate(() => (window as unknown as { second: { clear(): void } }).second.clear())
  await expect.poll(() => second.inputValue()).toBe('')
  await setReference('second', real)
  // The response to this call comes after those to earlier calls.
  await page.evaluate(() => (window as Shop).bt.sessions.create().catch(() => {}))
  await other.evaluate(() => (window as Shop).bt.sessions.create().catch(() => {}))
  expect(await Promise.all([second, foreign, elsewhere].map((each) => each.inputValue()))).toEqual([
    '',
    '',
    '',
  ])
  // Everything that the page itself contains and stores.
  const known = await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.documentElement.outerHTML]),
  )
  expect(known).not.toContain(number)
  expect(faults.filter((each) => each.includes(number))).toEqual([])
  const [use] = await vault.owner.stats.elements({ application_id: reader.id })
  expect(use).toMatchObject({ origin })
})

test('X-60 a page cannot pose as an element, and values go only to the vault', {
  tags: 'thorough',
}, async () => {
  const { page, url, vault, key, origin } = await startShop('plain', { fresh: false })
  const input = await mountText(page, 'typed')
  await input.fill('canary 4111111111111111')
  const attempt = await page.evaluate(async (url) => {
    const seen: string[] = []
    window.addEventListener('message', ({ data }) => seen.push(JSON.stringify(data)))
    const frames = [...document.querySelectorAll('iframe')]
    const data = frames.find(({ name }) => name.startsWith('coffer-'))
    const instance = data?.name.slice('coffer-'.length) ?? ''
    const ids = frames.map(({ src }) => new URL(src).searchParams.get('id') ?? '')
    const ports = ids.map((id) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = (event) => seen.push(JSON.stringify(event.data))
      data?.contentWindow?.postMessage({ coffer: 'sibling', instance, id }, url, [port2])
      return port1
    })
    // Try the same from a frame that belongs to the page.
    const child = document.createElement('iframe')
    document.body.append(child)
    const forge = (child.contentWindow as unknown as { Function: FunctionConstructor }).Function(
      'data',
      'message',
      'url',
      'port',
      'data.postMessage(message, url, [port])',
    )
    for (const id of ids) {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = (event) => seen.push(JSON.stringify(event.data))
      forge(data?.contentWindow, { coffer: 'sibling', instance, id }, url, port2)
      ports.push(port1)
    }
    for (const port of ports) port.postMessage({ kind: 'value', call: 1, problem: null, value: 'forged' })
    const { bt, typed } = window as unknown as Shop & { typed: never }
    const made = (await bt.tokens.create({ type: 'token', data: typed } as never)) as {
      id: string
    }
    return { id: made.id, seen, ids }
  }, url)
  expect(attempt.ids.length).toBeGreaterThan(1)
  expect(attempt.seen.filter((each) => !each.includes('listening'))).toEqual([])
  expect((await vault.owner.tokens.reveal({ id: attempt.id })).data).toBe('canary 4111111111111111')
  const applications = (await vault.owner.applications.list({})).data
  const used = await Promise.all(
    applications.map(({ id }) => vault.owner.stats.elements({ application_id: id })),
  )
  expect([key.length > 0, used.flat().map((use) => use.origin)]).toEqual([true, [origin]])
})

test('C-02 the vault accepts the JWE that tokens.encrypt creates in a browser', async () => {
  const { page, vault, request } = await startShop('plain', { fresh: false })
  const { key_id, public_key_pem } = (await vault.owner.clientKeys.create({})) as {
    key_id: string
    public_key_pem?: string
  }
  const input = await mountText(page, 'typed')
  await input.fill('Zoë 漢字')
  const made = await page.evaluate(
    async ({ key_id, public_key_pem }) => {
      const elements = window as unknown as Record<string, never>
      const { bt } = window as Shop
      const tokenRequests = {
        typed: { type: 'token', data: { name: elements.typed } },
        plain: { type: 'token', data: { n: 1 } },
      }
      const asked = { tokenRequests, publicKeyPEM: public_key_pem, keyId: key_id }
      const result = await bt.tokens.encrypt(asked as never)
      const own = await crypto.subtle.generateKey('X25519', true, ['deriveBits'])
      const raw = await crypto.subtle.exportKey('raw', (own as CryptoKeyPair).publicKey)
      const pem = btoa(String.fromCharCode(...new Uint8Array(raw)))
      const refused = await bt.tokens
        .encrypt({ ...asked, publicKeyPEM: pem } as never)
        .catch((error: Error) => error.message)
      return { result, refused }
    },
    { key_id, public_key_pem: public_key_pem ?? '' },
  )
  expect(made.refused).toBe('The public key does not belong to this vault, or it has expired.')
  const { typed, plain } = made.result as unknown as Record<string, { encrypted: string; type: string }>
  const { key } = await vault.application({ permissions: ['token:create'] })
  const expected: unknown[] = [{ name: 'Zoë 漢字' }, { n: 1 }]
  for (const [at, body] of [typed, plain].entries()) {
    const { status, body: token } = await request('POST', '/tokens', { key, body: body ?? null })
    expect(status).toBe(201)
    expect((await vault.owner.tokens.reveal({ id: token.id })).data).toEqual(expected[at])
  }
})

test('X-62 a page gets references from a proxy, and its client calls send no cookies', async () => {
  const { page, apiKey, origin } = await startReader()
  const server = http.createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
    response.setHeader('Content-Type', 'application/json')
    const body = { number, origin: request.headers.origin ?? null, cookie: request.headers.cookie ?? null }
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const destination = `http://localhost:${(server.address() as AddressInfo).port}`
  const shown = await mountText(page, 'shown')
  const { proxied, direct } = await page.evaluate(
    async ({ apiKey, destination }) => {
      const { bt, shown } = window as Shop & { shown: { setValue(reference: unknown): void } }
      const headers = { 'BT-PROXY-URL': destination }
      const proxied = (await bt.proxy.post({ apiKey, headers, body: {} } as never)) as { number: unknown }
      shown.setValue(proxied.number)
      const direct = await bt.client.post(destination, { a: 1 })
      return { proxied, direct }
    },
    { apiKey, destination },
  )
  expect(JSON.stringify(proxied)).not.toContain(number)
  await expect.poll(() => shown.inputValue()).toBe(number)
  expect(direct).toMatchObject({ number, cookie: null, origin: expect.not.stringMatching(origin) })
})
