import { expect, test } from 'vitest'
import { splitAtExpressions } from '../../electron/engine/expressions/split-at-expressions.ts'
import { catchProblem, openBriefVault } from '../vault.ts'
import { withoutIds } from '../without-ids.ts'

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

async function openVaultWithTokens() {
  const vault = openBriefVault()
  const token = await vault.owner.tokens.create({ type: 'card', data: card, metadata: { owner: 'Jane' } })
  const text = await vault.owner.tokens.create({ id: 'plain text id', type: 'token', data: 'Jane Doe' })
  const createReader = (transform: 'reveal' | 'mask' | 'redact', container = '/') =>
    vault.application({ rules: [{ priority: 1, container, transform, permissions: ['token:read'] }] })
  return { vault, token, text, createReader }
}

test('O-02 expressions are replaced in place, and the rest of the payload is unchanged', async () => {
  const { token, text, createReader } = await openVaultWithTokens()
  const { client } = await createReader('reveal')
  const result = await client.tokens.detokenize({
    payload: {
      number: `{{ ${token.id} | json: '$.number' }}`,
      month: `{{token: ${token.id} | json: '$.data.expiration_month' | pad_left: 2, '0'}}`,
      name: `Dear {{ ${text.id} }}, card {{ ${token.id} | json: '$.number' | last4 }}`,
      nested: [{ whole: `{{ ${token.id} }}` }],
      kept: [1, true, null, 'text'],
    },
  })
  expect(result).toEqual({
    number: card.number,
    month: '12',
    name: 'Dear Jane Doe, card 4242',
    nested: [{ whole: card }],
    kept: [1, true, null, 'text'],
  })
  expect(await client.tokens.detokenize({ payload: `{{ ${text.id} }}` })).toBe('Jane Doe')
})

test.each([
  [`{{ plain text id | append: '}}' }}`, 'Jane Doe}}'],
  [`{{ plain text id | append: "}}" }} and {{ plain text id | append: '{{' }}`, 'Jane Doe}} and Jane Doe{{'],
  [`{{ plain text id | append: "it's }}" | upcase }} it's "fine"`, `JANE DOEIT'S }} it's "fine"`],
  [`{{ it's }}`, 'short'],
  [`{{ it's }} {{ it's }}`, 'short short'],
  [`{{ it's | upcase }} {{ it's | append: '}' }}}`, 'SHORT short}}'],
])('O-02 braces in a quoted string do not end an expression: %s', async (payload, expected) => {
  const { vault, createReader } = await openVaultWithTokens()
  await vault.owner.tokens.create({ id: "it's", type: 'token', data: 'short' })
  const { client } = await createReader('reveal')
  expect(await client.tokens.detokenize({ payload })).toBe(expected)
})

test.each([`{{ a | append: ' }}`, `{{ a | append: '\\" }} '`, `"{{|"}}'`])(
  'O-02 R-03 unclosed quotation marks are split quickly: %s',
  (unit) => {
    const text = unit.repeat(1_000_000 / unit.length)
    const started = process.cpuUsage()
    expect(splitAtExpressions(text, 'body', () => null).length).toBeGreaterThan(10_000)
    const { user, system } = process.cpuUsage(started)
    // This takes some 20 ms. It would take seconds if each quotation mark caused another search to the end.
    expect((user + system) / 1000).toBeLessThan(500)
  },
)

test('O-02 “token:” returns the complete token as token:read shows it', async () => {
  const { token, createReader } = await openVaultWithTokens()
  const { client } = await createReader('mask')
  const [whole, metadata, year] = (await client.tokens.detokenize({
    payload: [
      `{{ token: ${token.id} }}`,
      `{{ token: ${token.id} | json: '$.metadata.owner' }}`,
      `{{ token: ${token.id} | json: '$.card.expiration_year' }}`,
    ],
  })) as [unknown, unknown, unknown]
  expect(whole).toEqual(await client.tokens.get({ id: token.id }))
  expect([metadata, year]).toEqual(['Jane', 2030])
})

test('O-02 X-16 detokenize applies the transform of token:read', async () => {
  const { token, createReader } = await openVaultWithTokens()
  const payload = { all: `{{ ${token.id} }}`, whole: `{{ token: ${token.id} }}` }
  const masked = await (await createReader('mask')).client.tokens.detokenize({ payload })
  expect(masked).toMatchObject({ all: { number: 'XXXXXXXXXXXX4242' } })
  expect(JSON.stringify(masked)).not.toContain(card.number)
  const redacted = await (await createReader('redact')).client.tokens.detokenize({ payload })
  expect(redacted).toMatchObject({
    all: null,
    whole: expect.not.objectContaining({ data: expect.anything() }),
  })
  expect(withoutIds(redacted)).not.toContain('123')
})

test('O-02 an unknown id gets 400 and is named, an inaccessible token gets 403', async () => {
  const { vault, token, createReader } = await openVaultWithTokens()
  const { client } = await createReader('reveal', '/general/')
  const unknown = await catchProblem(
    client.tokens.detokenize({
      payload: { a: ['{{ 4242424242424242 }}'], b: '{{ token: nobody }}', c: '{{ nobody | last4 }}' },
    }),
  )
  expect(unknown).toEqual({
    title: 'One or more validation errors occurred.',
    status: 400,
    code: 'invalid',
    detail: 'Failed to detokenize some tokens: …, nobody',
    errors: { 'a[0]': [expect.any(String)], b: [expect.any(String)], c: [expect.any(String)] },
  })
  expect((await catchProblem(client.tokens.detokenize({ payload: `{{ ${token.id} }}` }))).status).toBe(403)
  const gone = await vault.owner.tokens.create({ type: 'token', data: 1, expires_at: '2030-01-02' })
  vault.clock.advance(86_400_000)
  expect((await catchProblem(client.tokens.detokenize({ payload: `{{ ${gone.id} }}` }))).status).toBe(400)
})

test.each([
  '{{ }}',
  '{{ | upcase }}',
  '{{ token: }}',
  '{{ open',
  "{{ ID | json: '$.nope' }}",
  '{{ ID | nonsense }}',
  '{{ ID | reveal_last: }}',
])('O-02 an expression that cannot be evaluated is 400: %s', async (expression) => {
  const { token, createReader } = await openVaultWithTokens()
  const { client } = await createReader('reveal')
  const problem = await catchProblem(
    client.tokens.detokenize({ payload: { at: expression.replace('ID', token.id) } }),
  )
  expect(problem).toMatchObject({ status: 400, errors: { at: [expect.any(String)] } })
  expect(JSON.stringify(problem)).not.toContain('4242')
})

test('O-02 the tenant sets the limit of expressions, five by default', async () => {
  const { vault, text, createReader } = await openVaultWithTokens()
  const { client } = await createReader('reveal')
  const six = Array.from({ length: 6 }, () => `{{ ${text.id} }}`)
  expect((await catchProblem(client.tokens.detokenize({ payload: six }))).status).toBe(400)
  expect((await catchProblem(client.tokens.detokenize({ payload: six.join('') }))).status).toBe(400)
  await vault.owner.tenants.update({ name: 'Test', settings: { expressions_per_detokenize: '6' } })
  expect(await client.tokens.detokenize({ payload: six })).toEqual(six.map(() => 'Jane Doe'))
})

test('O-02 X-21 a payload that repeats a large token beyond the size limit is rejected', async () => {
  const { vault, createReader } = await openVaultWithTokens()
  await vault.owner.tenants.update({ name: 'Test', settings: { expressions_per_detokenize: '1000' } })
  const large = await vault.owner.tokens.create({ type: 'token', data: 'x'.repeat(1_000_000) })
  const { client } = await createReader('reveal')
  const payload = Array.from({ length: 100 }, () => `{{ ${large.id} }}`)
  expect((await catchProblem(client.tokens.detokenize({ payload }))).status).toBe(400)
})

test('O-02 reading a token intent needs both token:read and token-intent:read', async () => {
  const { vault, createReader } = await openVaultWithTokens()
  const intent = await vault.owner.tokenIntents.create({ type: 'card', data: card })
  const payload = `{{ token_intent: ${intent.id} | json: '$.data.number' }}`
  const createApplication = (transform: 'reveal' | 'mask', permissions: string[], container = '/pci/') =>
    vault.application({ rules: [{ priority: 1, container, transform, permissions: permissions as never }] })
  const both = ['token:read', 'token-intent:read']
  expect(await (await createApplication('reveal', both)).client.tokens.detokenize({ payload })).toBe(
    card.number,
  )
  expect(await (await createApplication('mask', both)).client.tokens.detokenize({ payload })).toBe(
    'XXXXXXXXXXXX4242',
  )
  const { client } = await createReader('reveal')
  expect((await catchProblem(client.tokens.detokenize({ payload }))).status).toBe(403)
  const elsewhere = await createApplication('reveal', both, '/general/')
  expect((await catchProblem(elsewhere.client.tokens.detokenize({ payload }))).status).toBe(403)
})

test('O-02 O-05 the log record of a call is found by the id of each token read', async () => {
  const { vault, token, text, createReader } = await openVaultWithTokens()
  const { client, id } = await createReader('reveal')
  await client.tokens.detokenize({ payload: [`{{ ${token.id} }}`, `{{ ${text.id} }}`, `{{ ${text.id} }}`] })
  for (const entity_id of [token.id, text.id]) {
    const { data } = await vault.owner.logs.list({ entity_id })
    expect(data.filter(({ action }) => action === 'tokens.detokenize')).toEqual([
      expect.objectContaining({ actor_id: id, entity_id, message: 'Token retrieved', note: '2 tokens' }),
    ])
  }
})

test('O-02 X-16 an error lists each unknown id once, masked, and only a few of them', async () => {
  const { owner } = openBriefVault()
  await owner.tenants.update({ name: 'Test', settings: { expressions_per_detokenize: '1000' } })
  const getDetail = async (...ids: string[]) => {
    const { detail } = await catchProblem(
      owner.tokens.detokenize({ payload: ids.map((id) => `{{ token: ${id} }}`) }),
    )
    return detail.replace('Failed to detokenize some tokens: ', '')
  }
  expect(await getDetail('unknown_token_id', 'another', 'unknown_token_id')).toBe('unknown_token_id, another')
  const uuid = '01234567-0123-4123-8123-012345678901'
  expect(await getDetail(uuid, 'order-12345678901')).toBe(`${uuid}, order-12345678901`)
  expect(await getDetail('card-4242 4242-4242.4242-x', '４２４２４２４２４２４２４２４２')).toBe(
    'card-…-x, …',
  )
  expect(await getDetail('a/b', 'x'.repeat(401), 'ab')).toBe('…')
  const many = Array.from({ length: 500 }, (_, at) => `${'long'.repeat(90)}-${at}`)
  const detail = await getDetail(...many)
  expect([detail.length < 8_500, detail.endsWith(', and 480 more')]).toEqual([true, true])
})

test('O-02 A-05 an unknown filter is reported once, with its path', async () => {
  const { vault, token } = await openVaultWithTokens()
  const payload = { x: [`{{ ${token.id} | nope }}`] }
  expect(await catchProblem(vault.owner.tokens.detokenize({ payload }))).toMatchObject({
    detail: 'x[0] has an unknown filter: nope',
    errors: { 'x[0]': ['has an unknown filter: nope'] },
  })
})
