import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { drawn } from './drawn.ts'

// Light and dark differ in nothing but colour.
const colours = ['color-contrast', 'link-in-text-block']

type Found = { id: string; impact: string | null; nodes: { target: unknown; failureSummary?: string }[] }
type WithAxe = { axe: { run(options: object): Promise<{ violations: Found[] }> } }

/** The violations axe rates serious or critical, as lines that name the rule and the element. */
export async function seriousIn(page: Page, rules?: string[]): Promise<string[]> {
  await drawn(page)
  // AxeBuilder injects axe again on every call, which takes longer than the checks; once is enough.
  if (!(await page.evaluate(() => 'axe' in window))) {
    await new AxeBuilder({ page }).setLegacyMode().withRules(['html-has-lang']).analyze()
  }
  const violations = await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as WithAxe
    const options = { resultTypes: ['violations'], ...(runOnly && { runOnly }) }
    return (await axe.run(options)).violations
  }, rules)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    )
}

/** The serious violations in light and in dark. */
export async function seriousInBoth(page: Page): Promise<string[]> {
  const light = await seriousIn(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('[data-mantine-color-scheme=dark]').waitFor()
  const dark = await seriousIn(page, colours)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('[data-mantine-color-scheme=light]').waitFor()
  return [...light, ...dark.map((fault) => `in the dark, ${fault}`)]
}
