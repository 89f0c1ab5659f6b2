import path from 'node:path'
import type { BasisTheoryElements } from '@basis-theory/web-elements'
import type { Page } from 'playwright-core'
import { startListener } from '../../listener.ts'
import { bundlePage } from './bundle-page.ts'
import { openPage } from './open-page.ts'

/** The test pages: one per package, one with only the script, and one with the hosted service's script tag. */
export type Fixture =
  | 'plain'
  | 'tag'
  | 'web-elements-1'
  | 'web-elements-2'
  | 'react'
  | 'react-1'
  | 'react-2'
  | 'js'

/** The page's globals. Elements have the same methods in all packages. */
export type Shop = typeof window & {
  bt: BasisTheoryElements
  start: (key: string) => Promise<BasisTheoryElements>
  /** State that React pages expose to the test. */
  shop: {
    events: unknown[]
    refs: Record<string, ReturnType<BasisTheoryElements['createElement']>>
    renders: number
    /** Sets properties of the date element. */
    set(props: Record<string, unknown>): void
  }
}

type ShopOptions = {
  /** Whether the listener allows the shop's origin. */
  isAllowed?: boolean
  permissions?: string[]
  /** Whether the page has the script tag. If not, the page's program passes the script's URL to the package. */
  hasLine?: boolean
  /** Attributes of the script tag. */
  attributes?: string
  /** Response headers of the page. */
  headers?: Record<string, string>
  /** Whether the page must not be shared with other tests. Required if the test changes the page's context. */
  fresh?: boolean
}

/** The programs of the pages that have no package. */
const startWithoutPackage: Partial<Record<Fixture, string>> = {
  plain: 'window.start = (key) => BasisTheoryElements.init(key)',
  tag: 'window.start = (key) => basistheory(key)',
}

/**
 * Opens a shop's page on its own port, with Coffer's script tag in its head, in a browser that blocks every request to
 * other machines. `refused` lists the blocked URLs, `faults` the console messages.
 */
export async function startShop(
  fixture: Fixture,
  {
    isAllowed = true,
    permissions = ['token:create', 'token:update'],
    hasLine = true,
    attributes = '',
    headers = {},
    fresh = true,
  }: ShopOptions = {},
) {
  const { answer, origin, context, page, refused, faults } = await openPage('shop', { fresh })
  const coffer = await startListener({ origins: isAllowed ? [origin] : [] })
  const source = fixture === 'tag' ? '/web-elements/2.12.2/index.js' : '/elements.js'
  let line = `<meta name="coffer" content="${coffer.url}">`
  if (hasLine) line += `<script src="${coffer.url}${source}" ${attributes}></script>`
  const code =
    startWithoutPackage[fixture] ??
    (await bundlePage(path.join(import.meta.dirname, 'pages', `${fixture}.ts`)))
  const script = `<script type="module">${code.replaceAll('</script', '<\\/script')}</script>`
  const { key } = await coffer.vault.application({ type: 'public', permissions })
  answer.html = `<!doctype html><html lang="en"><head><title>A shop</title>${line}</head><body><main id="app"></main>${script}</body></html>`
  answer.headers = headers
  await page.goto(origin)
  await page.evaluate(async (key) => {
    const shop = window as Shop
    shop.bt = await shop.start(key)
  }, key)
  return { page, context, origin, key, refused, faults, ...coffer }
}

/** Returns the document of the element with this title. */
export function findElement(page: Page, title: string) {
  return page.frameLocator(`iframe[title="${title}"]`)
}

/** Returns the document of the element in the container with this id. */
export function findElementIn(page: Page, id: string) {
  return page.frameLocator(`[id="${id}"] > iframe`)
}
