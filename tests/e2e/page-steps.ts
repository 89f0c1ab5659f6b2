import type { Page } from 'playwright-core'
import { goTo } from './window-fixture.ts'

/** Presses keys, one after another. */
export async function pressKeys(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Starts viewing the window as an application. */
export async function viewAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Viewing as/ }).click()
  await page.getByRole('menuitem', { name: new RegExp(name) }).click()
}

/** Runs the first command that the palette finds, and waits until the palette is closed. */
export async function runFromPalette(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search screens/).fill(typed)
  await page.keyboard.press('Enter')
  await page.getByPlaceholder(/Search screens/).waitFor({ state: 'detached' })
}

/** Waits until the foot of a screen, which counts its rows, has this text. */
export function waitForFoot(page: Page, text: string): Promise<void> {
  return page.locator('.screen-foot').getByText(text, { exact: true }).waitFor()
}

/** Opens a section of the settings. */
export function openSettings(page: Page, section: string): Promise<void> {
  return goTo(page, `#/settings/${section}`)
}
