import { expect, test } from 'vitest'
import { pickSome } from '../../thorough.ts'
import { type Fixture, findElementIn, type Shop, startShop } from './start-shop.ts'

/** Newest first: `npm test` tries only that one. */
const packages = pickSome<Fixture>(['react-2', 'react-1', 'react'], 1)

test.each(packages)(
  'the unmodified official package %s renders all its elements in strict mode',
  async (fixture) => {
    const { page, refused, faults } = await startShop(fixture)
    for (const id of ['name.first:1', 'mirror', 'source', 'number', 'code', 'card']) {
      await findElementIn(page, id).locator('input').first().waitFor()
    }
    const readShop = () =>
      page.evaluate(() => {
        const { events, refs } = (window as Shop).shop
        return { events, mounted: Object.values(refs).map((ref) => ref.mounted) }
      })
    await expect.poll(async () => (await readShop()).mounted).toEqual([true, true])
    expect((await readShop()).events).toContainEqual({ id: 'name', type: 'ready' })
    expect(await page.getByRole('alert').count()).toBe(0)

    // One element mirrors the other.
    await findElementIn(page, 'source').locator('input').pressSequentially('12')
    await expect.poll(() => findElementIn(page, 'mirror').locator('input').inputValue()).toBe('1-2')

    // A state update in the change event must not cause endless rendering.
    await findElementIn(page, 'number').locator('input').pressSequentially('4242')
    await expect
      .poll(() =>
        page.evaluate(() =>
          (window as Shop).shop.events.find(
            (event) => (event as { cardBrand?: string }).cardBrand === 'visa',
          ),
        ),
      )
      .toMatchObject({ id: 'number', type: 'change', cardBrand: 'visa', empty: false, complete: false })
    for (let count = 0; count < 5; count++) await page.getByRole('button', { name: 'Render' }).click()
    const readCounts = () =>
      page.evaluate(() => {
        const { renders, events } = (window as Shop).shop
        return { renders, events: events.length }
      })
    const before = await readCounts()
    // An update of each frame finishes after any earlier message, so all effects would be visible now.
    await page.evaluate(async () => {
      for (const ref of Object.values((window as Shop).shop.refs)) await ref.update({ title: 'Again' })
    })
    expect(await readCounts()).toEqual(before)

    // One element is removed, and the others still work.
    await page.evaluate(() => {
      ;(window as Shop & { card?: unknown }).card = (window as Shop).shop.refs.card
    })
    await page.getByRole('button', { name: 'Remove' }).click()
    const problem = await page.evaluate(async () => {
      const { bt, card } = window as Shop & { card?: never }
      return bt.tokens.create({ type: 'card', data: card as never }).catch((error: Error) => error.message)
    })
    expect(problem).toBe('Element was removed from the DOM')
    await findElementIn(page, 'name.first:1').locator('input').fill('Ada')
    const made = await page.evaluate(() => {
      const { bt, shop } = window as Shop
      return bt.tokens.create({ type: 'token', data: shop.refs.name as never })
    })
    expect(made).toMatchObject({ type: 'token', id: expect.any(String) })
    expect(refused).toEqual([])
    expect(faults).toEqual([])
  },
)

test.each(packages)(
  '%s throws a configuration error while rendering',
  {
    tags: 'thorough',
  },
  async (fixture) => {
    const { page, origin } = await startShop(fixture, { isAllowed: false })
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain(`coffer serve --cors-origin ${origin}`)
  },
)

test.each(packages)(
  '%s passes all properties and events to its elements',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, refused, faults } = await startShop(fixture)
    const input = findElementIn(page, 'date').getByRole('textbox')
    await input.waitFor()
    const setProps = (props: Record<string, unknown>) =>
      page.evaluate((props) => (window as Shop).shop.set(props), props)
    await setProps({
      'aria-label': 'Until',
      placeholder: 'When',
      disabled: true,
      style: { base: { color: 'rgb(9, 8, 7)' } },
    })
    await expect.poll(() => input.getAttribute('placeholder')).toBe('When')
    expect(await input.evaluate((each: HTMLInputElement) => [each.disabled, each.ariaLabel])).toEqual([
      true,
      'Until',
    ])
    await setProps({ value: '12/30', validateOnChange: true })
    await expect.poll(() => input.inputValue()).toBe('12/30')
    expect(
      await input.evaluate((each: HTMLInputElement) => [each.disabled, each.placeholder, each.ariaLabel]),
    ).toEqual([false, 'MM/YY', 'Expiration date'])
    await input.click()
    await page.keyboard.press('Enter')
    await input.blur()
    const listDateEvents = () =>
      page.evaluate(() =>
        ((window as Shop).shop.events as { id: string; type: string }[])
          .filter(({ id }) => id === 'date')
          .map(({ type }) => type),
      )
    await expect.poll(listDateEvents).toContain('blur')
    expect((await listDateEvents()).filter((type) => type !== 'keydown')).toEqual([
      'ready',
      'change',
      'focus',
      'blur',
    ])
    if (fixture === 'react-2') {
      await findElementIn(page, 'copy').getByRole('button', { name: 'Copy the date' }).click()
      await expect
        .poll(() => page.evaluate(() => (window as Shop).shop.events))
        .toContainEqual({ id: 'copy', type: 'copy', targetId: 'copy' })
    }
    expect([refused, faults]).toEqual([[], []])
  },
)

test.each(packages)(
  '%s removes an element completely, and restores it',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, faults } = await startShop(fixture)
    const countFrames = () => page.locator('iframe').count()
    const card = findElementIn(page, 'card').locator('input').first()
    await card.waitFor()
    // Strict mode runs every effect twice.
    for (const id of ['name.first:1', 'mirror', 'source', 'number', 'code', 'date', 'card']) {
      expect([id, await page.locator(`[id="${id}"] iframe`).count()]).toEqual([id, 1])
    }
    const before = await countFrames()
    for (let turn = 0; turn < 5; turn++) {
      await card.fill('4242')
      await page.getByRole('button', { name: 'Remove' }).click()
      expect(await countFrames()).toBe(before - 1)
      await page.getByRole('button', { name: 'Remove' }).click()
      await expect.poll(() => card.inputValue()).toBe('')
      expect(await countFrames()).toBe(before)
    }
    expect(faults).toEqual([])
  },
)
