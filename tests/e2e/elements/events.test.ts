import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findElementIn, type Shop, startShop } from './start-shop.ts'

const packages = ['web-elements-1', 'web-elements-2', 'js'] as const

type RecordedEvent = { on: string; type: string; [member: string]: unknown }

/** Mounts elements in separate containers and records all their events in order. */
async function mountAll(page: Page, elements: Readonly<Record<string, readonly [string, object?]>>) {
  await page.evaluate(async (elements) => {
    const { bt } = window as Shop
    const noted: unknown[] = []
    Object.assign(window, { noted })
    const types = ['ready', 'change', 'focus', 'blur', 'keydown', 'click', 'copy'] as const
    for (const [id, [type, options]] of Object.entries(elements)) {
      const place = document.body.appendChild(document.createElement('div'))
      place.id = `place-${id}`
      const element = bt.createElement(type as 'text', { targetId: id, title: id, ...options } as never)
      for (const each of types) element.on(each as 'change', (event) => noted.push({ on: id, ...event }))
      Object.assign(window, { [id]: element })
      await element.mount(`#place-${id}`)
    }
  }, elements)
  // Once an update has finished, all earlier messages have arrived.
  let turns = 0
  const takeEvents = async (): Promise<RecordedEvent[]> => {
    const ids = Object.keys(elements)
    return page.evaluate(
      async ({ ids, turn }) => {
        const all = window as unknown as Record<string, { update(options: object): Promise<void> }>
        for (const id of ids) await all[id]?.update({ title: `${id} ${turn}` })
        return (window as unknown as { noted: RecordedEvent[] }).noted.splice(0)
      },
      { ids, turn: ++turns },
    )
  }
  const callMethod = (id: string, method: string, ...args: unknown[]) =>
    page.evaluate(
      ({ id, method, args }) => {
        const all = window as unknown as Record<string, Record<string, (...args: unknown[]) => void>>
        all[id]?.[method]?.(...args)
      },
      { id, method, args },
    )
  return {
    takeEvents,
    callMethod,
    box: (id: string) => findElementIn(page, `place-${id}`).getByRole('textbox'),
  }
}

const ok = { complete: true, valid: true, maskSatisfied: true, empty: false }

test.each(packages)(
  '%s emits every event in order with its properties',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, refused, faults } = await startShop(fixture)
    const { takeEvents, callMethod, box } = await mountAll(page, {
      text: ['text'],
      code: ['cardVerificationCode'],
      date: ['cardExpirationDate', { value: '01/35', readOnly: true }],
    })
    expect(await takeEvents()).toEqual([
      { on: 'text', type: 'ready' },
      { on: 'code', type: 'ready' },
      { on: 'date', type: 'ready' },
      { on: 'date', type: 'change', ...ok },
    ])
    await box('text').click()
    await page.keyboard.type('ab')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    const pressed = { altKey: false, ctrlKey: false, shiftKey: false, metaKey: false }
    expect(await takeEvents()).toEqual([
      { on: 'text', type: 'focus', targetId: 'text' },
      // The second letter causes no change event, because an event would contain nothing new.
      { on: 'text', type: 'change', ...ok },
      { on: 'text', type: 'keydown', targetId: 'text', key: 'Enter', ...pressed, shiftKey: true },
      { on: 'text', type: 'keydown', targetId: 'text', key: 'Escape', ...pressed },
      { on: 'text', type: 'blur', targetId: 'text', ...ok },
      { on: 'code', type: 'focus', targetId: 'code' },
    ])
    await page.keyboard.type('1')
    await page.keyboard.press('Tab')
    const wrong = { complete: false, valid: false, maskSatisfied: false, empty: false }
    const errors = [{ targetId: 'code', type: 'incomplete' }]
    expect(await takeEvents()).toEqual([
      { on: 'code', type: 'change', ...wrong },
      { on: 'code', type: 'change', ...wrong, errors },
      { on: 'code', type: 'blur', targetId: 'code', ...wrong, errors },
      { on: 'date', type: 'focus', targetId: 'date' },
    ])
    // The input is read-only, so typing causes no event.
    await page.keyboard.type('5')
    await callMethod('date', 'blur')
    expect(await takeEvents()).toEqual([{ on: 'date', type: 'blur', targetId: 'date', ...ok }])
    await callMethod('code', 'clear')
    await callMethod('code', 'validate')
    expect(await takeEvents()).toEqual([
      { on: 'code', type: 'change', ...wrong, empty: true },
      { on: 'code', type: 'change', ...wrong, empty: true, errors },
    ])
    await callMethod('text', 'focus')
    await expect.poll(() => box('text').evaluate((each) => each === document.activeElement)).toBe(true)
    expect((await takeEvents()).map(({ on, type }) => `${on} ${type}`)).toEqual(['text focus'])
    const listened = await page.evaluate(async () => {
      const { text } = window as unknown as {
        text: {
          on(type: string, listener: (event: unknown) => void): { unsubscribe(): void }
          clear(): void
          update(options: object): Promise<void>
          metadata: object
        }
      }
      const listeners: string[] = []
      let seenMetadata: object = {}
      const thrown = new Promise((resolve) =>
        window.addEventListener('error', (event) => {
          event.preventDefault()
          resolve(event.error?.message)
        }),
      )
      const first = text.on('change', () => {
        listeners.push('first')
        throw new Error('of the page')
      })
      text.on('change', () => {
        listeners.push('second')
        seenMetadata = text.metadata
        first.unsubscribe()
        first.unsubscribe()
      })
      text.clear()
      await text.update({ placeholder: 'a' })
      await text.update({ value: 'again' })
      return { listeners, seenMetadata, thrown: await thrown }
    })
    expect(listened).toMatchObject({
      listeners: ['first', 'second', 'second'],
      seenMetadata: { empty: false, complete: true },
      thrown: 'of the page',
    })
    expect([refused, faults]).toEqual([[], []])
  },
)

test.each(['web-elements-1', 'web-elements-2'] as const)(
  '%s copies a value on click, even if the page may not use the clipboard',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, faults } = await startShop(fixture)
    const { takeEvents } = await mountAll(page, {
      number: ['cardNumber', { value: '4242424242424242', enableCopy: true }],
      button: ['copyButton', { text: 'Copy it' }],
    })
    await page.evaluate(() => {
      const { number, button } = window as unknown as Record<string, { setValueRef(source: unknown): void }>
      button?.setValueRef(number)
    })
    await findElementIn(page, 'place-number').getByRole('button', { name: 'Copy' }).click()
    await expect
      .poll(async () => (await takeEvents()).filter(({ type }) => type === 'copy'))
      .toEqual([{ on: 'number', type: 'copy', targetId: 'number' }])
    await findElementIn(page, 'place-button').getByRole('button', { name: 'Copy it' }).click()
    const after: RecordedEvent[] = []
    await expect
      .poll(async () => {
        after.push(...(await takeEvents()))
        return after.map(({ on, type }) => `${on} ${type}`)
      })
      .toEqual(['button click', 'button copy'])
    // The page may not read the clipboard, so paste the copied value into an input of the page.
    await page.evaluate(() => {
      const input = document.body.appendChild(document.createElement('input'))
      input.id = 'own'
    })
    await page.locator('#own').focus()
    await page.keyboard.press('Control+V')
    expect(await page.locator('#own').inputValue()).toBe('4242424242424242')
    expect(faults).toEqual([])
  },
)

const brands = [
  ['visa', '4111111111111111', '4111 1111 1111 1111', 'CVV', '41111111'],
  ['mastercard', '2223003122003222', '2223 0031 2200 3222', 'CVC', '22230031'],
  ['american-express', '371449635398431', '3714 496353 98431', 'CID', '371449'],
  ['diners-club', '36227206271667', '3622 720627 1667', 'CVV', '362272'],
  ['discover', '6011000990139424', '6011 0009 9013 9424', 'CID', '60110009'],
  ['jcb', '3566002020360505', '3566 0020 2036 0505', 'CVV', '35660020'],
  ['unionpay', '6205500000000000004', '6205 5000 0000 0000004', 'CVN', '62055000'],
  ['maestro', '6759649826438453', '6759 6498 2643 8453', 'CVC', '67596498'],
  ['elo', '6362970000457013', '6362 9700 0045 7013', 'CVE', '63629700'],
  ['mir', '2200000000000004', '2200 0000 0000 0004', 'CVP2', '22000000'],
  ['hiper', '6370950000000005', '6370 9500 0000 0005', 'CVC', '63709500'],
  ['hipercard', '6062826786276634', '6062 8267 8627 6634', 'CVC', '60628267'],
] as const

test('card numbers of every brand are grouped when typed or pasted', { tags: 'thorough' }, async () => {
  const { page, faults } = await startShop('web-elements-2')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const { takeEvents, callMethod } = await mountAll(page, { card: ['card'] })
  const frame = findElementIn(page, 'place-card')
  const number = frame.getByRole('textbox').first()
  for (const [brand, digits, shown, code, bin] of brands) {
    for (const how of ['typed', 'pasted']) {
      await callMethod('card', 'clear')
      await takeEvents()
      await number.click()
      if (how === 'typed') await page.keyboard.type(digits)
      else {
        await page.evaluate(
          (text) => navigator.clipboard.writeText(text),
          `${digits.slice(0, 5)}-${digits.slice(5)}`,
        )
        await number.click()
        await page.keyboard.press('Control+V')
      }
      expect([how, await number.inputValue()]).toEqual([how, shown])
      const last = (await takeEvents()).filter(({ type }) => type === 'change').at(-1)
      expect(last).toMatchObject({ cardBrand: brand, cardBin: bin, cardLast4: digits.slice(-4) })
      expect(await frame.getByRole('textbox').nth(2).getAttribute('aria-label')).toBe(code)
      // A complete number moves the focus to the next input.
      const focused = await frame.locator('input:focus').getAttribute('id')
      expect([brand, focused]).toEqual([brand, 'expiration'])
    }
  }
  expect(faults).toEqual([])
})
