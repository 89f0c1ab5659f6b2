import { spawnSync } from 'node:child_process'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { startCoffer } from '../../electron/testing/index.mjs'
import { getChromiumOptions } from '../e2e/chromium.ts'

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
type Times = { readonly p50: number; readonly worst: number }

const number = '4242424242424242'

/**
 * Measures how soon a page shows a card element and receives the event of a keystroke, compared with a bare frame with
 * one input.
 */
export async function measureElements(pages: number): Promise<Elements> {
  const root = path.join(import.meta.dirname, '..', '..')
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  const frames = await serve(() => bareFrame)
  let html = ''
  const shop = await serve((url) => (url === '/bare' ? barePage(frames.origin) : html))
  const coffer = await startCoffer({ origins: [shop.origin], beside: true })
  html = shopPage(coffer.url, coffer.keys.public)
  const browser = await chromium.launch(getChromiumOptions())
  try {
    const ready: number[] = []
    const bare: number[] = []
    const change: number[] = []
    for (let at = 0; at < pages; at++) {
      const context = await browser.newContext()
      ready.push(await waitOf(context, shop.origin))
      change.push(...(await keystrokes(context)))
      bare.push(await waitOf(context, `${shop.origin}/bare`))
      await context.close()
    }
    return { ready: times(ready), bare_frame: times(bare), change: times(change) }
  } finally {
    await browser.close()
    await coffer.close()
    frames.close()
    shop.close()
  }
}

type Measuring = typeof globalThis & { waited: Promise<number>; heard: number[]; typed: number[] }

async function waitOf(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage()
  await page.goto(url)
  return page.evaluate(() => (globalThis as Measuring).waited)
}

/** Types into the element of the first page of a context. */
async function keystrokes(context: BrowserContext): Promise<number[]> {
  const page = context.pages()[0]
  const frame = page?.frames().find((each) => each.url().includes('/elements/frame'))
  if (!page || !frame) throw new Error('The page has no element.')
  await frame.evaluate(() => {
    const at = globalThis as Measuring
    at.typed = []
    const note = (event: Event) => at.typed.push(performance.timeOrigin + event.timeStamp)
    document.addEventListener('beforeinput', note, { capture: true })
  })
  const input = frame.locator('input').first()
  const took: number[] = []
  for (const digit of number) {
    const before = await page.evaluate(() => (globalThis as Measuring).heard.length)
    await input.press(digit)
    await page.waitForTimeout(50)
    const heard = await page.evaluate((count) => (globalThis as Measuring).heard[count], before)
    // A digit that does not change the state causes no event.
    if (heard === undefined) continue
    took.push(heard - (await frame.evaluate(() => (globalThis as Measuring).typed.at(-1) ?? 0)))
  }
  return took
}

const shopPage = (coffer: string, key: string) => `<!doctype html><title>Shop</title>
<script src="${coffer}/elements.js"></script><div id="card"></div>
<script>
  heard = []
  waited = (async () => {
    const asked = performance.getEntriesByName('${coffer}/elements.js')[0].startTime
    const bt = await BasisTheoryElements.init('${key}')
    const card = bt.createElement('card')
    const ready = new Promise((resolve) => card.on('ready', () => resolve(performance.now())))
    card.on('change', () => heard.push(performance.timeOrigin + performance.now()))
    await card.mount('#card')
    return (await ready) - asked
  })()
</script>`

/** The lower bound for elements: a frame of another origin with an input and a line of script. */
const barePage = (frames: string) => `<!doctype html><title>Shop</title>
<script>
  const asked = performance.now()
  waited = new Promise((resolve) => addEventListener('message', () => resolve(performance.now() - asked)))
</script>
<iframe src="${frames}/"></iframe>`
const bareFrame = `<!doctype html><title>Frame</title><input><script>parent.postMessage(1, '*')</script>`

async function serve(pageOf: (url: string | undefined) => string) {
  const server = http.createServer(({ url }, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(pageOf(url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, close }
}

function times(took: number[]): Times {
  took.sort((a, b) => a - b)
  return { p50: took[Math.floor(took.length / 2)] ?? 0, worst: took.at(-1) ?? 0 }
}
