import http from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  cardsOfScenarios,
  type Scenario,
  type ScenarioName,
  scenarios,
} from '../../electron/engine/resources/three-ds/scenarios.ts'
import { importBins } from '../../electron/host/transfer/import-directories.ts'
import type { Json } from '../../shared/json.ts'
import { isLuhnValid } from '../../shared/luhn.ts'
import { startListener } from '../listener.ts'
import { browser, payment } from '../three-ds.ts'

const number = '4000020000000000'
/** The request of a token for a card. A number that fails the Luhn check needs the type `token`. */
const createCardToken = (pan: string) => ({
  type: isLuhnValid(pan) ? 'card' : 'token',
  data: createCard(pan),
})
const createCard = (pan: string) => ({ number: pan, expiration_month: 12, expiration_year: 2035 })

/** Starts a listener. Returns functions that send the requests of a browser, a backend and a cardholder. */
async function startThreeDs({ durable = false } = {}) {
  const server = await startListener({ durable })
  const { vault, request, url } = server
  const front = await vault.application({
    type: 'public',
    permissions: ['token:create', 'token-intent:create', '3ds:session:create'],
  })
  const back = await vault.application({
    permissions: ['token:create', '3ds:session:create', '3ds:session:read', '3ds:session:authenticate'],
  })
  const createToken = async (pan = number) =>
    (await request('POST', '/tokens', { key: front.key, body: createCardToken(pan) })).body.id as string
  const createSession = (body: Json, key = front.key) => request('POST', '/3ds/sessions', { key, body })
  const authenticateSession = (id: string, body: Json = payment) =>
    request('POST', `/3ds/sessions/${id}/authenticate`, { key: back.key, body })
  return {
    ...server,
    front,
    back,
    createToken,
    createSession,
    authenticateSession,
    fetchResult: (id: string) => request('GET', `/3ds/sessions/${id}/challenge-result`, { key: back.key }),
    fetchSession: (id: string) => request('GET', `/3ds/sessions/${id}`, { key: back.key }),
    /** Creates a browser session for a card. */
    async createBrowserSession(pan = number) {
      const { body } = await createSession({
        token_id: await createToken(pan),
        device: 'browser',
        device_info: browser,
      })
      return body as { id: string; method_url?: string; method_notification_url: string }
    },
    /** Posts a form to a page like a program, without the headers of a browser. */
    async postForm(address: string, members: Record<string, string>, headers: Record<string, string> = {}) {
      const target = address.startsWith('http') ? address : url + address
      const response = await fetch(target, { method: 'POST', body: new URLSearchParams(members), headers })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async fetchPage(address: string, headers: Record<string, string> = {}) {
      const target = address.startsWith('http') ? address : url + address
      const response = await fetch(target, { headers, redirect: 'manual' })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
  }
}

/** Returns the status of a GET with only these headers. Node's `fetch` would add others. */
function fetchStatus(address: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http
      .get(address, { headers, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      .on('error', reject)
  })
}

const encodeMessage = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64url')
const createCreq = (threeDSServerTransID: string, acsTransID: string) =>
  encodeMessage({ messageType: 'CReq', messageVersion: '2.2.0', threeDSServerTransID, acsTransID })

const codes = { successful: 'Y', attempted: 'A', failed: 'N', unavailable: 'U', rejected: 'R' } as const
const ecis: Record<string, [string, string, string]> = { Mastercard: ['02', '01', '00'] }
const cards = (Object.entries(cardsOfScenarios) as [ScenarioName, readonly string[]][]).flatMap(
  ([name, numbers]) => numbers.map((pan) => [pan, name] as const),
)

test('S-01 the scenarios have 42 different test cards', () => {
  expect(cards).toHaveLength(42)
  expect(new Set(cards.map(([pan]) => pan)).size).toBe(42)
})

type ThreeDs = Awaited<ReturnType<typeof startThreeDs>>
type ThreeDsResponse = Awaited<ReturnType<ThreeDs['authenticateSession']>>
type BrowserSession = Awaited<ReturnType<ThreeDs['createBrowserSession']>>

/** Calls the method URL of a session, as a shop's page does, if the session has one. */
async function completeMethod({ postForm, fetchSession }: ThreeDs, made: BrowserSession) {
  if (!made.method_url) return
  const data = { threeDSServerTransID: made.id, threeDSMethodNotificationURL: made.method_notification_url }
  expect((await postForm(made.method_url, { threeDSMethodData: encodeMessage(data) })).status).toBe(200)
  expect((await fetchSession(made.id)).body.method.method_completion_indicator).toBe('N')
  expect((await postForm(made.method_notification_url, {})).text).toContain(made.id)
}

/** Passes the challenge of a session. Returns the result. */
async function passChallenge(
  { postForm, fetchResult }: ThreeDs,
  id: string,
  first: ThreeDsResponse,
  { challenge, mandated }: Scenario,
) {
  expect(first.body).toMatchObject({
    authentication_status: 'challenge',
    authentication_status_code: 'C',
    directory_status_code: 'C',
    liability_shifted: false,
    authentication_challenge_type: challenge,
    acs_challenge_mandated: mandated ? 'Y' : 'N',
  })
  expect(first.body).not.toHaveProperty('eci')
  expect((await fetchResult(id)).body).toEqual(first.body)
  const { acs_challenge_url, acs_transaction_id } = first.body
  const shown = await postForm(acs_challenge_url, { creq: createCreq(id, acs_transaction_id) })
  expect(shown.text).toContain('800.00 GBP')
  expect((await postForm(`${acs_challenge_url}/answer`, { choice: 'pass' })).status).toBe(200)
  const last = await fetchResult(id)
  expect(last.body).toMatchObject({ directory_status_code: 'C', challenge_attempts: '01' })
  return last
}

function getEci(brand: string, outcome: Scenario['outcome']): string {
  const [successful, attempted, neither] = ecis[brand] ?? ['05', '06', '07']
  if (outcome === 'successful') return successful
  return outcome === 'attempted' ? attempted : neither
}

test.each(cards)('S-01 the card %s has the scenario %s', async (pan, name) => {
  const threeDs = await startThreeDs()
  const { createBrowserSession, authenticateSession, fetchSession } = threeDs
  const scenario = scenarios[name]
  const made = await createBrowserSession(pan)
  expect(made.method_url !== undefined).toBe(scenario.method)
  await completeMethod(threeDs, made)
  expect((await fetchSession(made.id)).body.method.method_completion_indicator).toBe(
    scenario.method ? 'Y' : 'U',
  )
  const first = await authenticateSession(made.id)
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
  if (!scenario.challenge) expect(first.body).not.toHaveProperty('acs_challenge_url')
  const last = scenario.challenge ? await passChallenge(threeDs, made.id, first, scenario) : first
  const { outcome } = scenario
  const isGood = outcome === 'successful' || outcome === 'attempted'
  const { card_brand } = (await fetchSession(made.id)).body
  expect(last.body).toMatchObject({
    session_id: made.id,
    threeds_version: '2.2.0',
    liability_shifted: isGood,
    authentication_status: outcome,
    authentication_status_code: codes[outcome],
    eci: getEci(card_brand, outcome),
    message_extensions: [],
  })
  if (isGood) expect(Buffer.from(last.body.authentication_value, 'base64')).toHaveLength(20)
  else {
    expect(last.body).not.toHaveProperty('authentication_value')
    expect(last.body.authentication_status_reason).toEqual(expect.any(String))
  }
  expect((await fetchSession(made.id)).body.authentication).toEqual(last.body)
  expect(JSON.stringify((await fetchSession(made.id)).body)).not.toContain(pan)
})

test('S-01 a co-badged card has all of its brands, of which the shop chooses one', async () => {
  const { createBrowserSession, authenticateSession, fetchSession, vault } = await startThreeDs()
  await importBins(vault.engine, { dry_run: false, csv: 'bin,brand\n400002,visa\n400002,cartes-bancaires' })
  const made = await createBrowserSession()
  const brands = { card_brand: 'Visa', additional_card_brands: ['Visa', 'Cartes Bancaires'] }
  expect(made).toMatchObject({ ...brands, directory_server_id: 'M000000003' })
  expect((await fetchSession(made.id)).body).toMatchObject(brands)
  expect((await authenticateSession(made.id, { ...payment, card_brand: 'Cartes Bancaires' })).status).toBe(
    200,
  )
})

test('S-01 a session has every member, and its card brand under both names', async () => {
  const { createSession, createToken, url, fetchSession, authenticateSession, vault, front, back } =
    await startThreeDs()
  const token_id = await createToken()
  const asked = { pan: token_id, device: 'browser', device_info: browser, web_challenge_mode: 'iframe' }
  const made = await createSession({ ...asked, metadata: { order: '7' } })
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
  const { body } = await authenticateSession(id, { ...payment, ...preference })
  const got = (await fetchSession(id)).body
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

test('S-01 the bank tells the cardholder only what no challenge tells', async () => {
  const { createBrowserSession, authenticateSession } = await startThreeDs()
  const authenticateCard = async (pan: string) =>
    (await authenticateSession((await createBrowserSession(pan)).id)).body
  for (const pan of ['4264281511112228', '5405001111111116']) {
    expect((await authenticateCard(pan)).cardholder_info).toContain('did not approve this payment')
  }
  for (const pan of [number, '5204247750001471', '4111111111111111', '5405001111111165']) {
    const answered = await authenticateCard(pan)
    expect(answered.acs_operator_id).toBe('coffer-acs-operator')
    for (const name of ['cardholder_info', 'acs_rendering_type', 'whitelist_status', 'acs_signed_content'])
      expect(answered).not.toHaveProperty(name)
  }
})

test.each([
  [number, 'challenge-requested-whitelist-prompt', 'pass', ['pending-confirmation', 'merchant-trusted']],
  [
    number,
    'challenge-requested-whitelist-prompt',
    'fail',
    ['pending-confirmation', 'request-to-trust-rejected'],
  ],
  [number, 'no-challenge-whitelist-exemption', 'pass', ['merchant-not-trusted', 'merchant-not-trusted']],
  ['4111111111111111', 'challenge-requested-whitelist-prompt', null, ['merchant-not-trusted']],
  ['4111111111111111', 'no-challenge', null, [undefined]],
])(
  'S-01 a shop learns whether the cardholder of %s trusts it: %s, %s',
  async (pan, preference, choice, statuses) => {
    const { createBrowserSession, authenticateSession, fetchResult, postForm } = await startThreeDs()
    const { id } = await createBrowserSession(pan)
    const first = await authenticateSession(id, { ...payment, challenge_preference: preference })
    if (choice) await postForm(`${first.body.acs_challenge_url}/answer`, { choice })
    const results = choice ? [first, await fetchResult(id)] : [first]
    expect(results.map(({ body }) => body.whitelist_status)).toEqual(statuses)
    const sources = statuses.map((status) => (status === undefined ? undefined : 'acs'))
    expect(results.map(({ body }) => body.whitelist_status_source)).toEqual(sources)
  },
)

describe('a merchant session', () => {
  const recurring = { authentication_type: 'recurring-transaction', decoupled_challenge_max_time: 10 }
  const purchase_info = {
    ...payment.purchase_info,
    recurring_expiration: '20310101',
    recurring_frequency: '30',
  }

  test('S-01 gets a decoupled challenge, which can time out', async () => {
    const { createSession, createToken, authenticateSession, fetchResult, postForm, vault } =
      await startThreeDs()
    const createMerchantSession = async () =>
      (await createSession({ token_id: await createToken(), type: 'merchant' })).body.id
    const body = { ...payment, ...recurring, purchase_info }
    const first = await authenticateSession(await createMerchantSession(), body)
    expect(first.body).toMatchObject({
      authentication_status: 'decoupled_challenge',
      authentication_status_code: 'D',
      authentication_challenge_type: 'decoupled',
      acs_decoupled_authentication: 'Y',
      cardholder_info: 'Confirm this payment with your bank.',
    })
    await postForm(`${first.body.acs_challenge_url}/answer`, { choice: 'pass' })
    expect((await fetchResult(first.body.session_id)).body.authentication_status).toBe('successful')
    const second = await authenticateSession(await createMerchantSession(), body)
    vault.clock.advance(10 * 60_000)
    expect((await fetchResult(second.body.session_id)).body).toMatchObject({
      authentication_status: 'failed',
      authentication_status_reason: 'decoupled-authentication-timeout',
    })
    await postForm(`${second.body.acs_challenge_url}/answer`, { choice: 'pass' })
    expect((await fetchResult(second.body.session_id)).body.authentication_status).toBe('failed')
    const third = await authenticateSession(await createMerchantSession(), {
      ...body,
      request_decoupled_challenge: false,
    })
    expect(third.body).toMatchObject({
      authentication_status: 'failed',
      authentication_status_reason: 'decoupled-authentication-required',
    })
  })

  test('S-01 can ask whether the cardholder trusts the shop', async () => {
    const { createSession, createToken, authenticateSession } = await startThreeDs()
    const token_id = await createToken('4111111111111111')
    const { body } = await createSession({ token_id, type: 'merchant' })
    const check = { authentication_type: 'whitelist-status-check', decoupled_challenge_max_time: 10 }
    expect((await authenticateSession(body.id, { ...payment, ...check })).body).toMatchObject({
      whitelist_status: 'merchant-not-trusted',
      whitelist_status_source: 'acs',
    })
  })
})

test('S-01 P-04 a rule allows sessions only for tokens and intents in its containers', async () => {
  const { vault, createToken, createSession, request, front } = await startThreeDs()
  const createRules = (container: string) => ({
    rules: [
      { priority: 1, container, transform: 'redact' as const, permissions: ['3ds:session:create' as const] },
    ],
  })
  const outside = await vault.application(createRules('/elsewhere/'))
  const inside = await vault.application(createRules('/pci/'))
  const body = { token_id: await createToken(), device: 'browser', device_info: browser }
  expect((await createSession(body, outside.key)).status).toBe(403)
  expect((await createSession(body, inside.key)).status).toBe(201)
  const card = { type: 'card', data: createCard(number) }
  const intent = await request('POST', '/token-intents', { key: front.key, body: card })
  const ofIntent = { token_intent_id: intent.body.id, device: 'browser', device_info: browser }
  expect((await createSession(ofIntent, outside.key)).status).toBe(403)
  expect((await createSession(ofIntent, inside.key)).status).toBe(201)
})

test('S-01 A-12 a repeated request gets the same response', async () => {
  const { createToken, request, front, back } = await startThreeDs()
  const body = { token_id: await createToken(), device: 'browser', device_info: browser }
  const once = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  const createOnce = () => request('POST', '/3ds/sessions', { key: front.key, body, headers: once })
  const [first, second] = [await createOnce(), await createOnce()]
  expect(second.body).toEqual(first.body)
  const path = `/3ds/sessions/${first.body.id}/authenticate`
  const authenticateOnce = () => request('POST', path, { key: back.key, body: payment, headers: once })
  const [third, fourth] = [await authenticateOnce(), await authenticateOnce()]
  expect([fourth.status, fourth.body]).toEqual([200, third.body])
})

test('S-01 a session expires after a day and is then deleted', async () => {
  const { vault, createBrowserSession, fetchSession, authenticateSession, fetchPage } = await startThreeDs({
    durable: true,
  })
  const { id } = await createBrowserSession()
  const { acs_challenge_url } = (await authenticateSession(id)).body
  vault.clock.advance(24 * 60 * 60_000)
  expect((await fetchSession(id)).status).toBe(404)
  expect((await fetchPage(acs_challenge_url)).status).toBe(404)
  await vault.engine.sweeper.sweep()
  vault.reopen()
  vault.clock.advance(-60_000)
  expect((await fetchSession(id)).status).toBe(404)
})

describe('the redirect', () => {
  const callback_urls = { success: 'http://localhost:9/good/7?a=1', failure: 'http://localhost:9/bad/7' }
  async function startRedirect(pan: string) {
    const all = await startThreeDs()
    const body = {
      token_id: await all.createToken(pan),
      device: 'browser',
      authentication_request: payment,
      callback_urls,
    }
    const made = (await all.createSession(body, all.back.key)).body
    expect(made.redirect_url).toBe(`${all.url}/3ds/redirect/${made.id}?apiKey=`)
    return { ...all, id: made.id as string, address: `${made.redirect_url}${all.front.key}` }
  }
  const seen = { browser_language: 'en-GB', browser_color_depth: '24', browser_javascript_enabled: 'true' }

  test('S-01 authenticates with the stored request and redirects', async () => {
    const { fetchPage, postForm, address, fetchSession, id, vault, front } =
      await startRedirect('5204247750001471')
    for (const key of [address, address.replace(/=.*/, '='), address.replace(/=.*/, '=%3CPUBLIC_API_KEY%3E')])
      expect((await fetchPage(key)).text).toContain('One moment')
    const { data } = await vault.owner.logs.list({})
    for (const { id } of data)
      expect(JSON.stringify(await vault.owner.logs.get({ id }))).not.toContain(front.key)
    expect((await fetchSession(id)).body).not.toHaveProperty('authentication')
    const back = await postForm(address, seen)
    expect(back.text).toContain('href="http://localhost:9/good/7"')
    expect((await fetchPage(address)).text).toContain('href="http://localhost:9/good/7"')
    expect((await fetchSession(id)).body).toMatchObject({
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
    const { postForm, address, fetchSession, id } = await startRedirect(number)
    const challenge = await postForm(address, seen)
    const [, action = ''] = /action="([^"]+)"/.exec(challenge.text) ?? []
    expect((await postForm(action, { choice })).text).toContain(`href="http://localhost:9/${place}"`)
    const { authentication } = (await fetchSession(id)).body
    expect(authentication.challenge_cancel_reason).toBe(
      choice === 'cancel' ? 'cardholder-canceled' : undefined,
    )
  })

  test.each([
    ['4264281500003339', 'bad/7'],
    ['4264281511112228', 'bad/7'],
    ['4111111111111111', 'good/7'],
  ])('S-01 the card %s redirects to %s', async (pan, place) => {
    const { postForm, address } = await startRedirect(pan)
    expect((await postForm(address, seen)).text).toContain(`href="http://localhost:9/${place}"`)
  })
})

describe('the pages', () => {
  test('X-59 escape text of the merchant and show no card data', async () => {
    const { createBrowserSession, authenticateSession, fetchPage } = await startThreeDs()
    const { id } = await createBrowserSession()
    const name = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    const body = { ...payment, merchant_info: { ...payment.merchant_info, name } }
    const { acs_challenge_url } = (await authenticateSession(id, body)).body
    const { text, headers } = await fetchPage(acs_challenge_url)
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

  test('X-59 accept the answer to a challenge once, and reject answers from other pages', async () => {
    const { createBrowserSession, authenticateSession, postForm, fetchResult, fetchPage, port } =
      await startThreeDs()
    const { id } = await createBrowserSession()
    const { acs_challenge_url, acs_transaction_id } = (await authenticateSession(id)).body
    const answer = `${acs_challenge_url}/answer`
    const others: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://localhost:${port + 1}` },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]
    for (const headers of others)
      expect((await postForm(answer, { choice: 'pass' }, headers)).status).toBe(403)
    for (const choice of ['', 'PASS', '__proto__'])
      expect((await postForm(answer, { choice })).status).toBe(400)
    const creqs = [
      createCreq(id, id),
      createCreq(acs_transaction_id, acs_transaction_id),
      'x',
      encodeMessage([]),
      '',
    ]
    for (const creq of creqs) expect((await postForm(acs_challenge_url, { creq })).status).toBe(400)
    const typed = await fetch(answer, { method: 'POST', body: '{"choice":"pass"}' })
    expect(typed.status).toBe(415)
    const long = await postForm(answer, { choice: 'x'.repeat(20_000) })
    expect(long.status).toBe(413)
    expect((await fetchResult(id)).body.authentication_status).toBe('challenge')
    const own = await postForm(answer, { choice: 'pass' }, { Origin: `http://localhost:${port}` })
    expect(own.text).toContain('data-status="successful"')
    expect((await postForm(answer, { choice: 'fail' })).text).toContain('data-status="successful"')
    expect((await fetchPage(acs_challenge_url)).text).toContain('data-status="successful"')
    expect((await fetchResult(id)).body.authentication_status).toBe('successful')
  })

  test('X-59 reject unknown ids and sessions without a challenge', async () => {
    const { createBrowserSession, authenticateSession, fetchPage, postForm, vault } = await startThreeDs()
    const { id } = await createBrowserSession('5204247750001471')
    const { acs_transaction_id } = (await authenticateSession(id)).body
    const paths = ['none', '%00', '..%2f..%2ftokens', "'--"]
    for (const each of paths) {
      const shown = await fetchPage(`/3ds/acs/challenge/${each}`)
      expect([each, shown.status]).toEqual([each, 404])
      expect(shown.text).not.toContain(id)
      expect((await postForm(`/3ds/acs/challenge/${each}/answer`, { choice: 'pass' })).status).toBe(404)
      expect((await fetchPage(`/3ds/redirect/${each}`)).status).toBe(404)
    }
    // These 404s are not recorded, because any web page can make a browser request such URLs.
    vault.engine.outcomes.flushLog()
    const { data } = await vault.owner.logs.list({ entity_type: 'three_ds_session', status: '404' })
    expect(data).toEqual([])
    for (const each of [id, acs_transaction_id])
      expect((await fetchPage(`/3ds/acs/challenge/${each}`)).status).toBe(404)
    const postMethod = (message: object) =>
      postForm('/3ds/acs/method', { threeDSMethodData: encodeMessage(message) })
    expect((await postMethod({ threeDSServerTransID: '"><script>' })).status).toBe(400)
    const elsewhere = { threeDSServerTransID: id, threeDSMethodNotificationURL: 'https://evil.example/x' }
    expect((await postMethod(elsewhere)).text).not.toContain('evil')
  })

  test('X-59 are the only resources that a page of another origin can load', async () => {
    const { fetchPage, request, vault, url } = await startThreeDs()
    const opens = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }
    const fetchPageStatus = (path: string, headers: Record<string, string>) =>
      fetchStatus(url + path, headers)
    expect(await fetchPageStatus('/3ds/pages/method.html', opens)).toBe(200)
    for (const path of ['/docs', '/openapi.json', '/_coffer/health', '/3ds/sessions/x', '/v2/tokens'])
      expect(await fetchPageStatus(path, opens)).toBe(403)
    const reads = { ...opens, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }
    expect(await fetchPageStatus('/3ds/pages/method.html', reads)).toBe(403)
    expect(await fetchPageStatus('/3ds/pages/method.html', { ...opens, Host: 'rebound.test' })).toBe(403)
    const { body } = await request('GET', '/3ds/sessions/x', { key: 'none' })
    expect(body.code).toBe('unauthenticated')
    vault.engine.close()
    expect((await fetchPage('/3ds/acs/challenge/x')).status).toBe(423)
  })
})

test('S-01 calls from the pages are recorded as made by the cardholder', async () => {
  const { createBrowserSession, authenticateSession, postForm, vault } = await startThreeDs()
  const { id } = await createBrowserSession()
  const { acs_challenge_url } = (await authenticateSession(id)).body
  await postForm(`${acs_challenge_url}/answer`, { choice: 'fail' })
  vault.engine.outcomes.flushLog()
  const { data } = await vault.owner.logs.list({ entity_type: 'three_ds_session' })
  const answered = data.find(({ action }) => action === 'threeDs.answerChallenge')
  expect(answered).toMatchObject({
    actor_type: 'cardholder',
    entity_id: id,
    status: 200,
    method: 'POST',
    path: '/3ds/acs/challenge/{id}/answer',
  })
  expect(JSON.stringify(data)).not.toMatch(/Ada|4000020000000000/)
})
