import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getPermissionWarning, type Permission, permissions } from '../../shared/permissions.ts'
import type { RuleTransform } from '../../shared/schemas/rule.ts'
import { fuzzTimeout, getFuzzParameters } from '../fuzz.ts'
import { pickSome } from '../thorough.ts'
import { openBriefVault } from '../vault.ts'

const number = '4242424242424242'
const text = 'canary-plaintext'

/** The members of a patch that may expose data, and how the warning names each of them. */
const channels = {
  mask: 'a new mask',
  containers: 'a move to a container',
  fingerprint_expression: 'fingerprint expression',
  search_indexes: 'search index',
  metadata: 'metadata',
} as const
type Channel = keyof typeof channels

const sources = [
  '{{ data.number }}',
  '{{ data }}',
  '{{ data | json }}',
  '{{ data.number | slice: 0, 12 }}',
  '{{ data.number | reveal_last: 4 }}',
  '{{ data.cvc }}',
  '{{ data.missing }}',
  '{{ data.number | split: "" | reverse | join: "" }}',
  'constant',
]
const source = fc.constantFrom(...sources)
const patches = fc.record(
  {
    mask: fc.oneof(source, fc.dictionary(fc.constantFrom('a', 'b'), source), fc.constant(null)),
    containers: fc.constantFrom(['/open/'], ['/closed/'], ['/closed/', '/open/'], null),
    fingerprint_expression: fc.oneof(source, fc.constant(null)),
    search_indexes: fc.oneof(fc.array(source, { maxLength: 2 }), fc.constant(null)),
    metadata: fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(number, text, '4242', 'guess')),
      fc.constant(null),
    ),
    data: fc.constantFrom({ expiration_year: 2040 }, {}),
    deduplicate_token: fc.boolean(),
  },
  { requiredKeys: [] },
)

/** Whether a response contains data that its caller did not send, even reversed or in part. */
function includesUnsent(response: unknown, patch: unknown): boolean {
  const removeExpression = (all: string) => all.replaceAll('{{ data.number }}', '')
  const answered = removeExpression(JSON.stringify(response))
  const sent = JSON.stringify(patch)
  const backwards = [...number].reverse().join('')
  // The first 6 or 8 and the last 4 digits are always in card details, so only longer parts are searched.
  return [number, backwards, number.slice(0, 12), text].some(
    (secret) => answered.includes(secret) && !sent.includes(secret),
  )
}

const granted: [RuleTransform | 'permission', readonly Permission[]][] = [
  ['permission', ['token:update']],
  ['mask', ['token:update']],
  ['redact', ['token:update']],
  ['redact', ['token:create', 'token:update']],
]

test.each(pickSome(granted, 1))(
  'X-51 %s with %s: a patch exposes plaintext only through members that the warning names',
  async (transform, held) => {
    const vault = openBriefVault()
    const reveals = { container: '/open/', transform: 'reveal' as const, permissions: [...held] }
    const closed = { container: '/closed/', transform: transform as RuleTransform, permissions: [...held] }
    const rules = [reveals, closed].map((rule, at) => ({ ...rule, priority: at + 1, description: '' }))
    const grants = transform === 'permission' ? { permissions: [...held] } : { rules }
    const app = await vault.application({ type: 'public', ...grants })
    const warning = getPermissionWarning('token:update') ?? ''
    let exposedCount = 0
    await fc.assert(
      fc.asyncProperty(patches, fc.boolean(), async (patch, isCard) => {
        const { id } = await vault.owner.tokens.create({
          type: isCard ? 'card' : 'token',
          data: isCard ? { number, expiration_month: 12, expiration_year: 2030 } : text,
          containers: ['/closed/'],
        })
        const { data, ...rest } = patch
        const sent = isCard ? patch : rest
        const response = await app.client.tokens
          .update({ id, ...sent } as never)
          .catch((error: unknown) => error)
        await expect(app.client.tokens.get({ id })).rejects.toMatchObject({ code: 'forbidden' })
        if (!includesUnsent(response, sent)) return
        exposedCount++
        const exposing = (Object.keys(sent) as (Channel | 'data' | 'deduplicate_token')[]).filter(
          (member): member is Channel => member === 'mask' || member === 'containers',
        )
        expect(exposing).not.toEqual([])
        for (const member of exposing) expect(warning).toContain(channels[member])
        // With redact, only a move to another container exposes the data.
        if (transform === 'redact') expect(exposing).toContain('containers')
      }),
      // Random patches rarely expose plaintext, so many are needed.
      getFuzzParameters(200, 200),
    )
    // Some patches must expose plaintext, otherwise the test proves nothing.
    expect(exposedCount).toBeGreaterThan(transform === 'permission' ? 5 : 1)
  },
  4 * fuzzTimeout,
)

test('X-51 a caller with redact can still guess a token’s data by its fingerprint', async () => {
  const vault = openBriefVault()
  const rule = { container: '/', transform: 'redact' as const, permissions: ['token:update', 'token:create'] }
  const app = await vault.application({ rules: [{ ...rule, priority: 1, description: '' }] as never })
  const { id } = await vault.owner.tokens.create({ type: 'token', data: text })
  const card = await vault.owner.tokens.create({ type: 'card_number', data: number })
  const refused = app.client.tokens.update({ id: card.id, metadata: { guess: number } } as never)
  await expect(refused).rejects.toMatchObject({ code: 'invalid' })
  await app.client.tokens.update({ id: card.id, metadata: { guess: '5555555555554444' } } as never)
  const createFingerprinted = (data: string) =>
    app.client.tokens.create({ type: 'token', data, fingerprint_expression: '{{ data | slice: 0, 1 }}' })
  const changed = await app.client.tokens.update({
    id,
    fingerprint_expression: '{{ data | slice: 0, 1 }}',
  } as never)
  expect((await createFingerprinted('c')).fingerprint).toBe(changed.fingerprint)
  expect((await createFingerprinted('d')).fingerprint).not.toBe(changed.fingerprint)
  for (const member of ['metadata', 'fingerprint_expression', 'search_indexes'] as const) {
    expect(getPermissionWarning('token:update')).toContain(channels[member])
  }
  await vault.owner.tokens.update({ id, search_indexes: ['{{ data }}'] } as never)
  const searching = await vault.application({
    rules: [{ container: '/', transform: 'redact', permissions: ['token:search'], priority: 1 }],
  })
  const found = await searching.client.tokens.search({ query: `data:"${text}"` } as never)
  expect(found.data).toHaveLength(1)
  expect(JSON.stringify(found)).not.toContain(text)
  expect(getPermissionWarning('token:search')).toMatch(/confirms guesses/)
})

test('X-51 T-10 a duplicate without read access shows no data, card details or metadata', async () => {
  const vault = openBriefVault()
  await vault.owner.tokens.create({
    type: 'card_number',
    data: number,
    containers: ['/pii/high/secret/'],
    metadata: { customer: 'Ada' },
  })
  const page = await vault.application({
    type: 'public',
    rules: [{ container: '/web/', transform: 'mask', permissions: ['token:create'], priority: 1 }],
  })
  const response = await page.client.tokens.create({
    type: 'card_number',
    data: number,
    containers: ['/web/'],
    deduplicate_token: true,
  })
  expect(Object.keys(response).sort()).toEqual([
    '_extras',
    'containers',
    'fingerprint',
    'id',
    'tenant_id',
    'type',
  ])
  expect(getPermissionWarning('token:create')).toMatch(/Deduplication reveals/)
})

test('X-51 GET /permissions warns which data a permission also exposes', async () => {
  const vault = openBriefVault()
  const listed = await vault.owner.permissions.list({})
  for (const permission of Object.keys(permissions) as Permission[]) {
    const warning = getPermissionWarning(permission)
    if (warning !== undefined) expect(listed.find(({ type }) => type === permission)?.note).toBe(warning)
  }
  expect(listed.filter(({ note = '' }) => /Amounts to/.test(note)).map(({ type }) => type)).toEqual([
    'token:update',
    'token:use',
    'application:create',
    'application:update',
    'proxy:invoke',
    'reactor:invoke',
  ])
})
