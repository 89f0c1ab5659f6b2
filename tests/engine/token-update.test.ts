import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { AccessRule, RuleTransform } from '../../shared/schemas/rule.ts'
import { getRunCount } from '../thorough.ts'
import { catchProblem, openBriefVault } from '../vault.ts'
import { catchErrorFields } from './vault-helpers.ts'

const number = '4242424242424242'
const other = '4111111111111111'
const hour = 3_600_000

const createRule = (
  transform: RuleTransform,
  container = '/',
  priority = 1,
  ...more: Permission[]
): AccessRule => ({
  priority,
  container,
  transform,
  permissions: more.length > 0 ? more : ['token:create', 'token:read', 'token:update', 'token:delete'],
})

async function openRevealingVault() {
  const vault = openBriefVault()
  const application = await vault.application({ rules: [createRule('reveal')] })
  return { vault, ...application, tokens: application.client.tokens }
}

describe('patching', () => {
  test('T-12 data, mask and metadata are merged, other members are replaced', async () => {
    const { vault, id: application, tokens } = await openRevealingVault()
    const created = await tokens.create({
      id: 'one',
      type: 'token',
      data: { keep: 1, change: { a: 1, b: [1, 2] }, drop: 1 },
      mask: { keep: 'k', drop: 'd' },
      metadata: { keep: 'k', change: 'c', drop: 'd' },
      containers: ['/a/', '/b/'],
      search_indexes: ['{{ data.keep }}'],
      fingerprint_expression: '{{ data.keep }}',
      expires_at: '2031-01-01',
    })
    vault.clock.advance(5)
    const { _extras, ...patched } = await tokens.update({
      id: 'one',
      data: { change: { b: [3], c: 'new' }, drop: null, add: false },
      mask: { drop: null, add: 'a' },
      metadata: { change: 'C', drop: null, add: 'a' },
      containers: ['/C/'],
      search_indexes: ['{{ data.add }}', '{{ data.change.c }}'],
      fingerprint_expression: '{{ data.change.c }}',
      expires_at: '2032-01-01',
    })
    expect(_extras).toEqual({ deduplicated: false })
    expect(patched).toEqual({
      id: 'one',
      tenant_id: created.tenant_id,
      type: 'token',
      data: { keep: 1, change: { a: 1, b: [3], c: 'new' }, add: false },
      mask: { keep: 'k', add: 'a' },
      fingerprint: expect.not.stringMatching(`^${created.fingerprint}$`),
      fingerprint_expression: '{{ data.change.c }}',
      containers: ['/c/'],
      metadata: { keep: 'k', change: 'C', add: 'a' },
      search_indexes: ['{{ data.add }}', '{{ data.change.c }}'],
      expires_at: '2032-01-01T00:00:00.000+00:00',
      created_by: application,
      created_at: created.created_at,
      modified_by: application,
      modified_at: '2030-01-01T00:00:00.005+00:00',
    })
    expect(await tokens.get({ id: 'one' })).toEqual(patched)
  })

  test('T-12 L-09 a changed token is found by its new values only', async () => {
    const { tokens } = await openRevealingVault()
    const { id, fingerprint: before = '' } = await tokens.create({
      type: 'token',
      data: 'before',
      containers: ['/a/', '/b/'],
      metadata: { k: 'before' },
      search_indexes: ['{{ data }}'],
    })
    const countFound = async (fingerprint: string, container: string, value: string) =>
      Promise.all([
        tokens.list({ fingerprint }),
        tokens.list({ container }),
        tokens.list({ metadata: { k: value } }),
        tokens.search({ query: `data:${value}` }),
      ]).then((lists) => lists.map((list) => list.data.length))
    expect(await countFound(before, '/b/', 'before')).toEqual([1, 1, 1, 1])
    const { fingerprint: after = '' } = await tokens.update({
      id,
      data: 'after',
      containers: ['/a/', '/c/'],
      metadata: { k: 'after' },
    })
    expect(await countFound(before, '/b/', 'before')).toEqual([0, 0, 0, 0])
    expect(await countFound(after, '/c/', 'after')).toEqual([1, 1, 1, 1])
  })

  test('T-12 an empty patch changes only modified_by and modified_at', async () => {
    const { id: application, tokens } = await openRevealingVault()
    const { _extras, ...created } = await tokens.create({
      type: 'card',
      data: { number, cvc: '123' },
      metadata: { a: 'b' },
      expires_at: '2031-01-01T00:00:00+05:00',
    })
    const { _extras: _, ...patched } = await tokens.update({ id: created.id })
    expect(patched).toEqual({ ...created, modified_by: application, modified_at: created.created_at })
  })

  test('T-12 null clears expires_at, mask and metadata, and resets other members', async () => {
    const { vault, tokens } = await openRevealingVault()
    const { client: masked } = await vault.application({ rules: [createRule('mask')] })
    const input = {
      type: 'social_security_number',
      data: '123-45-6789',
      mask: 'hidden',
      metadata: { a: 'b' },
      containers: ['/x/'],
      search_indexes: ['x'],
      fingerprint_expression: 'x',
      expires_at: '2031-01-01',
    }
    const { id } = await tokens.create(input)
    const cleared = await tokens.update({
      id,
      mask: null,
      metadata: null,
      containers: null,
      search_indexes: null,
      fingerprint_expression: null,
      expires_at: null,
      deduplicate_token: null,
    })
    expect(cleared).toMatchObject({
      containers: ['/pii/high/'],
      search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
      fingerprint_expression: "{{ data | remove: '-' }}",
    })
    for (const name of ['mask', 'metadata', 'expires_at']) expect(cleared).not.toHaveProperty(name)
    expect((await masked.tokens.get({ id })).data).toBeUndefined()
    const plain = await tokens.create({ type: input.type, data: input.data })
    expect(cleared.fingerprint).toBe(plain.fingerprint)
    // Without a mask, the patch becomes the mask. A string replaces any mask.
    expect((await tokens.update({ id, mask: { a: 'x', b: null } })).mask).toEqual({ a: 'x' })
    expect((await tokens.update({ id, mask: 'text' })).mask).toBe('text')
  })

  test('T-12 a default mask stays the default until it is patched', async () => {
    const { vault, tokens } = await openRevealingVault()
    const { client: masked } = await vault.application({ rules: [createRule('mask')] })
    const { id } = await tokens.create({ type: 'card', data: { number } })
    await tokens.update({ id, data: { expiration_month: 1 } })
    expect((await masked.tokens.get({ id })).data).toEqual({
      number: 'XXXXXXXXXXXX4242',
      expiration_month: 1,
    })
    await tokens.update({ id, mask: { number: '{{ data.number | card_mask }}' } })
    expect((await masked.tokens.get({ id })).data).toEqual({
      number: 'XXXXXXXXXXXXXXXX',
      expiration_month: 1,
    })
  })

  test.each<[object, string[]]>([
    [{ data: null }, ['data']],
    [{ data: { number: `${number}0` } }, ['data.number']],
    [{ data: { number: null } }, ['data.number']],
    [{ data: { colour: 'red' } }, ['data.colour']],
    [{ data: number }, ['data']],
    [{ data: { expiration_month: 13 }, metadata: { a: 1 } }, ['metadata.a', 'data.expiration_month']],
    [{ metadata: { a: number } }, ['metadata.a']],
    [{ data: { number: other }, metadata: { a: other } }, ['metadata.a']],
    [{ metadata: 'x' }, ['metadata']],
    [{ containers: [] }, ['containers']],
    [{ containers: ['x'] }, ['containers[0]']],
    [{ mask: '{{' }, ['mask']],
    [{ mask: '{{ data.number | nope }}' }, ['mask']],
    [{ mask: "{{ data | json: '$.none' }}" }, ['mask']],
    [{ search_indexes: ['{{ data.none }}'] }, ['search_indexes[0]']],
    [{ fingerprint_expression: '{{' }, ['fingerprint_expression']],
    [{ expires_at: '2029-01-01' }, ['expires_at']],
    [{ deduplicate_token: 'yes' }, ['deduplicate_token']],
    [{ type: 'token' }, ['type']],
    [{ created_at: '2030-01-01' }, ['created_at']],
    [{ created_by: 'x' }, ['created_by']],
    [{ tenant_id: 'x' }, ['tenant_id']],
    [{ token_intent_id: 'x' }, ['token_intent_id']],
  ])('T-12 the merged token is checked as on creation: %j', async (patch, members) => {
    const { tokens } = await openRevealingVault()
    const { _extras, ...created } = await tokens.create({ type: 'card', data: { number, cvc: '123' } })
    expect(await catchErrorFields(tokens.update({ id: created.id, ...patch } as never))).toEqual(members)
    expect(await tokens.get({ id: created.id })).toEqual(created)
  })

  test('T-12 A-05 null for data gives exactly one message', async () => {
    const { tokens } = await openRevealingVault()
    for (const input of [
      { type: 'token', data: 1 },
      { type: 'card', data: { number } },
    ]) {
      const { id } = await tokens.create(input)
      const { detail, errors } = await catchProblem(tokens.update({ id, data: null }))
      expect([detail, errors]).toEqual(['data must not be null', { data: ['must not be null'] }])
    }
  })

  test('T-05 T-12 a patched number must not be in the existing metadata', async () => {
    const { tokens } = await openRevealingVault()
    const { id } = await tokens.create({ type: 'card', data: { number }, metadata: { ref: `x${other}` } })
    expect(await catchErrorFields(tokens.update({ id, data: { number: other } }))).toEqual(['metadata.ref'])
    const named = await tokens.create({ id: `ref-${other}`, type: 'card', data: { number } })
    expect(await catchErrorFields(tokens.update({ id: named.id, data: { number: other } }))).toEqual(['id'])
  })

  test('T-12 card details are recomputed', async () => {
    const { tokens } = await openRevealingVault()
    const { id } = await tokens.create({ type: 'card', data: { number, expiration_month: 1 } })
    const patched = await tokens.update({ id, data: { number: '378282246310005', expiration_month: null } })
    expect(patched.card).toMatchObject({ bin: '378282', last4: '0005', brand: 'american-express' })
    expect(patched.card).not.toHaveProperty('expiration_month')
  })

  test('T-15 only a patch with a cvc restarts its retention time', async () => {
    const { vault, tokens } = await openRevealingVault()
    const { id } = await tokens.create({ type: 'card', data: { number, cvc: '123' } })
    const readCvc = async () => ((await tokens.get({ id })).data as { cvc?: string }).cvc
    vault.clock.advance(hour - 1)
    await tokens.update({ id, metadata: { a: 'b' }, data: { expiration_month: 1 } })
    expect(await readCvc()).toBe('123')
    vault.clock.advance(1)
    expect(await readCvc()).toBeUndefined()
    await tokens.update({ id, data: { cvc: '456' } })
    vault.clock.advance(hour - 1)
    expect(await readCvc()).toBe('456')
    vault.clock.advance(1)
    expect(await readCvc()).toBeUndefined()
    // A patch in the meantime does not restore the old cvc.
    await tokens.update({ id, data: { expiration_year: 2031 } })
    vault.clock.advance(-hour)
    expect(await readCvc()).toBeUndefined()
  })
})

describe('duplicates by patching', () => {
  const readers: [AccessRule[], object][] = [
    [[], {}],
    [[createRule('redact', '/other/', 5, 'token:read')], { shown: true }],
    [[createRule('mask', '/other/', 5, 'token:read')], { shown: true, data: 'XXXXXXXXXXXX1111' }],
    [[createRule('reveal', '/other/', 5, 'token:read')], { shown: true, data: other }],
  ]

  test.each(readers)(
    'T-13 a patch into a duplicate returns the original and writes nothing: %#',
    async (more, expected) => {
      const vault = openBriefVault()
      const original = await vault.owner.tokens.create({
        type: 'card_number',
        data: other,
        containers: ['/other/'],
        metadata: { secret: 'note' },
        search_indexes: ['{{ data | last4 }}'],
      })
      const { client } = await vault.application({ rules: [createRule('reveal', '/mine/'), ...more] })
      const { _extras, ...created } = await client.tokens.create({
        type: 'card_number',
        data: number,
        containers: ['/mine/'],
      })
      const patched = await client.tokens.update({
        id: created.id,
        data: other,
        metadata: { a: 'b' },
        deduplicate_token: true,
      })
      expect(patched).toMatchObject({ id: original.id, _extras: { deduplicated: true } })
      const { shown = false, data } = expected as { shown?: boolean; data?: string }
      expect(patched.data).toBe(data)
      expect({
        metadata: patched.metadata,
        mask: patched.mask,
        fingerprint_expression: patched.fingerprint_expression,
        search_indexes: patched.search_indexes,
      }).toEqual(
        shown
          ? {
              metadata: { secret: 'note' },
              mask: '{{ data | reveal_last: 4 }}',
              fingerprint_expression: '{{ data }}',
              search_indexes: ['{{ data | last4 }}'],
            }
          : {
              metadata: undefined,
              mask: undefined,
              fingerprint_expression: undefined,
              search_indexes: undefined,
            },
      )
      // SECURITY: a caller who may not read the duplicate gets its identity and containers, but no data (T-10).
      if (!shown) {
        expect(Object.keys(patched).sort()).toEqual(
          ['_extras', 'containers', 'fingerprint', 'id', 'tenant_id', 'type'].sort(),
        )
      }
      expect(await client.tokens.get({ id: created.id })).toEqual(created)
    },
  )

  test('T-13 without deduplicate_token a patch into a duplicate is stored', async () => {
    const { tokens } = await openRevealingVault()
    await tokens.create({ type: 'card_number', data: other })
    const { id } = await tokens.create({ type: 'card_number', data: number })
    const same = await tokens.update({ id, data: number, deduplicate_token: true })
    expect([same.id, same._extras]).toEqual([id, { deduplicated: false }])
    const written = await tokens.update({ id, data: other })
    expect([written.id, written.data, written._extras]).toEqual([id, other, { deduplicated: false }])
  })
})

describe('patches and deduplication', () => {
  const settings = ['false', 'true'].flatMap((deduplicate_tokens) =>
    ['read_existing', 'update_existing'].map((token_deduplication_behavior) => ({
      deduplicate_tokens,
      token_deduplication_behavior,
    })),
  )
  const patches: [string, object][] = [
    ['metadata', { metadata: { x: '1' } }],
    ['a mask', { mask: 'hidden' }],
    ['containers', { containers: ['/elsewhere/'] }],
    ['expires_at', { expires_at: '2031-01-01T00:00:00.000+00:00' }],
    ['search indexes', { search_indexes: ['{{ data | last4 }}'] }],
    ['nothing', {}],
    ['unchanged data, with metadata', { data: number, metadata: { x: '1' } }],
    ['an unchanged fingerprint expression', { fingerprint_expression: '{{ data }}', metadata: { x: '1' } }],
  ]
  const cases = patches.flatMap(([what, patch]) => settings.map((each) => [what, each, patch] as const))

  test.each(cases)(
    'T-13 a patch of %s on a token that has a duplicate is stored: %o',
    async (_what, each, patch) => {
      const vault = openBriefVault()
      await vault.owner.tenants.update({ name: 'Shop', settings: each })
      const input = { type: 'card_number', data: number, deduplicate_token: false }
      const tokens = [await vault.owner.tokens.create(input), await vault.owner.tokens.create(input)]
      for (const { id } of tokens) {
        const { _extras, ...patched } = await vault.owner.tokens.update({
          id,
          ...patch,
          deduplicate_token: true,
        })
        expect({ id: patched.id, _extras }).toEqual({ id, _extras: { deduplicated: false } })
        const { data: _data, ...stored } = patch as { data?: Json }
        expect(await vault.owner.tokens.get({ id })).toMatchObject(stored)
        expect(await vault.owner.tokens.get({ id })).toEqual(patched)
      }
    },
  )

  test.each(settings)(
    'T-13 a patch into a duplicate is not stored with deduplicate_token: %o',
    async (each) => {
      const vault = openBriefVault()
      await vault.owner.tenants.update({ name: 'Shop', settings: each })
      const first = await vault.owner.tokens.create({ type: 'card_number', data: number })
      const { id } = await vault.owner.tokens.create({ type: 'card_number', data: other })
      const before = await vault.owner.tokens.get({ id })
      for (const patch of [{ data: number }, { data: number, metadata: { x: '1' } }]) {
        const patched = await vault.owner.tokens.update({ id, ...patch, deduplicate_token: true })
        expect([patched.id, patched._extras]).toEqual([
          first.id,
          { deduplicated: true, deduplication_behavior: 'read_existing' },
        ])
        expect(await vault.owner.tokens.get({ id })).toEqual(before)
      }
      // Without deduplicate_token the patch is stored.
      for (const deduplicate_token of [undefined, false, null]) {
        const metadata = { asked: String(deduplicate_token) }
        const patched = await vault.owner.tokens.update({
          id,
          data: number,
          metadata,
          deduplicate_token,
        } as never)
        expect(patched).toMatchObject({ id, metadata, _extras: { deduplicated: false } })
      }
    },
  )
})

describe('RFC 7386', () => {
  /** The RFC's pseudocode. */
  function mergeNaively(target: Json | undefined, patch: Json): Json {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
    const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
    const result = new Map<string, Json>(isObject ? Object.entries(target) : [])
    for (const [name, value] of Object.entries(patch)) {
      if (value === null) result.delete(name)
      else result.set(name, mergeNaively(result.get(name), value))
    }
    return Object.fromEntries(result)
  }

  // Few names, so that patches hit existing members; some names are special.
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json[]>(null, true, 0, 1.5, '', 'x', '\ud800'),
      fc.array(tie('tree'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', '', 'constructor', 'length'), tie('tree')),
    ),
  }))
  const value = tree.filter((each) => each !== null)

  test('T-12 PATCH merges data as RFC 7386 says', async () => {
    const { tokens } = await openRevealingVault()
    await fc.assert(
      fc.asyncProperty(value, value, async (before, patch) => {
        const { id } = await tokens.create({ type: 'token', data: before })
        const patched = await tokens.update({ id, data: patch })
        const expected = mergeNaively(before, patch)
        expect(patched.data).toEqual(expected)
        expect((await tokens.get({ id })).data).toEqual(expected)
        // Derived members equal those of a token created from the data.
        const fresh = await tokens.create({ type: 'token', data: expected })
        expect(patched.fingerprint).toBe(fresh.fingerprint)
      }),
      getRunCount(150),
    )
  })

  test('T-12 PATCH merges mask and metadata as RFC 7386 says', async () => {
    const { tokens } = await openRevealingVault()
    const mask = value.filter((each) => typeof each !== 'number' && typeof each !== 'boolean')
    const name = fc.constantFrom('a', 'b', 'constructor')
    const text = fc.constantFrom('x', 'y')
    await fc.assert(
      fc.asyncProperty(
        mask,
        mask,
        fc.dictionary(name, text),
        fc.dictionary(name, fc.option(text)),
        async (maskBefore, maskPatch, before, patch) => {
          const created = await tokens.create({ type: 'token', data: 1, mask: maskBefore, metadata: before })
          const patched = await tokens.update({ id: created.id, mask: maskPatch, metadata: patch })
          expect(patched.mask).toEqual(mergeNaively(maskBefore, maskPatch))
          expect(patched.metadata ?? {}).toEqual(mergeNaively(before, patch))
        },
      ),
      getRunCount(100),
    )
  })
})
