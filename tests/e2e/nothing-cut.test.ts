import { expect, test } from 'vitest'
import { openWindow, visit } from './window-fixture.ts'

test('buttons are shown whole at every width, and the bars of Home begin and end together', async () => {
  let id = ''
  const { page } = await openWindow({
    async prepare({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const many = { type: 'token', data: 'x', containers: ['/a/'] } as const
      await owner.tokens.createMany({ tokens: Array.from({ length: 1000 }, () => many) })
      id = (await owner.tokens.create({ type: 'token', data: 'x', containers: ['/b/'] })).id
    },
  })
  await visit(page, `#/tokens/${id}`)
  const actions = page.locator('.panel .actions')
  await actions.getByText('Copy value').waitFor()
  for (const width of [900, 1280, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 })
    const cut = await actions
      .locator('.mantine-Button-label')
      .evaluateAll((labels) => labels.filter((label) => label.scrollWidth > label.clientWidth).length)
    expect({ width, cut }).toEqual({ width, cut: 0 })
  }

  await page.setViewportSize({ width: 900, height: 900 })
  await visit(page, '#/reactors?view=gallery')
  const use = page.locator('.gallery .mantine-Button-label')
  await use.first().waitFor()
  expect(
    await use.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length),
  ).toBe(0)

  await visit(page, '#/home')
  await page.getByText('1,000', { exact: true }).waitFor()
  const tracks = await page
    .locator('.bars')
    .last()
    .locator('.bar-track')
    .evaluateAll((all) => all.map((each) => [each.getBoundingClientRect().left, each.clientWidth].join()))
  expect(tracks.length).toBe(2)
  expect(new Set(tracks).size).toBe(1)
})
