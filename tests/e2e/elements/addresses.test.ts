import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startListener } from '../../listener.ts'
import { createSelfSignedCertificate } from '../../outbound/self-signed.ts'
import { getChromiumOptions } from '../chromium.ts'
import { findElementIn, type Shop } from './start-shop.ts'

test.each([
  ['https', 'localhost'],
  // The page is not a secure context, so it has no random UUIDs, no WebCrypto and no clipboard.
  ['http', 'shop.test'],
])('a page at %s://%s can create tokens and copy values', { tags: 'thorough' }, async (scheme, host) => {
  let html = ''
  const handleRequest = (_request: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(html)
  }
  const server =
    scheme === 'https'
      ? https.createServer(createSelfSignedCertificate(host), handleRequest)
      : http.createServer(handleRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `${scheme}://${host}:${(server.address() as AddressInfo).port}`
  const { url, vault } = await startListener({ origins: [origin] })
  html = `<!doctype html><html lang="en"><title>A shop</title><script src="${url}/elements.js"></script><main id="app"></main>`
  const { key } = await vault.application({ type: 'public', permissions: ['token:create'] })
  const clientKey = (await vault.owner.clientKeys.create({})) as { key_id: string; public_key_pem?: string }
  const { args, ...options } = getChromiumOptions()
  const browser = await chromium.launch({
    ...options,
    args: [...args, '--host-resolver-rules=MAP shop.test 127.0.0.1'],
  })
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(origin)
  await page.evaluate(async (key) => {
    const shop = window as Shop & {
      BasisTheoryElements?: { init(key: string): Promise<Shop['bt']> }
      text: unknown
    }
    if (!shop.BasisTheoryElements) throw new Error('The line did nothing.')
    shop.bt = await shop.BasisTheoryElements.init(key)
    const text = shop.bt.createElement('text', { targetId: 'text', enableCopy: true } as never)
    text.on('copy' as 'change', () => document.body.append('Copied'))
    shop.text = text
    await text.mount('#app')
  }, key)
  await findElementIn(page, 'app').getByRole('textbox').fill('typed')
  await findElementIn(page, 'app').getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Copied').waitFor()
  const made = await page.evaluate(async ({ key_id, public_key_pem = '' }) => {
    const { bt, text } = window as unknown as Shop & { text: never }
    const encrypted = await bt.tokens
      .encrypt({
        tokenRequests: { type: 'token', data: text },
        publicKeyPEM: public_key_pem,
        keyId: key_id,
      } as never)
      .then(
        () => 'encrypted',
        ({ message }: Error) => message,
      )
    const { id } = await bt.tokens.create({ type: 'token', data: text })
    return { id, encrypted, device: typeof bt.device.getDeviceInfo({}) }
  }, clientKey)
  expect((await vault.owner.tokens.reveal({ id: made.id })).data).toBe('typed')
  expect(made.device).toBe('object')
  expect(made.encrypted).toBe(
    scheme === 'https'
      ? 'encrypted'
      : 'tokens.encrypt needs X25519, which this browser does not have on this page.',
  )
  expect(faults).toEqual([])
})
