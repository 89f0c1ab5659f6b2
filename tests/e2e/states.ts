import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { getPermissionWarning } from '../../shared/permissions.ts'
import { createEnrollment, createInstruction, visaCard } from '../agentic.ts'
import { newCheckout } from '../engine/prepared-writes.ts'
import { makeDocument } from '../make-document.ts'
import { createEligibleCard } from '../network-tokens.ts'
import { createThreeDsClient, payment } from '../three-ds.ts'
import { requestThroughProxy } from './hosted-program.ts'
import { goTo, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'

/** A state of the window: its name, the URL fragment to load, and the steps to take then. */
export type ScreenState = readonly [
  name: string,
  hash: string,
  reach: (page: Page, vault: StartedWindow) => Promise<unknown>,
]

/** Fills a vault with data for every screen, behind an open listener. */
export async function fillWindow(window: StartedWindow): Promise<void> {
  const { owner } = window
  const { host, proxies, reactors, tenants, tokens, webhooks, deliveries } = owner
  await host.createVault({ name: 'demo', protection: { passphrase }, sample_data: true })
  await host.listenerOn()
  await proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })
  await reactors.create({ name: 'Echo', code: 'module.exports = (req) => ({ raw: req.args })' })
  const { id } = await webhooks.create({
    name: 'Shop',
    url: 'http://localhost:9/hooks',
    events: ['token.created', 'tenant.created'],
  })
  await deliveries.sendTest({ webhook_id: id, type: 'token.created' })
  // A test event does not count as a failure of the webhook.
  await tokens.create({ type: 'token', data: 'x' })
  await makeDocument(owner, Buffer.from('<h1>Hello</h1>'), { content_type: 'text/html' })
  await createInstruction({ owner }, visaCard, 'Travel')
  await createEnrollment({ owner }, '5555555555554444')
  await createSessions(window)
  await owner.merchants.create({ tenant_id: 'self', name: 'Corner shop' })
  await owner.accountUpdaterJobs.create({})
  await tenants.update({ name: 'demo', settings: { keep_exchanges: 'always' } })
}

/** Creates a challenge that waits, a session of a page, and a token intent. */
export async function createSessions({ owner, host }: StartedWindow) {
  const id = await createThreeDsClient(owner)
  await owner.threeDs.authenticate({ id, ...payment })
  const page = await owner.applications.create({
    name: 'Shop page',
    type: 'public',
    permissions: ['token:create'],
  })
  const server = await owner.applications.create({
    name: 'Shop server',
    type: 'private',
    permissions: ['token:create'],
  })
  const callAs = (key: string | undefined) => host.getEngine()?.as({ kind: 'key', key: key ?? '' })
  const { nonce } = (await callAs(page.key)?.sessions.create()) ?? { nonce: '' }
  await callAs(server.key)?.sessions.authorize({
    nonce,
    permissions: ['token:create'],
    // Longer than the tests take.
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 }
  const intent = await owner.tokenIntents.create({ type: 'card', data })
  return { challenge: id, intent: intent.id }
}

/** Loads the page of a state anew, so that nothing of the previous state remains, and takes its steps. */
export async function openState(
  page: Page,
  vault: StartedWindow,
  [, hash, steps]: ScreenState,
): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate((to) => history.replaceState(null, '', to), hash)
  // The browser asks before it leaves a form with unsaved input, and Playwright accepts.
  await page.reload()
  await steps(page, vault)
}

const openRow = (name: RegExp | string) => (page: Page) => page.getByRole('row', { name }).first().click()
const clickButton = (page: Page, name: RegExp | string) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
const waitForText = (words: string | RegExp) => (page: Page) => page.getByText(words).first().waitFor()
const waitForHeading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { name }).first().waitFor()
const waitForRows = (page: Page) => page.locator('.grid-row[data-index]').first().waitFor()
const waitForMenu = (page: Page) => page.getByRole('menu').waitFor()
const waitForDialog = (name: string | RegExp) => (page: Page) => page.getByRole('dialog', { name }).waitFor()

/** Enters a text in the first cell of a token that can be edited. */
async function editCell(page: Page, text: string): Promise<void> {
  await waitForRows(page)
  for (const key of ['ArrowDown', 'F2', 'Control+a']) await page.keyboard.press(key)
  await page.keyboard.type(text)
}

/** Creates and opens an application whose keys no other state uses. */
async function openApplication(page: Page, vault: StartedWindow): Promise<void> {
  const name = `Rotating ${randomUUID()}`
  await vault.owner.applications.create({ name, type: 'private', permissions: ['token:read'] })
  await openRow(name)(page)
  await page.locator('.applications-key-list').waitFor()
}

/** Creates a key in a new application and leaves the key visible. */
async function showKey(page: Page, vault: StartedWindow): Promise<void> {
  await openApplication(page, vault)
  await clickButton(page, 'New key')
  await page.locator('.applications-key-once').waitFor()
}

/** Deletes everything in a separate container; the deletion can still be undone. */
async function deleteAll(page: Page, { owner }: StartedWindow): Promise<void> {
  await owner.host.cancel({ job: 'selected tokens' }).catch(() => undefined)
  await owner.tokens.createMany({ tokens: [{ type: 'token', data: 'x', containers: ['/gone/'] }] })
  await waitForRows(page)
  await page.keyboard.press('Control+a')
  await page.getByText(/\d+ selected|All selected/).waitFor()
  await page.keyboard.press('Backspace')
  await clickButton(page, /^Delete \d+ token/)
  await page.getByRole('button', { name: 'Undo' }).waitFor()
}

/** Answers the hosted names, lets a program be answered and another refused, and waits until both are listed. */
async function showHostedNames(page: Page, { owner }: StartedWindow): Promise<void> {
  await owner.host.updateSettings({ as_hosted: true })
  await page.getByText(/^Answering by HTTPS/).waitFor()
  const { access } = await owner.host.asHosted()
  const { listener } = await owner.host.status()
  if (listener.state === 'on') await fetch(`${listener.url}/_coffer/health`)
  await requestThroughProxy(access?.shell_file ?? '', 'api.stripe.com:443')
  await page.getByRole('button', { name: 'Allow api.stripe.com…' }).waitFor()
}

/** Makes the calls of a resource fail, or never respond. */
async function blockCalls(page: Page, names: RegExp, how: 'failed' | 'waiting'): Promise<void> {
  const problem = {
    code: 'unavailable',
    status: 503,
    title: 'Unavailable',
    detail: 'The disk cannot be read.',
  }
  await page.route('**/_coffer/console/call', async (route) => {
    const { name } = route.request().postDataJSON() as { name: string }
    if (!names.test(name)) return route.continue()
    // Never respond. The next state removes the route.
    if (how === 'waiting') return
    await route.fulfill({ json: { ok: false, problem } })
  })
  await page.reload()
}

/** Sends a request that never gets a response. */
async function waitWithoutResponse(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await page.route('**/_coffer/console/call', async (route) => {
    const { name } = route.request().postDataJSON() as { name: string }
    if (name !== 'tokens.create') await route.continue()
  })
  await clickButton(page, 'Send')
}

/** Locks the vault while the page does not reach Coffer, so that the page keeps its unsaved input. */
async function lockUnnoticed(page: Page, { owner }: StartedWindow): Promise<void> {
  const calls = '**/_coffer/console/call'
  await page.getByLabel('Number').fill('1')
  await page.route(calls, (route) => route.fulfill({ body: 'The response of another program' }))
  await owner.tokens.create({ type: 'token', data: 'x' })
  await page.getByText('Not reachable since').first().waitFor()
  await owner.host.lock()
  await page.unroute(calls)
  await page.getByText('The vault of this page is no longer open').first().waitFor()
}

/** The calls that fill each list, by the list's URL fragment. */
const lists: Readonly<Record<string, RegExp>> = {
  tokens: /^tokens\.(list|search|find)/,
  documents: /^documents\.newest/,
  applications: /^applications\.list/,
  'applications?view=client-keys': /^(clientKeys|client_keys|keys)\.list/,
  'applications?view=checkouts': /^checkouts\.list/,
  proxies: /^proxies\.list/,
  'proxies?view=exchanges': /^exchanges\.list/,
  reactors: /^reactors\.list/,
  webhooks: /^webhooks\.list/,
  requests: /^logs\./,
  home: /^(tenants|logs|stats|tokens|documents)\./,
}

const unanswered = Object.entries(lists).flatMap(([screen, names]): ScreenState[] => [
  [
    `${screen}, loading`,
    `#/${screen}`,
    async (page) => {
      await blockCalls(page, names, 'waiting')
      await page.locator('.loading-bone').first().waitFor()
    },
  ],
  [
    `${screen}, failed`,
    `#/${screen}`,
    async (page) => {
      await blockCalls(page, names, 'failed')
      await page.getByRole('main').getByText('The disk cannot be read').first().waitFor()
    },
  ],
])

const frame: readonly ScreenState[] = [
  ['home', '#/home', (page) => page.locator('.home-bar-line').first().waitFor()],
  [
    'the vault menu',
    '#/home',
    async (page) => {
      await clickButton(page, /^Vault demo/)
      await waitForMenu(page)
    },
  ],
  [
    'the listener menu',
    '#/home',
    async (page) => {
      await clickButton(page, 'Listener menu')
      await waitForMenu(page)
    },
  ],
  [
    'the view-as menu',
    '#/home',
    async (page) => {
      await clickButton(page, /Viewing as/)
      await waitForMenu(page)
    },
  ],
  [
    'viewing as a key that is refused',
    '#/applications',
    async (page) => {
      await clickButton(page, /Viewing as/)
      await page.getByRole('menuitem', { name: 'Support desk' }).click()
      await page.getByText('Its key would get 403').waitFor()
      await page.getByText('A private key can never have application:read').waitFor()
    },
  ],
  [
    'viewing as a key, at a token',
    '#/tokens',
    async (page) => {
      await clickButton(page, /Viewing as/)
      await page.getByRole('menuitem', { name: 'Support desk' }).click()
      await openRow(/X3222/)(page)
      await waitForText('mask, by rule')(page)
    },
  ],
  [
    'the palette',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).waitFor()
    },
  ],
  [
    'the palette with results',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('to')
      await page.locator('.mantine-Spotlight-action').first().waitFor()
    },
  ],
  [
    'the palette with tokens',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('card')
      await page.locator('#palette-hits').getByText('List all of these tokens').waitFor()
    },
  ],
  [
    'the palette with a result',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('= "4242" | last4')
      await page.locator('#palette-hits').getByText('Enter copies it').waitFor()
    },
  ],
  [
    'the palette without results',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('zzzz')
      await page.getByText('No matches').waitFor()
    },
  ],
  [
    'the shortcuts',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('?')
      await waitForDialog('Shortcuts')(page)
    },
  ],
  [
    'a toast',
    '#/settings/backups',
    async (page) => {
      await clickButton(page, 'Back up now')
      await page.locator('.mantine-Notification-root').waitFor()
    },
  ],
  [
    'a restore',
    '#/home',
    async (page) => {
      await page.locator('.home-bar-line').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Search screens/).fill('restore')
      await page.getByText('Restore a backup…').waitFor()
      await page.keyboard.press('Enter')
      await waitForDialog('Restore a backup')(page)
    },
  ],
  [
    'the question before input is discarded',
    '#/tokens?new=1',
    async (page) => {
      await page.getByLabel('Number').fill('1')
      await page.getByRole('link', { name: 'Home' }).click()
      await page.getByRole('button', { name: 'Keep editing' }).waitFor()
    },
  ],
]

const tokens: readonly ScreenState[] = [
  ['tokens', '#/tokens', waitForRows],
  [
    'a token',
    '#/tokens',
    async (page) => {
      await openRow(/X3222/)(page)
      await page.locator('.history').waitFor()
    },
  ],
  [
    'a token, revealed',
    '#/tokens',
    async (page) => {
      await openRow(/X3222/)(page)
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('r')
      await page.getByRole('timer').waitFor()
    },
  ],
  [
    'a token being edited',
    '#/tokens',
    async (page) => {
      await openRow(/X3222/)(page)
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('e')
      await waitForText('No changes yet')(page)
    },
  ],
  [
    'a new token',
    '#/tokens?new=1',
    async (page) => {
      await page.getByLabel('Number').fill('1')
      await page.getByText('must be').first().waitFor()
    },
  ],
  [
    'a new token with everything open',
    '#/tokens?new=1',
    async (page) => {
      await clickButton(page, 'Fill with test data')
      await page.getByText('ID, mask, expressions, expiry').click()
      await clickButton(page, 'Add a pair')
      await waitForText('Preview')(page)
    },
  ],
  [
    'the list of tokens with unsaved changes and their preview',
    '#/tokens',
    async (page) => {
      await editCell(page, '/other/')
      await page.keyboard.press('Enter')
      await clickButton(page, 'Preview')
      await page.getByRole('dialog', { name: 'Preview' }).waitFor()
    },
  ],
  [
    'a cell of a token with an invalid text',
    '#/tokens',
    async (page) => {
      await editCell(page, ',')
      await page.keyboard.press('Enter')
      await page
        .getByRole('alert')
        .getByText(/^Enter at least one container/)
        .waitFor()
    },
  ],
  [
    'the date to go to in the list of tokens',
    '#/tokens',
    async (page) => {
      await waitForRows(page)
      await page.keyboard.press('g')
      await page.getByLabel('Day', { exact: true }).waitFor()
    },
  ],
  [
    'new tokens out of view',
    '#/tokens?sort=container',
    async (page, vault) => {
      await waitForRows(page)
      const tokens = Array.from({ length: 60 }, () => ({ type: 'token', data: 'x', containers: ['/zeta/'] }))
      await vault.owner.tokens.createMany({ tokens })
      await page.getByRole('row', { name: /zeta/ }).nth(20).waitFor()
      await vault.owner.tokens.create({ type: 'token', data: 'x' })
      await page.getByRole('button', { name: /new$/ }).waitFor()
    },
  ],
  [
    'the tree of containers',
    '#/tokens',
    async (page) => {
      await clickButton(page, 'Container')
      await page.getByRole('menuitem', { name: '/pci/high' }).first().waitFor()
    },
  ],
  [
    'filters of tokens',
    '#/tokens?container=/pci/&type=card',
    (page) => page.locator('.filter-field-chip').nth(1).waitFor(),
  ],
  [
    'suggestions of filters',
    '#/tokens?container=/pci/',
    async (page) => {
      await page.getByRole('combobox', { name: /Find by/ }).pressSequentially('c')
      await page.getByRole('option').first().waitFor()
    },
  ],
  ['tokens of which none match', '#/tokens?q=zzz', waitForHeading('No matching tokens')],
  [
    'a search being saved',
    '#/tokens?container=/pci/',
    async (page, vault) => {
      await vault.owner.tokens.saveSearch({ id: randomUUID(), name: 'Of a shop', query: 'type=card' })
      await clickButton(page, 'Saved')
      await page.getByLabel('Save this filter as').waitFor()
      await clickButton(page, /^Rename/)
      await page.getByLabel('New name').waitFor()
    },
  ],
  [
    'selected tokens',
    '#/tokens',
    async (page) => {
      await waitForRows(page)
      await page.keyboard.press('Control+a')
      await page.getByText(/\d+ selected|All selected/).waitFor()
    },
  ],
  [
    'the row menu',
    '#/tokens',
    async (page) => {
      await waitForRows(page)
      await page.locator('.grid-row[data-index]').nth(2).click({ button: 'right' })
      await waitForMenu(page)
    },
  ],
  [
    'columns being chosen',
    '#/tokens',
    async (page) => {
      await waitForRows(page)
      await clickButton(page, /^Columns/)
      await page.getByRole('button', { name: 'Reset columns' }).waitFor()
    },
  ],
  ...['Delete…', 'Move…', 'Set metadata…', 'Remove metadata…', 'Expiry…', 'Export…'].map(
    (name): ScreenState => [
      `many tokens: ${name}`,
      '#/tokens',
      async (page) => {
        await waitForRows(page)
        await page
          .locator('.grid-row[data-index]')
          .nth(1)
          .click({ modifiers: ['ControlOrMeta'] })
        await page
          .locator('.grid-row[data-index]')
          .nth(3)
          .click({ modifiers: ['Shift'] })
        await page.keyboard.press('Shift+F10')
        await page.getByRole('menuitem', { name }).click()
        await page.getByRole('dialog').waitFor()
        await page
          .getByRole('heading', { name: /tokens/ })
          .last()
          .waitFor()
      },
    ],
  ),
  ['a deletion that can be undone', '#/tokens?container=/gone/', deleteAll],
  [
    'a deletion that was undone',
    '#/tokens?container=/gone/',
    async (page, vault) => {
      await deleteAll(page, vault)
      await page.getByRole('button', { name: 'Undo' }).click()
      await waitForText('Undone. Nothing was deleted.')(page)
    },
  ],
  [
    'a token being deleted',
    '#/tokens?container=/pci/',
    async (page) => {
      await openRow(/X3222/)(page)
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('Backspace')
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'a form of a token that was deleted elsewhere',
    '#/tokens',
    async (page, { owner }) => {
      const { id } = await owner.tokens.create({ type: 'token', data: 'x' })
      await goTo(page, `#/tokens/${id}?edit=1`)
      await page.getByText('Merge patch').click()
      await page.getByRole('complementary').getByRole('textbox').fill('{"metadata":{"typed":"here"}}')
      await owner.tokens.remove({ id })
      await waitForText('This was deleted elsewhere')(page)
    },
  ],
  [
    'a card with a network token',
    '#/tokens',
    async (page, { owner }) => {
      const { id } = await owner.tokens.create({ type: 'card', data: createEligibleCard() })
      await owner.networkTokens.create({ token_id: id })
      await goTo(page, `#/tokens/${id}`)
      await clickButton(page, 'Create cryptogram')
      await waitForText('ECI 07')(page)
    },
  ],
  ['a token that does not exist', `#/tokens/${randomUUID()}`, waitForText('does not exist or has expired')],
]

const documents: readonly ScreenState[] = [
  ['documents', '#/documents', waitForRows],
  [
    'a document, revealed',
    '#/documents',
    async (page) => {
      await openRow(/text\/html/)(page)
      await page.getByRole('complementary').waitFor()
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
]

const applications: readonly ScreenState[] = [
  ['applications', '#/applications', waitForRows],
  [
    'an application',
    '#/applications',
    async (page) => {
      await openRow(/Backend/)(page)
      await page.locator('.applications-key-list').waitFor()
    },
  ],
  ['a key, shown once', '#/applications', showKey],
  [
    'the question before a key is lost',
    '#/applications',
    async (page, vault) => {
      await showKey(page, vault)
      await page.getByRole('link', { name: 'Home' }).click()
      await waitForDialog('Have you copied this key?')(page)
    },
  ],
  [
    'the owner confirms the deletion of a key',
    '#/applications',
    async (page, vault) => {
      await openApplication(page, vault)
      await page
        .locator('.applications-key-list')
        .getByRole('button', { name: /Delete/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'a key being rotated',
    '#/applications',
    async (page, vault) => {
      await openApplication(page, vault)
      await clickButton(page, 'Rotate key')
      await clickButton(page, 'Create a new key')
      await clickButton(page, 'My programs have the new key')
      await page.getByText('The new key has not been used yet.').waitFor()
    },
  ],
  [
    'a rotation in progress',
    '#/applications',
    async (page) => {
      await openRow(/Rotating .*/)(page)
      await page.getByRole('complementary').waitFor()
    },
  ],
  [
    'rules being changed',
    '#/applications',
    async (page) => {
      await openRow(/Payments/)(page)
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('e')
      await page.locator('.rules-example').first().waitFor()
      await page.getByText(/^The log has no permission checks/).waitFor()
    },
  ],
  [
    'a rule with changes',
    '#/applications',
    async (page) => {
      await openRow(/Payments/)(page)
      await page.getByRole('complementary').waitFor()
      await page.keyboard.press('e')
      await page.locator('.rules-line-button').first().click()
      await page.locator('.rules-fields label').filter({ hasText: 'masked' }).click()
      await page.locator('.rules-matrix [aria-pressed]').first().click()
      await page.getByText(/cells change/).waitFor()
    },
  ],
  [
    'warnings beside permissions',
    '#/applications',
    async (page, vault) => {
      const { id } = await vault.owner.applications.create({
        name: 'Page',
        type: 'public',
        permissions: ['token:create', 'token:update'],
      })
      await page.evaluate((to) => {
        location.hash = to
      }, `#/applications/${id}`)
      await clickButton(page, /^Edit/)
      await page.getByText(getPermissionWarning('token:update') ?? 'none').waitFor()
    },
  ],
  [
    'an application being deleted',
    '#/applications',
    async (page) => {
      await openRow(/Payments/)(page)
      await page
        .getByRole('complementary')
        .getByRole('button', { name: /^Delete/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  ['the wizard', '#/applications?new=1', waitForText('What is it for?')],
  [
    'the wizard, filled in',
    '#/applications?new=1',
    async (page) => {
      await page
        .getByRole('button', { name: /Browser/ })
        .or(page.getByText(/^Browser/))
        .first()
        .click()
    },
  ],
  [
    'a client key, shown once',
    '#/applications?view=client-keys&new=1',
    async (page) => {
      await clickButton(page, 'Create client key')
      await page.getByText('BEGIN PUBLIC KEY').waitFor()
    },
  ],
  [
    'client keys',
    '#/applications?view=client-keys',
    (page) => page.getByRole('table', { name: 'Client encryption keys' }).waitFor(),
  ],
  [
    'the form of a checkout',
    '#/applications?view=checkouts&new=1',
    (page) => page.getByLabel('URL of the webhook').waitFor(),
  ],
  [
    'a new checkout with its keys',
    '#/applications?view=checkouts&new=1',
    async (page, { owner }) => {
      // A vault has room for few webhooks.
      for (const { id } of (await owner.checkouts.list()).data) await owner.checkouts.remove({ id })
      await clickButton(page, 'Create all')
      await page.getByText('no use recorded').first().waitFor()
    },
  ],
  [
    'a checkout whose call was refused',
    '#/applications?view=checkouts',
    async (page, { owner, host }) => {
      for (const { id } of (await owner.checkouts.list()).data) await owner.checkouts.remove({ id })
      const name = `A name with אב and ${'long '.repeat(20)}`
      const { server_key } = await owner.checkouts.create({ ...newCheckout, name })
      await openRow(/^A name with/)(page)
      const call = host
        .getEngine()
        ?.as({ kind: 'key', key: server_key })
        .tokens.create({ type: 'token', data: 'x' })
      await call?.catch(() => {})
      await page.getByText('Why it was refused').waitFor()
    },
  ],
]

const proxies: readonly ScreenState[] = [
  ['proxies', '#/proxies', waitForRows],
  [
    'a proxy',
    '#/proxies',
    async (page) => {
      await openRow(/Charges/)(page)
      await page.getByText('Call it from a program').waitFor()
    },
  ],
  [
    'a new proxy',
    '#/proxies?new=1',
    async (page) => {
      await clickButton(page, 'Add transform: Request transforms')
      await clickButton(page, 'Add entry')
      await clickButton(page, 'Create proxy')
      await page.getByText('is required').first().waitFor()
    },
  ],
  [
    'a proxy being tried',
    '#/proxies?view=try',
    async (page) => {
      await clickButton(page, 'Create a key')
      await page.getByText('The application Proxy trial was created').waitFor()
      await clickButton(page, /^Send Ctrl/)
      await page.locator('.proxies-exchange-sides').waitFor()
    },
  ],
  [
    'a form of a proxy that was deleted elsewhere',
    '#/proxies',
    async (page, { owner }) => {
      const { id } = await owner.proxies.create({ name: 'Gone', destination_url: 'https://echo.coffer.test' })
      await goTo(page, `#/proxies/${id}?edit=1`)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Typed')
      await owner.proxies.remove({ id })
      await page.getByRole('button', { name: 'Create it again' }).waitFor()
    },
  ],
  ['saved calls', '#/proxies?view=exchanges', waitForRows],
  [
    'a saved call',
    '#/proxies?view=exchanges',
    async (page) => {
      await page.locator('.grid-row[data-index]').first().click()
      await page.locator('.proxies-exchange-sides').waitFor()
    },
  ],
  [
    'a search that finds nothing',
    '#/proxies',
    async (page) => {
      await page.getByLabel('Search name, destination, key and ID').fill('zzz')
      await waitForHeading('No proxy matches')(page)
    },
  ],
  [
    'a proxy that does not exist',
    '#/proxies/5f0c1c1e-0000-4000-8000-000000000000',
    waitForText(/no longer exists|does not exist/),
  ],
  [
    'a proxy being deleted',
    '#/proxies',
    async (page) => {
      await openRow(/Charges/)(page)
      await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click()
      await page.getByLabel('Type Charges to confirm').waitFor()
    },
  ],
]

const reactors: readonly ScreenState[] = [
  ['reactors, while running is off', '#/reactors', waitForRows],
  [
    'the gallery of reactors',
    '#/reactors?view=gallery',
    (page) => page.locator('.reactors-gallery').waitFor(),
  ],
  [
    'a reactor that has run',
    '#/reactors',
    async (page) => {
      await waitForRows(page)
      await clickButton(page, 'Turn on running code')
      await openRow(/Echo/)(page)
      await page.locator('.cm-content').waitFor()
      await clickButton(page, /^Run/)
      await page.getByRole('region', { name: 'Output' }).waitFor()
    },
  ],
  [
    'a reactor for node22 with a missing package',
    '#/reactors?new=1',
    async (page) => {
      await page.getByRole('combobox', { name: 'Runtime' }).click()
      await page.getByRole('option', { name: 'node22' }).click()
      await clickButton(page, 'Add package')
      await page.getByRole('textbox', { name: 'Package', exact: true }).fill('axios')
      await page.getByRole('textbox', { name: 'Version', exact: true }).fill('1.8.2')
      await page.getByText('coffer reactor add-package axios@1.8.2').waitFor()
    },
  ],
  [
    'a reactor and its saved runs',
    '#/reactors',
    async (page) => {
      await openRow(/Echo/)(page)
      await page.getByText('Saved runs', { exact: true }).click()
      await page.locator('.reactors-run-head').first().click()
      await page.locator('.reactors-run-body').waitFor()
    },
  ],
  [
    'rejected code',
    '#/reactors?new=sign',
    async (page) => {
      await page.locator('.cm-content').click()
      await page.keyboard.insertText(')')
      await clickButton(page, /^Create reactor/)
      await page.locator('.cm-wrong-line').waitFor()
    },
  ],
]

const webhooks: readonly ScreenState[] = [
  ['webhooks', '#/webhooks', (page) => page.getByRole('row', { name: /Shop.*Failing/ }).waitFor()],
  [
    'a webhook',
    '#/webhooks',
    async (page) => {
      await openRow(/Shop/)(page)
      await page.getByText('refused the connection').first().waitFor()
      await page.getByText('Never sent by Coffer').waitFor()
    },
  ],
  [
    'a delivery',
    '#/webhooks',
    async (page) => {
      await openRow(/Shop/)(page)
      await clickButton(page, 'All deliveries')
      await clickButton(page, 'Send test event')
      await page.getByText('No response').first().waitFor()
    },
  ],
  [
    'a new webhook',
    '#/webhooks?new=1',
    async (page) => {
      await page.getByLabel('URL').fill('https://hooks.example.com')
      await clickButton(page, 'Create webhook')
      await page.getByText('Choose at least one event.').waitFor()
      await page.getByText('is not an allowed destination').waitFor()
      await page.getByText('Events that Coffer never sends').click()
      await page.getByText('never sends them').waitFor()
    },
  ],
  [
    'deliveries of which none match',
    '#/webhooks',
    async (page) => {
      await openRow(/Shop/)(page)
      await clickButton(page, 'All deliveries')
      await page.getByRole('combobox', { name: /^Filter/ }).fill('attempts:>99')
      await page.keyboard.press('Enter')
      await waitForHeading('No matching deliveries')(page)
    },
  ],
  ['the signing key', '#/webhooks?view=key', waitForText('BEGIN PUBLIC KEY')],
]

const requests: readonly ScreenState[] = [
  ['requests', '#/requests', waitForRows],
  [
    'requests over time, as a table',
    '#/requests',
    async (page) => {
      await clickButton(page, 'As a table')
      await page.locator('.requests-timeline-table').waitFor()
    },
  ],
  [
    'a time span',
    '#/requests',
    async (page) => {
      await page.getByRole('slider', { name: /Span of time/ }).focus()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'All times' }).waitFor()
    },
  ],
  [
    'requests by program',
    '#/requests',
    async (page) => {
      await clickButton(page, 'By program')
      await page.getByRole('columnheader', { name: 'User agent' }).waitFor()
    },
  ],
  [
    'the export menu',
    '#/requests',
    async (page) => {
      await clickButton(page, 'Export')
      await waitForMenu(page)
    },
  ],
  [
    'a record',
    '#/requests',
    async (page) => {
      await page.locator('.grid-row[data-index]').first().click()
      await waitForText('Trace ID')(page)
    },
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
    'a filter of requests with its suggestions',
    '#/requests?q=-status:5xx app:owner took:>=0ms since:2026-01-01 path:/nothing*',
    async (page) => {
      await page.locator('.filter-field-chip').nth(4).waitFor()
      await page.getByRole('combobox', { name: /^Filter/ }).fill('-about:')
      await page.getByRole('option').nth(4).waitFor()
    },
  ],
  [
    'the menu of a cell',
    '#/requests',
    async (page) => {
      await waitForRows(page)
      await page.locator('.grid-row[data-index] .chip').first().click({ button: 'right' })
      await waitForMenu(page)
    },
  ],
  [
    'the menu of a record by keyboard',
    '#/requests',
    async (page) => {
      await waitForRows(page)
      await page.getByRole('grid').focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('Shift+F10')
      await waitForMenu(page)
      await page.getByRole('menuitem', { name: 'Only …' }).hover()
      await page.getByRole('menu').nth(1).waitFor()
    },
  ],
  [
    'two records being compared',
    '#/requests',
    async (page) => {
      await waitForRows(page)
      for (const at of [1, 2]) await page.locator('.grid-row[data-index] [data-check]').nth(at).click()
      await clickButton(page, 'Compare')
      await waitForDialog('Compare two records')(page)
      await page
        .getByText(/difference/)
        .first()
        .waitFor()
    },
  ],
  [
    'several requests to send again',
    '#/requests',
    async (page) => {
      await waitForRows(page)
      for (const at of [1, 2, 3]) await page.locator('.grid-row[data-index] [data-check]').nth(at).click()
      await clickButton(page, 'Send again')
      await waitForDialog('Send again')(page)
      await page.getByRole('button', { name: /^Send \d requests?/ }).waitFor()
    },
  ],
  [
    'a pinned filter of requests',
    '#/requests?q=status:4xx',
    async (page, { owner }) => {
      const search = { screen: 'requests', query: 'q=status%3A4xx', pinned: true }
      await owner.tokens.saveSearch({ id: randomUUID(), name: 'Refusals of a very long name', ...search })
      await page.getByRole('navigation').getByText('Refusals of a').first().waitFor()
      await clickButton(page, 'Saved')
      await page
        .getByRole('button', { name: /^Unpin/ })
        .first()
        .waitFor()
    },
  ],
  ['requests of which none match', '#/requests?q=zzz', waitForHeading('No matching records')],
  ['the request builder', '#/requests?new=1', (page) => page.getByRole('button', { name: 'Send' }).waitFor()],
  [
    'the operations to send',
    '#/requests?new=1',
    async (page) => {
      await page.getByRole('combobox', { name: 'Operation' }).click()
      await page.getByRole('option').first().waitFor()
    },
  ],
  [
    'a request that was sent',
    '#/requests?new=1',
    async (page) => {
      await clickButton(page, 'Send')
      await page
        .getByRole('region', { name: 'Response' })
        .getByText(/^[2-5]\d\d/)
        .first()
        .waitFor()
    },
  ],
  [
    'a request that waits for its response',
    '#/requests?new=1',
    async (page) => {
      await waitWithoutResponse(page)
      await page.getByRole('button', { name: 'Cancel' }).waitFor()
    },
  ],
  [
    'a request that was cancelled',
    '#/requests?new=1',
    async (page) => {
      await waitWithoutResponse(page)
      await clickButton(page, /^Cancel/)
      await waitForText('Cancelled.')(page)
    },
  ],
  [
    'a request with errors in its body',
    '#/requests?new=1',
    async (page) => {
      await page
        .getByRole('textbox', { name: 'Body' })
        .fill('{"type": "car", "colour": 1, "data": "{{ x }}"}')
      await page.getByText('Line 1: colour is not a known member').waitFor()
    },
  ],
  [
    'suggestions for a body',
    '#/requests?new=1',
    async (page) => {
      await page.getByRole('textbox', { name: 'Body' }).fill('')
      await page.keyboard.type('{"')
      await page.getByRole('option', { name: /"type"/ }).waitFor()
    },
  ],
  [
    'the formats of a request',
    '#/requests?new=1&op=tokens.update',
    async (page) => {
      await page.getByRole('combobox', { name: 'As' }).click()
      await page.getByRole('option', { name: 'With a key' }).click()
      await page.getByLabel('Key', { exact: true }).fill('key_of_nobody')
      await clickButton(page, 'Copy as')
      await waitForMenu(page)
    },
  ],
  [
    'a curl command being imported',
    '#/requests?new=1',
    async (page) => {
      await clickButton(page, 'Import curl…')
      await page.getByRole('textbox', { name: 'curl command' }).fill('wget example.com')
      await clickButton(page, 'Import')
    },
  ],
  [
    'an environment',
    '#/requests?new=1',
    async (page) => {
      await clickButton(page, 'New environment…')
      await clickButton(page, 'Add a variable')
      await waitForDialog('New environment')(page)
    },
  ],
  [
    'a request being saved',
    '#/requests?new=1',
    async (page) => {
      await clickButton(page, 'Save…')
      await waitForDialog('Save the request')(page)
    },
  ],
]

const sections = [
  'listener',
  'destinations',
  'window',
  'vaults',
  'keys',
  'backups',
  'transfer',
  'tenant',
  'members',
  'banks',
  'bins',
  'reactors',
  'faults',
]

const agents: readonly ScreenState[] = [
  ['agents', '#/agents', (page) => page.getByText('Start the verification').waitFor()],
  [
    'agents: instructions',
    '#/agents',
    async (page) => {
      await page
        .getByRole('link', { name: 'Travel' })
        .or(page.getByRole('button', { name: 'Travel' }))
        .click()
      await page.getByText('A train ticket').waitFor()
    },
  ],
]

const sessions: readonly ScreenState[] = [
  ['3D Secure sessions', '#/sessions', waitForRows],
  [
    '3D Secure session: challenge',
    '#/sessions',
    async (page) => {
      await openRow('Challenge')(page)
      await page.getByRole('button', { name: /Succeed/ }).waitFor()
      await page.getByText('Start a session').waitFor()
    },
  ],
  [
    '3D Secure sessions: none match',
    '#/sessions?q=state:refused',
    waitForText('No 3D Secure session matches'),
  ],
  ['sessions', '#/sessions?view=sessions', waitForRows],
  ['session', '#/sessions?view=sessions', openRow('Shop page')],
  [
    'session: end',
    '#/sessions?view=sessions',
    async (page) => {
      await openRow('Shop page')(page)
      await clickButton(page, 'End session')
      await waitForDialog('End this session?')(page)
    },
  ],
  ['token intents', '#/sessions?view=intents', waitForRows],
  ['token intent', '#/sessions?view=intents', openRow('4242')],
]

const merchants: readonly ScreenState[] = [
  ['merchants', '#/merchants', waitForText('Corner shop')],
  [
    'merchant: delete',
    '#/merchants',
    async (page) => {
      await clickButton(page, 'Delete the merchant Corner shop')
      await waitForDialog('Delete this merchant?')(page)
    },
  ],
  ['wallets', '#/merchants?view=wallets', waitForText('No registrations yet')],
  ['account updater', '#/merchants?view=updates', waitForText('Waits for its file')],
]

const settings: readonly ScreenState[] = [
  ...sections.map(
    (name): ScreenState => [
      `settings: ${name}`,
      `#/settings/${name}`,
      (page) => page.locator('.settings-section').waitFor(),
    ],
  ),
  ['settings: hosted names answered', '#/settings/listener', showHostedNames],
  [
    'settings: hosted names failed',
    '#/settings/listener',
    async (page) => {
      await page.route('**/_coffer/console/call', async (route) => {
        const { name } = route.request().postDataJSON() as { name: string }
        if (name !== 'host.status') return route.continue()
        const reply = await (await route.fetch()).json()
        const reason = 'Port 443 is taken. Close the program that listens there, or choose another port.'
        reply.output.as_hosted = { state: 'failed', reason }
        await route.fulfill({ json: reply })
      })
      await page.reload()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
  ],
  [
    'a destination to allow',
    '#/settings/destinations?allow=api.stripe.com',
    async (page) => {
      await page.getByLabel('Host', { exact: false }).first().waitFor()
    },
  ],
  [
    'an import being mapped',
    '#/settings/transfer',
    async (page) => {
      const buffer = Buffer.from('pan,month\n4242424242424242,12\n')
      const file = { name: 'cards.csv', mimeType: 'text/csv', buffer }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('button', { name: 'Check the file' }).waitFor()
    },
  ],
  [
    'an import that was checked',
    '#/settings/transfer',
    async (page) => {
      const buffer = Buffer.from(
        'number,expiration_month,expiration_year\n4242424242424242,12,2031\n4111,1,2031\n',
      )
      const file = { name: 'cards.csv', mimeType: 'text/csv', buffer }
      await page.locator('input[type=file]').setInputFiles(file)
      await clickButton(page, 'Check the file')
      await waitForText(/would be created/)(page)
    },
  ],
  [
    'an export in plaintext',
    '#/settings/transfer',
    async (page) => {
      await clickButton(page, 'Export plaintext…')
      await waitForDialog('Export plaintext')(page)
    },
  ],
  [
    'a fault being created',
    '#/settings/faults',
    async (page) => {
      await clickButton(page, 'Custom fault…')
      await waitForDialog('Fault')(page)
    },
  ],
  [
    'a vault being deleted',
    '#/settings/vaults',
    async (page) => {
      await clickButton(page, 'Delete the vault demo')
      await waitForDialog('Delete this vault?')(page)
    },
  ],
  [
    'the data key being changed',
    '#/settings/keys',
    async (page) => {
      await page
        .getByRole('button', { name: /data key/ })
        .first()
        .click()
    },
  ],
  [
    'the vault protection being changed',
    '#/settings/keys',
    async (page) => {
      await clickButton(page, 'Change…')
      await page.getByLabel('New passphrase', { exact: true }).fill('password1')
      await page.getByText('Too easy to guess').waitFor()
    },
  ],
  [
    'the change of the master secret',
    '#/settings/keys',
    async (page) => {
      await clickButton(page, 'Change master secret…')
      await page.getByLabel('Also change every fingerprint').check()
    },
  ],
  [
    'a new recovery key',
    '#/settings/keys',
    async (page) => {
      await clickButton(page, 'New recovery key…')
      await page.getByLabel('Vault passphrase').fill(passphrase)
      await page.keyboard.press('Enter')
      await waitForDialog('Save your recovery key')(page)
    },
  ],
  [
    'an unsaved recovery key',
    '#/settings/keys',
    async (page) => {
      await clickButton(page, 'New recovery key…')
      await page.getByLabel('Vault passphrase').fill(passphrase)
      await page.keyboard.press('Enter')
      const shown = page.getByRole('dialog', { name: 'Save your recovery key' })
      await shown.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('Nothing was changed').waitFor()
    },
  ],
]

const playground: readonly ScreenState[] = [
  ['the playground', '#/playground', (page) => page.locator('.playground-filter-doc').first().waitFor()],
]

const entrance: readonly ScreenState[] = [
  ['a form of a vault that was closed unnoticed', '#/tokens?new=1', lockUnnoticed],
  [
    'a locked vault',
    '#/home',
    async (page, vault) => {
      await vault.owner.host.lock()
      await waitForHeading('Unlock demo')(page)
    },
  ],
  [
    'a wrong passphrase',
    '#/home',
    async (page) => {
      await page.getByLabel('Passphrase').fill('wrong')
      await page.keyboard.press('Enter')
      await waitForText('The passphrase is wrong')(page)
    },
  ],
  [
    'the recovery key instead',
    '#/home',
    async (page) => {
      await clickButton(page, 'Use the recovery key')
      await page.getByLabel('Recovery key').waitFor()
    },
  ],
  [
    'a restore while the vault is locked',
    '#/home',
    async (page) => {
      await clickButton(page, 'Restore a backup')
      await waitForDialog('Restore a backup')(page)
    },
  ],
  [
    'a vault being created',
    '#/home',
    async (page) => {
      await clickButton(page, 'New vault')
      await waitForHeading('New vault')(page)
    },
  ],
]

/** Every state that the accessibility test checks; the last ones lock the vault. */
export const states: readonly ScreenState[] = [
  ...frame,
  ...tokens,
  ...documents,
  ...applications,
  ...proxies,
  ...reactors,
  ...webhooks,
  ...requests,
  ...playground,
  ...sessions,
  ...agents,
  ...merchants,
  ...settings,
  ...unanswered,
  ...entrance,
]
