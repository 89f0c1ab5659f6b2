import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../ports.ts'
import { findAxeViolations } from './axe.ts'
import { openChromium } from './chromium.ts'
import { PAGE_TIMEOUT_MS } from './start-window.ts'

/**
 * A card that triggers a challenge, and one that is in no list of test cards. Only Coffer and the payment provider may
 * see them.
 */
const challenged = '3566002020360505'
const unlisted = '4539578763621486'

/** Returns whether text contains a card number, with or without spaces. */
const isIn = (text: string, number: string) =>
  text.includes(number) || text.includes(number.replace(/\d{4}(?=\d)/g, '$& '))

let example: Awaited<ReturnType<typeof startExample>>
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.stop())

/** Starts the same processes as `npm run example:checkout`. */
async function startExample() {
  const port = await findFreePort()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-checkout-'))
  const flags = ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`]
  const child = spawn(process.execPath, [...flags, path.join('examples', 'checkout', 'start.ts')], {
    env: { ...process.env, NODE_ENV: undefined, VITEST: undefined, PORT: String(port) },
  })
  let log = ''
  const ended = new Promise((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    const appendLog = (data: Buffer) => {
      log += data
      if (log.includes('Ctrl-C')) resolve()
    }
    child.stdout.on('data', appendLog)
    child.stderr.on('data', appendLog)
    void ended.then(() => reject(new Error(log)))
  })
  return {
    url: `http://localhost:${port}`,
    vault: /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0] ?? '',
    getLog: () => log,
    /** Returns a heap snapshot of the shop's server, which contains every string in its memory. */
    async readHeapSnapshot(): Promise<string> {
      child.kill('SIGUSR2')
      await expect.poll(() => fs.readdirSync(folder).length).toBe(1)
      // The server responds only once it has written the complete file.
      await fetch(`http://localhost:${port}`)
      const [name = ''] = fs.readdirSync(folder)
      return fs.readFileSync(path.join(folder, name), 'utf8')
    },
    async stop() {
      child.kill('SIGINT')
      await ended
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Opens the shop's page in a browser that can connect only to this machine. Records its console messages and requests.
 */
async function openCheckout(url = example.url) {
  const context = await (await openChromium()).newContext()
  const refused: string[] = []
  await context.route('**', (route) => {
    const { hostname } = new URL(route.request().url())
    if (['localhost', '127.0.0.1'].includes(hostname)) return route.continue()
    refused.push(route.request().url())
    return route.abort()
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  const consoleTexts: string[] = []
  const complaints: string[] = []
  page.on('console', (message) => {
    consoleTexts.push(message.text())
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  const sent: { from: string; text: string }[] = []
  page.on('request', (request) => {
    const text = `${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`
    sent.push({ from: request.frame().url(), text })
  })
  await page.goto(url)
  return { context, page, refused, complaints, consoleTexts, sent }
}

/** Replaces the card in the elements, then pays. */
async function payWith(page: Page, number: string): Promise<void> {
  for (const [id, text] of [
    ['number', number],
    ['expiry', '1240'],
    ['code', '123'],
  ]) {
    await page.frameLocator(`#${id} iframe`).locator('input').click()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(text ?? '')
  }
  await page.getByRole('button', { name: 'Pay €' }).click()
}

/** The bank's page, in a frame of Coffer's relay page, which is in a frame of the dialog. */
const getBankFrame = (page: Page) =>
  page
    .getByRole('dialog', { name: 'Your bank' })
    .frameLocator('iframe')
    .frameLocator('iframe[name=coffer-challenge]')

const waitForPayment = (page: Page) => page.getByRole('status').getByText('is paid').waitFor()
const waitForProblem = (page: Page, text: string) => page.getByRole('alert').getByText(text).waitFor()

test('X-60 the shop’s page, requests and logs never contain the card, also offline', async () => {
  const { page, refused, complaints, consoleTexts, sent } = await openCheckout()
  await payWith(page, challenged)
  await getBankFrame(page).getByText('19.99 EUR').waitFor()
  await getBankFrame(page).getByRole('button', { name: 'Approve' }).click()
  await waitForPayment(page)
  expect([refused, complaints]).toEqual([[], []])
  // The provider received the number, and the webhook marked the order as paid.
  expect(example.getLog()).toMatch(/Provider: paid 1999 EUR with the card …0505\n(.*\n)*Order \S+: paid/)
  expect(isIn(example.getLog(), challenged)).toBe(false)
  // Only one request contained the card, and Coffer's own frame sent it.
  const withCard = sent.filter(({ text }) => isIn(text, challenged))
  expect(withCard.map(({ from }) => from.split('/elements/')[0])).toEqual([example.vault])
  expect(sent.some(({ text }) => text.includes('/orders'))).toBe(true)
  expect(isIn(consoleTexts.join('\n'), challenged)).toBe(false)
  const storage = await page.evaluate(() =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      document.documentElement.outerHTML,
    ]),
  )
  expect(isIn(storage, challenged)).toBe(false)
})

test('Z-02 the shop is paid with both wallets by keyboard, and never receives the number of a card', async () => {
  const { page, refused, complaints, consoleTexts, sent } = await openCheckout()
  await page.getByRole('button', { name: 'Apple Pay' }).press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Apple Pay' })
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'hidden' })
  // The sheet returns the focus to its button, and the card in the middle is chosen with the arrow.
  await page.keyboard.press('Enter')
  await sheet.getByRole('radio', { name: 'Visa •••• 4242' }).press('ArrowDown')
  await page.keyboard.press('Enter')
  await waitForPayment(page)
  expect(example.getLog()).toMatch(/Provider: paid 1999 EUR with the card …4444\n(.*\n)*Order \S+: paid/)

  await page.reload()
  await page.getByRole('button', { name: 'Google Pay' }).click()
  await page.getByText('Visa without funds').click()
  const pay = page.getByRole('dialog', { name: 'Google Pay' }).getByRole('button', { name: 'Pay €' })
  await pay.click()
  await waitForProblem(page, 'The card was declined. Nothing was charged.')
  await page.getByRole('button', { name: 'Google Pay' }).click()
  await page.getByText('•••• 4242').click()
  await pay.click()
  await waitForPayment(page)
  expect(example.getLog()).toMatch(/Provider: paid 1999 EUR with the card …4242\n(.*\n)*Order \S+: paid/)
  expect([refused, complaints]).toEqual([[], []])
  const texts = [example.getLog(), ...consoleTexts, ...sent.map(({ text }) => text)].join('\n')
  for (const number of ['5555555555554444', '4242424242424242', '4000000000000002'])
    expect(isIn(texts, number)).toBe(false)
})

test('the shop ignores an event without a valid signature', { tags: 'thorough' }, async () => {
  const postTo = (route: string, body?: string) =>
    fetch(example.url + route, { method: 'POST', body, headers: { 'BT-SIGNATURE': 'AAAA' } } as RequestInit)
  const event = { type: 'proxy.invoked', trace_id: 'x', data: { destination: { response: { status: 201 } } } }
  expect((await postTo('/webhook', JSON.stringify({ event }))).status).toBe(401)
})

test('a failed payment is reported and can be retried', { tags: 'thorough' }, async () => {
  const { page, complaints } = await openCheckout()
  await payWith(page, '4000020000000001')
  await waitForProblem(page, 'Please check the card’s details.')
  await page.getByText('Invalid', { exact: true }).waitFor()
  await payWith(page, '4000000000000002')
  await waitForProblem(page, 'The card was declined. Nothing was charged.')
  await payWith(page, '4264281511112228')
  await waitForProblem(page, 'The card was declined. Nothing was charged.')
  await payWith(page, challenged)
  await getBankFrame(page).getByRole('button', { name: 'Decline' }).click()
  await waitForProblem(page, 'The card was declined. Nothing was charged.')
  await payWith(page, challenged)
  await getBankFrame(page).getByRole('button', { name: 'Approve' }).waitFor()
  for (let count = 0; count < 2; count++) await page.keyboard.press('Escape')
  await waitForProblem(page, 'The card was declined. Nothing was charged.')
  await payWith(page, '4264281500003339')
  await waitForProblem(page, 'Something went wrong. Please try again later.')
  await payWith(page, challenged)
  await getBankFrame(page).getByRole('button', { name: 'Approve' }).click()
  await waitForPayment(page)
  // The browser's own console message about the unreachable bank.
  expect(complaints).toEqual([expect.stringContaining('500')])
})

test('X-60 the memory of the shop’s page and server never contains the card', {
  tags: 'thorough',
  timeout: 120_000,
}, async () => {
  const { page, context } = await openCheckout()
  // Pay with the unlisted card: the server's memory contains the challenged one anyway, from the list in
  // `coffer/testing`.
  await payWith(page, unlisted)
  await waitForPayment(page)
  const session = await context.newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  const inPage = chunks.join('')
  expect(inPage.includes('The Book of Hours')).toBe(true)
  expect(isIn(inPage, unlisted)).toBe(false)
  const inServer = await example.readHeapSnapshot()
  const [, order = ''] = /Order (\S+): paid/.exec(example.getLog()) ?? []
  expect(inServer.includes(order)).toBe(true)
  expect(isIn(inServer, unlisted)).toBe(false)
})

test('the shop passes axe, and explains why the card form is missing', {
  tags: 'thorough',
}, async () => {
  const { page } = await openCheckout()
  await page.frameLocator('#code iframe').locator('input').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findAxeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Apple Pay' }).click()
    expect(await findAxeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
  }
  // A different origin, which may not use the vault.
  const other = await openCheckout(example.url.replace('localhost', '127.0.0.1'))
  await waitForProblem(other.page, 'The card form could not be loaded.')
})
