import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { launchChromium } from './chromium.ts'
import { openPage, startWindow } from './start-window.ts'

export type StartedWindow = Awaited<ReturnType<typeof startWindow>>

type Options = {
  /** Creates the vault the page finds; without it, the page finds an empty machine. */
  readonly prepare?: (window: StartedWindow) => Promise<unknown>
  readonly page?: BrowserContextOptions
  /** How long a deletion can be undone. */
  readonly undoMs?: number
  /** Console complaints that the test expects. */
  readonly expected?: RegExp
}

/**
 * A host and its window in a signed-in page, which shows the screens if `prepare` opened a vault.
 * Both are closed when the test ends. A complaint in the page's console fails the test.
 */
export async function openWindow({ prepare, page: options, expected, undoMs }: Options = {}): Promise<{
  vault: StartedWindow
  page: Page
}> {
  const vault = await startWindow(undefined, undefined, undoMs === undefined ? {} : { undoMs })
  onTestFinished(() => vault.close())
  await prepare?.(vault)
  const page = await openPageOf(vault, options, expected)
  if (prepare) await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return { vault, page }
}

/** Another page of a running host, closed when the test ends; a complaint in its console fails the test. */
export async function openPageOf(
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

/** Goes to a place of the window by its address. */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
}
