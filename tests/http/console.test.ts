import http from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { HostEvent } from '../../shared/host/events.ts'
import { readJson } from '../../shared/json.ts'
import { inMemoryVault, passphrase, storedVault } from '../host/start-host.ts'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { startConsole } from './start-console.ts'

const MINUTE = 60_000

test('a launch link sets an HttpOnly, SameSite=Strict cookie, and only once', async () => {
  const { console, postToConsole, getLaunchToken, origin } = await startConsole()
  const link = console.launchLink()
  expect(link).toMatch(new RegExp(`^${origin}/console/#launch=[\\w-]{43}$`))
  const first = await postToConsole('launch', { token: getLaunchToken(link) })
  expect(first.status).toBe(200)
  expect(first.headers.get('set-cookie')).toMatch(
    /^coffer_console_\d+=[\w-]{12}\.[\w-]{43}; Path=\/_coffer\/console; HttpOnly; SameSite=Strict$/,
  )
  const again = await postToConsole('launch', { token: getLaunchToken(link) })
  expect(again.status).toBe(401)
  expect(again.body.detail).toContain('Press Enter in the terminal')
  expect(again.headers.get('set-cookie')).toBeNull()
})

test('without a terminal, exactly one launch link is logged, and the page shows none', async () => {
  const links: string[] = []
  const { postToConsole, getLaunchToken } = await startConsole(undefined, (link) => links.push(link))
  for (let requested = 0; requested < 3; requested++) {
    const { status, text, body } = await postToConsole('call', { name: 'host.status' })
    expect(status).toBe(401)
    expect(body.detail).toContain('fresh link that Coffer wrote to its log')
    expect(text).not.toContain(getLaunchToken(links[0] ?? ''))
  }
  expect(links).toHaveLength(1)
  expect((await postToConsole('launch', { token: getLaunchToken(links[0] ?? '') })).status).toBe(200)
})

test('only a call with a session of an earlier process gets the error that Coffer was restarted', async () => {
  const { launchConsole, postToConsole, console_clock } = await startConsole()
  const Cookie = await launchConsole()
  const requestStatus = async (cookie: string | null) => {
    const { status, headers, body } = await postToConsole('call', { name: 'host.status' }, { Cookie: cookie })
    return [status, headers.get('coffer-restarted'), /^Coffer was restarted/.test(body.detail ?? '')]
  }
  expect(await requestStatus(Cookie.replace(/=[\w-]+\./, '=AAAAAAAAAAAA.'))).toEqual([401, 'true', true])
  expect(await requestStatus(null)).toEqual([401, null, false])
  // This is a session of the same process that has ended.
  console_clock.advance(13 * 60 * MINUTE)
  expect(await requestStatus(Cookie)).toEqual([401, null, false])
})

test('a launch link that is incomplete or ten minutes old is rejected', async () => {
  const { console, console_clock, postToConsole, getLaunchToken } = await startConsole()
  const token = getLaunchToken(console.launchLink())
  expect((await postToConsole('launch', { token: token.slice(1) })).status).toBe(401)
  expect((await postToConsole('launch', { token: 1 })).status).toBe(400)
  console_clock.advance(10 * MINUTE)
  expect((await postToConsole('launch', { token })).status).toBe(401)
})

test('the console runs host commands and operations, and a locked vault gives 423', async () => {
  const { launchConsole, postToConsole, host } = await startConsole()
  const Cookie = await launchConsole()
  const callCommand = async (name: string, input: unknown = {}, as?: string) => {
    const { status, body } = await postToConsole('call', { name, input, ...(as && { as }) }, { Cookie })
    expect(status).toBe(200)
    return body
  }
  expect((await callCommand('tokens.list')).problem.status).toBe(423)
  expect((await callCommand('host.createVault', storedVault)).output.recovery_key).toBeDefined()
  const { output } = await callCommand('tokens.create', { type: 'card_number', data: '4242424242424242' })
  expect(output.data).toBe('XXXXXXXXXXXX4242')
  const { output: applications } = await callCommand('applications.list')
  const browser = applications.data.find((each: { type: string }) => each.type === 'public')
  expect((await callCommand('tokens.get', { id: output.id }, browser.id)).problem.status).toBe(403)
  await callCommand('host.lock')
  expect(host.getEngine()).toBeNull()
  expect((await callCommand('host.status')).output.vault).toBeNull()
  expect((await callCommand('host.unlock', { name: 'work', with: { passphrase } })).ok).toBe(true)
  expect((await callCommand('host.listenerOn')).output.state).toBe('on')
  expect((await callCommand('host.listenerOff')).output.state).toBe('off')
})

test.each([
  ['no cookie', { Cookie: null }, 401],
  ['a wrong cookie', { Cookie: 'coffer_console_1=x' }, 401],
  ['X-02 no origin', { Origin: null }, 403],
  ['X-02 a foreign origin', { Origin: 'http://evil.test' }, 403],
  ['X-02 another port of this machine', { Origin: 'http://127.0.0.1:3000' }, 403],
  ['X-02 an opaque origin', { Origin: 'null' }, 403],
  ['X-02 a cross-site request', { 'Sec-Fetch-Site': 'cross-site' }, 403],
  ['X-02 a same-site request', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['X-03 another content type', { 'Content-Type': 'text/plain' }, 415],
])('%s: the console rejects the call', async (_name, headers, status) => {
  const { launchConsole, postToConsole, host } = await startConsole()
  const Cookie = await launchConsole()
  for (const name of ['call', 'logout', 'launch']) {
    if (name !== 'call' && status !== 403) continue
    const response = await postToConsole(
      name,
      { name: 'host.createVault', input: inMemoryVault },
      { Cookie, ...headers },
    )
    expect([name, response.status, response.headers.get('content-type')]).toEqual([
      name,
      status,
      'application/json; charset=utf-8',
    ])
  }
  expect(host.getEngine()).toBeNull()
})

test('X-02 the console rejects a foreign Origin on a percent-encoded path too', async () => {
  const { launchConsole, origin, host } = await startConsole()
  const Cookie = await launchConsole()
  const response = await fetch(`${origin}/_coffer/consol%65/c%61ll`, {
    method: 'POST',
    headers: { Cookie, 'Content-Type': 'application/json', Origin: 'http://127.0.0.1:3000' },
    body: JSON.stringify({ name: 'host.createVault', input: inMemoryVault }),
  })
  expect(response.status).toBe(403)
  expect(host.getEngine()).toBeNull()
})

test('X-01 the console rejects a foreign Host, a GET of /call and a same-site event stream', async () => {
  const { launchConsole, origin } = await startConsole()
  const Cookie = await launchConsole()
  const { port } = new URL(origin)
  const status = await new Promise((resolve) => {
    http.get(
      { host: '127.0.0.1', port, path: '/console/', headers: { Host: `evil.test:${port}` } },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
  })
  expect(status).toBe(403)
  const got = await fetch(`${origin}/_coffer/console/call`, { headers: { Cookie } })
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  const cross = await fetch(`${origin}/_coffer/console/events`, {
    headers: { Cookie, 'Sec-Fetch-Site': 'same-site' },
  })
  expect(cross.status).toBe(403)
})

test('a console session ends after 12 idle hours and on logout', async () => {
  const { launchConsole, postToConsole, console_clock } = await startConsole()
  const Cookie = await launchConsole()
  const fetchStatus = async () => (await postToConsole('call', { name: 'host.status' }, { Cookie })).status
  console_clock.advance(11 * 60 * MINUTE)
  expect(await fetchStatus()).toBe(200)
  console_clock.advance(11 * 60 * MINUTE)
  expect(await fetchStatus()).toBe(200)
  console_clock.advance(12 * 60 * MINUTE)
  expect(await fetchStatus()).toBe(401)
  const next = await launchConsole()
  const out = await postToConsole('logout', {}, { Cookie: next })
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  expect((await postToConsole('call', { name: 'host.status' }, { Cookie: next })).status).toBe(401)
})

test('the event stream ends with its session', async () => {
  const { launchConsole, postToConsole, origin, window } = await startConsole()
  expect((await fetch(`${origin}/_coffer/console/events`)).status).toBe(401)
  const Cookie = await launchConsole()
  const response = await fetch(`${origin}/_coffer/console/events`, {
    headers: { Cookie, 'Sec-Fetch-Site': 'same-origin' },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events: HostEvent[] = []
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      for (const line of decoder.decode(chunk).split('\n')) {
        if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)))
      }
    }
    return 'ended'
  })()
  await window.host.createVault(inMemoryVault)
  await window.tokens.create({ type: 'token', data: 'a text' })
  await waitFor(() =>
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['status', 'log'])),
  )
  await postToConsole('logout', {}, { Cookie })
  expect(await reading).toBe('ended')
})

test('X-38 the page has a CSP with a new nonce each time and is never cached', async () => {
  const { origin } = await startConsole()
  const first = await fetch(`${origin}/console/`)
  const policy = first.headers.get('content-security-policy') ?? ''
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
  expect(policy).toBe(
    `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(await first.text()).toContain(`content="${nonce}"`)
  expect(first.headers.get('cache-control')).toBe('no-store')
  const second = await fetch(`${origin}/console`)
  expect(second.headers.get('content-security-policy')).not.toBe(policy)
  const script = await fetch(`${origin}/console/assets/index-a1b2c3d4.js`)
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(script.headers.get('cache-control')).toContain('immutable')
})

test.each([
  '/console/../secret.txt',
  '/console/..%2fsecret.txt',
  '/console/%2e%2e/secret.txt',
  '/console/%2e%2e%2fsecret.txt',
  '/console/assets/..%2f..%2fsecret.txt',
  '/console/..%5csecret.txt',
  '/console/%00',
  '/console//etc/passwd',
  '/console/.git',
  '/console/%',
])('X-37 %s gives 404', async (path) => {
  const { origin } = await startConsole()
  const { port } = new URL(origin)
  // `http.get` is used because fetch normalizes paths.
  const { status, body } = await new Promise<{ status: number | undefined; body: string }>((resolve) => {
    http.get({ host: '127.0.0.1', port, path }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, body: text }))
    })
  })
  expect(status).toBe(404)
  expect(body).not.toContain('secret')
})

test('the console page gives 404 and the build command if the window is not built', async () => {
  const { origin } = await startConsole(createTempFolder())
  const response = await fetch(`${origin}/console/`)
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('npm run build')
})

test('A-14 the console returns numbers as written', async () => {
  const { launchConsole, postToConsole, window } = await startConsole()
  await window.host.createVault(inMemoryVault)
  const headers = { Cookie: await launchConsole() }
  const data = readJson('[19.90,1e21,-0]')
  const created = await postToConsole(
    'call',
    { name: 'tokens.create', input: { type: 'token', data } },
    headers,
  )
  const { id } = created.body.output
  const shown = await postToConsole('call', { name: 'tokens.reveal', input: { id } }, headers)
  expect(shown.text).toContain('"data":[19.90,1e21,-0]')
})

test('X-12 opening a console on a taken port fails with a conflict', async () => {
  const { origin } = await startConsole()
  const { openConsole } = await import('../../electron/http/console.ts')
  const second = openConsole({
    port: Number(new URL(origin).port),
    folder: '',
    engine: () => null,
    run: async () => ({ ok: true, output: {}, headers: {} }),
    subscribe: () => () => {},
  })
  onTestFinished(async () => (await second.catch(() => undefined))?.close())
  await expect(second).rejects.toMatchObject({ code: 'conflict' })
})

test('R-01 under legacy limits, the console gets 429 after 600 calls', async () => {
  const { launchConsole, postToConsole, window } = await startConsole()
  await window.host.createVault(inMemoryVault)
  const cookie = await launchConsole()
  await window.tenants.update({ name: 'demo', settings: { rate_limits: 'legacy' } })
  const callCommand = () => postToConsole('call', { name: 'host.status', input: {} }, { Cookie: cookie })
  const responses = await Promise.all(Array.from({ length: 600 }, callCommand))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  const rejected = await callCommand()
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '10'])
})
