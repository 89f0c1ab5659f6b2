import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isThorough, pickSome } from '../thorough.ts'
import { findAxeViolations, findAxeViolationsInBothSchemes } from './axe.ts'
import { fillWindow, openState, type ScreenState, states } from './states.ts'
import { goTo, openPageIn, openWindow, type StartedWindow } from './window-fixture.ts'

const reducedMotion = 'reduce'
let vault: StartedWindow
let page: Page

/**
 * Opens a vault of sample data with a listener. Uses only a little data unless the thorough tests check every state.
 */
async function openFilledWindow(): Promise<void> {
  // A deletion must stay undoable until the test has checked it.
  ;({ vault, page } = await openWindow({ prepareVault: fillAccessibleVault, undoMs: 60_000 }))
}

async function fillAccessibleVault(window: StartedWindow): Promise<void> {
  if (isThorough) return fillWindow(window)
  const { host, applications, tokens } = window.owner
  await host.createVault({ name: 'demo', protection: { memory: true } })
  await host.listenerOn()
  await applications.create({ name: 'Payments', type: 'private', permissions: ['token:read'] })
  const data = { number: '2223003122003222', expiration_month: 12, expiration_year: 2035 }
  await tokens.create({ type: 'card', data, containers: ['/pci/high/'], metadata: { customer: 'c-1' } })
  await tokens.create({ type: 'token', data: 'x', containers: ['/general/'] })
}

/**
 * Returns the violations in each of these states, by the state's name. If a state could not be reached, returns the
 * error instead.
 */
async function findViolations(states: readonly ScreenState[]): Promise<Record<string, string[]>> {
  const violations: Record<string, string[]> = {}
  for (const state of states) {
    const [name] = state
    const faults = await openState(page, vault, state)
      .then(() => findAxeViolationsInBothSchemes(page))
      .catch((error: unknown) => [`not reached: ${error}`])
    if (faults.length === 0) continue
    violations[name] = faults
    // Printed immediately, because all states take minutes.
    console.error(`${name}\n  ${faults.join('\n  ')}`)
  }
  return violations
}

test('axe finds no violation in any state, light or dark', {
  tags: 'thorough',
  timeout: 1_800_000,
}, async () => {
  await openFilledWindow()
  expect(await findViolations(states)).toEqual({})
})

test('axe finds no violation on empty screens, light or dark', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  const prepareVault = ({ owner: { host } }: StartedWindow) =>
    host.createVault({ name: 'empty', protection: { memory: true } })
  ;({ vault, page } = await openWindow({ prepareVault }))
  const waitForHeading = (text: string) => (at: Page) => at.getByRole('heading', { name: text }).waitFor()
  const empty: readonly ScreenState[] = [
    ['home with first steps', '#/home', waitForHeading('First steps')],
    ['tokens', '#/tokens', waitForHeading('No tokens yet')],
    ['documents', '#/documents', waitForHeading('No documents yet')],
    ['client keys', '#/applications?view=client-keys', waitForHeading('No client encryption keys yet')],
    ['proxies', '#/proxies', waitForHeading('No proxies yet')],
    ['saved calls', '#/proxies?view=exchanges', waitForHeading('No saved calls yet')],
    ['reactors', '#/reactors', waitForHeading('No reactors yet')],
    ['webhooks', '#/webhooks', waitForHeading('No webhooks yet')],
    ['3D Secure sessions', '#/sessions', waitForHeading('No 3D Secure sessions')],
    ['sessions', '#/sessions?view=sessions', waitForHeading('No sessions')],
    ['token intents', '#/sessions?view=intents', waitForHeading('No token intents')],
    ['merchants', '#/merchants', waitForHeading('No merchants yet')],
    ['account updater', '#/merchants?view=updates', waitForHeading('No jobs of the account updater')],
    ['agents', '#/agents', waitForHeading('No agents yet')],
    [
      'requests',
      '#/requests',
      (at) => at.getByText('0 records').or(at.locator('.grid-row')).first().waitFor(),
    ],
  ]
  expect(await findViolations(empty)).toEqual({})
})

/** The landmarks, headings, lists and live regions of the page in reading order. */
async function readOutline(): Promise<string[]> {
  const OUTLINE_PATTERN =
    /^ *- (navigation|banner|main|search|grid|complementary|heading|status)\b( "[^",]*)?/
  const lines = (await page.locator('body').ariaSnapshot()).split('\n')
  return lines.flatMap((line) => OUTLINE_PATTERN.exec(line)?.slice(1, 3).join('').replace(' "', ' ') ?? [])
}

/** Checks the reading order: screens, banner, screen with heading, search, rows, drawer and count. */
async function checkReadingOrder(): Promise<void> {
  const list = {
    tokens: 'X3222',
    documents: 'text/html',
    applications: 'Payments',
    proxies: 'Charges',
    webhooks: 'Shop',
    requests: 'Owner',
  }
  for (const [screen, row] of pickSome(Object.entries(list), 1)) {
    await goTo(page, `#/${screen}`)
    await page
      .getByRole('row', { name: new RegExp(row) })
      .first()
      .click()
    await page.getByRole('complementary').getByRole('heading').nth(1).waitFor()
    const name = screen[0]?.toUpperCase() + screen.slice(1)
    const outline = await readOutline()
    expect(outline.slice(0, 4)).toEqual(['navigation Screens', 'banner', `main ${name}`, `heading ${name}`])
    const order = ['grid', 'complementary', 'status'].map((role) =>
      outline.findLastIndex((line, at) => at > 3 && line.startsWith(role)),
    )
    expect([screen, ...order]).toEqual([screen, ...order.toSorted((a, b) => a - b)])
    expect([screen, order.includes(-1)]).toEqual([screen, false])
    // The page has a single first heading, and every list and drawer has a name.
    expect(outline.filter((line) => line === `heading ${name}`)).toHaveLength(1)
    expect(outline.filter((line) => ['grid', 'complementary', 'navigation', 'main'].includes(line))).toEqual(
      [],
    )
  }
}

/** Checks that all controls can be reached at 400 % zoom, and in the thorough tests at 200 % too. */
async function checkZoom(): Promise<void> {
  const states = [
    '#/tokens?new=1',
    '#/tokens',
    '#/proxies?new=1',
    '#/applications',
    '#/proxies?view=try',
    '#/settings/tenant',
  ]
  const cut: string[] = []
  for (const [width, height] of pickSome(
    [
      [320, 256],
      [640, 400],
    ] as const,
    1,
  )) {
    await page.setViewportSize({ width, height })
    for (const hash of pickSome(states, 1)) {
      await goTo(page, hash)
      await page.locator('main h1').waitFor()
      // At high zoom, a button or field that cannot be scrolled into view is unusable.
      const unreachable = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('main :is(button, input, textarea), header button')]
          .filter(
            (element) => element.checkVisibility() && element.tabIndex >= 0 && !element.closest('.grid'),
          )
          .filter((element) => {
            element.scrollIntoView({ block: 'center', inline: 'nearest' })
            const { left, right, top, bottom } = element.getBoundingClientRect()
            return left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1
          })
          .map((element) => element.getAttribute('aria-label') ?? element.textContent ?? element.tagName),
      )
      if (unreachable.length > 0) cut.push(`${width} ${hash}: ${unreachable}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(cut).toEqual([])
}

/** Checks that selected items differ from others in forced colours. */
async function checkForcedColours(): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' })
  const isDifferent = (chosen: string, other: string) =>
    page.evaluate(
      (selectors) => {
        const [one, two] = selectors.map((selector) => {
          const element = document.querySelector(selector)
          if (!element) return selector
          const { outlineStyle, borderTopColor, borderTopWidth, backgroundColor } = getComputedStyle(element)
          return `${outlineStyle} ${borderTopColor} ${borderTopWidth} ${backgroundColor}`
        })
        return one !== two
      },
      [chosen, other],
    )
  await goTo(page, '#/applications')
  await page.getByRole('row', { name: /Payments/ }).click()
  await page.keyboard.press('e')
  await page.locator('.rules-line-button').first().click()
  await page.locator('.rules-pick[aria-pressed=true]').first().waitFor()
  const differences = {
    screen: await isDifferent('.nav-link[aria-current]', '.nav-link:not([aria-current])'),
    row: await isDifferent('.grid-row[aria-selected=true]', '.grid-row[aria-selected=false]'),
    chip: await isDifferent('.rules-pick[aria-pressed=true]', '.rules-pick[aria-pressed=false]'),
    segment: await isDifferent('.mantine-SegmentedControl-indicator', '.mantine-SegmentedControl-control'),
    listener: await isDifferent('.listener-pill-on .listener-pill-dot', '.listener-pill'),
    bar: false,
  }
  await goTo(page, '#/home')
  await page.locator('.home-bar-fill').first().waitFor()
  differences.bar = await isDifferent('.home-bar-fill', '.home-bar-track')
  await goTo(page, '#/settings/listener')
  await page.locator('.mantine-Switch-track').first().waitFor()
  const off = await page
    .locator('.mantine-Switch-track')
    .first()
    .evaluate((track) => getComputedStyle(track).backgroundColor)
  await page.getByRole('switch').first().click({ force: true })
  await expect
    .poll(() =>
      page
        .locator('.mantine-Switch-track')
        .first()
        .evaluate((track) => getComputedStyle(track).backgroundColor),
    )
    .not.toBe(off)
  expect(differences).toEqual({
    screen: true,
    row: true,
    chip: true,
    segment: true,
    listener: true,
    bar: true,
  })
}

/** Checks that nothing animates for longer than a frame. */
async function checkReducedMotion(): Promise<void> {
  const lasting = new Set<string>()
  for (const hash of pickSome(['#/home', '#/applications?new=1', '#/requests', '#/settings/listener'], 1)) {
    await goTo(page, hash)
    await page.locator('main h1').waitFor()
    const animated = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        const seconds = `${transitionDuration}, ${animationDuration}`.split(', ').map(Number.parseFloat)
        return Math.max(...seconds) > 0.01 ? [element.className.toString()] : []
      }),
    )
    for (const name of animated) lasting.add(name)
  }
  expect([...lasting]).toEqual([])
}

test('screens pass axe, and support reading order, zoom and reduced motion', async () => {
  ;({ vault, page } = await openWindow())
  await page.getByRole('button', { name: 'Create vault' }).waitFor()
  expect(await findAxeViolations(page)).toEqual([])
  await fillAccessibleVault(vault)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  const [, hash, steps] = states.find(([name]) => name === 'a token, revealed') ?? expect.fail()
  await goTo(page, hash)
  await steps(page, vault)
  expect(await findAxeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  await checkReadingOrder()
  await checkZoom()
  await checkReducedMotion()
})

test('selected items stay visible in forced colours', { tags: 'thorough' }, async () => {
  await openFilledWindow()
  await checkForcedColours()
})

test('axe finds no violation while Coffer is unreachable', {
  tags: 'thorough',
}, async () => {
  await openFilledWindow()
  const expected = /ERR_INTERNET_DISCONNECTED/
  const offline = await openPageIn(vault, { reducedMotion }, expected)
  await offline.locator('.home-bar-line').first().waitFor()
  await offline.context().setOffline(true)
  await offline.getByText('24 hours').click()
  await offline.getByRole('alert').getByText('Not reachable since').waitFor()
  expect(await findAxeViolationsInBothSchemes(offline)).toEqual([])
})
