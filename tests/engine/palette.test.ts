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
  const find = async (kind: PaletteKind, text: string, as?: string) => {
    const { groups } = await owner.palette.search({ text, ...(as !== undefined && { as }) })
    return groups.find((each) => each.kind === kind)
  }
  const evaluate = (expression: string, as?: string) =>
    owner.palette.evaluate({ expression, ...(as !== undefined && { as }) })
  return { vault, owner, card, note, find, evaluate }
}

test('the palette finds tokens by last four, metadata, id and a card number with spaces, masked', async () => {
  const { card, find } = await openFilledVault()
  for (const text of ['4242', 'ada', card.id, '4242 4242 4242 4242']) {
    const found = await find('token', text)
    expect(found?.hits.map(({ id }) => id)).toEqual([card.id])
    expect(JSON.stringify(found)).not.toContain(PAN)
  }
  expect(await find('token', 'ada')).toMatchObject({ total: 1, hits: [{ detail: /Ada Lovelace/ }] })
  expect(await find('token', 'nobody')).toBeUndefined()
})

test('the palette finds refusals by status, and leaves out what an application may not see', async () => {
  const { vault, owner, note, find } = await openFilledVault()
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
  expect(await find('request', '403')).toMatchObject({
    total: 1,
    hits: [{ name: '403 tokens.create', detail: 'forbidden' }],
  })
  expect(await find('token', '4242', id)).toBeUndefined()
  expect(await find('request', '403', id)).toBeUndefined()
  // SECURITY: a rule that reveals still shows only the mask here.
  expect((await find('token', 'note-7', id))?.hits).toMatchObject([{ id: note.id, name: 'a note' }])
})

test('the palette finds no redacted token by what its data contains', async () => {
  const { owner, card, find } = await openFilledVault()
  const { id } = await owner.applications.create({
    name: 'Counter',
    type: 'private',
    rules: [
      { priority: 1, container: '/', permissions: ['token:read'], transform: 'redact', description: 'r' },
    ],
  })
  expect(await find('token', '4242', id)).toBeUndefined()
  expect((await find('token', 'ada', id))?.hits).toMatchObject([{ id: card.id, name: card.id }])
})

test('the palette finds documents, merchants, intents and sessions', async () => {
  const { owner, find } = await openFilledVault()
  const merchant = await owner.merchants.create({ tenant_id: 'self', name: 'Corner Shop' })
  const intent = await owner.tokenIntents.create({
    type: 'card_number',
    data: PAN,
  })
  expect((await find('merchant', 'shop'))?.hits).toMatchObject([{ id: merchant.id, name: 'Corner Shop' }])
  expect((await find('token_intent', '4242'))?.hits).toMatchObject([{ id: intent.id, name: '•••• 4242' }])
  expect((await find('token_intent', intent.id.slice(0, 6)))?.total).toBe(1)
})

test('an expression of the palette sees what a mask shows of a token, and nothing where it may not read', async () => {
  const { owner, card, note, evaluate } = await openFilledVault()
  expect(await evaluate('{{ "4242" | last4 }}')).toEqual({ result: '4242', is_masked: false })
  expect(await evaluate('"ada" | upcase')).toEqual({ result: 'ADA', is_masked: false })
  expect(await evaluate(`note: {{ ${note.id} }}`)).toEqual({ result: 'note: a note', is_masked: true })
  const shown = await evaluate(`{{ token: ${card.id} }}`)
  expect(JSON.stringify(shown)).not.toContain(PAN)
  expect(shown.result).toMatchObject({ id: card.id, type: 'card' })
  const { id } = await owner.applications.create({
    name: 'None',
    type: 'private',
    permissions: ['token:create'],
  })
  expect(await catchProblem(evaluate(`{{ ${note.id} }}`, id))).toMatchObject({ status: 403 })
  expect(await catchProblem(evaluate('{{ token: missing }}'))).toMatchObject({ status: 400 })
})

test('what is typed in the palette leaves no trace in the log', async () => {
  const { owner, find, evaluate } = await openFilledVault()
  const list = async () => (await owner.logs.find({ page: 1, size: 100 })).data.map(({ action }) => action)
  const before = await list()
  await find('token', PAN)
  await evaluate(`"${PAN}" | last4`)
  await catchProblem(evaluate(`"${PAN}" | nofilter`))
  expect(await list()).toEqual(before)
})
