import fs from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { TRANSFER_CHUNK_BYTES } from '../../shared/schemas/document.ts'
import { makeDocument } from '../make-document.ts'
import { pickSome } from '../thorough.ts'
import { viewAs } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** Opens a window on an in-memory vault with its listener. */
async function openDocumentsWindow() {
  const prepareVault = async ({ owner }: StartedWindow) => {
    await owner.host.createVault({ name: 'shop', protection: { memory: true } })
    await owner.host.listenerOn()
  }
  const { vault, page } = await openWindow({ prepareVault })
  return { page, owner: vault.owner, host: vault.host }
}

const getDrawer = (page: Page) => page.getByRole('complementary', { name: 'Document', exact: true })
const getUploads = (page: Page) => page.getByRole('list', { name: 'Uploads' })
const readPixels = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('canvas')
    const { data = [] } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {}
    return data.length / 4
  })

/** Drops files onto the window, like a file manager. */
async function dropFiles(page: Page, files: readonly { name: string; type: string; text: string }[]) {
  const transfer = await page.evaluateHandle((contents) => {
    const data = new DataTransfer()
    for (const { name, type, text } of contents) data.items.add(new File([text], name, { type }))
    return data
  }, files)
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer })
  await page.getByText('Drop to upload').waitFor()
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
}

test('a document is uploaded, revealed, downloaded and deleted by keyboard', async () => {
  const { page, owner } = await openDocumentsWindow()
  await page.keyboard.press('Control+3')
  await page.getByText('No documents yet').waitFor()
  await page.getByText("-F 'document=@contract.pdf;type=application/pdf'").waitFor()
  await page.keyboard.press('n')
  const form = page.getByRole('complementary', { name: 'Upload' })
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await form.getByText('Choose at least one file.').waitFor()
  const secret = 'the combination is 4-8-15 '.repeat(3000)
  const chooser = page.waitForEvent('filechooser')
  await form.getByRole('button', { name: 'Choose files…' }).click()
  await (await chooser).setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(secret) })
  await form.getByLabel('Type').fill('text')
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await form.getByText('Enter a type such as application/pdf.').waitFor()
  // Escape asks for confirmation before it discards the chosen files.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await form.getByLabel('Type').fill('text/plain; charset=utf-8')
  await form.getByRole('button', { name: 'Add a pair' }).click()
  await form.getByLabel('Key').fill('customer')
  await form.getByLabel('Value').fill('ada')
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByRole('row', { name: /text\/plain.*notes\.txt.*76\.1 KiB.*Owner/ }).waitFor()
  const [stored] = (await owner.documents.newest({ size: 1 })).data
  expect(stored).toMatchObject({
    bytes: secret.length,
    document: { content_type: 'text/plain; charset=utf-8', metadata: { name: 'notes.txt', customer: 'ada' } },
  })
  const { id } = (stored as NonNullable<typeof stored>).document
  const countReveals = async () =>
    (await owner.logs.list({ entity_id: id })).data.filter(({ action }) => /reveal/.test(action)).length

  await page.getByRole('grid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await getDrawer(page).getByText('Hidden. Revealing shows the text').waitFor()
  expect(await page.content()).not.toContain('combination')
  expect(await countReveals()).toBe(0)
  await page.keyboard.press('r')
  await getDrawer(page).getByText('the combination is').waitFor()
  await getDrawer(page).getByText('Only the first 64 KiB are shown.').waitFor()
  await getDrawer(page).getByRole('timer').waitFor()
  expect(await countReveals()).toBe(1)
  // Neither the page's title nor its URL contains data of the document.
  expect((await page.title()) + page.url()).not.toContain('notes')
  await page.keyboard.press('h')
  await getDrawer(page).getByText('Hidden. Revealing').waitFor()
  expect(await page.content()).not.toContain('combination')

  const downloads = page.waitForEvent('download')
  await getDrawer(page).getByRole('button', { name: 'Download' }).click()
  const download = await downloads
  expect(download.suggestedFilename()).toBe('notes.txt')
  expect(fs.readFileSync(await download.path(), 'utf8')).toBe(secret)
  await page.getByText('Downloaded. The log records it as a reveal.').waitFor()
  expect(await countReveals()).toBe(2)

  await getDrawer(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type delete to confirm').fill('delete')
  await page.getByRole('button', { name: 'Delete document' }).click()
  await page.getByText('No documents yet').waitFor()
  await goTo(page, `#/documents/${id}`)
  await getDrawer(page).getByText('This document does not exist.').waitFor()
})

test('the palette opens a document created by a program, and its drawer shows changes', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openDocumentsWindow()
  await goTo(page, '#/documents')
  await page.getByText('No documents yet').waitFor()
  const other = await makeDocument(owner, Buffer.from('by a program'))
  await page.getByRole('row', { name: other }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill(other)
  await page.getByRole('button', { name: other }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
  await getDrawer(page).getByText('Hidden. Revealing').waitFor()
  await page.keyboard.press('r')
  await getDrawer(page).getByText('by a program').waitFor()
  await owner.documents.remove({ id: other })
  await getDrawer(page).getByText('This document does not exist.').waitFor()
  expect(await page.content()).not.toContain('by a program')
})

test('X-59 document content never runs: HTML and SVG are shown as text', async () => {
  const { page, owner, host } = await openDocumentsWindow()
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='run'"><image href="/probe"/></svg>`
  const pixels = Buffer.from(
    await page.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 3, height: 2 })
      return canvas.toDataURL('image/png').split(',')[1] ?? ''
    }),
    'base64',
  )
  const huge = Buffer.from(pixels)
  huge.writeUInt32BE(60_000, 16)
  huge.writeUInt32BE(60_000, 20)
  const named = { metadata: { name: '../x<script>.exe', '<b>key</b>': hostile } }
  const showDocument = async (content: Buffer, content_type: string) => {
    const id = await makeDocument(owner, content, { content_type, ...named })
    await goTo(page, `#/documents/${id}`)
    await getDrawer(page).getByText(content_type).first().waitFor()
    await page.keyboard.press('r')
    return id
  }
  for (const type of pickSome(['text/html', 'application/xhtml+xml'], 1)) {
    await showDocument(Buffer.from(hostile), type)
    await getDrawer(page).locator('.documents-text').getByText(hostile).waitFor()
    await getDrawer(page).getByText('Nothing in it is run or loaded.').waitFor()
  }
  const shown = await showDocument(Buffer.from(svg), 'image/svg+xml')
  await getDrawer(page).locator('.documents-text').getByText(svg).waitFor()
  const downloads = page.waitForEvent('download')
  await getDrawer(page).getByRole('button', { name: 'Download' }).click()
  expect((await downloads).suggestedFilename()).toBe('xscript.txt')
  await showDocument(Buffer.from(svg), 'image/png')
  await getDrawer(page).getByText('This image cannot be shown here.').waitFor()
  await showDocument(huge, 'image/png')
  await getDrawer(page).getByText('This image is too large to be shown here.').waitFor()
  await showDocument(pixels, 'image/png')
  await getDrawer(page).getByRole('img', { name: 'Revealed image' }).waitFor()
  expect(await readPixels(page)).toBe(6)
  // Moving to the next row hides the revealed content.
  await page.keyboard.press('ArrowDown')
  await page.locator('canvas').waitFor({ state: 'detached' })
  await showDocument(Buffer.from('%PDF-1.7'), 'application/pdf')
  await getDrawer(page).getByText('Only images and text can be shown here.').waitFor()
  expect(await getDrawer(page).getByRole('button', { name: 'Reveal' }).count()).toBe(0)
  expect(await page.title()).toBe('Documents · Coffer')
  expect(requestedUrls.filter((url) => !/\/_coffer\/console\/|\/assets\/|^blob:/.test(url))).toEqual([])
  // Locking clears the window.
  await goTo(page, `#/documents/${shown}`)
  await page.keyboard.press('r')
  await getDrawer(page).locator('.documents-text').waitFor()
  host.lock()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain('probe')
})

test('dropped files are queued, and uploads can be cancelled and retried', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openDocumentsWindow()
  await goTo(page, '#/documents')
  await page.getByText('No documents yet').waitFor()
  await dropFiles(page, [
    { name: 'one.csv', type: 'text/csv', text: 'a,b' },
    { name: 'two', type: '', text: '' },
  ])
  const form = page.getByRole('complementary', { name: 'Upload' })
  await form.getByText('Each file’s type is derived').waitFor()
  await form.getByLabel('Keep the file name').uncheck()
  await form.getByRole('button', { name: 'Upload 2 files' }).click()
  await page.getByText('two was uploaded').waitFor()
  await page.getByRole('row', { name: /application\/octet-stream.*0 bytes/ }).waitFor()
  expect((await owner.documents.newest({ size: 2 })).data.map(({ document }) => document)).toMatchObject([
    { content_type: 'application/octet-stream', metadata: {} },
    { content_type: 'text/csv', metadata: {} },
  ])

  // Only as many chunks reach the vault as the test allows.
  let allowed = 1
  let refused = false
  await page.route('**/_coffer/console/call', async (route) => {
    const isPiece = route.request().postData()?.includes('"host.sendPiece"')
    if (!isPiece || allowed-- > 0) return route.continue()
    if (refused) return route.fulfill({ contentType: 'text/plain', body: 'not Coffer' })
    await held
    await route.continue()
  })
  let releaseUpload = () => {}
  let held = new Promise<void>((resolve) => {
    releaseUpload = resolve
  })
  const large = { name: 'large.bin', mimeType: '', buffer: Buffer.alloc(2 * TRANSFER_CHUNK_BYTES + 7) }
  const uploadLarge = async () => {
    await page.keyboard.press('n')
    await page.locator('input[type=file]').setInputFiles(large)
    await form.getByRole('button', { name: 'Upload', exact: true }).click()
  }
  await uploadLarge()
  await getUploads(page).getByText('1 MiB of 2 MiB').waitFor()
  expect(await getUploads(page).getByRole('progressbar').getAttribute('aria-valuenow')).toMatch(/^49\.9/)
  // Wait for the call that ends the upload. It may come at once, if no chunk is being sent.
  const ended = page.waitForResponse(
    (response) => response.request().postData()?.includes('host.endUpload') === true,
  )
  await getUploads(page).getByRole('button', { name: 'Cancel the upload of large.bin' }).click()
  await page.getByText('The upload of large.bin was cancelled').waitFor()
  releaseUpload()
  await ended
  expect(await owner.documents.count()).toMatchObject({ documents: 2 })
  refused = true
  allowed = 1
  held = Promise.resolve()
  await uploadLarge()
  await getUploads(page).getByRole('alert').waitFor()
  allowed = Infinity
  await page.unroute('**/_coffer/console/call')
  await getUploads(page).getByRole('button', { name: 'Try again' }).click()
  await page.getByText('large.bin was uploaded').waitFor()
  await page.getByText('3 documents').waitFor()

  // More than a page of documents arrives before the list reloads, so the list must load older documents again.
  const made = Promise.withResolvers<void>()
  await page.route('**/_coffer/console/call', async (route) => {
    if (route.request().postDataJSON()?.name === 'documents.newest') await made.promise
    await route.fallback()
  })
  for (let at = 0; at < 110; at++) await makeDocument(owner)
  made.resolve()
  await page.getByText('113 documents').waitFor()
  await page.getByRole('grid').focus()
  await expect
    .poll(async () => {
      await page.keyboard.press('End')
      return page.getByRole('row', { name: /text\/csv/ }).count()
    })
    .toBe(1)
})

test('viewing as a key lists no documents, but opens a readable one by its ID', {
  tags: 'thorough',
}, async () => {
  const { page, owner } = await openDocumentsWindow()
  const id = await makeDocument(owner, Buffer.from('hush'))
  await owner.applications.create({ name: 'Scans', type: 'private', permissions: ['documents:read'] })
  await owner.applications.create({ name: 'Till', type: 'private', permissions: ['token:create'] })
  await goTo(page, '#/documents')
  await page.getByRole('row', { name: id }).waitFor()
  await viewAs(page, 'Scans')
  await page.getByText('No key can list documents').waitFor()
  expect(await page.getByText(id).count()).toBe(0)
  await page.getByLabel('ID of a document').fill(id)
  await page.keyboard.press('Enter')
  await getDrawer(page).getByText('text/plain').first().waitFor()
  await getDrawer(page).getByText('Only the owner can reveal').waitFor()
  expect(
    await getDrawer(page)
      .getByRole('button', { name: /Reveal|Download|Delete/ })
      .count(),
  ).toBe(0)
  await viewAs(page, 'Till')
  await page.getByText('this requires the permission documents:read').waitFor()
  const { data } = await owner.logs.list({ entity_type: 'document', size: 1 })
  expect(data).toMatchObject([{ action: 'documents.get', status: 200 }])
})

test('client keys are created, shown once, used by the sample code, and deleted', async () => {
  const { page, owner } = await openDocumentsWindow()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill('client encryption')
  await page.getByRole('button', { name: 'Client encryption keys', exact: true }).click()
  await page.getByText('No client encryption keys yet').waitFor()
  await page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New client key' })
  await dialog.getByLabel('Expires').fill('2999-01-01')
  await page.keyboard.press('Enter')
  await dialog.getByText('must be at most one year ahead').waitFor()
  await dialog.getByLabel('Expires').fill('')
  await page.keyboard.press('Enter')
  const once = page.getByRole('region', { name: 'New client key' })
  await once.getByText('BEGIN PUBLIC KEY').waitFor()
  const [{ key_id } = { key_id: '' }] = await owner.clientKeys.list()
  await once.getByText(`kid: '${key_id}'`).waitFor()
  await once.getByText('With Elements').click()
  await once.getByText(`keyId: '${key_id}'`).waitFor()
  // Leaving the screen asks for confirmation before it discards the key.
  await page.keyboard.press('Control+2')
  await page.getByRole('button', { name: 'Back to the key' }).click()
  await once.getByRole('button', { name: 'Copy public key' }).click()
  await once.getByText('Copied.').waitFor()
  await once.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: new RegExp(`${key_id}.*in 11 mo`) }).waitFor()
  await page.getByRole('button', { name: `Delete the client key ${key_id}` }).click()
  await page.getByLabel('Type delete to confirm').fill('delete')
  await page.getByRole('button', { name: 'Delete client key' }).click()
  await page.getByText('No client encryption keys yet').waitFor()
  expect(await owner.clientKeys.list()).toEqual([])
})

test('viewing as a key shows client keys read-only', { tags: 'thorough' }, async () => {
  const { page, owner } = await openDocumentsWindow()
  await owner.applications.create({ name: 'Ops', type: 'management', permissions: ['keys:read'] })
  await goTo(page, '#/applications?view=client-keys')
  await owner.clientKeys.create({})
  await page.getByRole('button', { name: /Viewing as/ }).click()
  await page.getByRole('menuitem', { name: 'Ops' }).click()
  await page.getByText('1 client key').waitFor()
  expect(await page.getByRole('button', { name: /Delete the client key|New client key/ }).count()).toBe(0)
})
