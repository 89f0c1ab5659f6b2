import type { Page } from 'playwright-core'

/** Waits until nothing moves or fades, because no user reads a half faded text. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) => playState !== 'running' || effect?.getTiming().iterations === Infinity,
      ),
  )
}
