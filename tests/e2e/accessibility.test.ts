import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { warningOf } from '../../shared/permissions.ts'
import { makeDocument } from '../make-document.ts'
import { faultsInBoth } from './axe.ts'
import { openPageOf, openWindow, type StartedWindow, visit } from './window-fixture.ts'

const reducedMotion = 'reduce'
const passphrase = 'correct horse battery'
let vault: StartedWindow
let page: Page

/** A vault of sample data behind an open listener. */
beforeEach(async () => {
  const prepare = async ({ owner }: StartedWindow) => {
    const { host, proxies, reactors, tenants, webhooks, deliveries } = owner
    await host.createVault({ name: 'demo', protection: { passphrase }, sample_data: true })
    await host.listenerOn()
    await proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })
    await reactors.create({ name: 'Echo', code: 'module.exports = (req) => ({ raw: req.args })' })
    const { id } = await webhooks.create({
      name: 'Shop',
      url: 'http://localhost:9/hooks',
      events: ['token.created', 'google-pay.created'],
    })
    await deliveries.sendTest({ webhook_id: id, type: 'token.created' })
    await makeDocument(owner, Buffer.from('<h1>Hello</h1>'), { content_type: 'text/html' })
    await tenants.update({ name: 'demo', settings: { keep_exchanges: 'always' } })
  }
  ;({ vault, page } = await openWindow({ prepare, page: { reducedMotion } }))
})

/** Opens a new application, whose keys no other check creates. */
async function openApplication(page: Page): Promise<void> {
  const name = `Rotating ${randomUUID()}`
  await vault.owner.applications.create({ name, type: 'private', permissions: ['token:read'] })
  await page.getByRole('row', { name }).click()
  await page.locator('.key-list').waitFor()
}

const screens: readonly [string, string, (page: Page) => Promise<unknown>][] = [
  ['home', '#/home', (page) => page.locator('.bar-line').first().waitFor()],
  ['tokens', '#/tokens', (page) => page.locator('.grid-row').first().waitFor()],
  [
    'a token, revealed',
    '#/tokens',
    async (page) => {
      await page.getByRole('row', { name: /X3222/ }).click()
      await page.keyboard.press('r')
      await page.getByRole('timer').waitFor()
    },
  ],
  [
    'a document, revealed',
    '#/documents',
    async (page) => {
      await page.getByRole('row', { name: /text\/html/ }).click()
      await page.keyboard.press('r')
      await page.getByRole('timer').waitFor()
    },
  ],
  [
    'an upload',
    '#/documents?new=1',
    async (page) => {
      const file = { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByText('scan.pdf').waitFor()
    },
  ],
  [
    'a client key, shown once',
    '#/applications?view=client-keys&new=1',
    async (page) => {
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('button', { name: 'Create client key' }).click()
      await page.getByText('BEGIN PUBLIC KEY').waitFor()
    },
  ],
  [
    'client keys',
    '#/applications?view=client-keys',
    async (page) => {
      await page.getByRole('button', { name: 'Copy public key' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('table', { name: 'Client encryption keys' }).waitFor()
    },
  ],
  ['applications', '#/applications', (page) => page.locator('.grid-row').first().waitFor()],
  [
    'an application',
    '#/applications',
    async (page) => {
      await openApplication(page)
      await page.getByRole('button', { name: 'New key' }).click()
      await page.locator('.key-once').waitFor()
    },
  ],
  [
    'the question before a key is lost',
    '#/home',
    (page) => page.getByRole('dialog', { name: 'Have you copied this key?' }).waitFor(),
  ],
  [
    'a key being rotated',
    '#/applications',
    async (page) => {
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await openApplication(page)
      await page.getByRole('button', { name: 'Rotate key' }).click()
      await page.getByRole('button', { name: 'Create a new key' }).click()
      await page.getByRole('button', { name: 'My programs have the new key' }).click()
      await page.getByText('The new key has not been used yet.').waitFor()
    },
  ],
  [
    'a rotation in progress',
    '#/applications',
    async (page) => {
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page
        .getByRole('row', { name: /Rotating/ })
        .first()
        .click()
      await page.getByRole('button', { name: 'Continue', exact: true }).waitFor()
    },
  ],
  [
    'what landed out of view',
    '#/tokens',
    async (page) => {
      const tokens = Array.from({ length: 60 }, () => ({ type: 'token', data: 'x', containers: ['/zeta/'] }))
      await vault.owner.tokens.createMany({ tokens })
      await page.getByRole('row', { name: /zeta/ }).nth(20).waitFor()
      await vault.owner.tokens.create({ type: 'token', data: 'x' })
      await page.getByRole('button', { name: /new$/ }).waitFor()
    },
  ],
  [
    'looking as a key that is refused',
    '#/applications',
    async (page) => {
      await page.getByRole('button', { name: /Looking as/ }).click()
      await page.getByRole('menuitem', { name: 'Support desk' }).click()
      await page.getByText('Its key would get 403').waitFor()
      await page.getByRole('button', { name: /Edit rules/ }).waitFor()
    },
  ],
  [
    'rules edited as the owner again',
    '#/requests',
    (page) => page.getByRole('button', { name: 'Look as the owner again' }).click(),
  ],
  [
    'rules being changed',
    '#/applications',
    async (page) => {
      await page.getByRole('row', { name: /Payments/ }).click()
      await page.keyboard.press('e')
      await page.locator('.preview-line').first().waitFor()
    },
  ],
  ['the wizard', '#/applications?new=1', (page) => page.getByText('What is it for?').waitFor()],
  ['proxies', '#/proxies', (page) => page.locator('.grid-row').first().waitFor()],
  [
    'a proxy',
    '#/proxies',
    async (page) => {
      await page.getByRole('row', { name: /Charges/ }).click()
      await page.getByText('Call it from a program').waitFor()
    },
  ],
  [
    'a new proxy',
    '#/proxies?new=1',
    async (page) => {
      await page.getByRole('button', { name: 'Add transform: Request transforms' }).click()
      await page.getByRole('button', { name: 'Add entry' }).click()
      await page.getByRole('button', { name: 'Create proxy' }).click()
      await page.getByText('is required').first().waitFor()
    },
  ],
  [
    'a proxy being tried',
    '#/proxies?view=try',
    async (page) => {
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('button', { name: 'Create one for this' }).click()
      await page.getByText('The application Proxy trial was created').waitFor()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.locator('.exchange-sides').waitFor()
    },
  ],
  ['kept calls', '#/proxies?view=exchanges', (page) => page.locator('.grid-row').first().waitFor()],
  ['reactors, while running is off', '#/reactors', (page) => page.locator('.grid-row').first().waitFor()],
  ['the gallery of reactors', '#/reactors?view=gallery', (page) => page.locator('.gallery').waitFor()],
  [
    'a reactor that has run',
    '#/reactors',
    async (page) => {
      await page.getByRole('button', { name: 'Turn on running code' }).click()
      await page.getByRole('row', { name: /Echo/ }).click()
      await page.locator('.cm-content').waitFor()
      await page.getByRole('button', { name: /^Run/ }).click()
      await page.getByRole('region', { name: 'Output' }).waitFor()
    },
  ],
  [
    'a reactor and its kept runs',
    '#/reactors',
    async (page) => {
      await page.getByRole('row', { name: /Echo/ }).click()
      await page.getByText('Kept runs', { exact: true }).click()
      await page.locator('.run-head').first().click()
      await page.locator('.run-body').waitFor()
    },
  ],
  [
    'code that is refused',
    '#/reactors?new=sign',
    async (page) => {
      await page.locator('.cm-content').click()
      await page.keyboard.insertText(')')
      await page.getByRole('button', { name: /^Create reactor/ }).click()
      await page.locator('.cm-wrong-line').waitFor()
    },
  ],
  [
    'webhooks',
    '#/webhooks',
    async (page) => {
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('row', { name: /Shop.*Failing/ }).waitFor()
    },
  ],
  [
    'a webhook',
    '#/webhooks',
    async (page) => {
      await page.getByRole('row', { name: /Shop/ }).click()
      await page.getByText('refused the connection').waitFor()
      await page.getByText('Never happens in Coffer').waitFor()
    },
  ],
  [
    'a delivery',
    '#/webhooks',
    async (page) => {
      await page.getByRole('row', { name: /Shop/ }).click()
      await page.getByRole('button', { name: 'All deliveries' }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('No answer').waitFor()
    },
  ],
  [
    'a new webhook',
    '#/webhooks?new=1',
    async (page) => {
      await page.getByLabel('URL').fill('https://hooks.example.com')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByText('Choose at least one event.').waitFor()
      await page.getByText('is not an allowed destination').waitFor()
      await page.getByText('Events that never happen in Coffer').click()
      await page.getByText('nothing comes').waitFor()
    },
  ],
  [
    'the signing key',
    '#/webhooks?view=key',
    async (page) => {
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByText('BEGIN PUBLIC KEY').waitFor()
    },
  ],
  ['requests', '#/requests', (page) => page.locator('.grid-row').first().waitFor()],
  [
    'a record',
    '#/requests',
    async (page) => {
      await page.locator('.grid-row').first().click()
      await page.getByText('Trace ID').waitFor()
    },
  ],
  ['the request builder', '#/requests?new=1', (page) => page.getByRole('button', { name: 'Send' }).waitFor()],
  ['the playground', '#/playground', (page) => page.locator('.filter-doc').first().waitFor()],
  ...[
    'listener',
    'window',
    'vaults',
    'keys',
    'backups',
    'transfer',
    'tenant',
    'members',
    'banks',
    'bins',
    'faults',
  ].map((name): [string, string, (page: Page) => Promise<unknown>] => [
    `settings: ${name}`,
    `#/settings/${name}`,
    (page) => page.locator('.settings-section').waitFor(),
  ]),
  [
    'an import being mapped',
    '#/settings/transfer',
    async (page) => {
      const buffer = Buffer.from('pan,month\n4242424242424242,12\n')
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'cards.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('button', { name: 'Check the file' }).waitFor()
    },
  ],
  [
    'the change of what opens the vault',
    '#/settings/keys',
    async (page) => {
      await page.getByRole('button', { name: 'Change…' }).click()
      await page.getByLabel('New passphrase', { exact: true }).fill('password1')
      await page.getByText('Too easy to guess').waitFor()
    },
  ],
  [
    'the change of the master secret',
    '#/settings/keys',
    async (page) => {
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('button', { name: 'Change master secret…' }).click()
      await page.getByLabel('Also change every fingerprint').check()
    },
  ],
  [
    'a new recovery key',
    '#/settings/keys',
    async (page) => {
      await page.getByRole('button', { name: 'New recovery key…' }).click()
      await page.getByLabel('Vault passphrase').fill(passphrase)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Save your recovery key' }).waitFor()
    },
  ],
  [
    'a recovery key that was not saved',
    '#/settings/keys',
    async (page) => {
      await page
        .getByRole('dialog', { name: 'Save your recovery key' })
        .getByRole('button', { name: 'Cancel' })
        .click()
      await page.getByText('Nothing was changed').waitFor()
    },
  ],
  [
    'warnings beside permissions',
    '#/applications',
    async (page) => {
      const { id } = await vault.owner.applications.create({
        name: 'Page',
        type: 'public',
        permissions: ['token:create', 'token:update'],
      })
      await visit(page, `#/applications/${id}`)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByText(warningOf('token:update') ?? 'none').waitFor()
    },
  ],
  [
    'the menu of vaults',
    '#/home',
    async (page) => {
      await page.getByRole('button', { name: 'Vault demo' }).click()
      await page.getByRole('menu').waitFor()
    },
  ],
  [
    'the menu of the listener',
    '#/home',
    async (page) => {
      await page.getByRole('button', { name: 'Listener menu' }).click()
      await page.getByRole('menu').waitFor()
    },
  ],
  [
    'whose view is shown',
    '#/home',
    async (page) => {
      await page.getByRole('button', { name: /Looking as/ }).click()
      await page.getByRole('menu').waitFor()
    },
  ],
  [
    'a search that finds nothing',
    '#/proxies',
    async (page) => {
      await page.getByLabel('Search name, destination, key and ID').fill('zzz')
      await page.getByRole('heading', { name: 'No proxy matches' }).waitFor()
    },
  ],
  [
    'a proxy that does not exist',
    '#/proxies/5f0c1c1e-0000-4000-8000-000000000000',
    (page) => page.getByText('no longer exists').or(page.getByText('does not exist')).first().waitFor(),
  ],
  [
    'a list of choices',
    '#/requests',
    async (page) => {
      await page.getByRole('combobox').first().click()
      await page.getByRole('option').first().waitFor()
    },
  ],
  [
    'a proxy being deleted',
    '#/proxies',
    async (page) => {
      await page.getByRole('row', { name: /Charges/ }).click()
      await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click()
      await page.getByLabel('Type Charges to confirm').waitFor()
    },
  ],
  [
    'the palette without a hit',
    '#/home',
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('zzzz')
      await page.getByText('No matches').waitFor()
    },
  ],
  [
    'the tree of containers',
    '#/tokens',
    async (page) => {
      await page.getByRole('button', { name: 'Container' }).click()
      await page.getByRole('menuitem', { name: '/pci/high' }).first().waitFor()
    },
  ],
  [
    'the palette',
    '#/home',
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).waitFor()
    },
  ],
  [
    'the shortcuts',
    '#/home',
    async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
    },
  ],
  [
    'a new token',
    '#/tokens?new=1',
    async (page) => {
      await page.getByLabel('Number').fill('1')
      await page.getByText('must be').waitFor()
    },
  ],
  [
    'the question before what was typed is lost',
    '#/home',
    (page) => page.getByRole('button', { name: 'Keep editing' }).waitFor(),
  ],
]

/** The states that `npm test` checks; each can be reached from any other. */
const few = [
  'a token, revealed',
  'a proxy',
  'the playground',
  'the menu of the listener',
  'the shortcuts',
  'a new token',
]

/** The violations in these states, by the state's name. */
async function violationsIn(states: typeof screens): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [name, hash, ready] of states) {
    await page.keyboard.press('Escape')
    await visit(page, hash)
    await ready(page)
    const faults = await faultsInBoth(page)
    if (faults.length > 0) found[name] = faults
  }
  return found
}

test('has no accessibility violation, light and dark', { timeout: 180_000 }, async () => {
  expect(await violationsIn(screens.filter(([name]) => few.includes(name)))).toEqual({})
})

test('has no accessibility violation in any state, light and dark', {
  tags: 'thorough',
  timeout: 900_000,
}, async () => {
  expect(await violationsIn(screens)).toEqual({})
})

test('has no accessibility violation while there is nothing to list, light and dark', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  const prepare = ({ owner: { host } }: StartedWindow) =>
    host.createVault({ name: 'empty', protection: { memory: true } })
  ;({ page } = await openWindow({ prepare, page: { reducedMotion } }))
  const heading = (text: string) => (at: Page) => at.getByRole('heading', { name: text }).waitFor()
  const empty: typeof screens = [
    ['home', '#/home', (at) => at.getByText('Listener').first().waitFor()],
    ['tokens', '#/tokens', heading('No tokens yet')],
    ['documents', '#/documents', heading('No documents yet')],
    ['client keys', '#/applications?view=client-keys', heading('No client encryption keys yet')],
    ['proxies', '#/proxies', heading('No proxies yet')],
    ['kept calls', '#/proxies?view=exchanges', heading('No calls are kept yet')],
    ['reactors', '#/reactors', heading('No reactors yet')],
    ['webhooks', '#/webhooks', heading('No webhooks yet')],
    [
      'requests',
      '#/requests',
      (at) => at.getByText('0 records').or(at.locator('.grid-row')).first().waitFor(),
    ],
  ]
  expect(await violationsIn(empty)).toEqual({})
})

/** The landmarks, headings, lists and live regions of the page in the order in which they are read. */
async function readingOrder(): Promise<string[]> {
  const wanted = /^ *- (navigation|banner|main|search|grid|complementary|heading|status)\b( "[^",]*)?/
  const lines = (await page.locator('body').ariaSnapshot()).split('\n')
  return lines.flatMap((line) => wanted.exec(line)?.slice(1, 3).join('').replace(' "', ' ') ?? [])
}

test('is read in order: screens, banner, the screen with its heading, search, list, drawer and count', async () => {
  const list = { proxies: 'Charges', applications: 'Payments', webhooks: 'Shop', tokens: 'X3222' }
  for (const [screen, row] of Object.entries(list)) {
    await visit(page, `#/${screen}`)
    await page.getByRole('row', { name: new RegExp(row) }).click()
    await page.getByRole('complementary').getByRole('heading').nth(1).waitFor()
    const name = screen[0]?.toUpperCase() + screen.slice(1)
    const found = await readingOrder()
    expect(found.slice(0, 4)).toEqual(['navigation Screens', 'banner', `main ${name}`, `heading ${name}`])
    const order = ['grid', 'complementary', 'status'].map((role) =>
      found.findLastIndex((line, at) => at > 3 && line.startsWith(role)),
    )
    expect([screen, ...order]).toEqual([screen, ...order.toSorted((a, b) => a - b)])
    expect([screen, order.includes(-1)]).toEqual([screen, false])
    // One first heading, and every list and drawer has a name.
    expect(found.filter((line) => line === `heading ${name}`)).toHaveLength(1)
    expect(found.filter((line) => ['grid', 'complementary', 'navigation', 'main'].includes(line))).toEqual([])
  }
})

test('is whole at 200 % and at 400 %', async () => {
  const states = ['#/tokens', '#/tokens?new=1', '#/proxies?new=1', '#/applications', '#/proxies?view=try']
  const cut: string[] = []
  for (const [width, height] of [
    [640, 400],
    [320, 256],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const hash of states) {
      await visit(page, hash)
      await page.locator('main h1').waitFor()
      // A button or a field that cannot be scrolled into view is lost to whoever enlarges the page.
      const lost = await page.evaluate(() =>
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
      if (lost.length > 0) cut.push(`${width} ${hash}: ${lost}`)
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(cut).toEqual([])
})

test('forced colours keep what is chosen visible', async () => {
  await page.emulateMedia({ forcedColors: 'active' })
  const differs = (chosen: string, other: string) =>
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
  await visit(page, '#/applications')
  await page.getByRole('row', { name: /Payments/ }).click()
  await page.keyboard.press('e')
  await page.locator('[aria-pressed=true]').first().waitFor()
  const seen = {
    screen: await differs('.rail-link[aria-current]', '.rail-link:not([aria-current])'),
    row: await differs('.grid-row[aria-selected=true]', '.grid-row[aria-selected=false]'),
    chip: await differs('.pick[aria-pressed=true]', '.pick[aria-pressed=false]'),
    segment: await differs('.mantine-SegmentedControl-indicator', '.mantine-SegmentedControl-control'),
    listener: await differs('.pill-on .pill-dot', '.pill'),
  }
  await visit(page, '#/settings/listener')
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
  expect(seen).toEqual({ screen: true, row: true, chip: true, segment: true, listener: true })
})

test('nothing moves for longer than a frame with reduced motion', async () => {
  const lasting = new Set<string>()
  for (const hash of ['#/home', '#/applications?new=1', '#/requests', '#/settings/listener']) {
    await visit(page, hash)
    await page.locator('main h1').waitFor()
    const found = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        const seconds = `${transitionDuration}, ${animationDuration}`.split(', ').map(Number.parseFloat)
        return Math.max(...seconds) > 0.01 ? [element.className.toString()] : []
      }),
    )
    for (const name of found) lasting.add(name)
  }
  expect([...lasting]).toEqual([])
})

test('has no accessibility violation before a vault is open, light or dark', async () => {
  const { page: fresh } = await openWindow({ page: { reducedMotion } })
  await fresh.getByRole('button', { name: 'Create vault' }).waitFor()
  expect(await faultsInBoth(fresh)).toEqual([])
})

test('has no accessibility violation while Coffer is unreachable, light or dark', {
  tags: 'thorough',
}, async () => {
  // Axe itself reports the second one, because it reads the style sheets again.
  const expected = /ERR_INTERNET_DISCONNECTED|Couldn't load preload assets/
  const offline = await openPageOf(vault, { reducedMotion }, expected)
  await offline.locator('.bar-line').first().waitFor()
  await offline.context().setOffline(true)
  await offline.getByText('24 hours').click()
  await offline.getByRole('alert').getByText('Not reachable since').waitFor()
  expect(await faultsInBoth(offline)).toEqual([])
})
