import { expect, test } from 'vitest'
import { elementIn, type Shop, startShop } from './start-shop.ts'

const packages = ['react-1', 'react-2', 'react'] as const

test.each(packages)('%s shows its elements in strict mode, unchanged', async (fixture) => {
  const { page, refused, faults } = await startShop(fixture)
  for (const id of ['name.first:1', 'mirror', 'source', 'number', 'code', 'card']) {
    await elementIn(page, id).locator('input').first().waitFor()
  }
  const known = () =>
    page.evaluate(() => {
      const { events, refs } = (window as Shop).shop
      return { events, mounted: Object.values(refs).map((ref) => ref.mounted) }
    })
  await expect.poll(async () => (await known()).mounted).toEqual([true, true])
  expect((await known()).events).toContainEqual({ id: 'name', type: 'ready' })
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(refused).toEqual([])
  expect(faults).toEqual([])
})

test.each(packages)('%s renders again without an end', async (fixture) => {
  const { page } = await startShop(fixture)
  await elementIn(page, 'card').locator('input').first().waitFor()
  await elementIn(page, 'number').locator('input').pressSequentially('4242')
  await expect
    .poll(() =>
      page.evaluate(() =>
        (window as Shop).shop.events.find((event) => (event as { cardBrand?: string }).cardBrand === 'visa'),
      ),
    )
    .toMatchObject({ id: 'number', type: 'change', cardBrand: 'visa', empty: false, complete: false })
  for (let count = 0; count < 5; count++) await page.getByRole('button', { name: 'Render' }).click()
  const counts = () =>
    page.evaluate(() => {
      const { renders, events } = (window as Shop).shop
      return { renders, events: events.length }
    })
  const before = await counts()
  // Whatever an update brought about would be there after a message to each frame and back.
  await page.evaluate(async () => {
    for (const ref of Object.values((window as Shop).shop.refs)) await ref.update({ title: 'Again' })
  })
  expect(await counts()).toEqual(before)
})

test.each(packages)('%s takes an element away without a word, and the rest goes on', async (fixture) => {
  const { page } = await startShop(fixture)
  await elementIn(page, 'card').locator('input').first().waitFor()
  await expect.poll(() => page.evaluate(() => (window as Shop).shop.refs.card?.mounted)).toBe(true)
  await page.evaluate(() => {
    ;(window as Shop & { card?: unknown }).card = (window as Shop).shop.refs.card
  })
  await page.getByRole('button', { name: 'Remove' }).click()
  const said = await page.evaluate(async () => {
    const { bt, card } = window as Shop & { card?: never }
    return bt.tokens.create({ type: 'card', data: card as never }).catch((error: Error) => error.message)
  })
  expect(said).toBe('Element was removed from the DOM')
  await elementIn(page, 'name.first:1').locator('input').fill('Ada')
  const made = await page.evaluate(() => {
    const { bt, shop } = window as Shop
    return bt.tokens.create({ type: 'token', data: shop.refs.name as never })
  })
  expect(made).toMatchObject({ type: 'token', id: expect.any(String) })
})

test.each(packages)('%s lets one element follow another', async (fixture) => {
  const { page } = await startShop(fixture)
  const source = elementIn(page, 'source').locator('input')
  const mirror = elementIn(page, 'mirror').locator('input')
  await source.pressSequentially('12')
  await expect.poll(() => mirror.inputValue()).toBe('1-2')
})

test.each(packages)('%s throws into rendering what keeps an element from being made', async (fixture) => {
  const { page, origin } = await startShop(fixture, { isAllowed: false })
  await expect
    .poll(() => page.getByRole('alert').textContent())
    .toContain(`coffer serve --cors-origin ${origin}`)
})
