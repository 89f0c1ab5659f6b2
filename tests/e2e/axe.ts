import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { waitForPaint } from './wait-for-paint.ts'

// The light and dark schemes differ only in colour.
const colours = ['color-contrast', 'link-in-text-block']

type AxeViolation = { id: string; nodes: { target: unknown; failureSummary?: string }[] }
type WithAxe = { axe: { run(options: object): Promise<{ violations: AxeViolation[] }> } }

/** Finds axe's violations of WCAG 2.2 AA and good practice, as lines that name the rule and the element. */
export async function findAxeViolations(page: Page, rules?: string[]): Promise<string[]> {
  await waitForPaint(page)
  // AxeBuilder injects axe on every call, which takes longer than the checks. So it is used only once per page.
  if (!(await page.evaluate(() => 'axe' in window))) {
    await new AxeBuilder({ page }).setLegacyMode().withRules(['html-has-lang']).analyze()
  }
  const violations = await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as WithAxe
    const options = {
      resultTypes: ['violations'],
      // No rule here reads style sheets or media, which axe would fetch for each state.
      preload: false,
      runOnly: runOnly ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }
    return (await axe.run(options)).violations
  }, rules)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  )
}

/** Returns the violations in the light scheme and those in the dark one. */
export async function findAxeViolationsInBothSchemes(page: Page): Promise<string[]> {
  const light = await findAxeViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('[data-mantine-color-scheme=dark]').waitFor()
  const dark = await findAxeViolations(page, colours)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('[data-mantine-color-scheme=light]').waitFor()
  return [...light, ...dark.map((fault) => `in the dark, ${fault}`)]
}
