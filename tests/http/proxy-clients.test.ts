import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { number, startProxy } from './start-proxy.ts'

/** Starts a stand-in for a payment provider, which records requests and responds like the provider. */
async function startProvider() {
  const seen: { path: string; type: string | undefined; authorization: string | undefined; body: string }[] =
    []
  const { url } = await startDestination(async (request, response) => {
    const { headers } = request
    const body = await text(request)
    seen.push({
      path: request.url ?? '',
      type: headers['content-type'],
      authorization: headers.authorization,
      body,
    })
    const isDeclined = body.includes('declined')
    response.writeHead(isDeclined ? 402 : 200, { 'Content-Type': 'application/json', 'Request-Id': 'req_1' })
    response.end(
      JSON.stringify(
        isDeclined
          ? { error: { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' } }
          : { id: 'pm_1', object: 'payment_method', type: 'card' },
      ),
    )
  })
  return { url, seen }
}

test('G-03 G-04 the stripe SDK sends a card through a proxy', async () => {
  const provider = await startProvider()
  const { listener, key, id } = await startProxy({ map: { 'https://api.stripe.com': provider.url } })
  const http = Stripe.createNodeHttpClient()
  const { makeRequest } = http
  // These headers of the vault are sent with every request of the SDK.
  http.makeRequest = (host, port, path, method, headers, ...rest) =>
    makeRequest.call(
      http,
      host,
      port,
      `/proxy${path}`,
      method,
      { ...headers, 'BT-API-KEY': key, 'BT-PROXY-URL': 'https://api.stripe.com' },
      ...rest,
    )
  const stripe = new Stripe('sk_test_1', {
    host: '127.0.0.1',
    port: listener.port,
    protocol: 'http',
    httpClient: http,
    telemetry: false,
  })
  const card = {
    number: `{{ ${id} | json: '$.number' }}`,
    exp_month: `{{ ${id} | json: '$.expiration_month' }}`,
    exp_year: `{{ ${id} | json: '$.expiration_year' }}`,
    cvc: `{{ ${id} | json: '$.cvc' }}`,
  } as never
  const created = await stripe.paymentMethods.create({ type: 'card', card })
  expect(created).toMatchObject({ id: 'pm_1', lastResponse: { statusCode: 200, requestId: 'req_1' } })
  expect(provider.seen[0]).toMatchObject({
    path: '/v1/payment_methods',
    type: 'application/x-www-form-urlencoded',
    authorization: 'Bearer sk_test_1',
  })
  expect(Object.fromEntries(new URLSearchParams(provider.seen[0]?.body))).toEqual({
    type: 'card',
    'card[number]': number,
    'card[exp_month]': '12',
    'card[exp_year]': '2035',
    'card[cvc]': '123',
  })
  await expect(
    stripe.paymentMethods.create({ type: 'card', card, metadata: { say: 'declined' } }),
  ).rejects.toMatchObject({ type: 'StripeCardError', code: 'card_declined', statusCode: 402 })
  // The SDK treats a body without "error" as a success, so only a header shows that the response is not the provider's.
  const unknown = await stripe.paymentMethods.create({
    type: 'card',
    card: { number: '{{ nobody }}' } as never,
  })
  expect(unknown).toMatchObject({ proxy_error: { status: 400, detail: expect.stringContaining('nobody') } })
  expect(unknown.lastResponse.headers).not.toHaveProperty('bt-proxy-destination-status')
  expect(created.lastResponse.headers).toMatchObject({ 'bt-proxy-destination-status': '200' })
})

test('G-04 curl sends JSON, a form and a file through a proxy', async () => {
  const { listener, key, id } = await startProxy()
  const { url } = await startDestination((request, response) => void request.pipe(response))
  const runCurl = async (...args: string[]) => {
    const headers = ['-H', `SVC-API-KEY: ${key}`, '-H', `SVC-PROXY-URL: ${url}`]
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      `${listener.url}/proxy`,
      ...headers,
      ...args,
    ])
    return stdout
  }
  const expression = `{{ ${id} | json: '$.number' }}`
  expect(await runCurl('--json', `{"number":"${expression}"}`)).toBe(`{"number":"${number}"}`)
  expect(await runCurl('-d', 'a=1', '--data-urlencode', `number=${expression}`)).toBe(`a=1&number=${number}`)
  const file = await runCurl('-F', `number=${expression}`, '-F', 'file=@package.json;type=text/plain')
  expect(file).toContain(`\r\n\r\n${number}\r\n`)
  expect(file).toContain('"name": "coffer"')
  // Above 1 MB, curl sends `Expect: 100-continue` and waits.
  const long = await runCurl('--data-binary', '@package-lock.json', '-H', 'Content-Type: text/plain')
  expect(long).toContain('"name": "coffer"')
})
