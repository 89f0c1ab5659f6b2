import type { Page } from 'playwright-core'

/** Waits until nothing moves or fades any more: a half faded text is not what a user reads. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) => playState !== 'running' || effect?.getTiming().iterations === Infinity,
      ),
  )
}
