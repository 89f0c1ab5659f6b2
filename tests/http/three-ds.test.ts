import http from 'node:http'
import { describe, expect, test } from 'vitest'
import { cardsOfScenarios, type ScenarioName, scenarios } from '../../electron/engine/three-ds/scenarios.ts'
import type { Json } from '../../shared/json.ts'
import { startListener } from '../listener.ts'
import { app, browser, payment } from '../three-ds.ts'

const number = '4000020000000000'
const data = (pan: string) => ({ number: pan, expiration_month: 12, expiration_year: 2035 })

/** Starts a listener. Returns functions that send the requests of a browser, a backend and a cardholder. */
async function start({ durable = false } = {}) {
  const server = await startListener({ durable })
  const { vault, request, url } = server
  const front = await vault.application({
    type: 'public',
    permissions: ['token:create', 'token-intent:create', '3ds:session:create'],
  })
  const back = await vault.application({
    permissions: ['token:create', '3ds:session:create', '3ds:session:read', '3ds:session:authenticate'],
  })
  const token = async (pan = number) =>
    (await request('POST', '/tokens', { key: front.key, body: { type: 'card', data: data(pan) } })).body
      .id as string
  const create = (body: Json, key = front.key) => request('POST', '/3ds/sessions', { key, body })
  const authenticate = (id: string, body: Json = payment) =>
    request('POST', `/3ds/sessions/${id}/authenticate`, { key: back.key, body })
  return {
    ...server,
    front,
    back,
    token,
    create,
    authenticate,
    result: (id: string) => request('GET', `/3ds/sessions/${id}/challenge-result`, { key: back.key }),
    session: (id: string) => request('GET', `/3ds/sessions/${id}`, { key: back.key }),
    /** Creates a browser session for a card. */
    async begin(pan = number) {
      const { body } = await create({ token_id: await token(pan), device: 'browser', device_info: browser })
      return body as { id: string; method_url?: string; method_notification_url: string }
    },
    /** Posts a form to a page like a program, without the headers of a browser. */
    async form(address: string, members: Record<string, string>, headers: Record<string, string> = {}) {
      const target = address.startsWith('http') ? address : url + address
      const response = await fetch(target, { method: 'POST', body: new URLSearchParams(members), headers })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async page(address: string, headers: Record<string, string> = {}) {
      const target = address.startsWith('http') ? address : url + address
      const response = await fetch(target, { headers, redirect: 'manual' })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
  }
}

/** Returns the status of a GET with only these headers. Node's `fetch` would add others. */
function statusOf(address: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get(address, { headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      .on('error', reject)
  })
}

const encoded = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64url')
const creqOf = (threeDSServerTransID: string, acsTransID: string) =>
  encoded({ messageType: 'CReq', messageVersion: '2.2.0', threeDSServerTransID, acsTransID })

const codes = { successful: 'Y', attempted: 'A', failed: 'N', unavailable: 'U', rejected: 'R' } as const
const ecis: Record<string, [string, string, string]> = { Mastercard: ['02', '01', '00'] }
const cards = (Object.entries(cardsOfScenarios) as [ScenarioName, readonly string[]][]).flatMap(
  ([name, numbers]) => numbers.map((pan) => [pan, name] as const),
)

test('S-01 the table lists every test card exactly once', () => {
  expect(cards).toHaveLength(25)
  expect(new Set(cards.map(([pan]) => pan)).size).toBe(25)
})

test.each(cards)('S-01 the card %s has the scenario %s', async (pan, name) => {
  const { begin, authenticate, result, session, form } = await start()
  const scenario = scenarios[name]
  const made = await begin(pan)
  expect(made.method_url !== undefined).toBe(scenario.method)
  if (made.method_url) {
    const data = { threeDSServerTransID: made.id, threeDSMethodNotificationURL: made.method_notification_url }
    expect((await form(made.method_url, { threeDSMethodData: encoded(data) })).status).toBe(200)
    expect((await session(made.id)).body.method.method_completion_indicator).toBe('N')
    expect((await form(made.method_notification_url, {})).text).toContain(made.id)
  }
  expect((await session(made.id)).body.method.method_completion_indicator).toBe(scenario.method ? 'Y' : 'U')
  const first = await authenticate(made.id)
  if (scenario.error) {
    const source = scenario.error === 'directory' ? 'Directory Server' : '3DS Server'
    expect([first.status, first.body]).toEqual([
      424,
      {
        error: {
          title: '3DS Service Error',
          detail: expect.any(String),
          status: 424,
          code: 'three_ds_failed',
          error: {
            service_status: expect.stringMatching(/^50[02]$/),
            session_id: made.id,
            error_source: source,
            message: expect.any(String),
            detail: expect.any(String),
          },
        },
      },
    ])
    return
  }
  let last = first
  if (scenario.challenge) {
    expect(first.body).toMatchObject({
      authentication_status: 'challenge',
      authentication_status_code: 'C',
      directory_status_code: 'C',
      liability_shifted: false,
      authentication_challenge_type: scenario.challenge,
      acs_challenge_mandated: scenario.mandated ? 'Y' : 'N',
    })
    expect(first.body).not.toHaveProperty('eci')
    expect((await result(made.id)).body).toEqual(first.body)
    const { acs_challenge_url, acs_transaction_id } = first.body
    const shown = await form(acs_challenge_url, { creq: creqOf(made.id, acs_transaction_id) })
    expect(shown.text).toContain('800.00 GBP')
    expect((await form(`${acs_challenge_url}/answer`, { choice: 'pass' })).status).toBe(200)
    last = await result(made.id)
    expect(last.body).toMatchObject({ directory_status_code: 'C', challenge_attempts: '01' })
  } else expect(first.body).not.toHaveProperty('acs_challenge_url')
  const { outcome } = scenario
  const isGood = outcome === 'successful' || outcome === 'attempted'
  const { card_brand } = (await session(made.id)).body
  const [successful, attempted, neither] = ecis[card_brand] ?? ['05', '06', '07']
  expect(last.body).toMatchObject({
    session_id: made.id,
    threeds_version: '2.2.0',
    liability_shifted: isGood,
    authentication_status: outcome,
    authentication_status_code: codes[outcome],
    eci: outcome === 'successful' ? successful : outcome === 'attempted' ? attempted : neither,
    message_extensions: [],
  })
  if (isGood) expect(Buffer.from(last.body.authentication_value, 'base64')).toHaveLength(20)
  else {
    expect(last.body).not.toHaveProperty('authentication_value')
    expect(last.body.authentication_status_reason).toEqual(expect.any(String))
  }
  expect((await session(made.id)).body.authentication).toEqual(last.body)
  expect(JSON.stringify((await session(made.id)).body)).not.toContain(pan)
})

test('S-01 any other card is attempted, without a method', async () => {
  const { begin, authenticate, url } = await start()
  const made = await begin('4242424242424242')
  expect(made).not.toHaveProperty('method_url')
  expect(made.method_notification_url).toBe(`${url}/3ds/sessions/${made.id}/method-notification`)
  expect((await authenticate(made.id)).body).toMatchObject({
    authentication_status: 'attempted',
    authentication_status_code: 'A',
    eci: '06',
    liability_shifted: true,
  })
})

test('S-01 a session has every member and both brand names', async () => {
  const { create, token, url, session, authenticate, vault, front, back } = await start()
  const token_id = await token()
  const asked = { pan: token_id, device: 'browser', device_info: browser, web_challenge_mode: 'iframe' }
  const made = await create({ ...asked, metadata: { order: '7' } })
  expect(made.status).toBe(201)
  const { id } = made.body
  expect(made.headers.get('location')).toBe(`/3ds/sessions/${id}`)
  expect(made.body).toEqual({
    id: expect.any(String),
    type: 'customer',
    cardBrand: 'Visa',
    card_brand: 'Visa',
    method_url: `${url}/3ds/acs/method`,
    method_notification_url: `${url}/3ds/sessions/${id}/method-notification`,
    directory_server_id: 'M000000003',
    recommended_version: '2.2.0',
    metadata: { order: '7' },
  })
  const preference = { challenge_preference: 'challenge-requested' }
  const { body } = await authenticate(id, { ...payment, ...preference })
  const got = (await session(id)).body
  expect(got).toEqual({
    id,
    type: 'customer',
    tenant_id: vault.engine.tenant_id,
    token_id,
    pan_token_id: token_id,
    card_brand: 'Visa',
    expiration_date: '2030-01-02T00:00:00.000+00:00',
    created_date: '2030-01-01T00:00:00.000+00:00',
    created_by: front.id,
    modified_date: '2030-01-01T00:00:00.000+00:00',
    modified_by: back.id,
    device: 'browser',
    device_info: browser,
    web_challenge_mode: 'iframe',
    version: expect.objectContaining({ available_versions: ['2.1.0', '2.2.0'] }),
    method: { method_url: `${url}/3ds/acs/method`, method_completion_indicator: 'N' },
    authentication: body,
    metadata: { order: '7' },
  })
  expect(body).toMatchObject({ ...preference, challenge_preference_code: '03' })
  expect(body.acs_challenge_url).toBe(`${url}/3ds/acs/challenge/${body.acs_transaction_id}`)
  expect(JSON.stringify(got)).not.toMatch(/Ada|example\.com/)
})

test('S-01 a session accepts a token intent and an app', async () => {
  const { create, request, front, session, authenticate } = await start()
  const body = { type: 'card', data: data('4000000000000341') }
  const intent = (await request('POST', '/token-intents', { key: front.key, body })).body.id
  const made = await create({ token_intent_id: intent, device: 'app', device_info: app })
  expect(made.body).not.toHaveProperty('method_url')
  expect((await session(made.body.id)).body).toMatchObject({ token_intent_id: intent, device: 'app' })
  expect((await authenticate(made.body.id)).body).toMatchObject({
    token_intent_id: intent,
    sdk_transaction_id: app.sdk_transaction_id,
    authentication_challenge_type: 'out-of-band',
  })
})

describe('a merchant session', () => {
  const recurring = { authentication_type: 'recurring-transaction', decoupled_challenge_max_time: 10 }
  const purchase_info = {
    ...payment.purchase_info,
    recurring_expiration: '20310101',
    recurring_frequency: '30',
  }

  test('S-01 gets a decoupled challenge, which can time out', async () => {
    const { create, token, authenticate, result, form, vault } = await start()
    const begin = async () => (await create({ token_id: await token(), type: 'merchant' })).body.id
    const body = { ...payment, ...recurring, purchase_info }
    const first = await authenticate(await begin(), body)
    expect(first.body).toMatchObject({
      authentication_status: 'decoupled_challenge',
      authentication_status_code: 'D',
      authentication_challenge_type: 'decoupled',
      acs_decoupled_authentication: 'Y',
    })
    await form(`${first.body.acs_challenge_url}/answer`, { choice: 'pass' })
    expect((await result(first.body.session_id)).body.authentication_status).toBe('successful')
    const second = await authenticate(await begin(), body)
    vault.clock.advance(10 * 60_000)
    expect((await result(second.body.session_id)).body).toMatchObject({
      authentication_status: 'failed',
      authentication_status_reason: 'decoupled-authentication-timeout',
    })
    await form(`${second.body.acs_challenge_url}/answer`, { choice: 'pass' })
    expect((await result(second.body.session_id)).body.authentication_status).toBe('failed')
    const third = await authenticate(await begin(), { ...body, request_decoupled_challenge: false })
    expect(third.body).toMatchObject({
      authentication_status: 'failed',
      authentication_status_reason: 'decoupled-authentication-required',
    })
  })

  test('S-01 accepts only authentication types for merchants', async () => {
    const { create, token, authenticate } = await start()
    const { body } = await create({ token_id: await token(), type: 'merchant' })
    const refused = await authenticate(body.id)
    expect(refused.body.errors).toEqual({
      authentication_type: ['is not allowed for sessions of type merchant'],
      decoupled_challenge_max_time: ['is required for a session of type merchant'],
    })
  })
})

test('S-01 the error names every missing member', async () => {
  const { create, token, begin, authenticate, vault, front, request } = await start()
  const token_id = await token()
  const errorsOf = async (body: Json) => {
    const { status, body: answer } = await create(body)
    expect(status).toBe(400)
    return answer.errors
  }
  expect(await errorsOf({})).toEqual({
    token_id: ['is required, unless token_intent_id is sent'],
    device: ['is required for a session of type customer'],
  })
  expect(Object.keys(await errorsOf({ token_id, device: 'browser' }))).toEqual(['device_info'])
  expect(Object.keys(await errorsOf({ token_id, device: 'browser', device_info: {} }))).toHaveLength(8)
  expect(Object.keys(await errorsOf({ token_id, device: 'app', device_info: browser }))).toHaveLength(7)
  expect(await errorsOf({ token_id, pan: token_id, type: 'merchant' })).toEqual({
    token_id: ['cannot be combined with token_intent_id or pan'],
  })
  const urls = { success: 'https://shop.example.com/good', failure: 'https://shop.example.com/bad' }
  expect(Object.keys(await errorsOf({ token_id, device: 'browser', callback_urls: urls }))).toEqual([
    'authentication_request',
  ])
  const request_ = { ...payment, merchant_info: { name: 'x' } }
  const redirected = { token_id, device: 'browser', callback_urls: urls, authentication_request: request_ }
  expect(Object.keys(await errorsOf(redirected))).toContain('authentication_request.merchant_info.mid')
  for (const success of [
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://x',
    '//x',
    'http://a:b@x',
    'http://x y',
  ]) {
    const errors = await errorsOf({ ...redirected, callback_urls: { ...urls, success } })
    expect(Object.keys(errors)).toEqual(['callback_urls.success'])
  }
  const other = (await request('POST', '/tokens', { key: front.key, body: { type: 'token', data: 'x' } }))
    .body.id
  const device = { device: 'browser', device_info: browser }
  expect(await errorsOf({ token_id: other, ...device })).toEqual({
    token_id: ['must name a token of type card'],
  })
  expect(await errorsOf({ pan: 'none', ...device })).toEqual({ pan: ['must name a token that exists'] })
  // Maestro does not support 3D Secure here.
  const unknown = (
    await request('POST', '/tokens', {
      key: front.key,
      body: { type: 'card', data: data('6759649826438453') },
    })
  ).body.id
  expect(Object.keys(await errorsOf({ token_id: unknown, ...device }))).toEqual([
    'The card was not supported by any card schemes',
  ])
  const { id } = await begin()
  const missing = await authenticate(id, {
    authentication_category: 'payment',
    authentication_type: 'installment-transaction',
    cardholder_info: payment.cardholder_info,
    card_brand: 'JCB',
  })
  expect(Object.keys(missing.body.errors).sort()).toEqual(['merchant_info', 'purchase_info'])
  const brand = await authenticate(id, { ...payment, card_brand: 'JCB' })
  expect(brand.body.errors).toEqual({ card_brand: ['must be a brand of this card'] })
  expect((await authenticate(id, { ...payment, card_brand: 'VISA' })).status).toBe(200)
  expect((await authenticate(id)).body.errors).toEqual({
    id: ['names a session that has been authenticated already'],
  })
  const fresh = await begin()
  const { key } = await vault.application({ permissions: ['3ds:session:authenticate'] })
  const early = await request('GET', `/3ds/sessions/${fresh.id}/challenge-result`, { key })
  expect([early.status, early.body.errors]).toEqual([
    400,
    { id: ['names a session that has not been authenticated'] },
  ])
})

test('S-01 P-04 a rule limits sessions to its containers', async () => {
  const { vault, token, create, request, front } = await start()
  const rule = (container: string) => ({
    rules: [
      { priority: 1, container, transform: 'redact' as const, permissions: ['3ds:session:create' as const] },
    ],
  })
  const outside = await vault.application(rule('/elsewhere/'))
  const inside = await vault.application(rule('/pci/'))
  const body = { token_id: await token(), device: 'browser', device_info: browser }
  expect((await create(body, outside.key)).status).toBe(403)
  expect((await create(body, inside.key)).status).toBe(201)
  const card = { type: 'card', data: data(number) }
  const intent = await request('POST', '/token-intents', { key: front.key, body: card })
  const ofIntent = { token_intent_id: intent.body.id, device: 'browser', device_info: browser }
  expect((await create(ofIntent, outside.key)).status).toBe(403)
  expect((await create(ofIntent, inside.key)).status).toBe(201)
})

test('S-01 A-12 a repeated request gets the same response', async () => {
  const { token, request, front, back } = await start()
  const body = { token_id: await token(), device: 'browser', device_info: browser }
  const once = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  const create = () => request('POST', '/3ds/sessions', { key: front.key, body, headers: once })
  const [first, second] = [await create(), await create()]
  expect(second.body).toEqual(first.body)
  const path = `/3ds/sessions/${first.body.id}/authenticate`
  const authenticate = () => request('POST', path, { key: back.key, body: payment, headers: once })
  const [third, fourth] = [await authenticate(), await authenticate()]
  expect([fourth.status, fourth.body]).toEqual([200, third.body])
})

test('S-01 a session expires after a day and is then deleted', async () => {
  const { vault, begin, session, authenticate, page } = await start({ durable: true })
  const { id } = await begin()
  const { acs_challenge_url } = (await authenticate(id)).body
  vault.clock.advance(24 * 60 * 60_000)
  expect((await session(id)).status).toBe(404)
  expect((await page(acs_challenge_url)).status).toBe(404)
  await vault.engine.sweep()
  vault.reopen()
  vault.clock.advance(-60_000)
  expect((await session(id)).status).toBe(404)
})

test('S-01 the older client’s spellings are accepted', async () => {
  const { create, token, authenticate } = await start()
  const { browser_tz, ...rest } = browser
  const device_info = { ...rest, browser_timezone: browser_tz, browser_ip_address: '127.0.0.1' }
  const { body } = await create({ token_id: await token(), device: 'browser', device_info })
  const account_info = { account_password_last_changed: 'no-change', purchase_count_last_year: '3' }
  const risk_info = { delivery_timeframe: 'same-day-shipping' }
  const answer = await authenticate(body.id, {
    ...payment,
    cardholder_info: { ...payment.cardholder_info, account_info },
    merchant_info: { ...payment.merchant_info, risk_info },
  })
  expect(answer.status).toBe(200)
})

describe('the redirect', () => {
  const callback_urls = { success: 'http://localhost:9/good/7?a=1', failure: 'http://localhost:9/bad/7' }
  async function redirected(pan: string) {
    const all = await start()
    const body = {
      token_id: await all.token(pan),
      device: 'browser',
      authentication_request: payment,
      callback_urls,
    }
    const made = (await all.create(body, all.back.key)).body
    expect(made.redirect_url).toBe(`${all.url}/3ds/redirect/${made.id}`)
    return { ...all, id: made.id as string, address: `${made.redirect_url}?apiKey=key_of_the_shop` }
  }
  const seen = { browser_language: 'en-GB', browser_color_depth: '24', browser_javascript_enabled: 'true' }

  test('S-01 authenticates with the stored request and redirects', async () => {
    const { page, form, address, session, id } = await redirected('5204247750001471')
    expect((await page(address)).text).toContain('One moment')
    expect((await session(id)).body).not.toHaveProperty('authentication')
    const back = await form(address, seen)
    expect(back.text).toContain('href="http://localhost:9/good/7"')
    expect((await page(address)).text).toContain('href="http://localhost:9/good/7"')
    expect((await session(id)).body).toMatchObject({
      device_info: { browser_language: 'en-GB', browser_javascript_enabled: true, browser_ip: '127.0.0.1' },
      method: { method_completion_indicator: 'Y' },
      authentication: { authentication_status: 'successful' },
    })
  })

  test.each([
    ['pass', 'good/7'],
    ['fail', 'bad/7'],
    ['cancel', 'bad/7'],
  ])('S-01 a challenge answered with %s redirects to %s', async (choice, place) => {
    const { form, address, session, id } = await redirected(number)
    const challenge = await form(address, seen)
    const [, action = ''] = /action="([^"]+)"/.exec(challenge.text) ?? []
    expect((await form(action, { choice })).text).toContain(`href="http://localhost:9/${place}"`)
    const { authentication } = (await session(id)).body
    expect(authentication.challenge_cancel_reason).toBe(
      choice === 'cancel' ? 'cardholder-canceled' : undefined,
    )
  })

  test.each([
    ['4264281500003339', 'bad/7'],
    ['4264281511112228', 'bad/7'],
    ['4111111111111111', 'good/7'],
  ])('S-01 the card %s redirects to %s', async (pan, place) => {
    const { form, address } = await redirected(pan)
    expect((await form(address, seen)).text).toContain(`href="http://localhost:9/${place}"`)
  })
})

describe('the pages', () => {
  test('X-59 escape text of the merchant and show no card data', async () => {
    const { begin, authenticate, page } = await start()
    const { id } = await begin()
    const name = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    const body = { ...payment, merchant_info: { ...payment.merchant_info, name } }
    const { acs_challenge_url } = (await authenticate(id, body)).body
    const { text, headers } = await page(acs_challenge_url)
    expect(text).not.toMatch(/<script>|<img/)
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toMatch(/4000020000000000|0000|Ada Lovelace|ada@example/)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-/)
    expect(policy).toContain("script-src 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect([headers.get('referrer-policy'), headers.get('x-content-type-options')]).toEqual([
      'strict-origin',
      'nosniff',
    ])
  })

  test('X-59 can be framed only by this listener and allowed pages', async () => {
    const vaultless = await startListener({ origins: ['http://localhost:3000', 'https://x; script-src *'] })
    const { headers } = await fetch(`${vaultless.url}/3ds/pages/challenge.html`)
    const policy = headers.get('content-security-policy') ?? ''
    const { port } = vaultless
    expect(policy).toContain(
      `frame-ancestors 'self' http://127.0.0.1:${port} http://localhost:${port} http://localhost:3000`,
    )
    expect(policy).not.toContain('script-src *')
  })

  test('X-59 accept a challenge once, and not from other pages', async () => {
    const { begin, authenticate, form, result, page, port } = await start()
    const { id } = await begin()
    const { acs_challenge_url, acs_transaction_id } = (await authenticate(id)).body
    const answer = `${acs_challenge_url}/answer`
    const others: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://localhost:${port + 1}` },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]
    for (const headers of others) expect((await form(answer, { choice: 'pass' }, headers)).status).toBe(403)
    for (const choice of ['', 'PASS', '__proto__']) expect((await form(answer, { choice })).status).toBe(400)
    const creqs = [creqOf(id, id), creqOf(acs_transaction_id, acs_transaction_id), 'x', encoded([]), '']
    for (const creq of creqs) expect((await form(acs_challenge_url, { creq })).status).toBe(400)
    const typed = await fetch(answer, { method: 'POST', body: '{"choice":"pass"}' })
    expect(typed.status).toBe(415)
    const long = await form(answer, { choice: 'x'.repeat(20_000) })
    expect(long.status).toBe(413)
    expect((await result(id)).body.authentication_status).toBe('challenge')
    const own = await form(answer, { choice: 'pass' }, { Origin: `http://localhost:${port}` })
    expect(own.text).toContain('data-status="successful"')
    expect((await form(answer, { choice: 'fail' })).text).toContain('data-status="successful"')
    expect((await page(acs_challenge_url)).text).toContain('data-status="successful"')
    expect((await result(id)).body.authentication_status).toBe('successful')
  })

  test('X-59 reject unknown ids and sessions without a challenge', async () => {
    const { begin, authenticate, page, form, vault } = await start()
    const { id } = await begin('5204247750001471')
    const { acs_transaction_id } = (await authenticate(id)).body
    const paths = ['none', '%00', '..%2f..%2ftokens', "'--"]
    for (const each of paths) {
      const shown = await page(`/3ds/acs/challenge/${each}`)
      expect([each, shown.status]).toEqual([each, 404])
      expect(shown.text).not.toContain(id)
      expect((await form(`/3ds/acs/challenge/${each}/answer`, { choice: 'pass' })).status).toBe(404)
      expect((await page(`/3ds/redirect/${each}`)).status).toBe(404)
    }
    // These 404s are not recorded, because any web page can make a browser request such URLs.
    vault.engine.flushLog()
    const { data } = await vault.owner.logs.list({ entity_type: 'three_ds_session', status: '404' })
    expect(data).toEqual([])
    for (const each of [id, acs_transaction_id])
      expect((await page(`/3ds/acs/challenge/${each}`)).status).toBe(404)
    const method = (message: object) => form('/3ds/acs/method', { threeDSMethodData: encoded(message) })
    expect((await method({ threeDSServerTransID: '"><script>' })).status).toBe(400)
    const elsewhere = { threeDSServerTransID: id, threeDSMethodNotificationURL: 'https://evil.example/x' }
    expect((await method(elsewhere)).text).not.toContain('evil')
  })

  test('X-59 are the only resources that a page of another origin can load', async () => {
    const { page, request, vault, url } = await start()
    const opens = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }
    const opened = (path: string, headers: Record<string, string>) => statusOf(url + path, headers)
    expect(await opened('/3ds/pages/method.html', opens)).toBe(200)
    for (const path of ['/docs', '/openapi.json', '/_coffer/health', '/3ds/sessions/x', '/v2/tokens'])
      expect(await opened(path, opens)).toBe(403)
    const reads = { ...opens, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }
    expect(await opened('/3ds/pages/method.html', reads)).toBe(403)
    expect(await opened('/3ds/pages/method.html', { ...opens, Host: 'rebound.test' })).toBe(403)
    const { body } = await request('GET', '/3ds/sessions/x', { key: 'none' })
    expect(body.code).toBe('unauthenticated')
    vault.engine.close()
    expect((await page('/3ds/acs/challenge/x')).status).toBe(423)
  })
})

test('S-01 calls from the pages are recorded as made by the cardholder', async () => {
  const { begin, authenticate, form, vault } = await start()
  const { id } = await begin()
  const { acs_challenge_url } = (await authenticate(id)).body
  await form(`${acs_challenge_url}/answer`, { choice: 'fail' })
  vault.engine.flushLog()
  const { data } = await vault.owner.logs.list({ entity_type: 'three_ds_session' })
  const answered = data.find(({ operation }) => operation === 'threeDs.answerChallenge')
  expect(answered).toMatchObject({
    actor_type: 'cardholder',
    entity_id: id,
    status: 200,
    method: 'POST',
    path: '/3ds/acs/challenge/{id}/answer',
  })
  expect(JSON.stringify(data)).not.toMatch(/Ada|4000020000000000/)
})
