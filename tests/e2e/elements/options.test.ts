import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findElementIn, type Shop, startShop } from './start-shop.ts'

type UpdateOptions = (options: object) => Promise<string>

/**
 * Mounts an element in a new container, with options created by code in the page. Returns its update
 * function.
 */
async function mountWith(
  page: Page,
  id: string,
  type: string,
  options: object | (() => object) = {},
): Promise<UpdateOptions> {
  const code = typeof options === 'function' ? `(${options.toString()})()` : JSON.stringify(options)
  await page.evaluate(
    async ({ id, type, code }) => {
      const place = document.createElement('div')
      place.id = id
      document.body.append(place)
      const { bt } = window as Shop
      const own = { targetId: id, title: id, ...new Function(`return ${code}`)() }
      const element = bt.createElement(type as 'text', own)
      Object.assign(window, { [id]: element })
      await element.mount(`#${id}`)
    },
    { id, type, code },
  )
  return (changes) =>
    page.evaluate(
      async ({ id, names, changes }) => {
        const element = (window as unknown as Record<string, { update(options: object): Promise<void> }>)[id]
        // Values of undefined are lost when they are sent to the page.
        const all = Object.fromEntries(names.map((name) => [name, changes[name]]))
        return (
          element?.update(all).then(
            () => '',
            ({ name, message }: Error) => `${name}: ${message}`,
          ) ?? 'no element'
        )
      },
      { id, names: Object.keys(changes), changes: changes as Record<string, unknown> },
    )
}

function readAttributes(page: Page, id: string): Promise<unknown[]> {
  return findElementIn(page, id)
    .getByRole('textbox')
    .evaluateAll((inputs) =>
      (inputs as HTMLInputElement[]).map((input) => ({
        label: input.ariaLabel,
        placeholder: input.placeholder,
        autocomplete: input.autocomplete,
        inputMode: input.inputMode,
        disabled: input.disabled,
        readOnly: input.readOnly,
      })),
    )
}

const plain = { autocomplete: 'off', inputMode: 'numeric', disabled: false, readOnly: false }
const number = { ...plain, label: 'Card number', placeholder: '1234 1234 1234 1234' }
const expiry = { ...plain, label: 'Expiration date', placeholder: 'MM/YY' }
const code = { ...plain, label: 'CVC', placeholder: 'CVC' }
const packages = ['web-elements-1', 'web-elements-2', 'js'] as const

test.each(packages)(
  '%s sets, updates and resets every option of an input',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, refused, faults } = await startShop(fixture)
    const single = [
      ['cardNumber', number],
      ['cardExpirationDate', expiry],
      ['cardVerificationCode', code],
      ['text', { ...plain, inputMode: 'text', label: 'Text', placeholder: '' }],
    ] as const
    const options = {
      'aria-label': 'Mine',
      placeholder: 'Here',
      autoComplete: 'cc-number',
      inputMode: 'tel',
      disabled: true,
      readOnly: true,
    }
    const set = {
      label: 'Mine',
      placeholder: 'Here',
      autocomplete: 'cc-number',
      inputMode: 'tel',
      disabled: true,
      readOnly: true,
    }
    const none = Object.fromEntries(Object.keys(options).map((name) => [name, undefined]))
    for (const [type, usual] of single) {
      const update = await mountWith(page, type, type)
      expect(await readAttributes(page, type)).toEqual([usual])
      expect(await update(options)).toBe('')
      expect(await readAttributes(page, type)).toEqual([set])
      expect(await update(none)).toBe('')
      expect(await readAttributes(page, type)).toEqual([usual])
      await mountWith(page, `${type}-set`, type, options)
      expect(await readAttributes(page, `${type}-set`)).toEqual([set])
      expect(await update({ title: 'Another' })).toBe('')
      expect(await page.locator(`#${type} iframe`).getAttribute('title')).toBe('Another')
    }
    const card = await mountWith(page, 'card', 'card', { 'aria-label': 'Not for a card' })
    expect(await readAttributes(page, 'card')).toEqual([number, expiry, code])
    const parts = {
      placeholder: { cardNumber: 'N', cardExpirationDate: 'E', cardSecurityCode: 'S' },
      autoComplete: { number: 'cc-number', expirationDate: 'cc-exp', csc: 'cc-csc' },
    }
    expect(await card(parts)).toBe('')
    expect(await readAttributes(page, 'card')).toEqual([
      { ...number, placeholder: 'N', autocomplete: 'cc-number' },
      { ...expiry, placeholder: 'E', autocomplete: 'cc-exp' },
      { ...code, placeholder: 'S', autocomplete: 'cc-csc' },
    ])
    // Older packages pass one string for all parts.
    expect(await card({ placeholder: undefined, autoComplete: 'on' })).toBe('')
    const on = { autocomplete: 'on' }
    expect(await readAttributes(page, 'card')).toEqual(
      [number, expiry, code].map((each) => ({ ...each, ...on })),
    )
    expect([refused, faults]).toEqual([[], []])
  },
)

test.each(packages)(
  '%s sets type-specific, static and creation-only options',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, refused, faults } = await startShop(fixture)
    const readValue = (id: string, at = 0) =>
      findElementIn(page, id).getByRole('textbox').nth(at).inputValue()
    const year = new Date().getFullYear()
    const formatYear = (more: number) => String(year + more).slice(-2)

    const card = await mountWith(page, 'card', 'card', {
      value: { number: '4242424242424242', expiration_month: 7, expiration_year: year + 1, cvc: '123' },
    })
    const readCardValues = () => Promise.all([0, 1, 2].map((at) => readValue('card', at)))
    expect(await readCardValues()).toEqual(['4242 4242 4242 4242', `07/${formatYear(1)}`, '123'])
    expect(await card({ value: { number: '378282246310005' } })).toBe('')
    expect((await readCardValues())[0]).toBe('3782 822463 10005')
    const findIconIndex = () =>
      findElementIn(page, 'card')
        .locator('.row.number')
        .evaluate((row) => [...row.children].findIndex((child) => child.classList.contains('icon')))
    expect(await findIconIndex()).toBe(0)
    expect(await card({ iconPosition: 'right' })).toBe('')
    expect(await findIconIndex()).toBe(1)
    expect(await card({ iconPosition: 'none' })).toBe('')
    expect(await findIconIndex()).toBe(-1)
    expect(await card({ iconPosition: undefined })).toBe('')
    expect(await findIconIndex()).toBe(0)

    const one = {
      niceType: 'Own',
      type: 'own',
      patterns: [99],
      gaps: [2],
      lengths: [6],
      code: { name: 'OWN', size: 5 },
    }
    const owned = await mountWith(page, 'owned', 'card', { cardTypes: [one], skipLuhnValidation: true })
    await findElementIn(page, 'owned').getByRole('textbox').first().fill('991234')
    expect(await readValue('owned')).toBe('99 1234')
    expect(await findElementIn(page, 'owned').getByLabel('OWN', { exact: true }).count()).toBe(1)
    expect(await owned({ cardTypes: [one, one] })).toMatch(/BasisTheoryConfigurationError: .*cardTypes/)
    expect(await owned({ coBadgedSupport: ['visa'] })).toMatch(/BasisTheoryConfigurationError: .*coBadged/)

    const date = await mountWith(page, 'date', 'cardExpirationDate', {
      value: { month: 1, year: year + 30 },
      validateOnChange: true,
    })
    const readMetadata = (id: string) =>
      page.evaluate((id) => {
        const { metadata } = (window as unknown as Record<string, { metadata: object }>)[id] ?? {}
        return metadata
      }, id)
    expect(await readValue('date')).toBe(`01/${formatYear(30)}`)
    expect(await readMetadata('date')).toMatchObject({ complete: false, empty: false })
    expect(await date({ maxElapsedExpirationYear: 30 })).toBe('')
    expect(await readMetadata('date')).toMatchObject({ complete: true })
    expect(await date({ value: `2/${formatYear(2)}` })).toBe('')
    expect(await readValue('date')).toBe(`02/${formatYear(2)}`)
    await mountWith(page, 'spaced', 'cardExpirationDate', { value: `12/${formatYear(2)}`, showSpacing: true })
    expect(await readValue('spaced')).toBe(`12 / ${formatYear(2)}`)

    const code = await mountWith(page, 'code', 'cardVerificationCode', { cardBrand: 'american-express' })
    expect(await findElementIn(page, 'code').getByLabel('CID').getAttribute('placeholder')).toBe('CID')
    await findElementIn(page, 'code').getByRole('textbox').fill('12345')
    expect(await readValue('code')).toBe('1234')
    expect(await code({ cardBrand: undefined, value: '987' })).toBe('')
    expect([await readValue('code'), await readMetadata('code')]).toEqual([
      '987',
      expect.objectContaining({ complete: true }),
    ])

    const text = await mountWith(page, 'text', 'text', () => ({
      mask: [/\d/, '-', /\d/],
      value: '12',
      transform: [/-/, ''],
      validateOnChange: true,
    }))
    expect(await readValue('text')).toBe('1-2')
    // These options only take effect at creation.
    expect(await text({ targetId: 'other', mask: ['x'], enableCopy: true, validateOnChange: false })).toBe('')
    expect(await readValue('text')).toBe('1-2')
    expect(await findElementIn(page, 'text').getByRole('button').count()).toBe(0)
    const secret = await mountWith(page, 'secret', 'text', { password: true, maxLength: 3, value: 'abcdef' })
    expect(await findElementIn(page, 'secret').locator('input').getAttribute('type')).toBe('password')
    expect(await findElementIn(page, 'secret').locator('input').inputValue()).toBe('abc')
    expect(await secret({ password: false })).toBe('')
    expect(await findElementIn(page, 'secret').locator('input').getAttribute('type')).toBe('text')

    const button = await mountWith(page, 'button', 'copyButton', { text: 'Copy the number', id: 'mine' })
    const made = findElementIn(page, 'button').getByRole('button')
    expect([await made.textContent(), await made.getAttribute('id')]).toEqual(['Copy the number', 'mine'])
    expect(await button({ text: undefined, disabled: true })).toBe('')
    expect([await made.textContent(), await made.isDisabled()]).toEqual(['Copy', true])
    expect([refused, faults]).toEqual([[], []])
  },
)

test.each(packages)('%s applies the style of elements', { tags: 'thorough' }, async (fixture) => {
  const { page, refused, faults } = await startShop(fixture)
  const style = {
    fonts: ['https://fonts.googleapis.com/css2?family=Inter'],
    base: {
      color: 'rgb(1, 2, 3)',
      fontSize: '20px',
      ':focus': { color: 'rgb(4, 5, 6)' },
      '::placeholder': { color: 'rgb(7, 8, 9)' },
      ':disabled': { color: 'rgb(10, 11, 12)' },
      position: 'fixed',
    },
    empty: { letterSpacing: '3px' },
    complete: { color: 'rgb(0, 100, 0)' },
    invalid: { color: 'rgb(100, 0, 0)', ':hover': { textDecoration: 'underline' } },
    container: { padding: '5px' },
  }
  const update = await mountWith(page, 'code', 'cardVerificationCode', { style, enableCopy: true })
  const frame = findElementIn(page, 'code')
  const input = frame.getByRole('textbox')
  const readStyle = () =>
    input.evaluate((each) => {
      const { color, fontSize, letterSpacing, position } = getComputedStyle(each)
      return { color, fontSize, letterSpacing, position }
    })
  const base = { fontSize: '20px', letterSpacing: 'normal', position: 'static' }
  expect(await readStyle()).toEqual({ ...base, color: 'rgb(1, 2, 3)', letterSpacing: '3px' })
  expect(await input.evaluate((each) => getComputedStyle(each, '::placeholder').color)).toBe('rgb(7, 8, 9)')
  expect(await frame.locator('.container').evaluate((each) => getComputedStyle(each).padding)).toBe('5px')
  // An icon has the colour of the text.
  expect(await frame.getByRole('button').evaluate((each) => getComputedStyle(each).color)).toBe(
    'rgb(1, 2, 3)',
  )
  await input.focus()
  expect((await readStyle()).color).toBe('rgb(4, 5, 6)')
  await input.fill('12')
  await input.blur()
  expect(await readStyle()).toEqual({ ...base, color: 'rgb(100, 0, 0)' })
  await input.fill('123')
  await input.blur()
  expect(await readStyle()).toEqual({ ...base, color: 'rgb(0, 100, 0)' })
  expect(await update({ disabled: true, style: { base: style.base } })).toBe('')
  expect(await readStyle()).toEqual({ ...base, color: 'rgb(10, 11, 12)' })
  // Without a style from the page, a disabled element has another colour.
  expect(await update({ style: undefined })).toBe('')
  const { color } = await readStyle()
  expect(color).not.toBe('rgb(0, 0, 0)')
  expect([refused, faults]).toEqual([[], []])
})
