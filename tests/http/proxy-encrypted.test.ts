import { CompactEncrypt, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { number, startProxy } from './start-proxy.ts'

type StartedProxy = Awaited<ReturnType<typeof startProxy>>

const card = { number: '5555555555554444', expiration_month: 12, expiration_year: 2030 }
const json = { 'Content-Type': 'application/json' }

/** Returns functions that encrypt values and encode the header like clients. */
async function createClient({ vault }: StartedProxy) {
  const { key_id, public_key_pem } = await vault.owner.clientKeys.create({})
  const raw = Buffer.from(public_key_pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const key = await importJWK({ kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, 'ECDH-ES')
  const encryptJson = (value: unknown) => encryptText(JSON.stringify(value))
  const encryptText = (text: string) =>
    new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key_id })
      .encrypt(key)
  return {
    encryptJson,
    encryptText,
    header: (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64'),
  }
}

/** Starts a destination that records its requests. */
async function startRecorder() {
  const got: string[] = []
  const { url } = await startDestination(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push(`${request.headers['x-number'] ?? ''} ${body}`)
    response.end('{}')
    expect(request.headers).not.toHaveProperty('bt-encrypted')
  })
  return { url, got }
}

test('C-02 G-05 encrypted values are inserted into body and headers', async () => {
  const started = await startProxy()
  const { encryptJson, header } = await createClient(started)
  const { url, got } = await startRecorder()
  const { status } = await started.callProxy('POST', '/proxy', {
    headers: {
      ...json,
      'BT-PROXY-URL': url,
      'BT-ENCRYPTED': header({ type: 'card', encrypted: await encryptJson(card) }),
      'X-Number': "{{ encrypted | json: '$.data.number' }}",
    },
    body: `{"n":"{{ encrypted | json: '$.data.number' }}","stored":"{{ ${started.id} | json: '$.number' }}"}`,
  })
  expect(status).toBe(200)
  expect(got).toEqual([`${card.number} {"n":"${card.number}","stored":"${number}"}`])
})

test('C-02 G-05 one header can contain several named encrypted values', async () => {
  const started = await startProxy()
  const { encryptJson, header } = await createClient(started)
  const { url, got } = await startRecorder()
  const requests = {
    creditCard: { type: 'card', encrypted: await encryptJson(card) },
    name: { type: 'token', encrypted: await encryptJson('Ada') },
  }
  await started.callProxy('POST', '/proxy', {
    headers: { ...json, 'BT-PROXY-URL': url, 'BT-ENCRYPTED': header(requests) },
    body: `{"n":"{{ encrypted | json: '$.creditCard.data.number' }}","who":"{{ encrypted | json: '$.name.data' }}"}`,
  })
  expect(got).toEqual([` {"n":"${card.number}","who":"Ada"}`])
})

test('C-02 G-05 encrypted digits are inserted as a string', async () => {
  const started = await startProxy()
  const { encryptText, header } = await createClient(started)
  const { url, got } = await startRecorder()
  const request = { type: 'card_number', encrypted: await encryptText(number) }
  await started.callProxy('POST', '/proxy', {
    headers: { ...json, 'BT-PROXY-URL': url, 'BT-ENCRYPTED': header(request) },
    body: `{"n":"{{ encrypted | json: '$.data' }}"}`,
  })
  expect(got).toEqual([` {"n":"${number}"}`])
})

test('C-02 G-05 a transform creates a token from an encrypted value', async () => {
  const started = await startProxy({ ephemeral: true })
  const { encryptJson, header } = await createClient(started)
  const { id } = await started.vault.application({ permissions: ['token:create'] })
  const { key } = await started.createProxy({
    application: { id },
    request_transforms: [
      {
        type: 'tokenize',
        options: {
          identifier: 'card',
          token: { type: 'card', data: "{{ encrypted | json: '$.data' }}" },
        },
      },
      {
        type: 'append_json',
        options: { location: '$.token', value: "{{ transform_identifier: 'card' | json: '$.id' }}" },
      },
    ],
  })
  const { status, text } = await started.callProxy('POST', '/proxy', {
    headers: {
      ...json,
      'BT-PROXY-KEY': key,
      'BT-ENCRYPTED': header({ type: 'card', encrypted: await encryptJson(card) }),
    },
    body: '{}',
  })
  expect(status).toBe(200)
  const token_id = JSON.parse(text).body.token
  expect((await started.vault.owner.tokens.reveal({ id: token_id })).data).toEqual(card)
})

test('C-02 X-57 G-06 every invalid header of encrypted values gets the same 400', async () => {
  const started = await startProxy()
  const { encryptJson, header } = await createClient(started)
  const encrypted = await encryptJson(card)
  const seen = new Set<string>()
  for (const wrong of [
    'no base64!',
    header('text'),
    header([]),
    header({ a: 1 }),
    header({ type: 'card', encrypted: 'x' }),
    header({ encrypted }),
    header({ '': { type: 'card', encrypted } }),
    header(
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`n${at}`, { type: 'card', encrypted }])),
    ),
  ]) {
    const { status, text } = await started.callProxy('POST', '/proxy', {
      headers: { 'BT-PROXY-URL': 'https://echo.coffer.test', 'BT-ENCRYPTED': wrong },
      body: 'x',
    })
    expect([wrong.slice(0, 30), status]).toEqual([wrong.slice(0, 30), 400])
    const { trace_id: _, ...rest } = JSON.parse(text).proxy_error
    seen.add(JSON.stringify(rest))
  }
  expect(seen.size).toBe(1)
})

test('C-02 G-05 a call with invalid encrypted data or without its header is rejected', async () => {
  const started = await startProxy()
  const { encryptJson, header } = await createClient(started)
  const callProxy = (headers: Record<string, string>) =>
    started.callProxy('POST', '/proxy', {
      headers: { ...json, 'BT-PROXY-URL': 'https://echo.coffer.test', ...headers },
      body: `{"n":"{{ encrypted | json: '$.data.number' }}"}`,
    })
  const wrong = await callProxy({
    'BT-ENCRYPTED': header({ type: 'card', encrypted: await encryptJson({ number: '4242424242424241' }) }),
  })
  expect(wrong.status).toBe(400)
  expect(wrong.text).not.toContain('4242424242424241')
  expect((await callProxy({})).status).toBe(400)
})

test('X-58 encrypted values are redacted in the stored exchange', async () => {
  const started = await startProxy({ ephemeral: true })
  const { encryptJson, header } = await createClient(started)
  await started.callProxy('POST', '/proxy', {
    headers: {
      ...json,
      'BT-PROXY-URL': 'https://echo.coffer.test',
      'BT-ENCRYPTED': header({ type: 'card', encrypted: await encryptJson(card) }),
    },
    body: `{"n":"{{ encrypted | json: '$.data.number' }}"}`,
  })
  const listExchanges = async () => (await started.vault.owner.exchanges.list({})).data
  await expect.poll(listExchanges).toHaveLength(1)
  const data = await listExchanges()
  const stored = await started.vault.owner.exchanges.get({ id: data[0]?.id ?? '' })
  expect(JSON.stringify(stored)).not.toContain(card.number)
  expect(JSON.stringify(stored)).not.toContain('eyJ')
})
