import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { fillEveryPanel, type Panels } from './full-vault.ts'
import { collectPageErrors } from './start-window.ts'
import { fillWindow, openState, states } from './states.ts'
import { waitForPaint } from './wait-for-paint.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** Replaces the vault's response to one operation with an invalid one. */
async function replaceResponse(page: Page, name: string, change: (output: never) => void): Promise<void> {
  await page.route('**/_coffer/console/call', async (route) => {
    if (route.request().postDataJSON().name !== name) return route.continue()
    const response = await route.fetch()
    const reply = await response.json()
    change(reply.output as never)
    await route.fulfill({ response, json: reply })
  })
  await page.reload()
}

const createShop = ({ owner }: StartedWindow) =>
  owner.host.createVault({ name: 'shop', protection: { memory: true } })

test('a proxy’s panel shows saved calls, and new ones while it is open', async () => {
  const { url: destination_url } = await startDestination((_request, response) => void response.end('{}'))
  let callProxy = async () => {}
  let id = ''
  const { page } = await openWindow({
    async prepareVault(window) {
      await createShop(window)
      const { owner } = window
      const listener = await owner.host.listenerOn()
      const proxy = await owner.proxies.create({ name: 'Charges', destination_url })
      id = proxy.id
      const permissions = ['proxy:invoke' as const]
      const { key = '' } = await owner.applications.create({ name: 'Shop', type: 'private', permissions })
      const headers = { 'SVC-API-KEY': key, 'SVC-PROXY-KEY': proxy.key }
      callProxy = async () => {
        await (await fetch(`${listener.state === 'on' ? listener.url : ''}/proxy/pay`, { headers })).text()
      }
      await callProxy()
    },
  })
  await goTo(page, `#/proxies/${id}`)
  const calls = page.getByRole('complementary').getByRole('button', { name: 'GET /pay' })
  await calls.waitFor()
  await callProxy()
  await calls.nth(1).waitFor()
})

test('a failed panel leaves its screen usable, and can be closed and reported', async () => {
  let id = ''
  const { page } = await openWindow({
    expected: /Cannot convert undefined or null to object/,
    async prepareVault(window) {
      await createShop(window)
      const { proxies } = window.owner
      id = (await proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })).id
    },
  })
  await replaceResponse(page, 'proxies.list', ({ data }: { data: { configuration: null }[] }) => {
    for (const proxy of data) proxy.configuration = null
  })
  await goTo(page, `#/proxies/${id}`)
  const panel = page.getByRole('complementary')
  await panel.getByText('This panel could not be shown').waitFor()
  await panel.getByRole('button', { name: 'Copy details' }).click()
  await panel.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^TypeError\n? +at /)
  await panel.getByText('Close', { exact: true }).click()
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Charges/ }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('a failed screen can be left or reloaded', async () => {
  const { page } = await openWindow({
    expected: /reading 'split'|reading 'matchAll'|null/,
    prepareVault: async (window) => {
      await createShop(window)
      await window.owner.proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })
    },
  })
  await replaceResponse(page, 'proxies.list', ({ data }: { data: { name: null }[] }) => {
    for (const proxy of data) proxy.name = null
  })
  await goTo(page, '#/proxies?view=try')
  await goTo(page, '#/proxies')
  const failure = page.getByText('Something went wrong in this window')
  await failure.waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
  await goTo(page, '#/proxies/5f0c1c1e-0000-4000-8000-000000000000')
  await failure.waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForURL(/#\/proxies$/)
  await failure.waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForURL(/#\/home$/)
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

/** The selectors to wait for in states that open no panel. */
const others: Readonly<Record<string, string>> = {
  'a saved call': '.proxies-exchange-sides',
  'saved calls': '.grid-row[data-index]',
  'the signing key': '.webhooks-key-body pre',
}

/** Returns the faults of a page's text: clipped, reversed or out of order. */
function findPageFaults(): string[] {
  const wrong = new Set<string>()
  /** The ancestors that were looked at, because most texts share theirs. */
  const known = new Map<Element, { edge: DOMRect; style: CSSStyleDeclaration }>()
  const addFault = (what: string, node: Node) =>
    wrong.add(`${what}: ${(node.textContent ?? '').trim().slice(0, 40)} in ${getName(node.parentElement)}`)
  const getName = (element: Element | null): string =>
    [element, element?.parentElement, element?.parentElement?.parentElement]
      .map((each) => each?.className.toString().split(' ')[0] || each?.tagName.toLowerCase())
      .join(' < ')
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement
    if (!parent || !isReadable(node, parent)) continue
    for (const what of listFaults(node, parent)) addFault(what, node)
  }
  return [...wrong]

  function isReadable({ textContent }: Node, parent: Element): boolean {
    return textContent?.trim() !== '' && parent.checkVisibility() && !parent.closest('style, .cm-editor')
  }

  function listFaults(node: Node, parent: Element): string[] {
    const text = node.textContent ?? ''
    const faults: string[] = []
    if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) faults.push('turns around')
    if (/[\u0590-\u08ff]/.test(text) && !parent.closest('bdi, textarea'))
      faults.push('without its own direction')
    const range = document.createRange()
    range.selectNodeContents(node)
    // The first lines of a long value are enough.
    const boxes = [...range.getClientRects()].slice(0, 20).filter(({ width }) => width >= 1)
    return [...faults, ...boxes.map((box) => describeClipping(box, parent)).filter((how) => how !== 'shown')]
  }

  /**
   * Returns how an ancestor clips a line of text; `shown` if the line is visible, can be scrolled to, or ends in an
   * ellipsis.
   */
  function describeClipping(box: DOMRect, from: Element): string {
    for (let at: Element | null = from; at && at !== document.documentElement; at = at.parentElement) {
      const how = describeAncestor(box, at)
      if (how !== undefined) return how
      if (measureElement(at).style.position === 'fixed') break
    }
    return box.right > innerWidth + 1 || box.left < -1 ? 'out of the window' : 'shown'
  }

  /** Returns how one ancestor clips a line; undefined if that depends on the next one. */
  function describeAncestor(box: DOMRect, at: Element): string | undefined {
    const { edge, style } = measureElement(at)
    // Skip text that is only for screen readers.
    if (edge.width <= 1 || edge.height <= 1 || style.clipPath !== 'none') return 'shown'
    return describeSides(box, at) ?? describeHeight(box, at)
  }

  function measureElement(at: Element) {
    const measured = known.get(at) ?? { edge: at.getBoundingClientRect(), style: getComputedStyle(at) }
    known.set(at, measured)
    return measured
  }

  function describeSides(box: DOMRect, at: Element): string | undefined {
    const { edge, style } = measureElement(at)
    const { overflowX, textOverflow } = style
    if (overflowX === 'visible') return undefined
    const isOverRight = box.right > edge.right + 1
    if (overflowX === 'hidden' || overflowX === 'clip') {
      if (!isOverRight && box.left >= edge.left - 1) return undefined
      return textOverflow === 'ellipsis' ? 'shown' : 'cut at the side'
    }
    // Code and tables may scroll sideways, but a panel may not.
    const isFixed = at.matches('.panel-body, .settings-section, main')
    return isFixed && isOverRight ? 'beyond the edge of its panel' : 'shown'
  }

  function describeHeight(box: DOMRect, at: Element): string | undefined {
    const { edge, style } = measureElement(at)
    const { overflowY, webkitLineClamp } = style
    if (overflowY === 'visible') return undefined
    if (!['hidden', 'clip'].includes(overflowY) || webkitLineClamp !== 'none') return 'shown'
    const isIn = box.top < edge.bottom - 2 && box.bottom > edge.top + 2
    const isOver = box.bottom > edge.bottom + 3 || box.top < edge.top - 3
    return isIn && isOver ? 'cut below' : undefined
  }
}

/** Returns the faults at the minimum supported width and, in a thorough run, at a common width. */
async function findFaultsAtWidths(page: Page): Promise<string[]> {
  const all: string[] = []
  for (const width of isThorough ? [900, 1280] : [900]) {
    await page.setViewportSize({ width, height: 900 })
    await page.waitForFunction((wanted) => innerWidth === wanted, width)
    await waitForPaint(page)
    for (const wrong of await page.evaluate(findPageFaults)) all.push(`${wrong}, at ${width}`)
  }
  return all
}

/** Returns all panels in a thorough run; otherwise a few, and all that are no panels. */
function pickPanels(places: Panels) {
  const all = Object.entries(places)
  if (isThorough) return all
  const isUsual = ([name]: [string, unknown]) =>
    !/^a token of type|^the record|revealed$|deleted$/.test(name) && !(name in others)
  return [...pickSome(all.filter(isUsual), 9), ...all.filter(([name]) => name in others)]
}

test('no panel full of data clips or reverses its content, or fails to render', {
  timeout: 600_000,
}, async () => {
  let places: Panels = {}
  const { page } = await openWindow({
    async prepareVault(window) {
      places = await fillEveryPanel(window)
    },
  })
  const faults: Record<string, readonly string[]> = {}
  const complaints = collectPageErrors(page)
  for (const [name, [hash, ...keys]] of pickPanels(places)) {
    const all: string[] = []
    try {
      // Close the panel first, so that it is not taken for the next one. What is no panel needs another screen.
      await goTo(page, name in others ? '#/documents' : (hash.match(/^#\/\w+/)?.[0] ?? ''))
      await page.locator('.panel-title, .proxies-exchange-sides').first().waitFor({ state: 'detached' })
      await goTo(page, hash)
      await page
        .locator(others[name] ?? '.panel-title')
        .first()
        .waitFor()
      await page.locator('.loading-bone').first().waitFor({ state: 'detached' })
      for (const key of keys) await page.keyboard.press(key)
      if (keys.includes('Backspace')) await page.getByRole('dialog').waitFor()
      if (keys.includes('r')) await page.getByRole('timer').waitFor()
      await page.locator('details').evaluateAll((parts: HTMLDetailsElement[]) => {
        for (const each of parts) each.open = true
      })
      all.push(...(await findFaultsAtWidths(page)))
      all.push(...(await page.getByText(/could not be shown|Something went wrong/).allTextContents()))
    } catch (error) {
      all.push(`not reached: ${error}`)
    }
    all.push(...complaints.splice(0))
    if (all.length > 0) {
      faults[name] = all
      // Printed immediately, because all panels take a while.
      console.error(`${name}\n  ${all.join('\n  ')}`)
    }
    await page.keyboard.press('Escape')
  }
  expect(faults).toEqual({})
})

test('no state of any screen clips or reverses text', {
  tags: 'thorough',
  timeout: 1_800_000,
}, async () => {
  const { vault, page } = await openWindow({ prepareVault: fillWindow, undoMs: 60_000 })
  page.setDefaultTimeout(20_000)
  const faults: Record<string, readonly string[]> = {}
  for (const state of states) {
    const [name] = state
    const all = await openState(page, vault, state)
      .then(() => findFaultsAtWidths(page))
      .catch((error: unknown) => [`not reached: ${error}`])
    if (all.length === 0) continue
    faults[name] = all
    console.error(`${name}\n  ${all.join('\n  ')}`)
  }
  expect(faults).toEqual({})
})

test('the window renders when the code of its toasts cannot be loaded', async () => {
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { memory: true } })
  }
  const { page } = await openWindow({
    prepareVault,
    expected: /ERR_FAILED|Failed to fetch dynamically|dynamically imported|Unable to preload CSS/,
  })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.route(/toasts-[^/]*\.(js|css)$/, (route) => route.abort())
  const refused = page.waitForEvent('requestfailed')
  await page.reload()
  await refused
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.unroute(/toasts-[^/]*\.(js|css)$/)
})
