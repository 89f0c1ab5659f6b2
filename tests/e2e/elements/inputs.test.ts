import AxeBuilder from '@axe-core/playwright'
import { expect, test } from 'vitest'
import { isThorough } from '../../thorough.ts'
import { type Form, openForm } from './open-form.ts'

const nextYear = String(new Date().getFullYear() + 1).slice(-2)

test('typing a card updates brand, groups, focus and events in order', async () => {
  const { page, mountElement, readStored, tokenize } = await openForm()
  const { frame, takeEvents, callMethod } = await mountElement('card')
  const [number, expiry, code] = ['Card number', 'Expiration date', 'CVC'].map((label) =>
    frame.getByLabel(label, { exact: true }),
  )
  if (!number || !expiry || !code) throw new Error('A card has three inputs.')
  await number.click()
  await page.keyboard.type('378282246310005')
  expect(await number.inputValue()).toBe('3782 822463 10005')
  const nothing = { empty: false, complete: false, valid: false }
  const unknown = { type: 'change', ...nothing, maskSatisfied: false, cardBrand: 'unknown' }
  const amex = { ...unknown, cardBrand: 'american-express' }
  const known = { cardLast4: '0005', cardBin: '378282' }
  expect(await takeEvents()).toEqual([
    { type: 'focus', targetId: 'cardNumber' },
    unknown,
    amex,
    { ...amex, ...known },
    { type: 'blur', targetId: 'cardNumber', ...nothing, maskSatisfied: false },
    { type: 'focus', targetId: 'expirationDate' },
  ])
  // The label of the code is now the brand's own name for it.
  await frame.getByLabel('CID').waitFor()
  const cid = frame.getByLabel('CID')
  await page.keyboard.type(`1${nextYear}`.padStart(2, '0'))
  for (const _ of '1234') await page.keyboard.press('Backspace')
  expect(await number.evaluate((input: HTMLInputElement) => document.activeElement === input)).toBe(true)
  expect((await takeEvents()).map(({ type, targetId }) => [type, targetId]).slice(-2)).toEqual([
    ['blur', 'expirationDate'],
    ['focus', 'cardNumber'],
  ])
  await page.keyboard.press('Tab')
  await page.keyboard.type(`5${nextYear}`)
  expect(await expiry.inputValue()).toBe(`05/${nextYear}`)
  expect(await cid.evaluate((input) => document.activeElement === input)).toBe(true)
  await page.keyboard.type('12345')
  expect(await cid.inputValue()).toBe('1234')
  await page.keyboard.press('Enter')
  expect((await takeEvents()).slice(-2)).toEqual([
    {
      type: 'change',
      empty: false,
      complete: true,
      valid: true,
      maskSatisfied: true,
      cardBrand: 'american-express',
      ...known,
    },
    {
      type: 'keydown',
      targetId: 'cvc',
      key: 'Enter',
      altKey: false,
      ctrlKey: false,
      shiftKey: false,
      metaKey: false,
    },
  ])
  expect(await readStored({ card: 'card' })).toEqual({
    card: {
      number: '378282246310005',
      expiration_month: 5,
      expiration_year: 2000 + Number(nextYear),
      cvc: '1234',
    },
  })
  await callMethod('clear')
  expect((await takeEvents()).at(-1)).toEqual({
    type: 'change',
    ...nothing,
    empty: true,
    maskSatisfied: false,
    cardBrand: 'unknown',
  })
  await callMethod('validate')
  expect((await takeEvents()).at(-1)?.errors).toEqual([
    { targetId: 'cardNumber', type: 'incomplete' },
    { targetId: 'expirationDate', type: 'incomplete' },
    { targetId: 'cvc', type: 'incomplete' },
  ])
  expect(await number.getAttribute('aria-invalid')).toBe('true')
  expect(await frame.locator('#number-note').textContent()).toBe('Card number is incomplete')
  expect(await tokenize({ card: 'card' })).toMatchObject({ name: 'BasisTheoryValidationError' })
})

test('a card number can be pasted and edited, edits can be undone, and blur validates it', {
  tags: 'thorough',
}, async () => {
  const { page, mountElement } = await openForm()
  const { frame, takeEvents, update, callMethod } = await mountElement('cardNumber')
  const input = frame.getByLabel('Card number')
  const readCaret = () => input.evaluate(({ selectionStart }: HTMLInputElement) => selectionStart)
  await page.evaluate(() => navigator.clipboard.writeText('4242-4242 4242 4242 123'))
  await input.click()
  await page.keyboard.press('Control+V')
  expect(await input.inputValue()).toBe('4242 4242 4242 4242123')
  for (const _ of '123') await page.keyboard.press('Backspace')
  expect((await takeEvents()).at(-1)).toMatchObject({
    complete: true,
    cardLast4: '4242',
    cardBin: '42424242',
  })
  // When digits in the middle are edited, the caret stays in place.
  await page.keyboard.press('Home')
  for (const _ of '123456') await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Backspace')
  expect([await input.inputValue(), await readCaret()]).toEqual(['4242 2424 2424 242', 4])
  await page.keyboard.press('Delete')
  expect([await input.inputValue(), await readCaret()]).toEqual(['4242 2424 2424 242', 5])
  await page.keyboard.type('9')
  expect([await input.inputValue(), await readCaret()]).toEqual(['4242 9242 4242 4242', 6])
  await page.keyboard.press('Control+Z')
  await page.keyboard.press('Control+Z')
  expect(await input.inputValue()).toBe('4242 4242 4242 4242')
  await page.keyboard.press('Control+Y')
  expect(await input.inputValue()).toBe('4242 2424 2424 242')
  await takeEvents()
  await page.keyboard.press('Tab')
  await input.evaluate((element: HTMLInputElement) => element.blur())
  const errors = [{ targetId: 'target', type: 'incomplete' }]
  expect((await takeEvents()).slice(0, 2)).toMatchObject([
    { type: 'change', errors },
    { type: 'blur', targetId: 'target', errors },
  ])
  // The error disappears once the number is corrected. A change without effect causes no event.
  await input.fill('5555555555554444')
  const mended = (await takeEvents()).at(-1)
  expect(mended).toMatchObject({ type: 'change', complete: true, cardBrand: 'mastercard' })
  expect(mended).not.toHaveProperty('errors')
  await input.blur()
  await takeEvents()
  expect(await update({ style: { base: { color: 'red' } }, placeholder: 'x' })).toBe('')
  await callMethod('validate')
  expect(await takeEvents()).toEqual([])
  expect(await update({ skipLuhnValidation: true })).toBe('')
  await input.fill('4242424242424241')
  expect((await takeEvents()).at(-1)).toMatchObject({ complete: true })
  expect(await update({ cardTypes: [{ type: 'x' }] })).toMatch(/cardTypes/)
})

test('date and code elements can be mounted separately and used in payloads', async () => {
  const { mountElement, readStored } = await openForm()
  const date = await mountElement('cardExpirationDate', {
    value: { month: 7, year: 2000 + Number(nextYear) },
  })
  expect(await date.takeEvents()).toEqual([
    { type: 'change', empty: false, complete: true, valid: true, maskSatisfied: true },
  ])
  const code = await mountElement('cardVerificationCode', {
    cardBrand: 'american-express',
    validateOnChange: true,
  })
  const input = code.frame.getByLabel('CID')
  await input.pressSequentially('123')
  expect(await code.takeEvents()).toMatchObject([
    { type: 'focus' },
    ...Array(3).fill({
      type: 'change',
      complete: false,
      errors: [{ targetId: 'target', type: 'incomplete' }],
    }),
  ])
  expect(await code.update({ cardBrand: 'visa' })).toBe('')
  expect((await code.takeEvents()).at(-1)).toMatchObject({ type: 'change', complete: true })
  expect(await readStored({ date: 'cardExpirationDate', code: 'cardVerificationCode' })).toEqual({
    date: `07/${nextYear}`,
    code: '123',
  })
  await code.callMethod('blur')
  await code.takeEvents()
  await code.callMethod('focus')
  await code.callMethod('blur')
  expect((await code.takeEvents()).map(({ type }) => type)).toEqual(['focus', 'blur'])
  const options = {
    disabled: true,
    readOnly: true,
    inputMode: 'tel',
    autoComplete: 'cc-csc',
    placeholder: '•••',
  }
  const readAttributes = () =>
    code.frame.getByRole('textbox').evaluate((input: HTMLInputElement) => {
      const { disabled, readOnly, inputMode, autocomplete, placeholder, ariaLabel } = input
      return [disabled, readOnly, inputMode, autocomplete, placeholder, ariaLabel]
    })
  expect(await readAttributes()).toEqual([false, false, 'numeric', 'off', 'CVV', 'CVV'])
  expect(await code.update({ ...options, 'aria-label': 'Code' })).toBe('')
  expect(await readAttributes()).toEqual([true, true, 'tel', 'cc-csc', '•••', 'Code'])
  expect(await code.takeEvents()).toEqual([])
  const dateInput = date.frame.getByLabel('Expiration date')
  await dateInput.fill('0120')
  await dateInput.blur()
  expect((await date.takeEvents()).at(-1)).toMatchObject({
    type: 'blur',
    errors: [{ targetId: 'target', type: 'invalid' }],
  })
})

test('a text element applies mask, transform, validation, password and maxLength', {
  tags: 'thorough',
}, async () => {
  const { mountElement, readStored } = await openForm()
  const phone = await mountElement(
    'text',
    () => ({ mask: ['(', /\d/, /\d/, ')', ' ', /\d/, /\d/], transform: [/[() ]/, ''] }),
    'phone',
  )
  const input = phone.frame.getByRole('textbox')
  await input.pressSequentially('1a2')
  expect(await input.inputValue()).toBe('(12) ')
  await input.press('Backspace')
  await input.press('Backspace')
  expect(await input.inputValue()).toBe('(12')
  await input.pressSequentially('345')
  expect(await input.inputValue()).toBe('(12) 34')
  expect((await phone.takeEvents()).at(-1)).toEqual({
    type: 'change',
    empty: false,
    complete: true,
    valid: true,
    maskSatisfied: true,
  })
  const mail = await mountElement(
    'text',
    () => ({ validation: /^\S+@\S+$/, maxLength: 9, 'aria-label': 'Mail', password: true }),
    'mail',
  )
  await mail.frame.getByLabel('Mail').pressSequentially('a@shop.test')
  expect(await mail.frame.getByLabel('Mail').inputValue()).toBe('a@shop.te')
  expect(await mail.frame.getByLabel('Mail').getAttribute('type')).toBe('password')
  expect(await readStored({ phone: 'phone', mail: 'mail' })).toEqual({ phone: '1234', mail: 'a@shop.te' })
  await expect(mountElement('text', () => ({ validation: /^(a+)+$/ }), 'slow')).rejects.toThrow(
    /BasisTheoryConfigurationError.*validation/,
  )
})

test('a value is mirrored and copied without reaching the page', async () => {
  const { page, mountElement } = await openForm()
  const source = await mountElement('text', { value: 'canary-4711', enableCopy: true }, 'source')
  const copy = await mountElement('text', { readOnly: true }, 'mirror')
  const button = await mountElement('copyButton', { text: 'Copy it' }, 'button')
  await page.evaluate(() => {
    const { elements } = window as Form
    const { source, mirror, button } = elements
    if (source) for (const element of [mirror, button]) element?.setValueRef(source)
  })
  await expect.poll(() => copy.frame.getByRole('textbox').inputValue()).toBe('canary-4711')
  await source.frame.getByRole('textbox').press('End')
  await source.frame.getByRole('textbox').pressSequentially('!')
  await expect.poll(() => copy.frame.getByRole('textbox').inputValue()).toBe('canary-4711!')
  await source.frame.getByRole('button', { name: 'Copy' }).click()
  await expect
    .poll(async () => (await source.takeEvents()).at(-1))
    .toEqual({ type: 'copy', targetId: 'target' })
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('canary-4711!')
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await button.frame.getByRole('button', { name: 'Copy it' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('canary-4711!')
  expect(await button.takeEvents()).toEqual([
    { type: 'click', targetId: 'target' },
    { type: 'copy', targetId: 'target' },
  ])
  const recorded = await page.evaluate(() =>
    JSON.stringify(Object.values((window as Form).elements).map((each) => [each, each.noted, each.metadata])),
  )
  expect(recorded).not.toContain('4711')
})

test('an element with styles shows the given colours and font size, and passes axe', {
  tags: 'thorough',
}, async () => {
  const { page, mountElement } = await openForm({ fresh: true })
  const style = {
    base: { color: 'rgb(1, 2, 3)', fontSize: '20px', backgroundColor: 'url(http://127.0.0.1:1/x)' },
    invalid: { color: 'rgb(200, 0, 0)' },
  }
  const { frame, callMethod } = await mountElement('card', {
    style,
    'aria-label': undefined,
    enableCopy: true,
    iconPosition: 'right',
  })
  const number = frame.getByLabel('Card number', { exact: true })
  const readStyle = () =>
    number.evaluate((input) => [getComputedStyle(input).color, getComputedStyle(input).fontSize])
  expect(await readStyle()).toEqual(['rgb(1, 2, 3)', '20px'])
  await number.fill('4242424242424241')
  await callMethod('validate')
  expect(await readStyle()).toEqual(['rgb(200, 0, 0)', '20px'])
  if (isThorough) {
    await mountElement('text', { placeholder: 'Name' })
    await mountElement('copyButton')
  }
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(
    violations.filter(({ id }) => !['landmark-one-main', 'page-has-heading-one', 'region'].includes(id)),
  ).toEqual([])
  await page.emulateMedia({ forcedColors: 'active' })
  await number.focus()
  expect(await number.evaluate((input) => getComputedStyle(input).outlineStyle)).toBe('solid')
  // In a narrow page the inputs of a card are stacked, and the frame grows to their height.
  const readHeight = () => page.locator('iframe[title="card"]').evaluate((iframe) => iframe.clientHeight)
  const wide = await readHeight()
  await page.setViewportSize({ width: 320, height: 600 })
  await expect.poll(readHeight).toBeGreaterThan(wide * 2)
})

test('references reveal values in elements without reaching the page', {
  tags: 'thorough',
}, async () => {
  const { page, mountElement, vault, readStored } = await openForm()
  const card = {
    number: '4242424242424242',
    expiration_month: 9,
    expiration_year: 2000 + Number(nextYear),
    cvc: '777',
  }
  const made = await vault.owner.tokens.create({ type: 'token', data: { card, name: 'canary', list: [1] } })
  const { key } = await vault.application({
    rules: [
      { description: 'all', priority: 1, container: '/', permissions: ['token:read'], transform: 'reveal' },
    ],
  })
  const shown = await mountElement('card')
  const date = await mountElement('cardExpirationDate')
  const text = await mountElement('text')
  await text.frame.getByRole('textbox').fill('typed')
  const held = await page.evaluate(
    async ({ id, key }) => {
      const { bt, elements } = window as Form
      const { data } = (await bt.tokens.retrieve(id, { apiKey: key })) as {
        data: Record<string, Record<string, unknown>>
      }
      const { number, expiration_month, expiration_year, cvc } = data.card ?? {}
      elements.card?.setValue({ number, expiration_month, expiration_year, cvc, more: number }, true)
      elements.cardExpirationDate?.setValue({ month: expiration_month, year: expiration_year })
      elements.text?.setValue(data.name)
      return JSON.stringify(data)
    },
    { id: made.id, key },
  )
  // The ids of references are random, so they may contain any digits.
  const visible = held.replace(/"(correlationId|elementId)":"[\w-]+"/g, '')
  expect(visible).toContain('"path":')
  expect(visible).not.toMatch(/canary|4242|777/)
  await expect.poll(() => shown.frame.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
  await expect.poll(() => date.frame.getByRole('textbox').inputValue()).toBe(`09/${nextYear}`)
  await expect.poll(() => text.frame.getByRole('textbox').inputValue()).toBe('canary')
  expect((await shown.takeEvents()).at(-1)).toMatchObject({ type: 'change', complete: true })
  expect(await readStored({ card: 'card', name: 'text' })).toEqual({ card, name: 'canary' })
})

test('a co-badged card is complete once a network is chosen', { tags: 'thorough' }, async () => {
  const details = {
    brand: 'VISA',
    funding: 'debit',
    additional: [{ brand: 'CARTES_BANCAIRES', funding: 'debit' }, { brand: 'DANKORT' }],
  }
  const { page, mountElement } = await openForm({ cardDetails: details })
  const { frame, takeEvents, update } = await mountElement('cardNumber', {
    coBadgedSupport: ['cartes-bancaires'],
    binLookup: true,
  })
  const input = frame.getByLabel('Card number')
  await input.pressSequentially('4242424242424242')
  const picker = frame.getByLabel('Card network')
  await picker.waitFor()
  expect((await takeEvents()).at(-1)).toMatchObject({
    complete: false,
    binInfo: { brand: 'VISA', funding: 'debit' },
  })
  await picker.selectOption('cartes-bancaires')
  expect((await takeEvents()).at(-1)).toMatchObject({
    complete: true,
    selectedNetwork: 'cartes-bancaires',
    cardLast4: '4242',
  })
  expect(await update({ preSelectedNetworks: ['visa'] })).toBe('')
  await input.fill('')
  expect(await picker.isHidden()).toBe(true)
  await input.fill('4242424242424242')
  expect((await takeEvents()).at(-1)).toMatchObject({ complete: true, selectedNetwork: 'visa' })
  const asked = await Promise.all(
    page.frames().map((each) => each.evaluate(() => (window as unknown as { asked: string[] }).asked)),
  )
  expect(asked.flat()).toEqual(['?bin=424242'])
})

test('X-63 styles let a page neither measure typed text nor load resources', {
  tags: 'thorough',
}, async () => {
  const { page, mountElement } = await openForm()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  const style = {
    fonts: ['http://127.0.0.1:9/font.css'],
    base: {
      fontFamily: '"Digits of 7", cursive, fantasy',
      lineHeight: 'normal',
      backgroundColor: 'image-set("http://127.0.0.1:9/a" 1x)',
      textShadow: '0 0 1px red; background: url(http://127.0.0.1:9/b)',
    },
  }
  const { frame, takeEvents } = await mountElement('text', { style })
  const readHeight = () =>
    page.locator('iframe[title="text"]').evaluate((iframe) => iframe.getBoundingClientRect().height)
  const before = await readHeight()
  for (const text of ['1', '7', '漢字', '𓀀', 'ﷺ', 'Ẑ̶̛', '👩‍👩‍👧']) {
    await frame.getByRole('textbox').fill(text)
    await takeEvents()
    expect([text, await readHeight()]).toEqual([text, before])
  }
  expect(loaded.filter((url) => url.includes(':9/'))).toEqual([])
})
