import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { warningOf } from '../../shared/permissions.ts'
import { makeDocument } from '../make-document.ts'
import { isThorough } from '../thorough.ts'
import { seriousIn, seriousInBoth } from './axe.ts'
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

test('has no serious accessibility violation on any screen, light and dark', {
  timeout: 180_000,
}, async () => {
  const found: Record<string, string[]> = {}
  for (const [at, [name, hash, ready]] of screens.entries()) {
    await page.keyboard.press('Escape')
    await visit(page, hash)
    await ready(page)
    const serious = await (isThorough || at % 3 === 0 ? seriousInBoth(page) : seriousIn(page))
    if (serious.length > 0) found[name] = serious
  }
  expect(found).toEqual({})
})

test('has no serious accessibility violation before a vault is open, light or dark', async () => {
  const { page: fresh } = await openWindow({ page: { reducedMotion } })
  await fresh.getByRole('button', { name: 'Create vault' }).waitFor()
  expect(await seriousInBoth(fresh)).toEqual([])
})

test('has no serious accessibility violation while Coffer is unreachable, light or dark', {
  tags: 'thorough',
}, async () => {
  // Axe itself reports the second one, because it reads the style sheets again.
  const expected = /ERR_INTERNET_DISCONNECTED|Couldn't load preload assets/
  const offline = await openPageOf(vault, { reducedMotion }, expected)
  await offline.locator('.bar-line').first().waitFor()
  await offline.context().setOffline(true)
  await offline.getByText('24 hours').click()
  await offline.getByRole('alert').getByText('Not reachable since').waitFor()
  expect(await seriousInBoth(offline)).toEqual([])
})
