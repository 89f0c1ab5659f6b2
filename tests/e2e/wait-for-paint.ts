import type { Page } from 'playwright-core'

/** Waits until no animation runs, because half-faded text would fail checks of contrast. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) => playState !== 'running' || effect?.getTiming().iterations === Infinity,
      ),
  )
}
