import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../shared/json.ts'
import { breakReads, startServe } from './cli/run-coffer.ts'
import { browser, payment } from './three-ds.ts'
import { createTempFolder } from './vault.ts'

/** Numbers and a phrase that nothing else can contain by chance. */
const number = '5200731948265043'
const account = '90817263544536271'
const security = '078-05-1120'
const phrase = 'canary-4a7b-quiet-yellow'
const canaries = [number, account, security.replaceAll('-', ''), phrase]

/** Returns the encodings of a secret to search for: as is, with separators, and in base64, base16 and UTF-16. */
function encodeSecret(secret: string): string[] {
  const grouped = secret.match(/.{1,4}/g) ?? []
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from(' '.repeat(shift) + secret).toString('base64')
    // The first and last base64 characters also depend on the neighbouring bytes, so they are cut off.
    return text.slice(shift === 0 ? 0 : 4, secret.length + shift - ((secret.length + shift) % 3)).slice(0, 16)
  })
  const hex = Buffer.from(secret).toString('hex')
  const utf16 = Buffer.from(secret, 'utf16le').toString('latin1')
  return [secret, grouped.join('-'), grouped.join(' '), ...base64, hex, hex.toUpperCase(), utf16]
}

const encodings = [...canaries.flatMap(encodeSecret), security]

/** Returns the encodings of secrets that occur in some bytes. */
function findEncodings(bytes: Buffer | string): string[] {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  return encodings.filter((each) => text.includes(each))
}

/** Returns every file below a folder that contains a canary. */
function findFilesWithCanary(folder: string): string[] {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name))
  expect(files.length).toBeGreaterThan(0)
  return files.filter((file) => findEncodings(fs.readFileSync(file)).length > 0)
}

test('X-23 the canary search of this file finds a canary in every encoding', () => {
  for (const secret of canaries) {
    for (const bytes of [
      secret,
      `x${secret}x`,
      Buffer.from(`"${secret}"`).toString('base64'),
      Buffer.from(`x "${secret}"`).toString('base64'),
      Buffer.from(`ab "${secret}",`).toString('base64url'),
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret, 'utf16le'),
    ]) {
      expect(findEncodings(bytes)).not.toEqual([])
    }
  }
})

test('X-23 no file, stream or error of a vault contains a card number', async () => {
  const folder = createTempFolder()
  const temporary = path.join(folder, 'tmp')
  const data = path.join(folder, 'data')
  fs.mkdirSync(temporary)
  const env = {
    ...breakReads(),
    COFFER_PASSPHRASE: 'correct horse battery staple',
    HOME: folder,
    TMPDIR: temporary,
  }
  const coffer = startServe(data, env, '--verbose', '--no-console')
  const { url, keys } = await coffer.json()
  const refusals: string[] = []
  /** The headers that name ignored members. */
  const ignored: string[] = []
  const statuses = new Map<number, number>()

  async function sendRequest(
    method: string,
    target: string,
    key: string,
    body?: Json,
    headers: Record<string, string> = {},
  ) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(url + target, {
      method,
      headers: { 'SVC-API-KEY': key, ...(body !== undefined && { 'Content-Type': type }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    if (response.status >= 400) refusals.push([...response.headers].join() + text)
    ignored.push(response.headers.get('Coffer-Ignored') ?? '')
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
  }

  async function createKey(transform: string): Promise<string> {
    const created = await sendRequest('POST', '/applications', keys.management, {
      name: transform,
      type: 'private',
      rules: [
        {
          priority: 1,
          container: '/',
          transform,
          permissions: [
            'token:create',
            'token:read',
            'token:update',
            'token:delete',
            'token:search',
            'token:use',
            'token-intent:create',
            'documents:create',
            'documents:reveal',
            'documents:delete',
            '3ds:session:create',
            '3ds:session:read',
            '3ds:session:authenticate',
            'apple-pay:create',
            'google-pay:create',
            'network-token:create',
            'network-token:reveal',
            'network-token:cryptogram',
            'enrollment:create',
            'enrollment:verify',
            'agent:create',
            'agent:instruction:create',
            'agent:instruction:credentials',
          ],
        },
      ],
    })
    return created.body.key
  }
  /** A document full of canaries, in several chunks. */
  async function uploadDocument(key: string, request: Json) {
    const form = new FormData()
    form.set('document', new Blob([`${number} ${phrase}\n`.repeat(20_000)], { type: 'text/plain' }), number)
    form.set('request', JSON.stringify(request))
    const response = await fetch(`${url}/documents`, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key },
      body: form,
    })
    const text = await response.text()
    if (response.status >= 400) refusals.push(text)
    ignored.push(response.headers.get('Coffer-Ignored') ?? '')
    return { status: response.status, id: response.status === 202 ? String(JSON.parse(text).id) : '' }
  }
  /** Fetches a 3D Secure page like a cardholder's browser. */
  async function fetchPage(address: string, form?: Record<string, string>) {
    const response = await fetch(address, form && { method: 'POST', body: new URLSearchParams(form) })
    const text = await response.text()
    if (response.status >= 400) refusals.push(text)
    return { status: response.status, text }
  }
  const open = await createKey('reveal')
  const masked = await createKey('mask')

  const card = { number, expiration_month: 1, expiration_year: 2031, cvc: '123' }
  const once = { 'SVC-IDEMPOTENCY-KEY': 'once', 'SVC-TRACE-ID': 'trace' }
  const created = await sendRequest(
    'POST',
    '/tokens',
    open,
    { id: 'card', type: 'card', data: card, metadata: { a: 'b' } },
    once,
  )
  expect(created.body.data.number).toBe(number)
  expect((await sendRequest('POST', '/tokens', open, {}, once)).body.id).toBe('card')
  await sendRequest('POST', '/tokens', open, {
    id: 'bank',
    type: 'bank',
    data: { routing_number: '021000021', account_number: account },
  })
  await sendRequest('POST', '/tokens', open, { id: 'ssn', type: 'social_security_number', data: security })
  await sendRequest('POST', '/tokens', open, {
    id: 'text',
    type: 'token',
    data: { note: phrase, again: [phrase] },
    search_indexes: ['{{ data.note }}'],
    fingerprint_expression: '{{ data.note }}',
    mask: { note: '{{ data.note | reveal: 2, 2 }}' },
  })
  await sendRequest('PATCH', '/tokens/text', open, { data: { more: number } })
  expect(
    (await sendRequest('POST', '/v2/tokens/search', open, { query: `data:${phrase}` })).body.data,
  ).toHaveLength(1)
  expect(
    (await sendRequest('POST', '/tokens/search', open, { query: `data:"${security}"` })).body.data,
  ).toHaveLength(1)
  await sendRequest('POST', '/tokenize', open, { a: phrase, b: { type: 'card_number', data: number } })
  const detokenized = await sendRequest('POST', '/detokenize', open, { n: "{{ card | json: '$.number' }}" })
  expect(detokenized.body).toEqual({ n: number })
  await sendRequest('POST', '/token-intents', open, { type: 'card', data: card })
  await sendRequest('POST', '/enrichments/bank-account-verify', open, { token_id: 'bank' })

  const { id } = await uploadDocument(open, { metadata: { a: phrase } })
  expect(findEncodings((await sendRequest('GET', `/documents/${id}/data`, open)).text)).toContain(number)
  const gone = await uploadDocument(open, {})
  await sendRequest('DELETE', `/documents/${gone.id}`, open)
  // The unknown member is ignored, and named without its digits.
  expect((await uploadDocument(open, { [number]: 1 })).status).toBe(202)
  await sendRequest('POST', `/tokens?${number}=1`, open, {
    type: 'token',
    data: 1,
    [number]: 1,
    [security]: 2,
  })
  for (const request of [{ metadata: { [number]: 1 } }, { metadata: number }])
    expect((await uploadDocument(open, request)).status).toBe(400)

  // 3D Secure: a direct payment, a challenge, and a redirect, with the shop's data about the payer.
  const shop = `Shop ${phrase}`
  const bought = {
    ...payment,
    merchant_info: { ...payment.merchant_info, name: shop, mid: number },
    cardholder_info: { ...payment.cardholder_info, name: phrase, account_id: account },
  }
  const device = { device: 'browser', device_info: { ...browser, browser_user_agent: phrase } }
  const paid = await sendRequest('POST', '/3ds/sessions', open, { token_id: 'card', ...device })
  const at = `/3ds/sessions/${paid.body.id}`
  expect((await sendRequest('POST', `${at}/authenticate`, open, bought)).body.authentication_status).toBe(
    'attempted',
  )
  expect(findEncodings((await sendRequest('GET', at, open)).text)).toContain(phrase)
  const tested = { ...card, number: '4000020000000000' }
  await sendRequest('POST', '/tokens', open, { id: 'tested', type: 'card', data: tested })
  const challenged = await sendRequest('POST', '/3ds/sessions', open, {
    token_id: 'tested',
    ...device,
    authentication_request: bought,
    callback_urls: { success: `https://shop.example.com/${phrase}`, failure: 'https://shop.example.com/' },
  })
  expect(findEncodings((await fetchPage(challenged.body.redirect_url, {})).text)).toContain(phrase)
  const { acs_challenge_url } = (
    await sendRequest('GET', `/3ds/sessions/${challenged.body.id}/challenge-result`, open)
  ).body
  const messages: [string, Record<string, string>][] = [
    [`${url}/3ds/acs/challenge/${number}`, { creq: number }],
    [acs_challenge_url, { creq: btoa(`{"acsTransID":"${number}"}`) }],
    [`${acs_challenge_url}/answer`, { choice: number }],
    [`${url}/3ds/acs/method`, { threeDSMethodData: btoa(`{"threeDSServerTransID":"${number}"}`) }],
  ]
  for (const [address, form] of messages) {
    const { status } = await fetchPage(address, form)
    expect([address, status >= 400 && status < 500]).toEqual([address, true])
  }
  expect((await fetchPage(`${acs_challenge_url}/answer`, { choice: 'pass' })).status).toBe(200)

  const merchants = '/tenants/self/merchants'
  const details = { merchant: { descriptor: number, contact: { name: phrase, phone_number: account } } }
  expect((await sendRequest('POST', merchants, keys.management, { name: phrase, details })).status).toBe(201)
  const twice = await sendRequest('POST', merchants, keys.management, { name: phrase, details })
  expect(twice.status).toBe(409)

  // The card of the canary is one of Mastercard, so the type without a verification is enrolled.
  const consumer = { email: `${phrase}@example.com`, id: phrase }
  const enrolled = await sendRequest('POST', '/agentic/enrollments', open, {
    token_id: 'card',
    consumer,
    type: 'autofill',
  })
  expect([enrolled.status, enrolled.body.card.last4]).toEqual([201, number.slice(-4)])
  const agent = (await sendRequest('POST', '/agentic/agents', open, { name: 'Travel' })).body.id
  const ordered = await sendRequest('POST', `/agentic/agents/${agent}/instructions`, open, {
    enrollment_id: enrolled.body.id,
    amount: { value: '1.00' },
    description: `${phrase} ${number}`,
    assurance_data: { secret: phrase },
  })
  expect(ordered.status).toBe(201)
  const unenrolled = await sendRequest('POST', '/agentic/enrollments', open, { token_id: number, consumer })
  expect([unenrolled.status, unenrolled.body.type]).toEqual([400, 'INVALID_TOKEN'])

  const sendWallet = async (wallet: string, target: string, variant: string | null = null) => {
    const made = await sendRequest('POST', '/_coffer/wallet-payload', keys.management, {
      wallet,
      number,
      variant,
    })
    return sendRequest('POST', target, open, JSON.parse(made.text))
  }
  expect((await sendWallet('apple', '/apple-pay')).status).toBe(201)
  expect((await sendWallet('google', '/google-pay')).status).toBe(201)
  expect((await sendWallet('google', '/google-pay', 'pan_only')).status).toBe(201)
  const password = { merchant_certificate_data: number, merchant_certificate_password: phrase }
  const registrations = '/google-pay/merchant-registration'
  const shopId = (await sendRequest('POST', registrations, keys.management, { merchant_identifier: 'shop' }))
    .body.id
  const added = await sendRequest(
    'POST',
    `${registrations}/${shopId}/certificates`,
    keys.management,
    password,
  )
  expect(added.status).toBe(422)

  const networkToken = await sendRequest('POST', '/network-tokens', open, { token_id: 'card' })
  expect(networkToken.body.data.number).toMatch(/^X{12}\d{4}$/)
  const made = await sendRequest('GET', `/network-tokens/${networkToken.body.id}`, open)
  const cryptogram = await sendRequest('POST', `/network-tokens/${networkToken.body.id}/cryptogram`, open)
  for (const secret of [made.body.data.number, cryptogram.body.cryptogram]) {
    expect(secret).toMatch(/^(\d{16}|.{24})$/)
    encodings.push(...encodeSecret(secret))
  }
  const declined = { number: '4929544240318920', expiration_month: 1, expiration_year: 2031 }
  expect((await sendRequest('POST', '/network-tokens', open, { data: declined })).status).toBe(422)

  // Requests with every kind of mistake that a caller can make.
  const wrong: [string, string, Json?][] = [
    ['POST', '/tokens', { type: 'card', data: { ...card, number: `${number}0` } }],
    ['POST', '/tokens', { type: 'card_number', data: number, id: `x-${number}` }],
    ['POST', '/tokens', { type: 'card_number', data: number, id: '{{ data }}' }],
    ['POST', '/tokens', { type: 'card_number', data: number, metadata: { [number]: number } }],
    ['POST', '/tokens', { type: phrase, data: 1 }],
    ['POST', '/tokens', { type: 'token', data: phrase, mask: "{{ data | json: '$.x' }}" }],
    ['POST', '/tokens', { type: 'token', data: phrase, search_indexes: ['{{ data | hmac }}'] }],
    ['POST', '/tokens', { id: 'card', type: 'card', data: card }],
    ['PATCH', '/tokens/card', { data: { number: account } }],
    ['PATCH', '/tokens/card', { metadata: { a: number } }],
    ['GET', `/tokens/${number}`],
    ['DELETE', `/tokens/${number}`],
    ['GET', `/v2/tokens?start=${number}`],
    ['GET', `/v2/tokens?container=${number}`],
    ['GET', `/tokens/%zz${number}`],
    ['POST', '/v2/tokens/search', { query: `type:${number} AND data:${phrase} OR x` }],
    ['POST', '/tokens/search', { query: `NOT data:${phrase}` }],
    ['POST', '/detokenize', { a: `{{ ${number} }}` }],
    ['POST', '/detokenize', { a: `{{ card | ${number} }}` }],
    ['POST', '/tokenize', { a: { type: 'card_number', data: `${number}0` } }],
    ['POST', '/token-intents', { type: 'card', data: { number: account } }],
    ['POST', '/enrichments/bank-account-verify', { token_id: 'bank', routing_number: number }],
    ['POST', '/3ds/sessions', { pan: number, ...device }],
    ['POST', '/3ds/sessions', { token_id: 'card', device: number, [number]: phrase }],
    ['POST', '/3ds/sessions', { token_id: 'text', ...device }],
    ['POST', `${at}/authenticate`, { ...bought, authentication_type: phrase, card_brand: number }],
    ['POST', `${at}/authenticate`, { ...bought, card_brand: number }],
    ['GET', `/3ds/sessions/${number}`],
    ['POST', '/network-tokens', { data: { ...card, number: account }, merchant_id: number }],
    ['POST', '/network-tokens', { token_id: number, token_intent_id: phrase }],
    ['POST', '/network-tokens', { token_id: number, [number]: phrase }],
    ['GET', `/nothing/${number}`],
  ]
  for (const [method, target, body] of wrong) {
    const { status } = await sendRequest(method, target, open, body)
    expect([method, target, status >= 400 && status < 500]).toEqual([method, target, true])
  }
  expect(refusals.length).toBe(wrong.length + messages.length + 6)
  expect(ignored.filter((each) => each !== '').length).toBeGreaterThanOrEqual(2)
  for (const text of [...refusals, ...ignored]) expect(findEncodings(text)).toEqual([])

  // An internal error is recorded as an incident, which contains nothing of the request.
  for (const id of [`break-${number}`, `break-${phrase}`]) {
    const broken = await sendRequest('GET', `/tokens/${id}`, open, undefined, {
      'SVC-TRACE-ID': `trace-${number}`,
    })
    expect([broken.status, findEncodings(broken.text)]).toEqual([500, []])
  }
  const incidents = fs.readFileSync(path.join(data, 'incidents.log'), 'utf8').trim().split('\n')
  expect(incidents.map((line) => JSON.parse(line))).toMatchObject(
    Array(2).fill({ class: 'TypeError', where: 'tokens.get', trace_id: 'trace-XXXXXXXXXXXX5043' }),
  )
  expect(coffer.lines.join('\n')).toContain('internal error: TypeError in tokens.get')

  // The same reads with a key that sees only masks.
  for (const target of [
    '/tokens/card',
    '/tokens/bank',
    '/tokens/ssn',
    '/tokens/text',
    '/v2/tokens',
    '/tokens',
  ]) {
    const { status, text } = await sendRequest('GET', target, masked)
    expect([target, status, findEncodings(text)]).toEqual([target, 200, []])
  }
  await sendRequest('DELETE', '/tokens/text', open)
  expect((await sendRequest('GET', '/tokens/text', open)).status).toBe(404)

  expect(findFilesWithCanary(folder)).toEqual([])
  coffer.stop()
  expect(await coffer.ended).toBe(0)
  expect(findFilesWithCanary(folder)).toEqual([])
  expect(findEncodings(coffer.lines.join('\n'))).toEqual([])
  // API keys are shown once, and no file contains them either.
  const secrets = [open, masked, keys.management, keys.private, keys.public]
  const kept = fs.readdirSync(data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  for (const file of kept) {
    const bytes = fs.readFileSync(path.join(file.parentPath, file.name), 'latin1')
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([])
  }
})
