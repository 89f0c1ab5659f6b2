import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { launchChromium } from './chromium.ts'
import { openPage, startWindow } from './start-window.ts'

export type StartedWindow = Awaited<ReturnType<typeof startWindow>>

type Options = {
  /** Makes the vault that the page meets; without it the page meets an empty machine. */
  readonly prepare?: (window: StartedWindow) => Promise<unknown>
  readonly page?: BrowserContextOptions
  /** Complaints of the page that the test is about. */
  readonly expected?: RegExp
}

/**
 * A program and its window in a page that is signed in, which shows the screens where `prepare` opened a vault.
 * Both are gone when the test ends. A complaint in the console of the page fails the test.
 */
export async function openWindow({ prepare, page: options, expected }: Options = {}): Promise<{
  vault: StartedWindow
  page: Page
}> {
  const vault = await startWindow()
  onTestFinished(() => vault.close())
  await prepare?.(vault)
  const page = await openPageOf(vault, options, expected)
  if (prepare) await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return { vault, page }
}

/** Another page of a program that runs, closed when the test ends; a complaint in its console fails the test. */
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
