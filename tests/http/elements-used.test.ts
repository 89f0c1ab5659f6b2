import { expect, test } from 'vitest'
import { formatIsoTime } from '../../shared/time.ts'
import { startListener } from '../listener.ts'

const shop = 'http://shop.localhost:3000'
const other = 'http://other.localhost:3000'

async function startShop() {
  const server = await startListener({ origins: [shop, other], durable: true })
  const { vault, request, url } = server
  const application = await vault.application({ type: 'public', permissions: ['token:create'] })
  const { id, key } = application
  /** Sends a request like the browser for a frame of the listener. */
  const sendFromFrame = (page: string, headers: Record<string, string> = { Origin: url }, by = key) =>
    request('POST', '/tokens', {
      key: by,
      body: { type: 'token', data: 'x' },
      headers: { 'BT-ELEMENTS-ORIGIN': page, ...headers },
    })
  const listUses = () => vault.owner.stats.elements({ application_id: id })
  return { ...server, id, key, sendFromFrame, listUses }
}

test('Elements: the owner can list which page used which key, and when', async () => {
  const { vault, id, key, sendFromFrame, listUses, request, url } = await startShop()
  expect(await listUses()).toEqual([])
  expect((await sendFromFrame(shop)).status).toBe(201)
  const [known] = await vault.owner.stats.keys({ application_id: id })
  const formatNow = () => formatIsoTime(vault.clock.now())
  await expect
    .poll(listUses)
    .toEqual([{ origin: shop, key_id: known?.id, hint: known?.hint, last_used_at: formatNow() }])
  vault.clock.advance(1000)
  await sendFromFrame(other)
  await expect.poll(async () => (await listUses()).map(({ origin }) => origin)).toEqual([other, shop])
  // A read counts as sent by a frame if Sec-Fetch-Site is same-origin.
  vault.clock.advance(60_000)
  const headers = { 'BT-ELEMENTS-ORIGIN': shop, 'Sec-Fetch-Site': 'same-origin' }
  expect((await request('GET', '/tokens/x', { key, headers })).status).toBe(403)
  await expect
    .poll(async () => (await listUses())[0])
    .toMatchObject({ origin: shop, last_used_at: formatNow() })
  const session = await request('POST', '/sessions', { key })
  vault.clock.advance(60_000)
  await sendFromFrame(shop, { Origin: url }, session.body.session_key)
  await expect
    .poll(async () => (await listUses())[0])
    .toMatchObject({ origin: shop, key_id: null, hint: null })
  vault.reopen()
  expect((await listUses()).map(({ origin }) => origin)).toEqual([shop, other])
  await vault.owner.applications.remove({ id })
  expect(await listUses()).toEqual([])
})

test('X-60 a use is counted only from Coffer’s own frames, with a key, on an allowed page', async () => {
  const { vault, request, id, key, sendFromFrame, listUses } = await startShop()
  await sendFromFrame(shop, {})
  await sendFromFrame(shop, { Origin: shop })
  await sendFromFrame(other, { Origin: shop })
  await sendFromFrame('http://evil.test')
  await sendFromFrame('null')
  await sendFromFrame(shop, { Origin: 'http://127.0.0.1:1' })
  await sendFromFrame(shop, { 'Sec-Fetch-Site': 'cross-site' })
  const nobody = await vault.application({ permissions: ['token:create'] })
  await sendFromFrame(shop, undefined, `${key}x`)
  // This use is written after those above, so it shows that they were not counted.
  await sendFromFrame(shop, undefined, nobody.key)
  await expect.poll(() => vault.owner.stats.elements({ application_id: nobody.id })).toHaveLength(1)
  expect(await listUses()).toEqual([])
  const requested = await request('GET', '/stats/elements', { key })
  expect([requested.status, id.length > 0]).toEqual([404, true])
})

test('X-61 a frame is rejected if its page is not allowed', async () => {
  const { vault, sendFromFrame } = await startShop()
  expect((await sendFromFrame(shop)).status).toBe(201)
  for (const page of ['http://evil.test', 'null', `${shop}/`]) {
    expect((await sendFromFrame(page)).status, page).toBe(403)
    expect((await sendFromFrame(page, { 'Sec-Fetch-Site': 'same-origin' })).status, page).toBe(403)
  }
  // Without the headers Origin and Sec-Fetch-Site, the request comes from a program and not from a frame, so it is
  // accepted.
  expect((await sendFromFrame('http://evil.test', {})).status).toBe(201)
  expect((await vault.owner.tokens.list({})).data).toHaveLength(2)
})

test('Elements: a use is stored once a minute, for an application’s last 20 pages', async () => {
  const origins = Array.from({ length: 25 }, (_, at) => `http://shop${at}.localhost:3000`)
  const { vault, request, url } = await startListener({ origins })
  const { id, key } = await vault.application({ type: 'public', permissions: ['token:create'] })
  const listUses = () => vault.owner.stats.elements({ application_id: id })
  const createFrom = (origin: string) =>
    request('POST', '/tokens', {
      key,
      body: { type: 'token', data: 'x' },
      headers: { 'BT-ELEMENTS-ORIGIN': origin, Origin: url },
    })
  const began = vault.clock.now()
  for (const origin of origins) {
    vault.clock.advance(1000)
    await createFrom(origin)
  }
  await expect
    .poll(async () => (await listUses()).map(({ origin }) => origin))
    .toEqual(origins.slice(5).reverse())
  await createFrom(origins[24] as string)
  await createFrom(origins[24] as string)
  vault.clock.advance(60_000)
  await createFrom(origins[23] as string)
  await expect.poll(async () => (await listUses())[0]?.origin).toBe(origins[23])
  expect((await listUses())[1]).toMatchObject({
    origin: origins[24],
    last_used_at: formatIsoTime(began + 25_000),
  })
})

test('X-62 /elements/opening returns another id after the vault is opened again', async () => {
  const { vault, request, url } = await startListener({ durable: true })
  const first = await fetch(`${url}/elements/opening`)
  const opening = await first.text()
  expect([first.status, await (await fetch(`${url}/elements/opening`)).text()]).toEqual([200, opening])
  vault.reopen()
  expect(await (await fetch(`${url}/elements/opening`)).text()).not.toBe(opening)
  vault.engine.close()
  for (const path of ['/elements/opening', '/elements/key?kid=a&x=b']) {
    expect((await request('GET', path)).status, path).toBe(423)
  }
})

test('C-01 X-60 the key check reveals only whether a key id and public key match one of the vault’s', async () => {
  const { vault, url } = await startListener()
  const { key_id, public_key_pem = '' } = (await vault.owner.clientKeys.create({})) as {
    key_id: string
    public_key_pem?: string
  }
  const x = Buffer.from(public_key_pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64').toString('base64url')
  const fetchKey = async (query: Record<string, string>) => {
    const response = await fetch(`${url}/elements/key?${new URLSearchParams(query)}`)
    return [response.status, await response.text()]
  }
  expect(await fetchKey({ kid: key_id, x })).toEqual([204, ''])
  const wrong = Buffer.alloc(32, 1).toString('base64url')
  for (const query of [
    { kid: key_id, x: wrong },
    { kid: 'none', x },
    { kid: key_id, x: '' },
    { kid: key_id },
    {},
  ]) {
    expect(await fetchKey(query as Record<string, string>)).toEqual([404, ''])
  }
  const response = await fetch(`${url}/elements/key?kid=${key_id}&kid=b&x=${x}`)
  expect(response.status).toBe(404)
  vault.clock.advance(366 * 24 * 60 * 60 * 1000)
  expect(await fetchKey({ kid: key_id, x })).toEqual([404, ''])
})
