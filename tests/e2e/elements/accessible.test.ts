import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findElementIn, type Shop, startShop } from './start-shop.ts'

const types = [
  'card',
  'cardNumber',
  'cardExpirationDate',
  'cardVerificationCode',
  'text',
  'copyButton',
] as const

const light = { scheme: 'light', page: '#fff', ink: '#111', invalid: '#b3131b' }
const dark = { scheme: 'dark', page: '#15171a', ink: '#eee', invalid: '#ff8a80' }

/** Opens a shop's form with an element of every type, each with a label, on a light or dark page. */
async function showForm(page: Page, isDark: boolean) {
  await page.evaluate(
    async ({ types, colours }) => {
      const { bt } = window as Shop
      const { style } = document.body
      document.documentElement.style.colorScheme = colours.scheme
      style.cssText = `background:${colours.page};color:${colours.ink}`
      const app = document.querySelector('#app') as HTMLElement
      app.innerHTML = '<h1>Pay</h1>'
      for (const type of types) {
        const place = app.appendChild(document.createElement('div'))
        place.id = type
        place.style.cssText = 'margin:12px;padding:8px;max-width:500px'
        const made = bt.createElement(
          type as 'text',
          {
            targetId: `${type}-target`,
            title: type,
            style: {
              base: { color: colours.ink },
              invalid: { color: colours.invalid },
            },
            ...(type !== 'copyButton' && { enableCopy: type === 'card' }),
            ...(type === 'text' && { placeholder: 'Name', 'aria-label': 'Name' }),
          } as never,
        )
        Object.assign(window, { [`made-${type}`]: made })
        await made.mount(place)
      }
      app.append(Object.assign(document.createElement('button'), { textContent: 'Pay' }))
    },
    { types, colours: isDark ? dark : light },
  )
}

test.each([false, true])(
  'axe finds no violation in a form with all elements (dark: %s)',
  { tags: 'thorough' },
  async (isDark) => {
    const { page, faults } = await startShop('plain')
    await page.setViewportSize({ width: 900, height: 900 })
    await showForm(page, isDark)
    // Frames are transparent, and axe assumes a white background, so it misjudges the contrast on a dark page.
    const rules = isDark ? ['color-contrast'] : []
    const expectNoViolations = async () =>
      expect((await new AxeBuilder({ page }).disableRules(rules).analyze()).violations).toEqual([])
    await expectNoViolations()
    await findElementIn(page, 'card').getByRole('textbox').first().fill('4242424242424241')
    await page.evaluate((types) => {
      const all = window as unknown as Record<string, { validate(): void }>
      for (const type of types) if (type !== 'copyButton') all[`made-${type}`]?.validate()
    }, types)
    await expect
      .poll(() => findElementIn(page, 'text').getByRole('textbox').getAttribute('aria-invalid'))
      .not.toBe(null)
    await expect
      .poll(() => findElementIn(page, 'card').getByRole('textbox').first().getAttribute('aria-invalid'))
      .toBe('true')
    await expectNoViolations()
    // The placeholder of an empty input must be readable on its page.
    const ratio = await findElementIn(page, 'card')
      .getByRole('textbox')
      .nth(1)
      .evaluate(
        (input, background) => {
          const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
          if (!canvas) throw new Error('No canvas.')
          const getLuminance = () => {
            const [r = 0, g = 0, b = 0] = canvas.getImageData(0, 0, 1, 1).data
            const toLinear = (value: number) =>
              value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
            return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b)
          }
          canvas.fillStyle = background
          canvas.fillRect(0, 0, 1, 1)
          const behind = getLuminance()
          canvas.fillStyle = getComputedStyle(input, '::placeholder').color
          canvas.fillRect(0, 0, 1, 1)
          const text = getLuminance()
          return (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05)
        },
        (isDark ? dark : light).page,
      )
    expect(ratio).toBeGreaterThan(4.5)
    expect(faults).toEqual([])
  },
)

test('a form can be filled in by keyboard, with Tab and Shift+Tab', {
  tags: 'thorough',
}, async () => {
  const { page, vault, faults } = await startShop('plain')
  await showForm(page, false)
  const readFocus = () =>
    page.evaluate(() => document.activeElement?.getAttribute('title') ?? document.activeElement?.textContent)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  const getFocused = (type: string) => findElementIn(page, type).locator(':focus')
  await page.keyboard.press('Tab')
  // The focus moves between the processes of two pages. Until it has moved, keys go to the first one.
  await getFocused('card').waitFor()
  // After a complete value, a card focuses the next input and skips the copy icons between the inputs.
  await page.keyboard.type('42424242424242421230123')
  const readFocusedLabel = () => getFocused('card').getAttribute('aria-label')
  expect(await readFocusedLabel()).toBe('CVV')
  await page.keyboard.press('Shift+Tab')
  expect(await readFocusedLabel()).toBe('Copy Expiration date')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await readFocusedLabel()).toBe('Copy CVC')
  const texts = ['5555555555554444', '0230', '321', 'Ada', '', '']
  for (const [index, title] of [...types.slice(1), 'Pay'].entries()) {
    await page.keyboard.press('Tab')
    await expect.poll(readFocus).toBe(title)
    if (title !== 'Pay') await getFocused(title).waitFor()
    await page.keyboard.type(texts[index] ?? '')
  }
  for (const title of [...types].reverse()) {
    await page.keyboard.press('Shift+Tab')
    await expect.poll(readFocus).toBe(title)
  }
  const id = await page.evaluate(async () => {
    const all = window as unknown as Record<string, never> & Shop
    const data = {
      card: all['made-card'],
      number: all['made-cardNumber'],
      date: all['made-cardExpirationDate'],
      code: all['made-cardVerificationCode'],
      name: all['made-text'],
    }
    return (await all.bt.tokens.create({ type: 'token', data } as never)).id
  })
  expect((await vault.owner.tokens.reveal({ id })).data).toEqual({
    card: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
    number: '5555555555554444',
    date: '02/30',
    code: '321',
    name: 'Ada',
  })
  expect(faults).toEqual([])
})

test('elements are readable at 200 % zoom and in forced colours', { tags: 'thorough' }, async () => {
  const { page, faults } = await startShop('plain')
  await showForm(page, false)
  const readHeight = () => page.locator('#card iframe').evaluate((iframe) => iframe.clientHeight)
  const before = await readHeight()
  // At 200 % zoom, a window has half as many CSS pixels.
  await page.setViewportSize({ width: 450, height: 400 })
  await page.evaluate(() => {
    document.documentElement.style.zoom = '2'
  })
  await expect.poll(readHeight).toBeGreaterThan(before)
  for (const type of types) {
    const cut = await findElementIn(page, type)
      .locator('body')
      .evaluate((body) => ({
        wide: body.scrollWidth - innerWidth,
        high: Math.ceil(body.firstElementChild?.getBoundingClientRect().height ?? 0) - innerHeight,
      }))
    expect([type, cut.wide <= 0, cut.high <= 0]).toEqual([type, true, true])
  }
  await page.emulateMedia({ forcedColors: 'active' })
  for (const type of ['card', 'text', 'copyButton'] as const) {
    const first = findElementIn(page, type).locator('input, button').first()
    // Press a key without effect: `press` focuses the frame, and forced colours then show an outline.
    await first.press('ArrowLeft')
    await expect.poll(() => first.evaluate((each) => getComputedStyle(each).outlineStyle)).toBe('solid')
  }
  expect(faults).toEqual([])
})
