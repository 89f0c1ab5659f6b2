import { expect, test } from 'vitest'
import type { PaletteKind } from '../../shared/schemas/palette.ts'
import { catchProblem, createTestClient, openBriefVault } from '../vault.ts'

const PAN = '4242424242424242'

async function openFilledVault() {
  const vault = openBriefVault()
  const { owner } = vault
  const card = await owner.tokens.create({
    type: 'card',
    data: { number: PAN, expiration_month: 12, expiration_year: 2040 },
    metadata: { customer: 'Ada Lovelace' },
  })
  const note = await owner.tokens.create({
    id: 'note-77',
    type: 'token',
    data: 'a secret note',
    mask: 'a note',
    containers: ['/notes/'],
  })
  const findGroup = async (kind: PaletteKind, text: string, as?: string) => {
    const { groups } = await owner.palette.search({ text, ...(as !== undefined && { as }) })
    return groups.find((each) => each.kind === kind)
  }
  const evaluateExpression = (expression: string, as?: string) =>
    owner.palette.evaluate({ expression, ...(as !== undefined && { as }) })
  return { vault, owner, card, note, findGroup, evaluateExpression }
}

test('the palette finds tokens by last four, metadata, id and a card number with spaces, masked', async () => {
  const { card, findGroup } = await openFilledVault()
  for (const text of ['4242', 'ada', card.id, '4242 4242 4242 4242']) {
    const found = await findGroup('token', text)
    expect(found?.hits.map(({ id }) => id)).toEqual([card.id])
    expect(JSON.stringify(found)).not.toContain(PAN)
  }
  expect(await findGroup('token', 'ada')).toMatchObject({ total: 1, hits: [{ detail: /Ada Lovelace/ }] })
  expect(await findGroup('token', 'nobody')).toBeUndefined()
})

test('the palette lists a token that has the whole word before newer ones that only begin with it', async () => {
  const { owner, card, findGroup } = await openFilledVault()
  const createToken = (id: string, customer: string) =>
    owner.tokens.create({ id, type: 'token', data: 'x', metadata: { customer } })
  await createToken('exact', 'ada')
  for (let at = 0; at < 8; at++) await createToken(`longer-${at}`, `ada2999${at}`)
  const found = await findGroup('token', 'Ada')
  expect(found?.hits.map(({ id }) => id).slice(0, 3)).toEqual(['exact', card.id, 'longer-7'])
  expect(found).toMatchObject({ total: 10, hits: { length: 6 } })
})

test('the palette finds refusals by status, and leaves out what an application may not see', async () => {
  const { vault, owner, note, findGroup } = await openFilledVault()
  const { id } = await owner.applications.create({
    name: 'Backend',
    type: 'private',
    rules: [
      {
        priority: 1,
        container: '/notes/',
        permissions: ['token:read'],
        transform: 'reveal',
        description: 'r',
      },
    ],
  })
  const backend = createTestClient(() => vault.engine, { kind: 'as', application_id: id })
  await catchProblem(backend.tokens.create({ type: 'token', data: 'x' }))
  expect(await findGroup('request', '403')).toMatchObject({
    total: 1,
    hits: [{ name: '403 tokens.create', detail: 'forbidden' }],
  })
  expect(await findGroup('token', '4242', id)).toBeUndefined()
  expect(await findGroup('request', '403', id)).toBeUndefined()
  // SECURITY: a rule that reveals still shows only the mask here.
  expect((await findGroup('token', 'note-7', id))?.hits).toMatchObject([{ id: note.id, name: 'a note' }])
})

test('the palette finds no redacted token by what its data contains', async () => {
  const { owner, card, findGroup } = await openFilledVault()
  const { id } = await owner.applications.create({
    name: 'Counter',
    type: 'private',
    rules: [
      { priority: 1, container: '/', permissions: ['token:read'], transform: 'redact', description: 'r' },
    ],
  })
  expect(await findGroup('token', '4242', id)).toBeUndefined()
  expect((await findGroup('token', 'ada', id))?.hits).toMatchObject([{ id: card.id, name: card.id }])
})

test('the palette finds documents, merchants, intents and sessions', async () => {
  const { owner, findGroup } = await openFilledVault()
  const merchant = await owner.merchants.create({ tenant_id: 'self', name: 'Corner Shop' })
  const intent = await owner.tokenIntents.create({
    type: 'card_number',
    data: PAN,
  })
  expect((await findGroup('merchant', 'shop'))?.hits).toMatchObject([
    { id: merchant.id, name: 'Corner Shop' },
  ])
  expect((await findGroup('token_intent', '4242'))?.hits).toMatchObject([
    { id: intent.id, name: '•••• 4242' },
  ])
  expect((await findGroup('token_intent', intent.id.slice(0, 6)))?.total).toBe(1)
})

test('an expression of the palette sees what a mask shows of a token, and nothing where it may not read', async () => {
  const { owner, card, note, evaluateExpression } = await openFilledVault()
  expect(await evaluateExpression('{{ "4242" | last4 }}')).toEqual({ result: '4242', is_masked: false })
  expect(await evaluateExpression('"ada" | upcase')).toEqual({ result: 'ADA', is_masked: false })
  expect(await evaluateExpression(`note: {{ ${note.id} }}`)).toEqual({
    result: 'note: a note',
    is_masked: true,
  })
  const shown = await evaluateExpression(`{{ token: ${card.id} }}`)
  expect(JSON.stringify(shown)).not.toContain(PAN)
  expect(shown.result).toMatchObject({ id: card.id, type: 'card' })
  const { id } = await owner.applications.create({
    name: 'None',
    type: 'private',
    permissions: ['token:create'],
  })
  expect(await catchProblem(evaluateExpression(`{{ ${note.id} }}`, id))).toMatchObject({ status: 403 })
  expect(await catchProblem(evaluateExpression('{{ token: missing }}'))).toMatchObject({ status: 400 })
})

test('R-03 an expression of the palette that names too much data is refused', async () => {
  const { owner, evaluateExpression } = await openFilledVault()
  const { id } = await owner.tokens.create({ type: 'token', data: 'x'.repeat(50_000) })
  expect(await evaluateExpression(`{{ ${id} }}{{ ${id} }}`)).toMatchObject({ is_masked: true })
  const error = await catchProblem(evaluateExpression(`{{ ${id} }}`.repeat(10)))
  expect(error.errors).toEqual({
    expression: ['names more than 128 KiB of tokens; open them in Tokens instead'],
  })
})

test('R-03 the palette and the list of token intents do not open large ones', async () => {
  const { owner, findGroup } = await openFilledVault()
  for (let at = 0; at < 60; at++)
    await owner.tokenIntents.create({ type: 'token', data: 'x'.repeat(1_000_000) })
  const started = process.cpuUsage()
  expect(await findGroup('token_intent', '4242')).toBeUndefined()
  expect((await owner.tokenIntents.list({ q: '4242' })).data).toEqual([])
  const { user, system } = process.cpuUsage(started)
  // It would take some 300 ms to decrypt them.
  expect((user + system) / 1000).toBeLessThan(50)
})

test('what is typed in the palette leaves no trace in the log', async () => {
  const { owner, findGroup, evaluateExpression } = await openFilledVault()
  const listActions = async () =>
    (await owner.logs.find({ page: 1, size: 100 })).data.map(({ action }) => action)
  const before = await listActions()
  await findGroup('token', PAN)
  await evaluateExpression(`"${PAN}" | last4`)
  await catchProblem(evaluateExpression(`"${PAN}" | nofilter`))
  expect(await listActions()).toEqual(before)
})
