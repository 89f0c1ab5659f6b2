import { spawnSync } from 'node:child_process'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { startCoffer } from '../../electron/testing/index.mjs'
import { getChromiumOptions } from '../e2e/chromium.ts'
import { summarizeTimes, type Times } from './measure.ts'

export type Elements = {
  /**
   * Milliseconds from the request for the script, or for the bare frame, until the frame has its input: the median of
   * several pages, and the slowest.
   */
  readonly ready: Times
  readonly bare_frame: Times
  /** Milliseconds from a keystroke in the frame until the page has its change event. */
  readonly change: Times
}

const number = '4242424242424242'

/**
 * Measures how soon a page shows a card element and receives the event of a keystroke, compared with a bare frame with
 * one input.
 */
export async function measureElements(pages: number): Promise<Elements> {
  const root = path.join(import.meta.dirname, '..', '..')
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  const frames = await servePages(() => bareFrame)
  let html = ''
  const shop = await servePages((url) => (url === '/bare' ? renderBarePage(frames.origin) : html))
  const coffer = await startCoffer({ origins: [shop.origin], beside: true })
  html = renderShopPage(coffer.url, coffer.keys.public)
  const browser = await chromium.launch(getChromiumOptions())
  try {
    const ready: number[] = []
    const bare: number[] = []
    const change: number[] = []
    for (let at = 0; at < pages; at++) {
      const context = await browser.newContext()
      ready.push(await measureWait(context, shop.origin))
      change.push(...(await measureKeystrokes(context)))
      bare.push(await measureWait(context, `${shop.origin}/bare`))
      await context.close()
    }
    return { ready: summarizeTimes(ready), bare_frame: summarizeTimes(bare), change: summarizeTimes(change) }
  } finally {
    await browser.close()
    await coffer.close()
    frames.close()
    shop.close()
  }
}

type Measuring = typeof globalThis & { waited: Promise<number>; received: number[]; typed: number[] }

async function measureWait(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage()
  await page.goto(url)
  return page.evaluate(() => (globalThis as Measuring).waited)
}

/** Types into the element of the first page of a context. */
async function measureKeystrokes(context: BrowserContext): Promise<number[]> {
  const page = context.pages()[0]
  const frame = page?.frames().find((each) => each.url().includes('/elements/frame'))
  if (!page || !frame) throw new Error('The page has no element.')
  await frame.evaluate(() => {
    const at = globalThis as Measuring
    at.typed = []
    const recordTime = (event: Event) => at.typed.push(performance.timeOrigin + event.timeStamp)
    document.addEventListener('beforeinput', recordTime, { capture: true })
  })
  const input = frame.locator('input').first()
  const durations: number[] = []
  for (const digit of number) {
    const before = await page.evaluate(() => (globalThis as Measuring).received.length)
    await input.press(digit)
    await page.waitForTimeout(50)
    const received = await page.evaluate((count) => (globalThis as Measuring).received[count], before)
    // A digit that does not change the state causes no event.
    if (received === undefined) continue
    durations.push(received - (await frame.evaluate(() => (globalThis as Measuring).typed.at(-1) ?? 0)))
  }
  return durations
}

const renderShopPage = (coffer: string, key: string) => `<!doctype html><title>Shop</title>
<script src="${coffer}/elements.js"></script><div id="card"></div>
<script>
  received = []
  waited = (async () => {
    const requestedAt = performance.getEntriesByName('${coffer}/elements.js')[0].startTime
    const bt = await BasisTheoryElements.init('${key}')
    const card = bt.createElement('card')
    const ready = new Promise((resolve) => card.on('ready', () => resolve(performance.now())))
    card.on('change', () => received.push(performance.timeOrigin + performance.now()))
    await card.mount('#card')
    return (await ready) - requestedAt
  })()
</script>`

/** The lower bound for elements: a frame of another origin with an input and a line of script. */
const renderBarePage = (frames: string) => `<!doctype html><title>Shop</title>
<script>
  const requestedAt = performance.now()
  waited = new Promise((resolve) => addEventListener('message', () => resolve(performance.now() - requestedAt)))
</script>
<iframe src="${frames}/"></iframe>`
const bareFrame = `<!doctype html><title>Frame</title><input><script>parent.postMessage(1, '*')</script>`

async function servePages(getPage: (url: string | undefined) => string) {
  const server = http.createServer(({ url }, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(getPage(url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close }
}
