import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAccess, hasPermission } from '../../electron/engine/access/access.ts'
import type { ApplicationActor, SessionActor } from '../../electron/engine/access/actor.ts'
import { getScopes } from '../../electron/engine/access/scopes.ts'
import { includesContainer } from '../../shared/containers.ts'
import type { Permission } from '../../shared/permissions.ts'
import type { AccessRule, RuleCondition, RuleTransform } from '../../shared/schemas/rule.ts'
import { getRunCount } from '../thorough.ts'
import { catchProblem, openBriefVault } from '../vault.ts'

const createRule = (
  container: string,
  transform: RuleTransform,
  permissions: Permission[],
  priority = 1,
): AccessRule => ({
  priority,
  container,
  transform,
  permissions,
})

const number = '4242424242424242'
const masked = 'XXXXXXXXXXXX4242'
const cardNumber = { type: 'card_number', data: number }

describe('permissions without a rule', () => {
  test('P-04 permissions apply to all containers, with the transform mask', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      permissions: ['token:create', 'token:read', 'token:update', 'token:delete'],
    })
    const created = await client.tokens.create({ ...cardNumber, id: 'one', containers: ['/any/where/', '/'] })
    expect(created.data).toBe(masked)
    expect((await client.tokens.get({ id: 'one' })).data).toBe(masked)
    expect((await client.tokens.list({})).data.map((token) => token.data)).toEqual([masked])
    expect((await client.tokens.update({ id: 'one', metadata: { a: 'b' } })).data).toBe(masked)
    await client.tokens.remove({ id: 'one' })
  })

  test('P-04 the permission token:use has the transform reveal', () => {
    const actor = createApplicationActor(['token:use'], [])
    expect(decideAccess(actor, 'token:use', { id: 'x', containers: ['/a/'] }, 'all')?.transform).toBe(
      'reveal',
    )
    expect(decideAccess(actor, 'token:read', { id: 'x', containers: ['/a/'] }, 'any')).toBeNull()
  })

  test('P-04 a matching rule takes precedence over the permission', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      permissions: ['token:read'],
      rules: [createRule('/a/', 'reveal', ['token:read']), createRule('/b/', 'redact', ['token:read'], 2)],
    })
    for (const [id, container] of [
      ['in-a', '/a/x/'],
      ['in-b', '/b/'],
      ['in-c', '/c/'],
    ] as const) {
      await vault.owner.tokens.create({ ...cardNumber, id, containers: [container] })
    }
    const { data } = await client.tokens.list({})
    expect(data.map((token) => [token.id, token.data])).toEqual([
      ['in-c', masked],
      ['in-b', undefined],
      ['in-a', number],
    ])
  })
})

describe('rules', () => {
  test('P-05 X-15 the matching rule with the lowest priority decides', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [
        createRule('/a/', 'mask', ['token:read'], 30),
        createRule('/a/b/', 'reveal', ['token:read'], 20),
        createRule('/a/b/c/', 'redact', ['token:read'], 10),
        createRule('/a/b/c/', 'reveal', ['token:update'], 1),
      ],
    })
    const readNewToken = async (container: string) => {
      const { id } = await vault.owner.tokens.create({ ...cardNumber, containers: [container] })
      return (await client.tokens.get({ id })).data
    }
    expect(await readNewToken('/a/')).toBe(masked)
    expect(await readNewToken('/a/x/b/')).toBe(masked)
    expect(await readNewToken('/a/b/')).toBe(number)
    expect(await readNewToken('/a/b/d/')).toBe(number)
    expect(await readNewToken('/a/b/c/')).toBeUndefined()
    expect(await readNewToken('/a/b/c/d/')).toBeUndefined()
  })

  test('P-05 X-09 a rule matches complete path segments, ignoring case', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: [createRule('/A/', 'reveal', ['token:read'])] })
    for (const container of ['/ab/', '/a-b/', '/a0/', '/', '/b/a/']) {
      const { id } = await vault.owner.tokens.create({ ...cardNumber, containers: [container] })
      expect([container, (await catchProblem(client.tokens.get({ id }))).status]).toEqual([container, 403])
    }
    const { id } = await vault.owner.tokens.create({ ...cardNumber, containers: ['/a/B/'] })
    expect((await client.tokens.get({ id })).data).toBe(number)
    expect((await client.tokens.list({})).data).toHaveLength(1)
  })

  test('P-07 all conditions of a rule must match', () => {
    const decideOnConditions = (conditions: RuleCondition[], id: string, container = '/a/b/') =>
      decideAccess(
        createSessionActor([], [{ ...createRule('', 'reveal', ['token:read']), conditions }]),
        'token:read',
        {
          id,
          containers: [container],
        },
        'any',
      ) !== null
    const createCondition = (
      attribute: 'id' | 'container',
      operator: 'equals' | 'starts_with',
      value: string,
    ): RuleCondition => ({
      attribute,
      operator,
      value,
    })
    expect(decideOnConditions([createCondition('id', 'equals', 'tok-1')], 'tok-1')).toBe(true)
    expect(decideOnConditions([createCondition('id', 'equals', 'tok-1')], 'tok-12')).toBe(false)
    expect(decideOnConditions([createCondition('id', 'starts_with', 'tok-1')], 'tok-12')).toBe(true)
    expect(decideOnConditions([createCondition('id', 'starts_with', 'tok-1')], 'a-tok-1')).toBe(false)
    expect(decideOnConditions([createCondition('container', 'equals', '/a/b/')], 'x')).toBe(true)
    expect(decideOnConditions([createCondition('container', 'equals', '/a/')], 'x')).toBe(false)
    expect(decideOnConditions([createCondition('container', 'starts_with', '/a/')], 'x')).toBe(true)
    expect(
      decideOnConditions(
        [createCondition('id', 'equals', 'x'), createCondition('container', 'starts_with', '/a/')],
        'x',
      ),
    ).toBe(true)
    expect(
      decideOnConditions(
        [createCondition('id', 'equals', 'x'), createCondition('container', 'starts_with', '/b/')],
        'x',
      ),
    ).toBe(false)
    expect(decideOnConditions([], 'x')).toBe(false)
  })

  test('P-08 redact omits data, mask shows the mask, and reveal shows plaintext', async () => {
    const vault = openBriefVault()
    const tokens = [
      { ...cardNumber, id: 'default' },
      { type: 'token', data: { a: 1, b: 'two' }, id: 'none' },
      { type: 'token', data: { a: 1, b: 'two' }, id: 'own', mask: { a: '{{ data.a }}', b: '**' } },
      { ...cardNumber, id: 'cleared' },
    ]
    for (const token of tokens) await vault.owner.tokens.create(token)
    await vault.owner.tokens.update({ id: 'cleared', mask: null })
    const show: Record<string, unknown[]> = {}
    for (const transform of ['redact', 'mask', 'reveal'] as const) {
      const { client } = await vault.application({ rules: [createRule('/', transform, ['token:read'])] })
      show[transform] = []
      for (const { id } of tokens) {
        const token = await client.tokens.get({ id })
        expect('data' in token).toBe(token.data !== undefined)
        show[transform].push(token.data)
      }
    }
    expect(show).toEqual({
      redact: [undefined, undefined, undefined, undefined],
      mask: [masked, undefined, { a: 1, b: '**' }, undefined],
      reveal: [number, { a: 1, b: 'two' }, { a: 1, b: 'two' }, number],
    })
  })

  test('P-08 each operation applies the transform of its permission', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [
        createRule('/', 'mask', ['token:create'], 1),
        createRule('/', 'redact', ['token:update'], 2),
        createRule('/', 'reveal', ['token:read'], 3),
      ],
    })
    const created = await client.tokens.create({ ...cardNumber, id: 'one' })
    const updated = await client.tokens.update({ id: 'one' })
    expect([created.data, updated.data, (await client.tokens.get({ id: 'one' })).data]).toEqual([
      masked,
      undefined,
      number,
    ])
  })

  test('P-09 lists silently omit tokens that the caller may not read', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ rules: [createRule('/a/', 'mask', ['token:read'])] })
    for (const container of ['/a/', '/b/', '/a/c/', '/']) {
      await vault.owner.tokens.create({ ...cardNumber, containers: [container] })
    }
    expect(await client.tokens.list({})).toEqual({
      pagination: { page_size: 20 },
      data: [
        expect.objectContaining({ containers: ['/a/c/'] }),
        expect.objectContaining({ containers: ['/a/'] }),
      ],
    })
  })

  test('P-11 an inaccessible token is 403, a missing one 404', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [createRule('/a/', 'mask', ['token:read', 'token:update', 'token:delete'])],
    })
    await vault.owner.tokens.create({ ...cardNumber, id: 'there', containers: ['/b/'] })
    for (const [id, status] of [
      ['there', 403],
      ['nowhere', 404],
    ] as const) {
      expect((await catchProblem(client.tokens.get({ id }))).status).toBe(status)
      expect((await catchProblem(client.tokens.update({ id }))).status).toBe(status)
      expect((await catchProblem(client.tokens.remove({ id }))).status).toBe(status)
    }
  })

  test('P-12 a call without a token accepts the permission from any rule', () => {
    const permission = 'token-intent:create'
    expect(hasPermission(createApplicationActor([permission], []), permission)).toBe(true)
    expect(
      hasPermission(
        createApplicationActor([], [createRule('/a/', 'mask', ['token:read', permission])]),
        permission,
      ),
    ).toBe(true)
    expect(
      hasPermission(
        createApplicationActor(['token:create'], [createRule('/', 'mask', ['token:create'])]),
        permission,
      ),
    ).toBe(false)
    expect(hasPermission(createSessionActor([permission], []), permission)).toBe(true)
    expect(hasPermission({ ...createSessionActor([permission], []), authorizer: null }, permission)).toBe(
      false,
    )
    expect(
      hasPermission(
        { ...createSessionActor([permission], []), authorizer: createApplicationActor([], []) },
        permission,
      ),
    ).toBe(false)
  })
})

describe('several containers', () => {
  test('P-10 reading needs access to one container, and the lowest priority decides', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [createRule('/b/', 'reveal', ['token:read'], 5), createRule('/c/', 'redact', ['token:read'], 2)],
    })
    const getVisibleData = async (...containers: string[]) => {
      const { id } = await vault.owner.tokens.create({ ...cardNumber, containers })
      return client.tokens.get({ id }).then(
        (token) => token.data ?? 'redacted',
        (error: { status: number }) => error.status,
      )
    }
    expect(await getVisibleData('/a/', '/b/')).toBe(number)
    expect(await getVisibleData('/b/', '/c/')).toBe('redacted')
    expect(await getVisibleData('/c/', '/b/')).toBe('redacted')
    expect(await getVisibleData('/a/', '/d/')).toBe(403)
    const { data } = await client.tokens.list({})
    expect(data.map((token) => token.containers.join(' '))).toEqual(['/c/ /b/', '/b/ /c/', '/a/ /b/'])
  })

  test('P-10 writing needs the permission on all containers', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [createRule('/a/', 'mask', ['token:create', 'token:update', 'token:delete'])],
    })
    const createToken = (...containers: string[]) => client.tokens.create({ ...cardNumber, containers })
    expect((await createToken('/a/', '/a/b/')).containers).toEqual(['/a/', '/a/b/'])
    expect((await catchProblem(createToken('/a/', '/b/'))).status).toBe(403)
    expect((await catchProblem(client.tokens.create(cardNumber))).status).toBe(403)
    await vault.owner.tokens.create({ ...cardNumber, id: 'both', containers: ['/a/', '/b/'] })
    expect((await catchProblem(client.tokens.update({ id: 'both' }))).status).toBe(403)
    expect((await catchProblem(client.tokens.remove({ id: 'both' }))).status).toBe(403)
    expect((await vault.owner.tokens.list({})).data).toHaveLength(2)
  })

  test('P-10 X-18 moving a token needs token:update on old and new containers', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({
      rules: [
        createRule('/a/', 'mask', ['token:create', 'token:update'], 1),
        createRule('/b/', 'mask', ['token:create'], 2),
        createRule('/c/', 'mask', ['token:update'], 3),
      ],
    })
    await client.tokens.create({ ...cardNumber, id: 'mine', containers: ['/a/'] })
    await client.tokens.create({ ...cardNumber, id: 'theirs', containers: ['/b/'] })
    const moveToken = (id: string, containers: string[] | null) => client.tokens.update({ id, containers })
    for (const [id, containers] of [
      ['mine', ['/b/']],
      ['mine', ['/a/', '/b/']],
      ['mine', ['/']],
      ['mine', null],
      ['theirs', ['/a/']],
    ] as const) {
      expect((await catchProblem(moveToken(id, containers && [...containers]))).status).toBe(403)
    }
    expect((await vault.owner.tokens.get({ id: 'mine' })).containers).toEqual(['/a/'])
    expect((await moveToken('mine', ['/C/', '/a/x/'])).containers).toEqual(['/c/', '/a/x/'])
  })
})

function createApplicationActor(permissions: Permission[], rules: AccessRule[]): ApplicationActor {
  return {
    kind: 'application',
    id: 'a',
    name: 'App',
    key_id: null,
    type: 'private',
    permissions,
    rules: [...rules].sort((one, other) => one.priority - other.priority),
    expires_at: null,
  }
}

function createSessionActor(
  permissions: Permission[],
  rules: AccessRule[],
  authorizer?: ApplicationActor,
): SessionActor {
  const own = rules.map(
    ({ container, ...rest }) => (container === '' ? rest : { ...rest, container }) as AccessRule,
  )
  return {
    kind: 'session',
    id: 's',
    application_id: 'b',
    application_name: 'App',
    authorizer:
      authorizer ??
      createApplicationActor(
        ['token:read', 'token-intent:create'],
        [createRule('/', 'reveal', ['token:read'])],
      ),
    permissions,
    rules: own.sort((one, other) => one.priority - other.priority),
    expires_at: 0,
  }
}

describe('the scopes of a list', () => {
  const pool = ['/', '/a/', '/a/b/', '/ab/', '/a-b/', '/b/', '/b/c/'] as const
  const wanted: Permission[] = ['token:read', 'token:update', 'token:use']
  const permissions = fc.uniqueArray(fc.constantFrom(...wanted), { minLength: 1 })
  const transform = fc.constantFrom<RuleTransform[]>('redact', 'mask', 'reveal')
  const condition = fc.oneof(
    fc.record({
      attribute: fc.constant('id' as const),
      operator: fc.constantFrom('equals' as const, 'starts_with' as const),
      value: fc.constantFrom('t-1', 't-', 'x'),
    }),
    fc.record({
      attribute: fc.constant('container' as const),
      operator: fc.constantFrom('equals' as const, 'starts_with' as const),
      value: fc.constantFrom(...pool),
    }),
  )
  const scoped = fc.record({ container: fc.constantFrom(...pool), transform, permissions })
  const conditioned = fc.record({
    conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
    transform,
    permissions,
  })
  const numberRules = (rules: readonly object[]) =>
    rules.map((each, at) => ({ ...each, priority: at + 1 }) as AccessRule)
  const held = fc.oneof(
    { weight: 2, arbitrary: fc.constant<Permission[]>([]) },
    { weight: 1, arbitrary: permissions },
  )
  const applicationActor = fc
    .record({ held, rules: fc.array(scoped, { maxLength: 4 }) })
    .map(({ held, rules }) => createApplicationActor(held, numberRules(rules)))
  const sessionActor = fc
    .record({
      held,
      rules: fc.array(fc.oneof(scoped, conditioned), { maxLength: 4 }),
      authorizer: applicationActor,
    })
    .map(({ held, rules, authorizer }) => createSessionActor(held, numberRules(rules), authorizer))
  const subject = fc.record({
    id: fc.constantFrom('t-1', 't-2', 'x'),
    containers: fc.uniqueArray(fc.constantFrom(...pool), { minLength: 1, maxLength: 3 }),
  })

  test('P-09 the scopes of a list include every readable token and do not overlap', () => {
    fc.assert(
      fc.property(fc.oneof(applicationActor, sessionActor), subject, (actor, about) => {
        const scopes = getScopes(actor, 'token:read')
        if (decideAccess(actor, 'token:read', about, 'any')) {
          expect(
            scopes.some((scope) => about.containers.some((each) => includesContainer(scope, each))),
          ).toBe(true)
        }
        for (const scope of scopes) {
          expect(scopes.filter((other) => other !== scope && includesContainer(other, scope))).toEqual([])
        }
      }),
      getRunCount(3000),
    )
  })
})
