import { expect, test } from 'vitest'
import { tokenTypes } from '../../renderer/parts/tokens/token-types.ts'
import { typeLabels } from '../../shared/token-types.ts'
import { makeDocument } from '../make-document.ts'
import { pickSome } from '../thorough.ts'
import { goTo, openWindow } from './window-fixture.ts'

const widths = pickSome([900, 1280, 1920, 2560], 2)

test('buttons are not clipped at any width, and the bars on Home align', async () => {
  let id = ''
  const { page } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const many = { type: 'token', data: 'x', containers: ['/a/'] } as const
      await owner.tokens.createMany({ tokens: Array.from({ length: 1000 }, () => many) })
      id = (await owner.tokens.create({ type: 'token', data: 'x', containers: ['/b/'] })).id
    },
  })
  await goTo(page, `#/tokens/${id}`)
  const actions = page.locator('.panel .panel-actions')
  await actions.getByText('Copy value').waitFor()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const cut = await actions
      .locator('.mantine-Button-label')
      .evaluateAll((labels) => labels.filter((label) => label.scrollWidth > label.clientWidth).length)
    expect({ width, cut }).toEqual({ width, cut: 0 })
  }

  await page.setViewportSize({ width: 900, height: 900 })
  await goTo(page, '#/reactors?view=gallery')
  const use = page.locator('.reactors-gallery .mantine-Button-label')
  await use.first().waitFor()
  expect(
    await use.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length),
  ).toBe(0)

  await goTo(page, '#/settings/window')
  await page.locator('.settings-link[aria-current="page"]').waitFor()
  const heights = await page
    .locator('.settings-link')
    .evaluateAll((all) => all.map((each) => each.clientHeight))
  expect(new Set(heights).size).toBe(1)

  await goTo(page, '#/home')
  await page.getByText('1,000', { exact: true }).waitFor()
  const tracks = await page
    .locator('.home-bars')
    .last()
    .locator('.home-bar-track')
    .evaluateAll((all) => all.map((each) => [each.getBoundingClientRect().left, each.clientWidth].join()))
  expect(tracks.length).toBe(2)
  expect(new Set(tracks).size).toBe(1)
})

test('column headings, token types and log filters are not clipped', async () => {
  let proxy = ''
  const { page } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      await owner.tokens.createMany({
        tokens: Object.entries(tokenTypes).map(([type, { sample }]) => ({ type, data: sample })),
      })
      proxy = (await owner.proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' }))
        .id
    },
  })
  const listClippedHeads = () =>
    page
      .locator('.grid-head-name')
      .evaluateAll((all) =>
        all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent),
      )
  await page.setViewportSize({ width: 900, height: 900 })
  await goTo(page, '#/tokens')
  const types = page.locator('td:has(> .tokens-cell-type)')
  await types.first().waitFor()
  const names = await types.evaluateAll((all) =>
    all.map((cell) => [
      cell.querySelector('span')?.title,
      cell.textContent,
      cell.scrollWidth <= cell.clientWidth,
    ]),
  )
  expect(names.toSorted()).toEqual(
    Object.values(typeLabels)
      .map(({ name, short }) => [name, short, true])
      .toSorted(),
  )
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const [hash, shown] of [
      ['#/requests', 'Took'],
      [`#/proxies/${proxy}`, 'Transforms'],
    ] as const) {
      await goTo(page, hash)
      await page.locator('.grid-head-name').getByText(shown, { exact: true }).waitFor()
      expect({ width, hash, cut: await listClippedHeads() }).toEqual({ width, hash, cut: [] })
    }
  }

  await page.setViewportSize({ width: 900, height: 700 })
  await goTo(page, '#/requests')
  const search = page.getByRole('combobox', { name: /^Filter/ })
  await search.waitFor()
  const boxes = await page
    .locator('.screen-filters > *')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect))
  // What is only for screen readers has a height of one pixel.
  const visible = boxes.filter(({ height }) => height > 1)
  expect(visible.length).toBe(6)
  expect(Math.max(...visible.map(({ top }) => top))).toBeLessThan(
    Math.min(...visible.map(({ bottom }) => bottom)),
  )
  // The search field is wide enough for its placeholder.
  expect(
    await search.evaluate((field: HTMLInputElement) => {
      field.value = field.placeholder
      return field.scrollWidth - field.clientWidth
    }),
  ).toBe(0)
})

test('the longest age fits its column in every list', async () => {
  const { page } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      await owner.tokens.create({ type: 'token', data: 'x' })
      await makeDocument(owner, Buffer.from('x'), { content_type: 'text/plain' })
      const { key = '' } = await owner.applications.create({
        name: 'Checkout',
        type: 'private',
        permissions: ['proxy:invoke'],
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      })
      const proxy = await owner.proxies.create({
        name: 'Charges',
        destination_url: 'https://echo.coffer.test',
      })
      await owner.host.listenerOn()
      const { listener } = await owner.host.status()
      const headers = { 'SVC-API-KEY': key, 'SVC-PROXY-KEY': proxy.key ?? '' }
      await fetch(`${listener.state === 'on' ? listener.url : ''}/proxy`, { headers })
    },
  })
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const [screen, count] of [
      ['tokens', 1],
      ['documents', 1],
      ['applications', 2],
      ['proxies', 1],
    ] as const) {
      await goTo(page, `#/${screen}`)
      const ages = page.locator('.grid-row[data-index] time')
      await ages.nth(count - 1).waitFor()
      const cut = await ages.evaluateAll((all) =>
        all.flatMap((age) => {
          const isExpiry = Date.parse((age as HTMLTimeElement).dateTime) > Date.now()
          age.textContent = isExpiry ? '59 min ago' : '59 min ahead'
          const cell = age.closest('td') ?? age
          return cell.scrollWidth > cell.clientWidth ? [cell.clientWidth] : []
        }),
      )
      expect({ width, screen, cut }).toEqual({ width, screen, cut: [] })
    }
  }
})

test('a log record describes its deliveries, and leaves no gaps for missing buttons', async () => {
  const { page } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const { id } = await owner.webhooks.create({
        name: 'Shop',
        url: 'http://localhost:9/hooks',
        events: ['token.created'],
      })
      await owner.deliveries.sendTest({ webhook_id: id, type: 'token.created' })
    },
  })
  await goTo(page, '#/requests')
  await page.getByRole('row', { name: /deliveries\.sendTest/ }).click()
  const result = page.locator('.requests-story li')
  await result.getByText(/^(Waiting|Given up)$/).waitFor()
  expect(await page.locator('.panel .panel-actions:visible').count()).toBe(0)
})

test('lists fit next to an open drawer and show the containers of each access', {
  tags: 'thorough',
}, async () => {
  const places: string[] = []
  const { page } = await openWindow({
    async prepareVault({ owner }) {
      await owner.host.createVault({ name: 'shop', protection: { memory: true } })
      const createRule = (permissions: readonly string[]) =>
        ({
          description: 'x',
          priority: permissions.length,
          container: '/',
          transform: 'redact',
          permissions,
        }) as const
      const { id } = await owner.applications.create({
        name: 'Backend',
        type: 'private',
        rules: [createRule(['token:create']), createRule(['token:read', 'token:search'])],
      } as never)
      const url = 'http://localhost:9/a/long/path/of/the/receiver'
      const webhook = await owner.webhooks.create({ name: 'Shop', url, events: ['token.created'] })
      const proxy = await owner.proxies.create({
        name: 'Charges',
        destination_url: 'https://echo.coffer.test',
      })
      const document = await makeDocument(owner, Buffer.from('x'), { content_type: 'text/plain' })
      const token = await owner.tokens.create({ type: 'token', data: 'x' })
      places.push(
        `#/tokens/${token.id}`,
        `#/applications/${id}`,
        `#/webhooks/${webhook.id}`,
        `#/proxies/${proxy.id}`,
        `#/documents/${document}`,
      )
    },
  })
  for (const place of places) {
    await goTo(page, place)
    await page.locator('.panel-title').waitFor()
    await page.locator('.grid-row[data-index]').first().waitFor()
    const over = await page.locator('.grid').evaluate((grid) => grid.scrollWidth - grid.clientWidth)
    expect({ place, over }).toEqual({ place, over: 0 })
    const where = await page
      .locator('.applications-access .mono')
      .evaluateAll((all) => all.map((each) => each.getClientRects()[0]?.width))
    expect(where.filter((width) => width === 0)).toEqual([])
  }
})

test('a command in an empty list wraps between JSON members, not inside a word', async () => {
  const { page } = await openWindow({
    prepareVault: ({ owner }) => owner.host.createVault({ name: 'shop', protection: { memory: true } }),
  })
  await goTo(page, '#/tokens')
  await page.locator('.empty pre').waitFor()
  for (const width of [420, 900, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    const broken = await page.locator('.empty pre').evaluate((pre) => {
      const text = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT)
      const words: string[] = []
      for (let node = text.nextNode(); node; node = text.nextNode())
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/\w+/g)) {
          const range = document.createRange()
          range.setStart(node, index)
          range.setEnd(node, index + word.length)
          if (range.getClientRects().length > 1) words.push(word)
        }
      return words
    })
    expect({ width, broken }).toEqual({ width, broken: [] })
  }
})

test('no screen is taller than its window', async () => {
  const { page } = await openWindow({
    prepareVault: ({ owner }) => owner.host.createVault({ name: 'shop', protection: { memory: true } }),
  })
  await page.setViewportSize({ width: 900, height: 600 })
  for (const [hash, text] of [
    ['#/playground', 'Masks all but the last n characters'],
    ['#/home', 'First steps'],
  ] as const) {
    await goTo(page, hash)
    await page.getByText(text).first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(600)
  }
})
