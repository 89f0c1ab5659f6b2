import path from 'node:path'
import type { BasisTheory3ds } from '@basis-theory/web-threeds'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startListener } from '../listener.ts'
import { pickSome } from '../thorough.ts'
import { createThreeDsClient, payment } from '../three-ds.ts'
import { findAxeViolations } from './axe.ts'
import { openChromium } from './chromium.ts'
import { servePage } from './serve-page.ts'
import { PAGE_TIMEOUT_MS } from './start-window.ts'

type ThreeDsClient = ReturnType<typeof BasisTheory3ds>
type ThreeDsShop = typeof window & {
  client: ThreeDsClient
  result: ReturnType<ThreeDsClient['startChallenge']>
}

/** The official web client, as its package provides it for a script tag. */
const client = path.join('node_modules', '@basis-theory', 'web-threeds', 'dist', 'bundle', 'index.js')

/** Where a page gets the client from: the official package, or Coffer's script tag. */
const sources = ['package', 'tag'] as const

/** Opens a page with a web client, in a browser that reaches only this machine. */
async function openShop(source: (typeof sources)[number] = 'package') {
  const { origin } = await servePage()
  const { vault, url } = await startListener({ origins: [origin] })
  const { key } = await vault.application({ type: 'public', permissions: ['3ds:session:create'] })
  const page = await (await openChromium()).newPage()
  const elsewhere: string[] = []
  await page.route('**/*', (route) => {
    const { hostname } = new URL(route.request().url())
    if (hostname === 'localhost' || hostname === '127.0.0.1') return route.continue()
    elsewhere.push(hostname)
    return route.abort()
  })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  await page.goto(origin)
  const isPackage = source === 'package'
  await page.addScriptTag(isPackage ? { path: client } : { url: `${url}/web-threeds/v0.1/index.js` })
  // The script that comes from Coffer needs no options.
  const options = isPackage && { apiBaseUrl: url, sdkBaseUrl: `${url}/3ds`, disableTelemetry: true }
  await page.evaluate(
    ({ options, key }) => {
      const client = options ? window.BasisTheory3ds?.(key, options) : window.BasisTheory3ds?.(key)
      Object.assign(window, { client })
    },
    { options, key },
  )
  /** Creates a session for a card in the page, authenticates it, and shows the challenge if there is one. */
  async function payWith(number: string, mode: 'iframe' | 'redirect' = 'iframe'): Promise<string> {
    const data = { number, expiration_month: 12, expiration_year: 2035 }
    const { id: tokenId } = await vault.owner.tokens.create({ type: 'card', data })
    const { id } = await page.evaluate(
      ({ tokenId, methodRequestMode }) =>
        (window as ThreeDsShop).client.createSession({ tokenId, methodRequestMode }),
      { tokenId, methodRequestMode: mode },
    )
    const authentication = await vault.owner.threeDs.authenticate({ id, ...payment })
    if (authentication.authentication_status !== 'challenge') return id
    const challenge = {
      sessionId: id,
      acsChallengeUrl: authentication.acs_challenge_url ?? '',
      acsTransactionId: authentication.acs_transaction_id ?? '',
      threeDSVersion: '2.2.0',
      mode,
    } as const
    await page.evaluate((challenge) => {
      const shop = window as ThreeDsShop
      shop.result = shop.client.startChallenge(challenge)
    }, challenge)
    return id
  }
  /** Returns the final outcome that the page reports, and the one that the vault reports. */
  async function readOutcome(id: string) {
    const reported = await page.evaluate(() => (window as ThreeDsShop).result)
    const { authentication_status } = await vault.owner.threeDs.getChallengeResult({ id })
    return { reported: reported?.authenticationStatus, is: authentication_status }
  }
  return { vault, page, elsewhere, complaints, payWith, readOutcome }
}

/** The bank's page, in a frame of Coffer's relay page, which is in a frame of the shop's page. */
const getBankFrame = (page: Page) =>
  page.frameLocator('#challengeIframe').frameLocator('iframe[name=coffer-challenge]')

test.each(sources)(
  'S-01 the client of the %s pays without a challenge and completes the method',
  async (source) => {
    const { vault, elsewhere, complaints, payWith } = await openShop(source)
    const id = await payWith('5204247750001471')
    const { authentication, method } = await vault.owner.threeDs.get({ id })
    expect(authentication?.authentication_status).toBe('successful')
    expect(method.method_completion_indicator).toBe('Y')
    expect([elsewhere, complaints]).toEqual([[], []])
  },
)

test.each(sources)('S-01 the client of the %s pays after a challenge, by keyboard', async (source) => {
  const { page, elsewhere, complaints, payWith, readOutcome } = await openShop(source)
  const id = await payWith('4000020000000000')
  const approve = getBankFrame(page).getByRole('button', { name: 'Approve' })
  await getBankFrame(page).getByText('800.00 GBP').waitFor()
  await approve.focus()
  await page.keyboard.press('Enter')
  expect(await readOutcome(id)).toEqual({ reported: 'successful', is: 'successful' })
  expect(await page.locator('#challengeIframe').count()).toBe(0)
  expect([elsewhere, complaints]).toEqual([[], []])
})

test.each(sources)('S-01 the client of the %s uses popups in its redirect mode', async (source) => {
  const { vault, page, payWith, readOutcome } = await openShop(source)
  const id = await payWith('4000020000000000', 'redirect')
  expect((await vault.owner.threeDs.get({ id })).method.method_completion_indicator).toBe('Y')
  const bank = page.context().pages()[1]
  await bank?.getByRole('button', { name: 'Approve' }).click()
  expect(await readOutcome(id)).toEqual({ reported: 'successful', is: 'successful' })
  await expect.poll(() => bank?.isClosed()).toBe(true)
})

test('N-01 the client of the tag gives the results and rejections of the package', async () => {
  const results = await Promise.all(
    sources.map(async (source) => {
      const { vault, page } = await openShop(source)
      const data = { number: '4005562231212123', expiration_month: 12, expiration_year: 2035 }
      const { id: tokenId } = await vault.owner.tokens.create({ type: 'card', data })
      const { id: token_id } = await vault.owner.tokens.create({ type: 'token', data: 'no card' })
      return page.evaluate(callClient, { tokenId, token_id })
    }),
  )
  expect(results[0]).toMatchObject({
    noCard: 'One of pan, tokenId, or tokenIntentId is required.',
    noSession: { error: 'Session ID is required' },
    late: { error: 'Timed out waiting for a challenge response. Please try again.' },
    created: ['cardBrand', 'id'],
    containers: ['none', 'challengeFrameContainer', 0],
  })
  expect(results[1]).toEqual(results[0])
})

/** Runs in the page. Makes calls that fail or need no challenge, and returns their results. */
async function callClient({ tokenId, token_id }: { tokenId: string; token_id: string }) {
  const { client } = window as ThreeDsShop
  const settleCall = (call: Promise<object>): Promise<unknown> =>
    call.then(
      (result) => Object.keys(result).sort(),
      (reason: unknown) => (reason instanceof Error ? { error: reason.message } : reason),
    )
  const challenge = {
    sessionId: 'none',
    acsTransactionId: 'none',
    acsChallengeUrl: 'about:blank',
    threeDSVersion: '2.2.0',
  } as const
  return {
    noCard: await settleCall(client.createSession({})),
    twoCards: await settleCall(client.createSession({ tokenId, pan: tokenId })),
    unknown: await settleCall(client.createSession({ tokenId: 'none' })),
    text: await settleCall(client.createSession({ tokenId: token_id })),
    created: await settleCall(client.createSession({ tokenId })),
    noSession: await settleCall(client.startChallenge({ ...challenge, sessionId: '' })),
    noSize: await settleCall(client.startChallenge({ ...challenge, windowSize: '09' as '01' })),
    notOwn: await settleCall(client.startChallenge(challenge)),
    late: await settleCall(client.startChallenge({ ...challenge, timeout: 0 })),
    // Last, because the package keeps one key for all its clients.
    noKey: await settleCall(window.BasisTheory3ds?.('').createSession({ tokenId }) ?? Promise.resolve({})),
    containers: [
      document.getElementById('methodFrameContainer')?.style.display,
      document.getElementById('challengeFrameContainer')?.id,
      document.querySelectorAll('iframe').length,
    ],
  }
}

const answers = [
  ['4000020000000000', 'Decline', 'failed'],
  ['4005562231212123', 'Approve', 'successful'],
  ['4055011111111111', 'Continue', 'failed'],
  ['4005571701111111', 'Continue', 'attempted'],
  ['6011361000008888', 'Cancel', 'failed'],
] as const

test.each(answers)(
  'S-01 a challenge for card %s answered with %s ends as %s',
  { tags: 'thorough' },
  async (number, button, status) => {
    const { page, payWith, readOutcome } = await openShop()
    const id = await payWith(number)
    await getBankFrame(page).getByRole('button', { name: button }).click()
    expect(await readOutcome(id)).toEqual({ reported: status, is: status })
  },
)

test('X-59 a page whose origin is not allowed can neither embed nor answer a challenge', async () => {
  const other = await servePage()
  const { vault, url } = await startListener()
  const back = await vault.application({ permissions: ['3ds:session:authenticate', '3ds:session:create'] })
  const id = await createThreeDsClient(vault.owner)
  const answer = await fetch(`${url}/3ds/sessions/${id}/authenticate`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': back.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(payment),
  })
  const { acs_challenge_url } = (await answer.json()) as { acs_challenge_url: string }
  const address = acs_challenge_url.startsWith('http') ? acs_challenge_url : url + acs_challenge_url
  const page = await (await openChromium()).newPage()
  await page.goto(other.origin)
  await page.evaluate(async (src) => {
    const frame = document.createElement('iframe')
    frame.src = src
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve))
    const body = new URLSearchParams({ choice: 'pass' })
    await fetch(`${src}/answer`, { method: 'POST', mode: 'no-cors', body }).catch(() => {})
  }, address)
  expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  // Answer by a form post into a new frame.
  await page.evaluate(async (src) => {
    const frame = document.createElement('iframe')
    frame.name = 'there'
    const form = document.createElement('form')
    form.method = 'POST'
    form.action = `${src}/answer`
    form.target = 'there'
    const input = document.createElement('input')
    input.name = 'choice'
    input.value = 'pass'
    form.append(input)
    document.body.append(frame, form)
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    form.submit()
    await loaded
  }, address)
  const { authentication } = await vault.owner.threeDs.get({ id })
  expect(authentication?.authentication_status).toBe('challenge')
})

test('S-01 the pages of a redirect pass axe', async () => {
  const { vault, url } = await startListener()
  const id = await createThreeDsClient(vault.owner, {
    more: {
      authentication_request: payment,
      callback_urls: { success: `${url}/ping?good`, failure: `${url}/ping?bad` },
    },
  })
  const page = await (await openChromium()).newPage()
  await page.goto(`${url}/3ds/redirect/${id}?apiKey=any`)
  await page.getByRole('heading', { name: 'Confirm your payment' }).waitFor()
  for (const colorScheme of pickSome(['dark', 'light'] as const, 1)) {
    await page.emulateMedia({ colorScheme })
    expect(await findAxeViolations(page)).toEqual([])
  }
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.waitForURL(`${url}/ping`)
  const { authentication, device_info } = await vault.owner.threeDs.get({ id })
  expect(authentication?.authentication_status).toBe('failed')
  expect(device_info).toMatchObject({ browser_javascript_enabled: true, browser_language: 'en-US' })
})
