import { expect, test } from 'vitest'
import { isThorough, pickSome } from '../../thorough.ts'
import { type Form, openForm } from './open-form.ts'
import { findElement, type Shop, startShop } from './start-shop.ts'

/** Opens a form with a key that can read, and a page that holds references to the token's data. */
async function openReader(data: Record<string, string>) {
  const form = await openForm()
  const { page, vault } = form
  const { id } = await vault.owner.tokens.create({ type: 'token', data })
  const { key } = await vault.application({
    rules: [
      { description: 'all', priority: 1, container: '/', permissions: ['token:read'], transform: 'reveal' },
    ],
  })
  await page.evaluate(
    async ({ id, key }) => {
      const { bt } = window as Form
      Object.assign(window, { references: (await bt.tokens.retrieve(id, { apiKey: key })).data })
    },
    { id, key },
  )
  return form
}

type Hostile = Form & {
  references: Record<string, unknown>
  bt: { tokens: { create(model: object): Promise<object> } }
}

/**
 * Runs in the page. Shows a reference in elements with each of these kinds of rule, changes the rules, and mirrors and
 * sends the displayed value. Returns everything that the page learned.
 */
async function probeReference({ secret, kinds }: { secret: string; kinds: number[] }): Promise<unknown[]> {
  const { bt, references } = window as Hostile
  const createTypes = (patterns: number[], lengths: number[]) =>
    patterns.map((pattern) => ({
      niceType: 'X',
      type: `t${pattern}`,
      patterns: [pattern],
      gaps: [],
      lengths,
      code: { name: 'C', size: 4 },
    }))
  const sets: [string, object, object[]][] = [
    ['text', { validation: /^4/ }, [{ validation: /^49/ }, { validation: /31$/ }, { transform: [/./, 'x'] }]],
    ['text', { mask: [/4/, /9/] }, [{ validation: /^8/ }]],
    ['text', { mask: [/4/] }, [{ maxLength: 3 }, { maxLength: 0 }]],
    ['text', { style: { empty: { fontSize: '40px' }, invalid: { fontSize: '60px' } }, mask: [/[0-4]/] }, []],
    [
      'cardNumber',
      { skipLuhnValidation: true, cardTypes: createTypes([4, 8], [4, 16]) },
      [{ cardTypes: undefined }],
    ],
    ['cardNumber', { binLookup: true }, [{ cardTypes: createTypes([424242, 42424211, 42424222], [16]) }]],
    ['cardNumber', {}, [{ cardTypes: createTypes([4, 8], [5]) }, { skipLuhnValidation: true }]],
    ['cardVerificationCode', { cardBrand: 't4', cardTypes: createTypes([4], [16]) }, [{ cardBrand: 'visa' }]],
  ]
  const learned: unknown[] = []
  for (const [type, options, updates] of sets.filter((_, at) => kinds.includes(at))) {
    const place = document.body.appendChild(document.createElement('div'))
    const element = bt.createElement(type, { targetId: 'x', validateOnChange: true, ...options })
    const events: object[] = []
    let onEvent = () => {}
    for (const kind of ['change', 'blur', 'focus']) {
      element.on(kind, (event) => {
        events.push(event)
        onEvent()
      })
    }
    const waitForEvent = (begin: () => void) =>
      Promise.race([
        new Promise<void>((resolve) => {
          onEvent = resolve
          begin()
        }),
        new Promise((resolve) => setTimeout(resolve, 5000, 'silent')),
      ])
    const recordState = async () => {
      const getHeight = () => place.firstElementChild?.clientHeight ?? 0
      // Wait for the height, which the frame posts in a separate message.
      for (let frames = 0; getHeight() === 0 && frames < 300; frames++) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      learned.push(element.metadata, element.cardMetadata, getHeight())
    }
    const createToken = () =>
      bt.tokens.create({ type: 'token', data: element }).then(
        (token) => learned.push(Object.keys(token)),
        ({ name, details }) => learned.push(name, details),
      )
    await element.mount(place)
    learned.push(await waitForEvent(() => element.setValue(references[secret], true)))
    await recordState()
    for (const update of updates) {
      await element.update(update).catch(({ message }) => learned.push(message))
      await recordState()
    }
    await createToken()
    // Show the secret again, then alternate it with a guess that equals one of the secrets.
    learned.push(await waitForEvent(() => element.setValue(references[secret])))
    learned.push(await waitForEvent(() => element.setValue(references.guess)))
    learned.push(await waitForEvent(() => element.setValue(references[secret])))
    learned.push(await waitForEvent(() => void element.update({ value: '4931' })))
    await recordState()
    learned.push(await waitForEvent(() => element.setValue(references[secret])))
    const other = bt.createElement(type, { targetId: 'y', validateOnChange: true, value: '4931', ...options })
    const mirrorPlace = document.body.appendChild(document.createElement('div'))
    await other.mount(mirrorPlace)
    other.on('change', () => onEvent())
    learned.push(await waitForEvent(() => other.setValueRef(element)), other.metadata, other.cardMetadata)
    // BIN details arrive late, or never if the value has changed by then, so compare them without order and count.
    const ofBins = events.filter((event) => 'binInfo' in event)
    learned.push(
      events.filter((event) => !('binInfo' in event)),
      [...new Set(ofBins.map((event) => JSON.stringify(event)))],
    )
    for (const each of [place, mirrorPlace]) each.remove()
  }
  return learned
}

/** The kinds of rule. `npm test` tries only one kind of validation and one of the rules for cards. */
const kinds = isThorough ? [0, 1, 2, 3, 4, 5, 6, 7] : [0, 6]

const secrets: readonly [string, string][] = [
  ['4931', '8052'],
  // These have the same BIN and last digits, and both pass the Luhn check.
  ['4242421100090008', '4242421100330008'],
]

test.each(pickSome(secrets, 1))(
  'X-62 X-63 a page that shows a reference cannot tell whether it is %s or %s',
  async (one, other) => {
    const { page } = await openReader({ one, other, guess: '4931' })
    const [first, second] = [
      await page.evaluate(probeReference, { secret: 'one', kinds }),
      await page.evaluate(probeReference, { secret: 'other', kinds }),
    ]
    expect(first).toEqual(second)
    expect(JSON.stringify(first)).not.toContain('silent')
  },
)

test('X-60 a page learns only brand, BIN and last digits of a revealed card', async () => {
  const { page, mountElement } = await openReader({ card: '4242424242424242', short: '42424242' })
  const { takeEvents, frame } = await mountElement('cardNumber', { skipLuhnValidation: true })
  const showReference = (name: string) =>
    page.evaluate((name) => {
      const { elements, references } = window as Hostile
      elements.cardNumber?.setValue(references[name])
    }, name)
  await showReference('card')
  await expect
    .poll(async () => (await takeEvents()).at(-1))
    .toMatchObject({ complete: true, cardBrand: 'visa', cardBin: '42424242', cardLast4: '4242' })
  const input = frame.getByRole('textbox')
  // An edited value counts as revealed until all of it is deleted.
  await input.press('End')
  await input.press('Backspace')
  expect((await takeEvents()).at(-1)).toMatchObject({ complete: false, cardBrand: 'unknown' })
  await input.press('ControlOrMeta+a')
  await page.keyboard.type('5555555555554444')
  expect((await takeEvents()).at(-1)).toMatchObject({ complete: true, cardBrand: 'mastercard' })
  for (let undone = 0; undone < 20; undone++) await page.keyboard.press('ControlOrMeta+z')
  expect(await input.inputValue()).not.toContain('4242')
  await showReference('short')
  await expect.poll(() => input.inputValue()).toBe('4242 4242')
  expect((await takeEvents()).at(-1)).toMatchObject({ cardBrand: 'unknown' })
})

test('X-63 a page can change the rules of a typed value only thirty times', async () => {
  const { page, mountElement } = await openForm()
  const text = await mountElement('text', {}, 'text')
  await text.frame.getByRole('textbox').fill('4931')
  const attempts = await page.evaluate(async () => {
    const { elements } = window as Form
    const answers: string[] = []
    for (let at = 0; at < 40; at++) {
      // Alternate two rules, which reveal as much about the typed value as new ones.
      const validation = at % 2 === 0 ? /^4/ : /^8/
      const updated = elements.text?.update({ validation }).then(
        () => 'judged',
        ({ name, message }: Error) => `${name}: ${message}`,
      )
      answers.push((await updated) ?? '')
    }
    return answers
  })
  expect(attempts.slice(0, 30)).toEqual(Array(30).fill('judged'))
  expect(attempts[30]).toMatch(/^BasisTheoryConfigurationError: .*30 times/)
  // Options that do not validate can still change, and so can the rules of an empty element.
  expect(await text.update({ placeholder: 'x', disabled: false })).toBe('')
  await text.callMethod('clear')
  expect(await text.update({ validation: undefined })).toBe('')
  const card = await mountElement('cardNumber', {
    skipLuhnValidation: true,
    cardTypes: [
      { niceType: 'X', type: 'x', patterns: [4], gaps: [], lengths: [4], code: { name: 'C', size: 3 } },
    ],
  })
  await card.frame.getByRole('textbox').fill('4931')
  const learned = (await card.takeEvents()).at(-1)
  expect(learned).toMatchObject({ complete: true, cardBrand: 'x' })
  expect(JSON.stringify(learned)).not.toContain('4931')
})

test('X-60 a page that forges frames, frame names or windows gets no value', async () => {
  const { page, url, origin, vault } = await startShop('plain')
  const typed = '4242424242424242'
  const canary = 'canary-77'
  const setUp = await page.evaluate(
    async ({ url, origin }) => {
      const messages: string[] = []
      const recordMessage = ({ data }: MessageEvent) => messages.push(JSON.stringify(data))
      Object.assign(window, { messages })
      window.addEventListener('message', recordMessage)
      const { bt } = window as Shop
      const [data] = document.getElementsByTagName('iframe')
      const name = data?.name ?? ''
      const instance = name.slice('coffer-'.length)
      const sendGreeting = (target: Window, id: string, role: object) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = recordMessage
        target.postMessage({ coffer: 'elements', instance, id, data: name, role }, url, [port2])
        return port1
      }
      const embedFrame = (id: string, kind = 'frame') => {
        const iframe = document.createElement('iframe')
        iframe.title = id
        iframe.src = `${url}/elements/${kind}?origin=${encodeURIComponent(origin)}&id=${id}`
        const loaded = new Promise((resolve) => iframe.addEventListener('load', resolve))
        document.body.append(iframe)
        return loaded.then(() => iframe.contentWindow as Window)
      }
      // The page adds a frame and greets it twice, then adds one that mirrors a real element.
      const real = bt.createElement('text', { targetId: 'a', title: 'real' })
      await real.mount('#app')
      const realFrame = document.querySelector('#app iframe') as HTMLIFrameElement
      const realId = new URL(realFrame.src).searchParams.get('id') ?? ''
      const own = await embedFrame('own')
      const role = { type: 'cardNumber', options: { targetId: 't', validateOnChange: true } }
      sendGreeting(own, 'own', role)
      sendGreeting(own, 'own', role)
      const follower = await embedFrame('follower')
      const following = sendGreeting(follower, 'follower', { type: 'text', options: { targetId: 'f' } })
      following.postMessage({ kind: 'mirror', source: realId })
      // The page adds a frame with the real element's id, and a second data frame.
      sendGreeting(await embedFrame(realId), realId, {
        type: 'text',
        options: { targetId: 'r', value: 'forged' },
      })
      sendGreeting(await embedFrame('data2', 'data'), 'data2', { type: 'data', apiKey: 'x', debug: true })
      // A frame of the page takes over the data frame's name.
      if (data) data.name = 'moved'
      const named = document.createElement('iframe')
      named.name = name
      document.body.append(named)
      named.contentWindow?.addEventListener('message', recordMessage)
      const late = bt.createElement('text', { targetId: 'l', title: 'late' })
      const refused = await late
        .mount(document.body.appendChild(document.createElement('div')))
        .then(() => bt.tokens.create({ type: 'token', data: late } as never).catch(String), String)
      Object.assign(window, { sendGreeting })
      return refused
    },
    { url, origin },
  )
  expect(setUp).toMatch(/hidden iframe of Elements is missing from the page|Element is not mounted/)
  // A frame opened as a window has no parent.
  for (const kind of ['frame', 'data']) {
    const opening = page.waitForEvent('popup')
    const address = `${url}/elements/${kind}?origin=${encodeURIComponent(origin)}&id=w`
    await page.evaluate((address) => Object.assign(window, { opened: window.open(address) }), address)
    const opened = await opening
    await opened.waitForLoadState()
    await page.evaluate(() => {
      const { sendGreeting, opened } = window as never as {
        sendGreeting: (...args: unknown[]) => void
        opened: Window
      }
      sendGreeting(opened, 'w', { type: 'text', options: { targetId: 'w', value: 'forged' } })
    })
    expect(await opened.evaluate(() => document.querySelector('input'))).toBeNull()
    await opened.close()
  }
  await page.bringToFront()
  await findElement(page, 'own').locator('input').fill(typed)
  await findElement(page, 'real').locator('input').fill(canary)
  await expect
    .poll(() => page.evaluate(() => (window as never as { messages: string[] }).messages.join()))
    .toContain('"cardLast4":"4242"')
  const messages = await page.evaluate(() => (window as never as { messages: string[] }).messages)
  expect(messages.join()).not.toContain(typed)
  expect(messages.join()).not.toContain(canary)
  // The kinds of all messages that the page received.
  const kinds = new Set(messages.map((each) => JSON.parse(each)).map(({ kind, coffer }) => kind ?? coffer))
  expect([...kinds].sort()).toEqual(['event', 'height', 'listening', 'mounted', 'state'])
  expect((await vault.owner.tokens.list({})).data).toEqual([])
})

test('a form keeps its input while the vault is locked or unreachable', async () => {
  const { page, context, vault, close } = await startShop('plain')
  await page.evaluate(async () => {
    const { bt } = window as Shop
    const text = bt.createElement('text', { targetId: 'a', title: 'A' })
    Object.assign(window, { text })
    await text.mount('#app')
  })
  const input = findElement(page, 'A').locator('input')
  await input.fill('kept in the form')
  const createToken = () =>
    page.evaluate(() => {
      const { bt, text } = window as Shop & { text: never }
      return bt.tokens.create({ type: 'token', data: text } as never).then(
        (token) => (token as { id: string }).id,
        ({ name, message, status }) => `${name} ${status} ${message}`,
      )
    })
  vault.engine.close()
  expect(await createToken()).toMatch(/^BasisTheoryApiError 423 /)
  vault.reopen()
  expect((await vault.owner.tokens.reveal({ id: await createToken() })).data).toBe('kept in the form')
  await context.route('**/tokens', (route) => route.abort('connectionreset'))
  expect(await createToken()).toMatch(/^BasisTheoryApiError -1 .*may not be running/)
  await context.unroute('**/tokens')
  expect((await vault.owner.tokens.list({})).data).toHaveLength(1)
  await createToken()
  expect((await vault.owner.tokens.list({})).data).toHaveLength(2)
  await close()
  expect(await createToken()).toMatch(/^BasisTheoryApiError -1 .*may not be running/)
  expect(await input.inputValue()).toBe('kept in the form')
})

test('a hundred elements on a page mount and are read in one call', { tags: ['thorough'] }, async () => {
  const { page, vault } = await startShop('plain')
  const id = await page.evaluate(async () => {
    const { bt } = window as Shop
    const values = Array.from({ length: 100 }, (_, at) => `value ${at}`)
    const elements = await Promise.all(
      values.map(async (value, at) => {
        const text = bt.createElement('text', { targetId: `t${at}`, value } as never)
        await text.mount(document.body.appendChild(document.createElement('div')) as never)
        return text
      }),
    )
    return (await bt.tokens.create({ type: 'token', data: elements } as never)).id
  })
  const { data } = await vault.owner.tokens.reveal({ id })
  expect(data).toEqual(Array.from({ length: 100 }, (_, at) => `value ${at}`))
})
