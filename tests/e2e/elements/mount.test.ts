import { expect, test } from 'vitest'
import { pickSome } from '../../thorough.ts'
import { type Fixture, findElement, type Shop, startShop } from './start-shop.ts'

/** Other tests mount elements with the packages too, so `npm test` uses only the script without a package here. */
const fixtures = pickSome<Fixture>(['plain', 'web-elements-1', 'web-elements-2', 'js'], 1)

test.each(fixtures)('the unmodified official package %s mounts an element of Coffer', async (fixture) => {
  const { page, refused, faults } = await startShop(fixture, { fresh: false })
  const made = await page.evaluate(async () => {
    const { bt } = window as Shop
    const text = bt.createElement('text', { targetId: 'name', title: 'Name' })
    const events: unknown[] = []
    const ready = new Promise((resolve) => text.on('ready', resolve))
    text.on('ready', (event) => events.push(event))
    const before = text.mounted
    await text.mount('#app')
    await ready
    return { before, after: text.mounted, events, json: JSON.parse(JSON.stringify(text)) }
  })
  expect(made).toMatchObject({ before: false, after: true, events: [{ type: 'ready' }] })
  expect(made.json).toMatchObject({ mounted: true, metadata: { empty: true } })
  await findElement(page, 'Name').locator('input').waitFor()
  expect(refused).toEqual([])
  expect(faults).toEqual([])
})

test('X-61 a page that is not allowed gets instructions in the frame', async () => {
  const { page, origin } = await startShop('plain', { isAllowed: false })
  const error = await page.evaluate(async () => {
    const { bt } = window as Shop
    const text = bt.createElement('text', { targetId: 'name', title: 'Name' })
    return text.mount('#app').catch(({ name, message }: Error) => ({ name, message }))
  })
  expect(error).toEqual({
    name: 'BasisTheoryConfigurationError',
    message: expect.stringContaining(`coffer serve --cors-origin ${origin}`),
  })
  const text = await findElement(page, 'Name').locator('body').textContent()
  expect(text).toContain(`coffer serve --cors-origin ${origin}`)
  expect(await findElement(page, 'Name').locator('script, input').count()).toBe(0)
  // The frame has its own background, so it is readable on a dark page.
  const ground = await findElement(page, 'Name')
    .locator('body')
    .evaluate((body) => getComputedStyle(body).backgroundColor)
  expect(ground).toBe('rgb(255, 255, 255)')
})

test("a container's id may contain characters that are special in CSS selectors", {
  tags: 'thorough',
}, async () => {
  const { page } = await startShop('plain', { fresh: false })
  const ids = ['a.b:c', '1', 'a b', 'r#1', ':r1:']
  await page.evaluate(async (ids) => {
    const { bt } = window as Shop
    for (const id of ids) {
      const box = document.createElement('div')
      box.id = id
      document.body.append(box)
      await bt.createElement('text', { targetId: id }).mount(`#${id}`)
      if (!box.querySelector('iframe')) throw new Error(id)
    }
    const root = document.createElement('div').attachShadow({ mode: 'closed' })
    document.body.append(root.host)
    const box = document.createElement('div')
    root.append(box)
    await bt.createElement('text', { targetId: 'shadow' }).mount(box)
  }, ids)
})

test('mount rejects instead of throwing synchronously', async () => {
  const { page, faults } = await startShop('plain', { fresh: false })
  const messages = await page.evaluate(async () => {
    const { bt } = window as Shop
    const outcomes: string[] = []
    const recordOutcome = (promise: Promise<unknown>) =>
      promise.then(
        () => outcomes.push('mounted'),
        (error: Error) => outcomes.push(error.message),
      )
    const createText = () => bt.createElement('text', { targetId: 'a' })
    await recordOutcome(createText().mount('#none'))
    await recordOutcome(createText().mount('not a [ selector'))
    await recordOutcome(createText().mount(null as never))
    const twice = createText()
    const first = twice.mount('#app')
    await recordOutcome(twice.mount('#app'))
    await recordOutcome(first)
    twice.unmount()
    await recordOutcome(twice.mount('#app'))
    await recordOutcome(twice.update({ placeholder: 'x' }))
    const gone = createText()
    const mounting = gone.mount('#app')
    gone.unmount()
    await recordOutcome(mounting)
    await recordOutcome(
      bt.createElement('text', { targetId: 'a', validation: (() => true) as never }).mount('#app'),
    )
    for (const command of ['clear', 'focus', 'blur', 'validate'] as const) {
      try {
        createText()[command]()
      } catch (error) {
        outcomes.push((error as Error).message)
      }
    }
    try {
      bt.createElement('data' as never, {})
    } catch (error) {
      outcomes.push((error as Error).message)
    }
    return outcomes
  })
  const nothing = 'No element in the page matches the mount target.'
  expect(messages).toEqual([
    nothing,
    nothing,
    nothing,
    'Element is already mounted',
    'mounted',
    'An element that was unmounted cannot be mounted again',
    'Element is not mounted',
    'Element is not mounted',
    'The option validation must be plain data, without functions.',
    ...Array(4).fill('Element is not mounted'),
    'This element type does not exist.',
  ])
  expect(faults).toEqual([])
  expect(await page.locator('#app iframe').count()).toBe(0)
})

test('a removed element sends no more events, and a moved one loads again', async () => {
  const { page } = await startShop('plain', { fresh: false })
  const outcome = await page.evaluate(async () => {
    const { bt } = window as Shop
    const box = document.querySelector('#app') as HTMLElement
    const element = bt.createElement('text', { targetId: 'a' })
    let ready = 0
    element.on('ready', () => ready++)
    await element.mount(box)
    const changed = new Promise((resolve) => element.on('change', resolve))
    const other = document.body.appendChild(document.createElement('div'))
    other.append(...box.childNodes)
    await changed
    const moved = element.mounted
    other.remove()
    const read = await bt.tokens
      .create({ type: 'token', data: element })
      .catch((error: Error) => error.message)
    const before = bt.createElement('text', { targetId: 'b' })
    const mounting = before.mount(box).catch((error: Error) => error.message)
    box.remove()
    return { moved, ready, removed: element.mounted, read, mounting: await mounting }
  })
  expect(outcome).toEqual({
    moved: true,
    ready: 1,
    removed: false,
    read: 'Element was removed from the DOM',
    mounting: 'Element was removed from the DOM',
  })
})

test('loading the script twice keeps the existing elements', {
  tags: 'thorough',
}, async () => {
  const { page, url } = await startShop('plain', { fresh: false })
  await page.evaluate(() => {
    const { bt } = window as Shop
    return bt.createElement('text', { targetId: 'a', title: 'First' }).mount('#app')
  })
  const isSame = await page.evaluate(async (url) => {
    const before = window.BasisTheoryElements
    const script = document.createElement('script')
    script.src = `${url}/web-elements/1.5.0/client/index.js`
    const loaded = new Promise((resolve) => script.addEventListener('load', resolve))
    document.head.append(script)
    await loaded
    await (window as Shop).bt.createElement('text', { targetId: 'b', title: 'Second' }).mount('#app')
    return before === window.BasisTheoryElements
  }, url)
  expect(isSame).toBe(true)
  await findElement(page, 'First').locator('input').waitFor()
  await findElement(page, 'Second').locator('input').waitFor()
})

test('elements are found at any depth of a payload, and in any kind of object', async () => {
  const { page } = await startShop('plain', { fresh: false })
  const found = await page.evaluate(() => {
    const { hasElement = () => null } = window.BasisTheoryElements ?? {}
    const { bt } = window as Shop
    const text = bt.createElement('text', { targetId: 'a' })
    const date = bt.createElement('cardExpirationDate', { targetId: 'b' })
    const cycle: Record<string, unknown> = { deep: [{ list: [] }] }
    cycle.self = cycle
    class Holder {
      element = { value: text }
    }
    const wrapped = new Proxy(text, {})
    return [
      hasElement(text),
      hasElement({ a: [{ b: text }] }),
      hasElement({ a: date.month() }),
      hasElement([date.format('yyyy')]),
      hasElement(wrapped),
      hasElement({ ...cycle, text }),
      hasElement(cycle),
      hasElement(new Holder()),
      hasElement({ element: { value: 1 } }),
      hasElement(null),
      hasElement(undefined),
      hasElement('text'),
    ]
  })
  expect(found).toEqual([true, true, true, true, true, true, false, false, false, false, false, false])
})

test('elements work under a strict policy, cross-origin isolation and a fake clock', async () => {
  const { page, faults, url } = await startShop('plain', {
    attributes: 'crossorigin="anonymous"',
    headers: {
      'Cross-Origin-Embedder-Policy': 'require-corp',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Content-Security-Policy':
        "default-src 'none'; script-src 'unsafe-inline' http://127.0.0.1:*; frame-src http://127.0.0.1:*; require-trusted-types-for 'script'",
    },
  })
  await page.clock.install()
  await page.evaluate(() =>
    (window as Shop).bt.createElement('text', { targetId: 'a', title: 'A' }).mount('#app'),
  )
  await findElement(page, 'A').locator('input').waitFor()
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  expect(faults).toEqual([])
  expect(url).toContain('127.0.0.1')
})

test('ten forms mount in parallel', { tags: 'thorough' }, async () => {
  const { page } = await startShop('plain')
  const mountedAtOnce = await page.evaluate(async () => {
    const { bt } = window as Shop
    const mounted = Array.from({ length: 10 }, () => {
      const box = document.body.appendChild(document.createElement('div'))
      return bt.createElement('card', { title: 'Card' }).mount(box)
    })
    await Promise.race(mounted)
    const startedCount = document.querySelectorAll('iframe[title="Card"]').length
    await Promise.all(mounted)
    return startedCount
  })
  // All forms started to mount before the first one had finished.
  expect(mountedAtOnce).toBe(10)
  expect(await page.locator('iframe[title="Card"]').count()).toBe(10)
})

test('a frame that fails to load is reported', { tags: 'thorough' }, async () => {
  const { page, context } = await startShop('plain')
  await context.route('**/elements/frame*', (route) => route.abort())
  const error = await page.evaluate(() =>
    (window as Shop).bt
      .createElement('text', { targetId: 'a' })
      .mount('#app')
      .catch(({ name, message }: Error) => ({ name, message })),
  )
  expect(error).toEqual({
    name: 'BasisTheoryConfigurationError',
    message: expect.stringContaining('Coffer did not load a frame for this page.'),
  })
})
