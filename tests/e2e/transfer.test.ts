import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { pressKeys } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

const passphrase = 'correct horse battery'
const number = '4242424242424242'
let vault: StartedWindow
let page: Page

beforeEach(async () => {
  const prepareVault = ({ owner }: StartedWindow) =>
    owner.host.createVault({ name: 'shop', protection: { passphrase } })
  ;({ vault, page } = await openWindow({ prepareVault, undoMs: 50 }))
})

const getButton = (name: string | RegExp) => page.getByRole('button', { name })
const openSection = () => goTo(page, '#/settings/transfer')
const chooseFile = (name: string, text: string) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
/** Returns the name and text of the file that an action saves. */
async function captureDownload(act: () => Promise<unknown>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: download.suggestedFilename(), text: fs.readFileSync(await download.path(), 'utf8') }
}

test('X-16 X-23 a CSV file is imported, and its tokens are shown and exported masked', async () => {
  await pressKeys(page, 'Control+2')
  await getButton('Import a file…').click()
  await page.getByRole('heading', { name: 'Import and export' }).waitFor()
  await chooseFile(
    'cards.csv',
    `pan,month,year,who\n${number},12,2031,ada\n4242424242424241,12,2031,bob\n${number},12,2031,eve\n`,
  )
  const getTarget = (column: string) => page.getByRole('combobox', { name: `${column} becomes` })
  await getTarget('pan').waitFor()
  expect(await getTarget('pan').inputValue()).toBe('card number')
  expect(await getTarget('who').inputValue()).toBe('not imported')
  expect(await page.locator('main').textContent()).not.toContain(number)
  await page.getByLabel('Show values').click()
  await page.getByRole('cell', { name: number }).first().waitFor()

  await getTarget('who').focus()
  await pressKeys(page, 'Enter')
  await page.getByRole('option', { name: 'metadata' }).click()
  await page.getByLabel('Container').fill('/shop/')
  await getButton('Check the file').click()
  await page.getByText('2 tokens would be created.').waitFor()
  await page.getByText('Line 3: data.number must').waitFor()
  expect((await vault.owner.stats.tokens()).total).toBe(0)
  const refused = await captureDownload(() => getButton('Save the refused lines').click())
  expect(JSON.parse(refused.text)).toMatchObject({ line: 3 })
  expect(refused.text).not.toContain('4242')

  await getButton('Import 2 tokens').click()
  await page.getByText('2 tokens were created.').waitFor()
  await getButton('Show the tokens').click()
  await page.getByRole('row', { name: /4242/ }).nth(1).waitFor()
  const { data } = await vault.owner.tokens.list()
  expect(data.map(({ metadata, containers }) => `${metadata?.who} ${containers}`).sort()).toEqual([
    'ada /shop/',
    'eve /shop/',
  ])

  await openSection()
  const masked = await captureDownload(() => getButton('Export masked').click())
  expect(masked.name).toBe('shop-tokens.ndjson')
  expect(masked.text.trim().split('\n')).toHaveLength(2)
  expect(masked.text).toContain('XXXXXXXXXXXX4242')
  expect(masked.text).not.toContain(number)
})

test('an import maps card expiries, and warns of tokens that will expire soon', async () => {
  await vault.owner.tokens.create({ type: 'card', data: { number: '4111111111111111' } })
  await openSection()
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
  await chooseFile(
    'cards.csv',
    `card_number,expiry,keep_until\n${number},2031-11-30,${soon}\n${number},07/31,\n${number},13/31,\n`,
  )
  const getTarget = (column: string) => page.getByRole('combobox', { name: `${column} becomes` })
  await getTarget('expiry').waitFor()
  expect(await getTarget('expiry').inputValue()).toBe('card expiry, such as 07/31')
  expect(await getTarget('keep_until').inputValue()).toBe('not imported')
  await getButton('Check the file').click()
  await page.getByText('2 tokens would be created.').waitFor()
  await page.getByText('Line 4: column expiry must be the expiry of a card').waitFor()
  expect(await page.getByText('of these tokens will').count()).toBe(0)
  // Choose a target by keyboard, which must take effect.
  await getTarget('keep_until').focus()
  await pressKeys(page, 'Enter')
  await page.getByRole('option', { name: 'token expires at' }).click()
  await getButton('Check the file').click()
  const warning = page.getByText(/^1 of these tokens will be deleted within 30 days, on \d{4}-\d\d-\d\d/)
  await warning.waitFor()
  await getButton('Import 2 tokens').click()
  await page.getByText('2 tokens were created.').waitFor()
  await warning.waitFor()
  await getButton('Show the tokens').click()
  await page.getByText('Created together', { exact: true }).waitFor()
  await page.getByRole('row', { name: /4242/ }).nth(1).waitFor()
  expect(await page.getByRole('row', { name: /1111/ }).count()).toBe(0)
  await page.getByRole('row', { name: /4242/ }).first().click()
  await page.getByRole('button', { name: 'tokens.createMany', exact: true }).waitFor()
  // The record links back to all of the tokens.
  await page.getByRole('button', { name: 'tokens.createMany', exact: true }).click()
  await getButton('2 tokens').click()
  await page.getByRole('row', { name: /4242/ }).nth(1).waitFor()
  expect(await page.getByRole('row', { name: /1111/ }).count()).toBe(0)
  const { data } = await vault.owner.tokens.list({ type: 'card' })
  const months = data.map((token) => (token.data as { expiration_month?: number }).expiration_month)
  expect(months.sort()).toEqual([11, 7, undefined])
})

test('a file of several parts is imported, and undoing the import deletes only its tokens', async () => {
  const { owner } = vault
  await owner.tokens.create({ id: 'before', type: 'token', data: 'x' })
  await openSection()
  // Two parts, or three in a thorough run, with characters of two bytes across their ends.
  const count = isThorough ? 500 : 220
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({ id: `token-${at}`, type: 'token', data: `${at} ${'é'.repeat(10_000)}` }),
  )
  await chooseFile('tokens.ndjson', lines.join('\n'))
  await getButton('Check the file').click()
  await getButton(`Import ${count} tokens`).click()
  await page.getByText(`${count} tokens were created.`).waitFor()
  const { data } = await owner.tokens.reveal({ id: 'token-40' })
  expect(data).toBe(`40 ${'é'.repeat(10_000)}`)
  await owner.tokens.create({ id: 'after', type: 'token', data: 'x' })
  await getButton('Undo import…').click()
  const question = page.getByRole('dialog', { name: `Delete ${count} tokens?` })
  await question.getByRole('button', { name: `Delete ${count} tokens` }).click()
  await question.waitFor({ state: 'detached' })
  expect(await getButton('Undo import…').isDisabled()).toBe(true)
  await expect.poll(async () => (await owner.stats.tokens()).total).toBe(2)
  expect((await owner.tokens.list()).data.map(({ id }) => id).sort()).toEqual(['after', 'before'])
})

test('plaintext export needs the vault’s name and passphrase, and can be imported', {
  tags: 'thorough',
}, async () => {
  const { id } = await vault.owner.tokens.create({ type: 'card', data: { number } })
  await pressKeys(page, 'Control+k')
  await page.getByPlaceholder(/Search screens/).fill('import')
  await page
    .getByRole('button', { name: /Import and export/ })
    .first()
    .waitFor()
  await pressKeys(page, 'Enter')
  await getButton('Export plaintext…').click()
  const dialog = page.getByRole('dialog', { name: 'Export plaintext' })
  await dialog.getByLabel('Vault passphrase').fill('wrong horse battery')
  // Enter does nothing until the form may be submitted.
  await dialog.locator('button[type=submit]:enabled').waitFor()
  await pressKeys(page, 'Enter')
  await dialog.getByText('The passphrase is wrong').waitFor()
  await dialog.getByLabel('Vault passphrase').fill(passphrase)
  const clear = await captureDownload(() => pressKeys(page, 'Enter'))
  expect(clear.name).toBe('shop-tokens-in-clear.ndjson')
  expect(JSON.parse(clear.text)).toMatchObject({ id, data: { number } })

  await vault.owner.tokens.remove({ id })
  await dialog.waitFor({ state: 'detached' })
  await chooseFile('tokens.ndjson', clear.text)
  await page.getByText('Each line is a token').waitFor()
  await getButton('Check the file').click()
  await getButton('Import 1 token').click()
  await page.getByText('1 token was created.').waitFor()
  expect((await vault.owner.tokens.reveal({ id })).data).toEqual({ number })
})

test('an import refuses files that are too large, empty or of another format', {
  tags: 'thorough',
}, async () => {
  await openSection()
  const expectRejection = async (name: string, content: string | Buffer, sentence: string) => {
    await page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    await page.getByText(sentence).waitFor()
  }
  await expectRejection('cards.txt', 'a', 'must end in .csv')
  await expectRejection('cards.csv', '', 'The file is empty')
  await expectRejection('cards.csv', Buffer.from('name\nJos\xe9\n', 'latin1'), 'is not UTF-8')
  await expectRejection('cards.csv', 'pan\n', 'The file has no readable record')
  const large = path.join(createTempFolder(), 'cards.csv')
  fs.writeFileSync(large, `pan\n${number}\n`)
  fs.truncateSync(large, 128 * 1024 * 1024 + 1)
  await page.locator('input[type=file]').setInputFiles(large)
  await page.getByText('up to 128 MiB. Import this one').waitFor()
  await page.getByText('coffer import cards.csv --map cards.map.json').waitFor()
  expect(await getButton('Check the file').count()).toBe(0)
})
