import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { pressKeys, viewAs, waitForFoot } from './page-steps.ts'
import { goTo, openWindow, type StartedWindow } from './window-fixture.ts'

/** Opens the list of a vault with the tokens `ada`, `bob` and `cyd`, in this order. */
async function openList(options: { expected?: RegExp } = {}): Promise<{ vault: StartedWindow; page: Page }> {
  const opened = await openWindow({
    ...options,
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      for (const id of ['cyd', 'bob', 'ada'])
        await owner.tokens.create({
          id,
          type: 'token',
          data: 'x',
          containers: ['/pci/'],
          metadata: { customer: id, order: '1' },
        })
    },
  })
  await opened.page.keyboard.press('Control+2')
  await waitForFoot(opened.page, '3 tokens')
  return opened
}

const getBar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })
const saveChanges = (page: Page, n: number) =>
  getBar(page)
    .getByRole('button', { name: n === 1 ? 'Save 1 change' : `Save ${n} changes` })
    .click()
const typeOver = async (page: Page, text: string) => {
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

test('cells are edited with the keyboard, and saved together', async () => {
  const { page, vault } = await openList()
  await page.getByRole('grid').focus()
  // The first row, its container, and then its metadata.
  await pressKeys(page, 'ArrowDown', 'ArrowRight', 'Enter')
  await typeOver(page, '/pci/high, /b')
  await page.keyboard.press('Tab')
  await typeOver(page, 'customer=a\\;b; order=1')
  await page.keyboard.press('ArrowDown')
  await typeOver(page, 'not pairs')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Write pairs as key=value, separated by semicolons.').waitFor()
  await typeOver(page, 'customer=grace')
  await page.keyboard.press('Enter')
  await getBar(page).getByText('4 changes to 2 tokens').waitFor()
  expect(await page.getByText(/selected/).count()).toBe(0)
  await pressKeys(page, 'Enter')
  await typeOver(page, 'gone=1')
  await page.keyboard.press('Escape')
  await getBar(page).getByText('4 changes to 2 tokens').waitFor()
  expect((await vault.owner.tokens.get({ id: 'ada' })).containers).toEqual(['/pci/'])

  await getBar(page).getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('dialog', { name: 'Preview' }).getByText('metadata.order').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+s')
  await getBar(page).waitFor({ state: 'detached' })
  const [a, b] = await Promise.all(['ada', 'bob'].map((id) => vault.owner.tokens.get({ id })))
  expect(a).toMatchObject({ containers: ['/pci/high/', '/b/'], metadata: { customer: 'a;b', order: '1' } })
  expect(b?.metadata).toEqual({ customer: 'grace' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await waitFor(async () =>
    expect((await vault.owner.tokens.get({ id: 'bob' })).metadata).toEqual({ customer: 'bob', order: '1' }),
  )
})

test('a token that was changed meanwhile is not overwritten without a choice', {
  tags: 'thorough',
}, async () => {
  const { page, vault } = await openList()
  const editMetadata = async (text: string) => {
    await page.getByRole('row', { name: 'row 1 ada' }).getByText('customer').hover()
    const cell = await page.locator('.grid-row').first().locator('[data-edit="metadata"]').boundingBox()
    await page.mouse.click((cell?.x ?? 0) + (cell?.width ?? 0) - 6, (cell?.y ?? 0) + 16)
    await typeOver(page, text)
    await page.keyboard.press('Enter')
  }
  await editMetadata('customer=mine; order=1')
  await vault.owner.tokens.update({ id: 'ada', metadata: { order: '2' } })
  await page.getByText('order 2').waitFor()
  await vault.owner.tokens.update({ id: 'ada', metadata: { customer: 'theirs' } })
  await page.getByText('Someone else has changed this meanwhile.').waitFor()
  await saveChanges(page, 1)
  await getBar(page).getByText('The changes to 1 token were not saved.').waitFor()
  await getBar(page).getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('dialog').getByText('theirs').waitFor()
  await page.getByRole('button', { name: 'Overwrite' }).click()
  await page.getByText('Someone else has changed this meanwhile.').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await saveChanges(page, 1)
  await getBar(page).waitFor({ state: 'detached' })
  expect((await vault.owner.tokens.get({ id: 'ada' })).metadata).toEqual({ customer: 'mine', order: '2' })
})

test('leaving the screen asks about unsaved cells, but a drawer or a filter does not', async () => {
  const { page } = await openList()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  await typeOver(page, '/other/')
  await pressKeys(page, 'Enter', 'Escape', 'Enter')
  await page.getByRole('complementary', { name: 'Token' }).waitFor()
  await goTo(page, '#/tokens?type=token')
  await getBar(page).getByText('1 change to 1 token').waitFor()
  await page.keyboard.press('Control+1')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await getBar(page).getByText('1 change to 1 token').waitFor()
  await page.keyboard.press('Control+1')
  await page.getByRole('button', { name: 'Discard', exact: true }).last().click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('Control+2')
  await page.getByRole('row', { name: 'row 1 ada' }).waitFor()
  expect(await getBar(page).count()).toBe(0)
})

test('an application that may not write edits nothing, and a refusal is shown beside the cell', async () => {
  const { page, vault } = await openList()
  const read = {
    description: 'read',
    permissions: ['token:read' as const],
    transform: 'mask' as const,
    container: '/',
    priority: 1,
  }
  const write = { ...read, description: 'write', container: '/b/', priority: 2 }
  await vault.owner.applications.create({
    name: 'Reader',
    type: 'private',
    rules: [read],
  })
  await vault.owner.applications.create({
    name: 'Elsewhere',
    type: 'private',
    rules: [read, { ...write, permissions: ['token:update'] }],
  })
  await viewAs(page, 'Reader')
  await page.locator('[data-edit]').first().waitFor({ state: 'detached' })
  await page.getByRole('row', { name: 'row 1 ada' }).waitFor()
  expect(await page.locator('[data-edit]').count()).toBe(0)
  await viewAs(page, 'Elsewhere')
  await page.locator('[data-edit]').first().waitFor()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter')
  await typeOver(page, 'customer=x')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+s')
  await page
    .locator('.grid-row')
    .getByText(/token:update/)
    .waitFor()
})

test('text that a cell refuses stays when another row is clicked', async () => {
  const { page } = await openList()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter')
  await typeOver(page, 'not pairs')
  await page.getByRole('row', { name: /bob/ }).click()
  await page.getByRole('alert').waitFor()
  const input = page.getByRole('grid').locator('input[type="text"]')
  expect(await input.inputValue()).toBe('not pairs')
  expect(await input.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await page.getByRole('complementary', { name: 'Token' }).count()).toBe(0)
  await pressKeys(page, 'Escape')
  await page.getByRole('row', { name: /bob/ }).click()
  await page.getByRole('complementary', { name: 'Token' }).waitFor()
})

test('typed text stays while tokens arrive and the row scrolls out of view', async () => {
  const { page, vault } = await openList()
  // As on a busy machine, where the vault answers with fewer rows than a page.
  await page.route('**/_coffer/console/call', async (route) => {
    const call = route.request().postDataJSON() as { name: string; input: { size?: number } }
    if (call.name !== 'tokens.find' || call.input.size !== 100) return route.continue()
    await route.continue({ postData: JSON.stringify({ ...call, input: { ...call.input, size: 10 } }) })
  })
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  await typeOver(page, '/typed')
  await vault.owner.tokens.create({ id: 'dan', type: 'token', data: 'x' })
  await waitForFoot(page, '4 tokens')
  await page.keyboard.type('/on')
  const more = Array.from({ length: 90 }, (_, at) => ({
    id: `more ${at}`,
    type: 'token' as const,
    data: 'x',
  }))
  await vault.owner.tokens.createMany({ tokens: more })
  await waitForFoot(page, '94 tokens')
  const box = page.getByRole('grid').locator('..')
  // Rows that arrive above move the view once more, so one step may not be enough.
  const scrollUntilShown = (place: 'top' | 'end', name: RegExp) =>
    waitFor(async () => {
      await box.evaluate((element, to) => element.scrollTo(0, to === 'top' ? 0 : element.scrollHeight), place)
      expect(await page.getByRole('row', { name }).count()).toBe(1)
    })
  await scrollUntilShown('top', /more 89/)
  await scrollUntilShown('end', /cyd/)
  await page.keyboard.press('Control+s')
  await waitFor(async () =>
    expect((await vault.owner.tokens.get({ id: 'ada' })).containers).toEqual(['/typed/on/']),
  )
})

test('what is typed while changes are being saved stays to be saved', async () => {
  const { page, vault } = await openList()
  const answered = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await page.route('**/_coffer/console/call', async (route) => {
    const { name } = route.request().postDataJSON() as { name: string }
    if (name === 'tokens.update') {
      asked.resolve()
      await answered.promise
    }
    await route.continue()
  })
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter')
  await typeOver(page, 'customer=first')
  await pressKeys(page, 'Enter', 'Control+s')
  await asked.promise
  await page.keyboard.press('Enter')
  await typeOver(page, 'customer=second')
  await page.keyboard.press('Enter')
  answered.resolve()
  await page.getByText('Saved', { exact: false }).first().waitFor()
  await saveChanges(page, 1)
  await getBar(page).waitFor({ state: 'detached' })
  expect((await vault.owner.tokens.get({ id: 'ada' })).metadata).toEqual({ customer: 'second' })
})

test('a change to a token that is gone is discarded alone, and an undo skips such tokens', async () => {
  const { page, vault } = await openList()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  for (const container of ['/1/', '/2/', '/3/']) {
    await typeOver(page, container)
    await page.keyboard.press('ArrowDown')
  }
  await vault.owner.tokens.remove({ id: 'ada' })
  await saveChanges(page, 3)
  await getBar(page).getByText('The changes to 1 token were not saved.').waitFor()
  await getBar(page).getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard these changes' }).click()
  await getBar(page).waitFor({ state: 'detached' })
  await vault.owner.tokens.remove({ id: 'bob' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await waitFor(async () =>
    expect((await vault.owner.tokens.get({ id: 'cyd' })).containers).toEqual(['/pci/']),
  )
  await page.getByRole('alert').first().waitFor()
})

test('closing a drawer or a question keeps unsaved cells, and another view discards them', {
  tags: 'thorough',
}, async () => {
  const { page, vault } = await openList()
  const application = await vault.owner.applications.create({
    name: 'Warehouse',
    type: 'private',
    permissions: ['token:read', 'token:update'],
  })
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  await typeOver(page, '/other/')
  await pressKeys(page, 'Enter', 'Escape', 'Enter')
  await page.getByRole('complementary', { name: 'Token' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Token' }).waitFor({ state: 'detached' })
  await pressKeys(page, 'Control+a')
  await page.getByRole('button', { name: 'Move…' }).click()
  await page.getByRole('dialog', { name: 'Move 3 tokens' }).getByRole('combobox').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await getBar(page).getByText('1 change to 1 token').waitFor()
  await viewAs(page, application.name)
  await page.getByRole('button', { name: 'Discard', exact: true }).last().click()
  await page.getByText('Viewing as Warehouse.').waitFor()
  await getBar(page).waitFor({ state: 'detached' })
})

test('what is typed after the token of a cell was deleted goes into no other token', async () => {
  const { page, vault } = await openList()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  await typeOver(page, '/typed')
  await vault.owner.tokens.remove({ id: 'ada' })
  await waitForFoot(page, '2 tokens')
  await page.keyboard.type('/on')
  expect(await page.getByRole('grid').locator('input[type="text"]').count()).toBe(0)
  await page.keyboard.press('Control+s')
  expect(await getBar(page).count()).toBe(0)
})

test('the row of an edited cell stays while the list is read again, and new rows are counted', async () => {
  const { page, vault } = await openList({ expected: /Failed to load resource/ })
  const createMany = (prefix: string, count: number) =>
    vault.owner.tokens.createMany({
      tokens: Array.from({ length: count }, (_, at) => ({ id: `${prefix} ${at}`, type: 'token', data: 'x' })),
    })
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  await typeOver(page, '/typed')
  await createMany('first', 150)
  await waitForFoot(page, '153 tokens')
  await page.context().setOffline(true)
  await createMany('second', 150)
  await page.getByText('Coffer is not responding').first().waitFor()
  await page.context().setOffline(false)
  await waitForFoot(page, '303 tokens')
  expect(await page.locator('.tokens-news button').count()).toBe(0)
  await page.keyboard.type('/on')
  await page.keyboard.press('Control+s')
  await waitFor(async () =>
    expect((await vault.owner.tokens.get({ id: 'ada' })).containers).toEqual(['/typed/on/']),
  )
  // Those above the edited row were in view.
  await page.getByRole('button', { name: /^2\d\d new$/ }).waitFor()
})

test('keys do nothing to other rows, and create none, after the row with the current cell is gone', async () => {
  const { page, vault } = await openList()
  await page.getByRole('grid').focus()
  await pressKeys(page, 'ArrowDown', 'F2')
  await typeOver(page, '/typed')
  await page.keyboard.press('Enter')
  await getBar(page).getByText('1 change to 1 token').waitFor()
  await vault.owner.tokens.remove({ id: 'ada' })
  await waitForFoot(page, '2 tokens')
  await page.keyboard.press('Enter')
  await page.keyboard.type('jken/g')
  expect(await page.getByRole('grid').locator('input[type="text"]').count()).toBe(0)
  expect(await page.getByRole('complementary').count()).toBe(0)
  expect(await page.locator('.grid-active').count()).toBe(0)
  expect(await page.getByRole('grid').evaluate((grid) => grid === document.activeElement)).toBe(true)
  await pressKeys(page, 'Escape', 'n')
  await page.getByRole('complementary', { name: 'New token' }).waitFor()
})
