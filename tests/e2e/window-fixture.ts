import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { launchChromium } from './chromium.ts'
import { allowClipboard, collectPageErrors, openPage, PAGE_TIMEOUT_MS, startWindow } from './start-window.ts'

export type StartedWindow = Awaited<ReturnType<typeof startWindow>>

type OpenWindowOptions = {
  /** Creates the vault that the page opens; without it, the page opens on an empty machine. */
  readonly prepareVault?: (window: StartedWindow) => Promise<unknown>
  readonly page?: PageSize
  /** How long a deletion can be undone, in milliseconds. */
  readonly undoMs?: number
  /** Console errors that the test expects. */
  readonly expected?: RegExp
}

type PageSize = { readonly viewport: { width: number; height: number } }

const usual: PageSize = { viewport: { width: 1280, height: 800 } }

/**
 * Starts a host with its window in a signed-in page, which shows the screens if `prepareVault` opened a vault. Animations
 * are off. Host and page are closed when the test ends. An error in the page's console fails the test.
 */
export async function openWindow({
  prepareVault,
  page: look,
  expected,
  undoMs,
}: OpenWindowOptions = {}): Promise<{
  vault: StartedWindow
  page: Page
}> {
  const options = undoMs === undefined ? {} : { undoMs }
  // Closing the browser closes the page too.
  const spare = left?.page.isClosed() ? undefined : left
  left = undefined
  // Another process may have taken the port in the meantime.
  const vault = await startWindow(undefined, spare?.port ?? 0, options).catch(() =>
    startWindow(undefined, 0, options),
  )
  onTestFinished(() => vault.close())
  try {
    await prepareVault?.(vault)
  } catch (error) {
    left = spare
    throw error
  }
  const page = await openSignedInPage(vault, spare?.page, { ...usual, ...look }, expected)
  if (prepareVault) await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return { vault, page }
}

/**
 * The page of a finished test, and the port that served it. The next test of the process reuses both, so that the
 * browser neither fetches nor compiles the window's code again.
 */
let left: { page: Page; port: number } | undefined

/** Opens a page and signs it in to the window. The next test reuses it if this one passes. */
async function openSignedInPage(
  { launchLink, port }: StartedWindow,
  spare: Page | undefined,
  { viewport }: PageSize,
  expected?: RegExp,
): Promise<Page> {
  const context = spare?.context() ?? (await (await launchChromium()).newContext())
  const page = spare ?? (await context.newPage())
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  await page.setViewportSize(viewport)
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: null, forcedColors: null })
  const faults = collectPageErrors(page)
  onTestFinished(async ({ task }) => {
    const hasPassed = task.result?.state !== 'fail'
    const isEmpty = hasPassed && !left && (await resetPage(page, port))
    const unexpected = faults.filter((fault) => !expected?.test(fault))
    if (isEmpty && unexpected.length === 0) left = { page, port }
    else await context.close()
    expect(unexpected).toEqual([])
  })
  const link = launchLink()
  await allowClipboard(context, link)
  await page.goto(link)
  return page
}

/** Removes everything that a test left in its page; false if that fails. */
async function resetPage(page: Page, port: number): Promise<boolean> {
  const context = page.context()
  try {
    for (const event of ['request', 'response', 'dialog'] as const) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await page.mouse.move(-1, -1)
    // Stay at the same origin, because the browser would show `about:blank` in another process.
    const nothing = `http://127.0.0.1:${port}/nothing`
    await page.route(nothing, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    await page.goto(nothing)
    await page.unrouteAll({ behavior: 'wait' })
    // Remove the listeners only now, because errors while the window closes must fail the test too.
    for (const event of ['console', 'pageerror'] as const) page.removeAllListeners(event)
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
      return navigator.clipboard.writeText('')
    })
    await context.clearCookies()
    return context.pages().length === 1
  } catch {
    return false
  }
}

/** Opens another page of a running host, closed when the test ends; an error in its console fails the test. */
export async function openPageIn(
  { launchLink }: Pick<StartedWindow, 'launchLink'>,
  options?: BrowserContextOptions,
  expected?: RegExp,
): Promise<Page> {
  const { page, faults } = await openPage(await launchChromium(), launchLink(), options)
  onTestFinished(async () => {
    await page.context().close()
    expect(faults.filter((fault) => !expected?.test(fault))).toEqual([])
  })
  return page
}

/** Opens a screen of the window by its URL fragment. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
}
