import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Json } from '../../../../shared/json.ts'
import { walletCard } from '../../../wallets.ts'
import { card, challengedCard, passChallenge, renewedCard } from '../start.ts'
import type { ClientProgram } from './areas.ts'
import type { MatrixServer } from './matrix-server.ts'

/** Returns why curl cannot run on this machine, or null if it can. */
export function describeMissingCurl(): string | null {
  return spawnSync('curl', ['--version']).status === 0 ? null : 'there is no curl'
}

/** Tries the API as documented, with curl and the header SVC-API-KEY. */
export function createCurlProgram(world: MatrixServer): ClientProgram {
  const runCurl = async (key: string, method: string, path: string, args: readonly string[]) => {
    const all = ['-sS', '-X', method, '-H', `SVC-API-KEY: ${key}`, '-w', '\n%{http_code}', ...args]
    const { stdout } = await promisify(execFile)('curl', [...all, world.URL + path])
    const end = stdout.lastIndexOf('\n')
    return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end) }
  }
  const createCaller =
    (key: string) =>
    async (method: string, path: string, body?: Json, ...headers: string[]) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const { status, text } = await runCurl(key, method, path, [
        ...(body === undefined ? [] : ['-H', `Content-Type: ${type}`, '--data-binary', JSON.stringify(body)]),
        ...headers.flatMap((each) => ['-H', each]),
      ])
      return { status, body: text === '' ? null : JSON.parse(text) }
    }
  const management = createCaller(world.MANAGEMENT)
  const backend = createCaller(world.BACKEND)
  const browser = createCaller(world.BROWSER)
  type Caller = typeof backend

  const expectRemoval = async (by: Caller, path: string) => {
    expect(await by('DELETE', path)).toEqual({ status: 204, body: null })
    expect(await by('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
  return {
    tokens: async () => {
      const created = await backend('POST', '/tokens', { type: 'card', data: card, metadata: { k: 'v' } })
      expect(created.status).toBe(201)
      const path = `/tokens/${created.body.id}`
      expect(await backend('GET', path)).toMatchObject({ status: 200, body: { data: card } })
      const updated = await backend('PATCH', path, { metadata: { a: 'b' } })
      expect(updated).toMatchObject({ status: 200, body: { metadata: { k: 'v', a: 'b' } } })
      await expectRemoval(backend, path)
    },
    tokenize: async () => {
      const created = await backend('POST', '/tokenize', { name: 'Ada', card: { type: 'card', data: card } })
      expect(created).toMatchObject({
        status: 200,
        body: { name: expect.any(String), card: { type: 'card' } },
      })
    },
    detokenize: async () => {
      const { body } = await backend('POST', '/tokens', { type: 'token', data: { a: [1, 'two'] } })
      const input = { all: `{{ ${body.id} }}`, one: `{{ ${body.id} | json: '$.a[1]' }}` }
      expect(await backend('POST', '/detokenize', input)).toEqual({
        status: 200,
        body: { all: { a: [1, 'two'] }, one: 'two' },
      })
    },
    'token intents': async () => {
      const created = await browser('POST', '/token-intents', { type: 'card', data: card })
      expect(created).toMatchObject({ status: 201, body: { type: 'card', card: { last4: '4242' } } })
      const path = `/token-intents/${created.body.id}`
      expect((await backend('GET', path)).status).toBe(200)
      await expectRemoval(backend, path)
    },
    applications: async () => {
      const input = { name: 'A', type: 'private', permissions: ['token:create'] }
      const created = await management('POST', '/applications', input)
      expect(created).toMatchObject({ status: 201, body: input })
      const path = `/applications/${created.body.id}`
      const updated = await management('PUT', path, { name: 'B', permissions: ['token:read'] })
      expect(updated).toMatchObject({ status: 200, body: { name: 'B' } })
      const found = await management('GET', `/applications?id=${created.body.id}`)
      expect(found.body).toMatchObject({ pagination: { total_items: 1 }, data: [{ name: 'B' }] })
      await expectRemoval(management, path)
    },
    'application keys': async () => {
      const input = { name: 'A', type: 'private', permissions: ['token:create'] }
      const { body } = await management('POST', '/applications', input)
      const path = `/applications/${body.id}/keys`
      const created = await management('POST', path)
      expect(created).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^key_local_pvt_/) } })
      const { data } = (await management('GET', path)).body
      expect(data.map(({ id }: { id: string }) => id)).toContain(created.body.id)
      await expectRemoval(management, `${path}/${created.body.id}`)
    },
    proxies: async () => {
      const input = { name: 'pay', destination_url: world.ECHO, configuration: { A: 'b' } }
      const created = await management('POST', '/proxies', input)
      expect(created).toMatchObject({ status: 201, body: { ...input, state: 'active' } })
      const path = `/proxies/${created.body.id}`
      expect(await management('PUT', path, { ...input, name: 'paid' })).toMatchObject({ status: 200 })
      expect(await management('PATCH', path, { name: 'patched' })).toEqual({ status: 204, body: null })
      expect((await management('GET', '/proxies?name=pat*')).body.data).toMatchObject([{ name: 'patched' }])
      const { body: token } = await backend('POST', '/tokens', { type: 'token', data: 'put in' })
      const key = `BT-PROXY-KEY: ${created.body.key}`
      const response = await backend('POST', '/proxy/charges', { value: `{{ ${token.id} }}` }, key)
      expect(response).toEqual({ status: 200, body: { value: 'put in' } })
      await expectRemoval(management, path)
    },
    reactors: async () => {
      const input = { name: 'echo', code: 'module.exports = function (req) { return { raw: req.args } }' }
      const created = await management('POST', '/reactors', input)
      expect(created).toMatchObject({ status: 201, body: { ...input, state: 'active' } })
      const path = `/reactors/${created.body.id}`
      expect(await management('PUT', path, { ...input, name: 'two' })).toMatchObject({ status: 200 })
      expect(await management('PATCH', path, { name: 'three' })).toEqual({ status: 204, body: null })
      const body = { raw: { key1: 'value1' } }
      const args = { args: body.raw }
      expect(await backend('POST', `${path}/react`, args)).toEqual({ status: 200, body })
      const later = await backend('POST', `${path}/react-async`, args)
      expect(later.status).toBe(202)
      const result = `${path}/results/${later.body.asyncReactorRequestId}`
      await expect.poll(() => backend('GET', result)).toEqual({ status: 200, body })
      await expectRemoval(management, path)
    },
    webhooks: async () => {
      const input = { name: 'Hook', url: 'https://hooks.coffer.test/in', events: ['token.created'] }
      const created = await management('POST', '/webhooks', input)
      expect(created).toMatchObject({ status: 201, body: { ...input, status: 'enabled' } })
      const path = `/webhooks/${created.body.id}`
      expect((await management('GET', '/webhooks')).body.data).toEqual([created.body])
      expect(await management('PUT', path, { ...input, name: 'Two' })).toMatchObject({ status: 200 })
      expect((await management('GET', '/webhooks/event-types')).body).toContain('token.created')
      await expectRemoval(management, path)
    },
    documents: async () => {
      const parts = ['-F', 'document=Hello World;type=text/plain;filename=hello.txt']
      const request = ['-F', 'request={"metadata":{"a":"b"}};type=application/json']
      const created = await runCurl(world.BACKEND, 'POST', '/documents', [...parts, ...request])
      expect(created.status).toBe(202)
      const { id, ...shown } = JSON.parse(created.text)
      expect(shown).toMatchObject({ content_type: 'text/plain', metadata: { a: 'b' } })
      const content = await runCurl(world.BACKEND, 'GET', `/documents/${id}/data`, [])
      expect(content).toEqual({ status: 200, text: 'Hello World' })
      await expectRemoval(backend, `/documents/${id}`)
    },
    'client keys': async () => {
      const created = await management('POST', '/keys')
      expect(created).toMatchObject({
        status: 201,
        body: { public_key_pem: expect.stringMatching(/^-----BEGIN/) },
      })
      expect((await management('GET', '/keys')).body).toMatchObject([{ key_id: created.body.key_id }])
      await expectRemoval(management, `/keys/${created.body.key_id}`)
    },
    'members and invitations': async () => {
      const { body: owner } = await management('GET', '/tenants/self/owner')
      expect((await management('GET', '/tenants/self/members')).body.data).toEqual([owner])
      const kept = await management('DELETE', `/tenants/self/members/${owner.id}`)
      expect(kept).toMatchObject({ status: 422, body: { status: 422 } })
      const contact = { email: 'security@example.com' }
      const set = await management('PUT', '/tenants/self/security-contact', contact)
      expect(set).toEqual({ status: 200, body: contact })
      const input = { email: 'somebody@example.com', role: 'READ_ONLY' }
      const created = await management('POST', '/tenants/self/invitations', input)
      expect(created).toMatchObject({ status: 201, body: { ...input, status: 'PENDING' } })
      const found = await management('GET', '/tenants/self/invitations?status=PENDING')
      expect(found.body).toMatchObject({ pagination: { total_items: 1 }, data: [{ id: created.body.id }] })
      const path = `/tenants/self/invitations/${created.body.id}`
      expect(await management('POST', `${path}/resend`)).toMatchObject({ status: 200 })
      await expectRemoval(management, path)
    },
    roles: async () => {
      const { body } = await management('GET', '/roles')
      expect(body).toEqual([{ name: 'OWNER' }, { name: 'ADMIN' }, { name: 'READ_ONLY' }])
    },
    'application templates': async () => {
      const { body } = await management('GET', '/application-templates')
      const one = await management('GET', `/application-templates/${body[0].id}`)
      expect(one).toEqual({ status: 200, body: body[0] })
    },
    'usage report': async () => {
      await backend('POST', '/tokens', { type: 'token', data: 'counted' })
      const { body } = await management('GET', '/tenants/self/reports/usage')
      expect(body.token_report.metrics_by_type.token).toMatchObject({ count: expect.any(Number) })
      expect(body.total_tokens).toBeGreaterThan(0)
    },
    'card details': async () => {
      expect(await browser('GET', '/enrichments/card-details?bin=378282')).toMatchObject({
        status: 200,
        body: { brand: 'American Express', bin_range: [{ bin_min: '378282', bin_max: '378282' }] },
      })
    },
    '3D Secure': async () => {
      const { body: token } = await backend('POST', '/tokens', { type: 'card', data: challengedCard })
      const device = { device: 'browser', device_info: JSON.parse(world.DEVICE_INFO) }
      const created = await backend('POST', '/3ds/sessions', { token_id: token.id, ...device })
      expect(created).toMatchObject({ status: 201, body: { cardBrand: 'Visa', card_brand: 'Visa' } })
      const path = `/3ds/sessions/${created.body.id}`
      const requested = await backend('POST', `${path}/authenticate`, JSON.parse(world.PAYMENT))
      expect(requested).toMatchObject({ status: 200, body: { authentication_status: 'challenge' } })
      await passChallenge(requested.body.acs_challenge_url)
      const result = await backend('GET', `${path}/challenge-result`)
      expect(result).toMatchObject({ status: 200, body: { authentication_status: 'successful' } })
      expect((await backend('GET', path)).body.authentication).toEqual(result.body)
    },
    'account updater': async () => {
      const token = (await backend('POST', '/tokens', { type: 'card', data: renewedCard })).body.id
      expect(await backend('POST', '/account-updater/real-time', { token_id: token })).toMatchObject({
        status: 200,
        body: { result_code: 'UPD_PAN', new_token: { type: 'card' } },
      })
      const { body: job } = await backend('POST', '/account-updater/jobs')
      const upload = new URL(job.upload_url).pathname
      const file = ['--data-binary', `token\n${token}\n`]
      expect((await runCurl('', 'PUT', upload, file)).status).toBe(200)
      await expect
        .poll(() => backend('GET', `/account-updater/jobs/${job.id}`))
        .toMatchObject({ body: { status: 'completed', requests: 1 } })
      expect((await backend('GET', '/account-updater/jobs?size=1')).body.data).toMatchObject([{ id: job.id }])
    },
    merchants: async () => {
      const path = '/tenants/self/merchants'
      const created = await management('POST', path, { name: 'Shop' })
      expect(created.status).toBe(201)
      const one = `${path}/${created.body.id}`
      expect(await management('PATCH', one, { name: 'Store' })).toMatchObject({ body: { name: 'Store' } })
      expect((await management('POST', `${one}/services`)).body.services.network_token.status).toBe('active')
      expect((await management('GET', path)).body.data).toMatchObject([{ name: 'Store' }])
      expect((await management('DELETE', one)).status).toBe(200)
      expect((await management('GET', one)).status).toBe(404)
    },
    wallets: async () => {
      const merchant = { merchant_identifier: 'merchant.com.example.shop' }
      const created = await management('POST', '/apple-pay/merchant-registration', merchant)
      expect(created).toMatchObject({ status: 201, body: merchant })
      await expectRemoval(management, `/apple-pay/merchant-registration/${created.body.id}`)
      expect(
        await management('POST', '/apple-pay/domain-registration', { domain: 'shop.example.com' }),
      ).toMatchObject({ body: { domains: [{ domain: 'shop.example.com', status: 'verified' }] } })
      const payments = [
        ['apple', world.APPLE_PAYMENT_DATA],
        ['google', world.GOOGLE_PAYMENT_DATA],
      ] as const
      for (const [wallet, data] of payments) {
        const payment = { [`${wallet}_payment_data`]: JSON.parse(data) }
        const { body } = await backend('POST', `/${wallet}-pay`, payment)
        const one = `/${wallet}-pay/${body[`${wallet}_pay`].id}`
        expect((await backend('GET', one)).body.data.number).toBe(walletCard)
        expect((await backend('DELETE', one)).status).toBe(200)
        expect((await backend('GET', one)).status).toBe(404)
      }
    },
    errors: async () => {
      const wrong = await backend('POST', '/tokens', { type: 'card', data: { number: '4242424242424241' } })
      expect(wrong).toMatchObject({ status: 400, body: { errors: { 'data.number': [expect.any(String)] } } })
      expect((await createCaller('key_local_pvt_wrong')('GET', '/tokens/x')).status).toBe(401)
      expect((await browser('GET', '/tokens/x')).status).toBe(403)
      expect((await backend('GET', '/tokens/x')).status).toBe(404)
      expect((await backend('PUT', '/tokens', {})).status).toBe(405)
    },
    paging: async () => {
      const created: string[] = []
      for (let at = 0; at < 5; at++) {
        const token = { type: 'token', data: at, metadata: { paging: 'yes' } }
        created.push((await backend('POST', '/tokens', token)).body.id)
      }
      const ids: string[] = []
      for (let next = ''; ; ) {
        const { body } = await backend('GET', `/v2/tokens?metadata.paging=yes&size=2${next}`)
        ids.push(...body.data.map(({ id }: { id: string }) => id))
        if (!body.pagination.next) break
        next = `&start=${encodeURIComponent(body.pagination.next)}`
      }
      expect(ids.sort()).toEqual(created.sort())
    },
    idempotency: async () => {
      const createOnce = async (key: string) =>
        (await backend('POST', '/tokens', { type: 'token', data: 'x' }, `SVC-IDEMPOTENCY-KEY: ${key}`)).body
          .id
      const [first, again, other] = [
        await createOnce('one'),
        await createOnce('one'),
        await createOnce('two'),
      ]
      expect(again).toBe(first)
      expect(other).not.toBe(first)
    },
  }
}
