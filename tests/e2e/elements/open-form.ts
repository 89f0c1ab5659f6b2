import type { FrameLocator } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { startListener } from '../../listener.ts'
import { openPage } from './open-page.ts'

type ElementEvent = { type: string; [member: string]: unknown }
type FormElement = {
  readonly metadata: object
  readonly cardMetadata?: object
  mount(where: globalThis.Element): Promise<void>
  update(options: object): Promise<void>
  on(type: string, listener: (event: ElementEvent) => void): void
  clear(): void
  focus(): void
  blur(): void
  validate(): void
  setValue(value: unknown, validate?: boolean): void
  setValueRef(element: FormElement): void
}
export type Form = typeof window & {
  bt: {
    createElement(type: string, options: object): FormElement
    tokenize(payload: unknown): Promise<unknown>
    tokens: { retrieve(id: string, options?: object): Promise<{ data: unknown }> }
  }
  elements: { [title: string]: FormElement & { noted: ElementEvent[] } }
}

export type MountedElement = {
  frame: FrameLocator
  /** Returns the events since the last call, except `ready`. */
  takeEvents(): Promise<ElementEvent[]>
  /** Calls a method of the element, and waits until its frame has finished an update sent after it. */
  callMethod(method: 'clear' | 'focus' | 'blur' | 'validate'): Promise<void>
  update(options: object): Promise<string>
}

/**
 * Opens a page of another origin with Coffer's script. The title of an element's frame is its `title` option, or else
 * its type. Any message in the page's console fails the test. A test that changes more than the page's content must ask
 * for a `fresh` page.
 */
export async function openForm({
  cardDetails,
  fresh = false,
}: {
  cardDetails?: object
  fresh?: boolean
} = {}) {
  const { answer, origin, page, faults } = await openPage('form', {
    fresh: fresh || cardDetails !== undefined,
  })
  const coffer = await startListener({ origins: [origin] })
  answer.html = `<!doctype html><html lang="en"><title>A form</title><script src="${coffer.url}/elements.js"></script>
    <main></main></html>`
  const { key } = await coffer.vault.application({ type: 'public', permissions: ['token:create'] })
  if (cardDetails) await page.addInitScript(answerCardDetails, cardDetails)
  onTestFinished(() => expect(faults).toEqual([]))
  await page.goto(origin)
  await page.evaluate(async (apiKey) => {
    const form = window as Form & { BasisTheoryElements: { init(key: string): Promise<Form['bt']> } }
    form.bt = await form.BasisTheoryElements.init(apiKey)
    form.elements = {}
  }, key)

  /**
   * Mounts an element. Its options are created by code in the page, because patterns cannot be sent there.
   */
  async function mountElement(
    type: string,
    options: object | (() => object) = {},
    title = type,
  ): Promise<MountedElement> {
    const code = typeof options === 'function' ? `(${options.toString()})()` : JSON.stringify(options)
    const problem = await page.evaluate(
      async ({ type, title, code }) => {
        const { bt, elements } = window as Form
        const own = new Function(`return ${code}`)()
        const element = bt.createElement(type, { targetId: 'target', title, ...own })
        const noted: ElementEvent[] = []
        const kinds = ['ready', 'change', 'focus', 'blur', 'keydown', 'click', 'copy']
        for (const kind of kinds) element.on(kind, (event) => noted.push(event))
        const box = document.createElement('div')
        document.querySelector('main')?.append(box)
        elements[title] = Object.assign(element, { noted })
        return element.mount(box).then(
          () => '',
          (error: Error) => `${error.name}: ${error.message}`,
        )
      },
      { type, title, code },
    )
    if (problem !== '') throw new Error(problem)
    return {
      frame: page.frameLocator(`iframe[title="${title}"]`),
      async takeEvents() {
        await waitForUpdate(title)
        const noted = await page.evaluate((title) => (window as Form).elements[title]?.noted.splice(0), title)
        return (noted ?? []).filter((event) => event.type !== 'ready')
      },
      async callMethod(method) {
        await page.evaluate(({ title, method }) => (window as Form).elements[title]?.[method](), {
          title,
          method,
        })
        await waitForUpdate(title)
      },
      update: (changes) =>
        page.evaluate(
          ({ title, changes }) =>
            (window as Form).elements[title]?.update(changes).then(
              () => '',
              (error: Error) => error.message,
            ) ?? 'no element',
          { title, changes },
        ),
    }
  }

  let turns = 0
  /**
   * Waits for an update to finish. A frame's messages arrive in order, so everything before it has finished
   * too.
   */
  async function waitForUpdate(title: string): Promise<void> {
    const turn = String(turns++)
    await page.evaluate(
      ({ title, turn }) =>
        (window as Form).elements[title]?.update({ copyIconStyles: { size: turn }, id: turn }),
      { title, turn },
    )
  }

  /** Tokenizes these elements and returns the token or the error. */
  function tokenize(titles: { [member: string]: string }): Promise<unknown> {
    return page.evaluate(async (titles) => {
      const { bt, elements } = window as Form
      const data = Object.fromEntries(
        Object.entries(titles).map(([member, title]) => [member, elements[title]]),
      )
      return bt.tokenize({ type: 'token', data }).then(
        (token) => token,
        ({ name, message, details }: Error & { details?: unknown }) => ({ name, message, details }),
      )
    }, titles)
  }

  /**
   * Creates a token from these elements and returns the data that the vault stores. Throws if any of them is invalid.
   */
  async function readStored(titles: { [member: string]: string }): Promise<unknown> {
    const made = (await tokenize(titles)) as { id?: string }
    if (!made.id) throw new Error(JSON.stringify(made))
    return (await coffer.vault.owner.tokens.reveal({ id: made.id })).data
  }

  return { page, mountElement, tokenize, readStored, ...coffer }
}

/** Runs in each frame. Responds to BIN lookups, and records the requested BINs. */
function answerCardDetails(details: object): void {
  const { fetch } = window
  const asked: string[] = []
  Object.assign(window, { asked })
  window.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.includes('/enrichments/card-details')) return fetch(input, init)
    asked.push(new URL(url, location.href).search)
    return Promise.resolve(Response.json(details))
  }
}
