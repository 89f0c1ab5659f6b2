import type { CDPSession } from 'playwright-core'
import { expect, test } from 'vitest'
import { findElement, findElementIn, type Shop, startShop } from './start-shop.ts'

/** Returns all strings in a page's memory. */
async function readMemory(session: CDPSession): Promise<string> {
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  return chunks.join('')
}

test("X-60 typed text never reaches the page's memory, storage or requests", async () => {
  const { page, context, vault, url, origin } = await startShop('web-elements-2')
  const typed = 'canary-4f1c-typed'
  const known = 'canary-4f1c-known'
  const consoleTexts: string[] = []
  page.on('console', (message) => consoleTexts.push(message.text()))
  const sent: { by: string; what: string }[] = []
  page.on('request', (request) => {
    const by = request.frame().url().split('/elements/')[0] ?? ''
    sent.push({
      by,
      what: `${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`,
    })
  })
  await page.evaluate((known) => {
    // Records every event and message that a hostile page could listen to.
    const received: unknown[] = [known]
    Object.assign(window, { received })
    window.addEventListener('message', ({ data }) => received.push(data))
    const { postMessage } = MessagePort.prototype
    MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
      received.push(args)
      return postMessage.apply(this, args as never)
    }
    const listened = EventTarget.prototype.addEventListener
    EventTarget.prototype.addEventListener = function (this: EventTarget, ...args: never[]) {
      received.push(this)
      return listened.apply(this, args as never)
    }
  }, known)
  await page.evaluate(() =>
    (window as Shop).bt.createElement('text', { targetId: 'a', title: 'A' }).mount('#app'),
  )
  await page.evaluate(() => {
    const text = (window as Shop).bt.createElement('text', { targetId: 'b', title: 'B' })
    Object.assign(window, { text })
    document.body.append(document.createElement('section'))
    return text.mount('section')
  })
  await findElement(page, 'B').locator('input').click()
  await page.keyboard.type(typed)
  const id = await page.evaluate(async () => {
    const { bt, text } = window as Shop & { text: never }
    return (await bt.tokens.create({ type: 'token', data: text })).id
  })
  expect((await vault.owner.tokens.reveal({ id })).data).toBe(typed)
  const memory = await readMemory(await context.newCDPSession(page))
  // Strings of the page itself prove that the snapshot contains strings.
  expect(memory).toContain(known)
  expect(memory).not.toContain(typed)
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )
  expect(stored).not.toContain(typed)
  expect(consoleTexts.join()).not.toContain(typed)
  const with_it = sent.filter(({ what }) => what.includes(typed))
  expect(with_it.map(({ by }) => by)).toEqual([url])
  expect(sent.some(({ by }) => by.startsWith(origin))).toBe(false)
})

test.each(['web-elements-1', 'web-elements-2', 'js', 'react-1', 'react-2', 'react'] as const)(
  'X-60 %s: a card reaches the vault but not the page',
  { tags: 'thorough' },
  async (fixture) => {
    const { page, context, vault, url, origin, refused, faults } = await startShop(fixture)
    const number = '4556737586899855'
    const shown = '4556 7375 8689 9855'
    const known = 'canary-known-to-the-page'
    const consoleTexts: string[] = []
    page.on('console', (message) => consoleTexts.push(message.text()))
    const sent: { by: string; what: string }[] = []
    page.on('request', (request) => {
      const by = request.frame().url().split('/elements/')[0] ?? ''
      sent.push({
        by,
        what: `${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`,
      })
    })
    await page.evaluate(async (known) => {
      const shop = window as Shop & { card: unknown; known: string }
      shop.known = known
      if (!shop.shop) {
        const place = document.body.appendChild(document.createElement('div'))
        place.id = 'card'
        const card = shop.bt.createElement('card', { title: 'Card' })
        shop.card = card
        await card.mount('#card')
      }
    }, known)
    const inputs = findElementIn(page, 'card').getByRole('textbox')
    await inputs.first().click()
    await page.keyboard.type(`${number}1230123`)
    await expect.poll(() => inputs.first().inputValue()).toBe(shown)
    const made = await page.evaluate(async () => {
      const { bt, card, shop } = window as unknown as Shop & { card: never }
      const data = shop ? (shop.refs.card as never) : card
      const token = await bt.tokens.create({ type: 'card', data })
      const all = await bt.tokenize({ card: { type: 'card', data } })
      return { token, all, metadata: shop?.refs.card?.metadata }
    })
    expect(JSON.stringify(made)).not.toContain(number)
    const stored = await vault.owner.tokens.reveal({ id: made.token.id })
    expect(stored.data).toEqual({ number, expiration_month: 12, expiration_year: 2030, cvc: '123' })
    const memory = await readMemory(await context.newCDPSession(page))
    expect(memory).toContain(known)
    const kept = await page.evaluate(async () => {
      const databases = await indexedDB.databases()
      const names = await caches.keys()
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, databases, names])
    })
    const html = await page.content()
    for (const secret of [number, shown, number.slice(8), '4556 7375 8']) {
      const places = { memory, kept, html, consoleTexts: consoleTexts.join() }
      for (const [place, text] of Object.entries(places))
        expect([place, text.includes(secret)]).toEqual([place, false])
    }
    const carriers = sent.filter(({ what }) => what.includes(number) || what.includes(shown))
    expect(new Set(carriers.map(({ by }) => by))).toEqual(new Set([url]))
    expect(sent.some(({ by }) => by === origin)).toBe(false)
    expect([refused, faults]).toEqual([[], []])
  },
)

test('X-60 a page can neither read a frame nor get values by its own Hello message', {
  tags: 'thorough',
}, async () => {
  const { page, url, origin } = await startShop('plain', { fresh: false })
  const reached = await page.evaluate(
    async ({ url, origin }) => {
      const { bt } = window as Shop
      const text = bt.createElement('text', { targetId: 'a', title: 'A' })
      await text.mount('#app')
      const frame = document.querySelector('#app iframe') as HTMLIFrameElement
      const refused = ['document', 'localStorage', 'name'].map((name) => {
        try {
          return String((frame.contentWindow as unknown as Record<string, unknown>)[name])
        } catch (error) {
          return (error as Error).name
        }
      })
      // Send a second Hello message, from the page itself and from another frame of the page.
      const received: unknown[] = []
      const sendGreeting = (sender: Window, target: Window, id: string, ports = 1) => {
        const channels = Array.from({ length: ports }, () => new MessageChannel())
        for (const { port1 } of channels) port1.onmessage = ({ data }) => received.push(data)
        const role = { type: 'text', options: {} }
        const hello = { coffer: 'elements', instance: 'x', id, data: 'x', role }
        const send = (sender as unknown as { Function: FunctionConstructor }).Function(
          'target',
          'hello',
          'url',
          'ports',
          'target.postMessage(hello, url, ports)',
        )
        send(
          target,
          hello,
          url,
          channels.map(({ port2 }) => port2),
        )
      }
      const id = new URL(frame.src).searchParams.get('id') ?? ''
      const child = document.body.appendChild(document.createElement('iframe'))
      sendGreeting(window, frame.contentWindow as Window, id)
      sendGreeting(child.contentWindow as Window, frame.contentWindow as Window, id)
      // A frame that was requested for another origin never accepts this page's Hello message.
      const other = document.createElement('iframe')
      other.src = `${url}/elements/frame?origin=${encodeURIComponent(origin.replace('localhost', '127.0.0.1'))}&id=o`
      const loaded = new Promise((resolve) => other.addEventListener('load', resolve))
      document.body.append(other)
      await loaded
      sendGreeting(window, other.contentWindow as Window, 'o')
      // Any response to these messages would have arrived before this update has finished.
      await text.update({ placeholder: 'x' })
      await bt.tokens.create({ type: 'token', data: 'plain' })
      return { refused, received }
    },
    { url, origin },
  )
  expect(reached).toEqual({ refused: Array(3).fill('SecurityError'), received: [] })
})
