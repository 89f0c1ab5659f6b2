import { describe, expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { starters } from '../../electron/engine/resources/applications/templates/starters.ts'
import { type ApplicationType, type Permission, permissions } from '../../shared/permissions.ts'
import type { AccessRule } from '../../shared/schemas/rule.ts'
import { catchProblem, createTestClient, openBriefVault } from '../vault.ts'
import { catchErrorFields } from './vault-helpers.ts'

const createRule = (more: Partial<AccessRule> = {}): AccessRule => ({
  priority: 1,
  container: '/',
  transform: 'mask',
  permissions: ['token:read'],
  ...more,
})

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

describe('creating applications', () => {
  test('K-01 only the create response contains the key', async () => {
    const { owner, engine } = openBriefVault()
    const created = await owner.applications.create({
      name: 'Backend',
      type: 'private',
      rules: [
        createRule({ description: 'Reads', container: '/PCI/', permissions: ['token:read', 'token:read'] }),
      ],
      expires_at: '2031-01-01',
    })
    expect(created).toEqual({
      id: uuid,
      tenant_id: engine.tenant_id,
      name: 'Backend',
      key: expect.stringMatching(/^key_local_pvt_/),
      keys: [
        { id: uuid, tenant_id: engine.tenant_id, version: '1', created_at: '2030-01-01T00:00:00.000+00:00' },
      ],
      type: 'private',
      permissions: [],
      rules: [createRule({ description: 'Reads', container: '/pci/' })],
      created_at: '2030-01-01T00:00:00.000+00:00',
      expires_at: '2031-01-01T00:00:00.000+00:00',
    })
    const { key: _key, ...rest } = created
    expect(await owner.applications.get({ id: created.id })).toEqual(rest)
    expect((await owner.applications.list({})).data).toEqual([rest])
  })

  test('K-01 responses list the keys newest first, without the keys themselves', async () => {
    const vault = openBriefVault()
    const { id, client } = await vault.application({
      type: 'management',
      permissions: ['application:create', 'application:read', 'application:update'],
    })
    vault.clock.advance(1000)
    const second = await client.keys.create({ id })
    await vault.application({ permissions: ['token:read'] })
    const keys = [
      {
        id: second.id,
        tenant_id: vault.engine.tenant_id,
        version: '1',
        created_by: id,
        created_at: second.created_at,
      },
      {
        id: uuid,
        tenant_id: vault.engine.tenant_id,
        version: '1',
        created_at: '2030-01-01T00:00:00.000+00:00',
      },
    ]
    const { data } = await client.applications.list({})
    const responses = [
      await client.applications.get({ id }),
      await client.applications.getByKey(),
      data.find((each) => each.id === id),
      await client.applications.update({ id, name: 'new', permissions: ['application:read'] }),
    ]
    for (const application of responses) expect(application?.keys).toEqual(keys)
    expect(data.find((each) => each.id !== id)?.keys).toHaveLength(1)
    expect(JSON.stringify([responses, data])).not.toContain('key_local')
    await vault.owner.keys.remove({ id, keyId: second.id })
    expect((await vault.owner.applications.get({ id })).keys).toEqual(keys.slice(1))
  })

  test('K-01 create_key false creates no key', async () => {
    const { owner } = openBriefVault()
    const created = await owner.applications.create({
      name: 'x',
      type: 'public',
      permissions: ['token:create'],
      create_key: false,
    })
    expect(created.key).toBeUndefined()
    expect(created.keys).toEqual([])
  })

  test('K-01 created_by and modified_by name the calling application', async () => {
    const vault = openBriefVault()
    const { id, client } = await vault.application({
      type: 'management',
      permissions: ['application:create', 'application:update'],
    })
    const created = await client.applications.create({
      name: 'x',
      type: 'public',
      permissions: ['token:create'],
    })
    expect([created.created_by, created.modified_by, created.keys[0]?.created_by]).toEqual([
      id,
      undefined,
      id,
    ])
    vault.clock.advance(5)
    const updated = await client.applications.update({
      id: created.id,
      name: 'y',
      permissions: ['token:create'],
    })
    expect([updated.created_by, updated.modified_by, updated.modified_at]).toEqual([
      id,
      id,
      '2030-01-01T00:00:00.005+00:00',
    ])
  })

  test.each<[object, string[]]>([
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ type: 'other' }, ['type']],
    [{ expires_at: '2029-12-31' }, ['expires_at']],
    [{ expires_at: 'soon' }, ['expires_at']],
    [{ create_key: 'yes' }, ['create_key']],
    [{ colour: 1 }, ['colour']],
    [{ id: 'x' }, ['id']],
  ])('K-01 the error for an invalid request names its invalid fields: %#', async (wrong, members) => {
    const { owner } = openBriefVault()
    const right = { name: 'x', type: 'private', permissions: ['token:read'] }
    expect(await catchErrorFields(owner.applications.create({ ...right, ...wrong } as never))).toEqual(
      members,
    )
    expect((await owner.applications.list({})).pagination.total_items).toBe(0)
  })

  test('K-01 a name may have 200 characters of any script', async () => {
    const { owner } = openBriefVault()
    const name = '名'.repeat(200)
    const created = await owner.applications.create({ name, type: 'private', permissions: ['token:read'] })
    expect(created.name).toBe(name)
  })
})

describe('permissions of an application', () => {
  const cases = (['public', 'private', 'management'] as const).flatMap((type) =>
    (Object.keys(permissions) as Permission[]).map((permission) => ({ type, permission })),
  )

  const forBrowsers = ['token:create', 'token:update', 'token-intent:create', '3ds:session:create']
  const paying = /^(3ds|apple-pay|google-pay|network[-_]token|account-updater|agent|enrollment):/
  const work = /^(token|token-intent|documents):|^(proxy|reactor):invoke$|^3ds:session:create$/

  /** A second implementation of P-02. Payment permissions are accepted although they allow nothing in Coffer. */
  function canHold(type: ApplicationType, permission: Permission): boolean {
    if (type === 'public')
      return forBrowsers.includes(permission) || /^apple-pay:session$|-pay:create$|:verify$/.test(permission)
    if (type === 'private') return work.test(permission) || paying.test(permission)
    return !work.test(permission)
  }

  test('P-02 each type accepts only its permissions, also in rules', async () => {
    const { owner } = openBriefVault()
    for (const { type, permission } of cases) {
      const create = owner.applications.create({ name: 'x', type, permissions: [permission] })
      if (canHold(type, permission)) expect((await create).permissions).toEqual([permission])
      else expect(await catchErrorFields(create)).toEqual(['permissions[0]'])
      if (type === 'management') continue
      const ruled = owner.applications.create({
        name: 'x',
        type,
        rules: [createRule({ permissions: [permission] })],
      })
      if (canHold(type, permission)) expect((await ruled).rules[0]?.permissions).toEqual([permission])
      else expect(await catchErrorFields(ruled)).toEqual(['rules[0].permissions[0]'])
    }
  })

  test('P-02 an unknown permission is rejected', async () => {
    const { owner } = openBriefVault()
    for (const unknown of ['token:', 'token:reed', 'TOKEN:READ', '*', '__proto__', 'constructor', '']) {
      const create = owner.applications.create({
        name: 'x',
        type: 'private',
        permissions: ['token:read', unknown as Permission],
      })
      expect(await catchErrorFields(create)).toEqual(['permissions[1]'])
    }
  })

  test('P-01 GET /permissions lists them for any key, also by type', async () => {
    const vault = openBriefVault()
    const { client } = await vault.application({ type: 'public', permissions: ['token:create'] })
    const all = await client.permissions.list()
    expect(all.map((each) => each.type)).toEqual(Object.keys(permissions))
    for (const each of all) {
      expect(each).toEqual({
        type: each.type,
        description: expect.stringMatching(/./),
        ...(each.note !== undefined && { note: expect.stringMatching(/./) }),
        application_types: (['public', 'private', 'management'] as const).filter((type) =>
          canHold(type, each.type as Permission),
        ),
      })
    }
    const publicOnes = await client.permissions.list({ application_type: 'public' })
    expect(publicOnes.map((each) => each.type)).toEqual([
      ...forBrowsers,
      'apple-pay:create',
      'apple-pay:session',
      'google-pay:create',
      'agent:instruction:verify',
      'enrollment:verify',
    ])
    expect(await catchErrorFields(client.permissions.list({ application_type: 'x' } as never))).toEqual([
      'application_type',
    ])
  })

  /** The permission names of rest-of-service.md 0.1, by application type. */
  const hosted = {
    management: [
      ...['proxy', 'reactor', 'webhooks', 'webhook'].flatMap((subject) =>
        ['create', 'read', 'update', 'delete'].map((verb) => `${subject}:${verb}`),
      ),
      ...['tenant:delete', 'tenant:member:read', 'tenant:member:update', 'tenant:member:delete'],
      ...['create', 'read', 'update', 'delete'].map((verb) => `tenant:invitation:${verb}`),
      ...['report:read', 'keys:create', 'keys:read', 'keys:delete', 'connections:create'],
    ],
    private: [
      ...['proxy:invoke', 'reactor:invoke', 'documents:create', 'documents:read', 'documents:reveal'],
      ...['documents:delete', '3ds:session:create', '3ds:session:read', '3ds:session:authenticate'],
      ...[
        'apple-pay:create',
        'apple-pay:read',
        'apple-pay:reveal',
        'apple-pay:delete',
        'apple-pay:session',
        'apple-pay:manage',
        'google-pay:create',
        'google-pay:read',
        'google-pay:reveal',
        'google-pay:delete',
      ],
      ...['network-token:create', 'account-updater:job:create', 'account-updater:job:read'],
      'account-updater:real-time:invoke',
      ...[
        'network-token:cryptogram',
        'network-token:suspend',
        'network-token:resume',
        'network_token:create',
      ],
      ...['agent:create', 'agent:get', 'agent:update', 'agent:instruction:create', 'agent:instruction:get'],
      ...['agent:instruction:credentials', 'enrollment:create', 'enrollment:get'],
    ],
    public: ['3ds:session:create', 'apple-pay:create', 'apple-pay:session', 'google-pay:create'],
  }

  test.each(Object.entries(hosted))(
    'P-01 P-02 %s applications accept the hosted service’s permissions as spelled',
    async (type, names) => {
      const { owner } = openBriefVault()
      const asked = { name: 'x', type: type as ApplicationType, permissions: names as Permission[] }
      const created = await owner.applications.create(asked)
      expect(created.permissions).toEqual(names)
      const updated = await owner.applications.update({
        id: created.id,
        name: 'y',
        permissions: names.toReversed() as Permission[],
      })
      expect(updated.permissions).toEqual(names.toReversed())
    },
  )

  test('P-01 all permissions of a type can be granted, but no wildcard', async () => {
    const { owner } = openBriefVault()
    for (const type of ['public', 'private', 'management'] as const) {
      const all = (Object.keys(permissions) as Permission[]).filter((each) => canHold(type, each))
      const created = await owner.applications.create({ name: 'x', type, permissions: all })
      expect(created.permissions).toEqual(all)
    }
    const { errors } = await catchProblem(
      owner.applications.create({
        name: 'x',
        type: 'management',
        permissions: ['webhooks:*' as Permission],
      }),
    )
    expect(errors).toEqual({
      'permissions[0]': ['is not a permission; GET /permissions lists them'],
    })
  })

  test('P-01 permissions are described in the words of the hosted service', async () => {
    const listed = new Map(
      (await openBriefVault().owner.permissions.list({})).map((each) => [each.type, each.description]),
    )
    const documented: Readonly<Partial<Record<Permission, string>>> = {
      'token:create': 'Create Tokens',
      'token:search': 'Search Tokens',
      'token:use': 'Use Tokens in Basis Theory Services (e.g., Proxy, Reactors)',
      'tenant:read': 'Read Tenants',
      'tenant:delete': 'Delete Tenants',
      'application:read': 'Read Applications',
      'application:update': 'Update and regenerate API keys for Applications',
      'log:read': 'Read audit logs',
      'reactor:update': 'Update Reactors',
      'proxy:delete': 'Delete Proxies',
      'tenant:member:read': 'Read Tenant Members',
      'tenant:invitation:create': 'Create Tenant Invitations',
      'report:read': 'Read reports',
    }
    for (const [type, description] of Object.entries(documented))
      expect([type, listed.get(type)]).toEqual([type, description])
  })

  test('P-01 the note of a permission says when no operation needs it', async () => {
    const { owner } = openBriefVault()
    const asked = new Set(
      [...catalogue.values()].flatMap(({ permission, always }) => (always ? [] : [permission].flat())),
    )
    expect(asked).not.toContain('tenant:delete')
    // A proxy may be open to everybody, so its call checks the permission itself.
    asked.add('proxy:invoke')
    for (const { type, note } of await owner.permissions.list({})) {
      const useless = note === 'Allows nothing in Coffer'
      expect([type, useless]).toEqual([type, !asked.has(type as Permission)])
    }
  })

  test('P-03 permissions or rules are required, and management has no rules', async () => {
    const { owner } = openBriefVault()
    const createApplication = (more: object) =>
      owner.applications.create({ name: 'x', type: 'private', ...more } as never)
    expect(await catchErrorFields(createApplication({}))).toEqual(['permissions'])
    expect(await catchErrorFields(createApplication({ permissions: [], rules: [] }))).toEqual(['permissions'])
    expect(await catchErrorFields(createApplication({ permissions: null, rules: null }))).toEqual([
      'permissions',
    ])
    expect((await createApplication({ permissions: [], rules: [createRule()] })).rules).toHaveLength(1)
    expect((await createApplication({ permissions: ['token:read'], rules: [] })).rules).toEqual([])
    const management = { type: 'management', permissions: ['log:read'] }
    expect(await catchErrorFields(createApplication({ ...management, rules: [createRule()] }))).toContain(
      'rules',
    )
    expect((await createApplication({ ...management, rules: [] })).permissions).toEqual(['log:read'])
  })

  test('P-03 PUT rejects empty permissions too', async () => {
    const { owner } = openBriefVault()
    const { id } = await owner.applications.create({
      name: 'x',
      type: 'private',
      permissions: ['token:read'],
    })
    const putApplication = (more: object) => owner.applications.update({ id, name: 'x', ...more })
    expect(await catchErrorFields(putApplication({}))).toEqual(['permissions'])
    expect(await catchErrorFields(putApplication({ permissions: [], rules: [createRule()] }))).toEqual([
      'permissions',
    ])
    expect(await catchErrorFields(putApplication({ rules: [] }))).toEqual(['permissions'])
    const ruled = await putApplication({ rules: [createRule()] })
    expect([ruled.permissions, ruled.rules]).toEqual([[], [createRule()]])
  })

  test.each<[string, Partial<AccessRule>[], string[]]>([
    ['the same priority twice', [{}, {}], ['rules[1].priority']],
    ['priority 0', [{ priority: 0 }], ['rules[0].priority']],
    ['priority 1.5', [{ priority: 1.5 }], ['rules[0].priority']],
    ['no permissions', [{ permissions: [] }], ['rules[0].permissions']],
    ['an unknown transform', [{ transform: 'hide' as never }], ['rules[0].transform']],
    ['a container without slashes', [{ container: 'pci' }], ['rules[0].container']],
    ['an empty container', [{ container: '' }], ['rules[0].container']],
    ['an unknown field', [{ colour: 1 } as never], ['rules[0].colour']],
  ])('P-05 a rule with %s is rejected', async (_name, wrong, members) => {
    const { owner } = openBriefVault()
    const rules = wrong.map((each) => createRule(each))
    expect(await catchErrorFields(owner.applications.create({ name: 'x', type: 'private', rules }))).toEqual(
      members,
    )
  })

  test('P-05 rules are stored in order of priority', async () => {
    const { owner } = openBriefVault()
    const rules = [createRule({ priority: 7 }), createRule({ priority: 2 }), createRule({ priority: 10 })]
    const created = await owner.applications.create({ name: 'x', type: 'private', rules })
    expect(created.rules.map((each) => each.priority)).toEqual([2, 7, 10])
  })

  test('P-06 a rule needs a container; conditions are for sessions', async () => {
    const { owner } = openBriefVault()
    const conditions = [{ attribute: 'id' as const, operator: 'equals' as const, value: 'x' }]
    for (const type of ['private', 'public'] as const) {
      const getErrors = async (more: Partial<AccessRule>) => {
        const { container: _, ...bare } = createRule({ permissions: ['token:create'] })
        return catchErrorFields(owner.applications.create({ name: 'x', type, rules: [{ ...bare, ...more }] }))
      }
      expect(await getErrors({})).toEqual(['rules[0].container'])
      expect(await getErrors({ conditions })).toEqual(['rules[0].conditions'])
      expect(await getErrors({ conditions, container: '/' })).toEqual(['rules[0].conditions'])
    }
  })
})

describe('reading the application of a key', () => {
  test('P-06 reading a key’s application needs application:read, except in the SDK dialect', async () => {
    const vault = openBriefVault()
    const management = await vault.application({ type: 'management', permissions: ['application:read'] })
    const secret = await vault.application({ rules: [createRule()] })
    const dialect = 'sdk' as const
    expect((await management.client.applications.getByKey()).id).toBe(management.id)
    expect((await catchProblem(secret.client.applications.getByKey())).status).toBe(403)
    const own = await secret.with({ dialect }).applications.getByKey()
    expect(own).toEqual(await vault.owner.applications.get({ id: secret.id }))
    expect((await management.with({ dialect }).applications.getByKey()).id).toBe(management.id)
  })
})

describe('listing applications', () => {
  test('K-02 applications are listed newest first in numbered pages, filtered by ids and types', async () => {
    const { owner, clock } = openBriefVault()
    const created: string[] = []
    for (const type of ['private', 'public', 'management', 'private'] as const) {
      const permission = type === 'management' ? 'log:read' : 'token:create'
      created.push((await owner.applications.create({ name: type, type, permissions: [permission] })).id)
      if (created.length === 2) clock.advance(1)
    }
    const [first = '', second = '', third = '', fourth = ''] = created
    const listIds = async (query: object) =>
      (await owner.applications.list(query)).data.map((each) => each.id)
    expect(await listIds({})).toEqual([fourth, third, second, first])
    expect(await listIds({ id: second })).toEqual([second])
    expect(await listIds({ id: [first, third, 'nobody', first] })).toEqual([third, first])
    expect(await listIds({ type: 'private' })).toEqual([fourth, first])
    expect(await listIds({ type: ['public', 'management'] })).toEqual([third, second])
    expect(await listIds({ type: 'private', id: [first, second] })).toEqual([first])
    expect(await catchErrorFields(owner.applications.list({ type: ['private', 'x'] as never }))).toEqual([
      'type[1]',
    ])
    expect(await owner.applications.list({ size: 3, page: 2 })).toEqual({
      pagination: { total_items: 4, page_number: 2, page_size: 3, total_pages: 2 },
      data: [expect.objectContaining({ id: first })],
    })
  })

  test('L-05 a page past the end is empty, and page and size are limited', async () => {
    const { owner } = openBriefVault()
    await owner.applications.create({ name: 'x', type: 'private', permissions: ['token:read'] })
    expect(await owner.applications.list({ page: 7, size: 100 })).toEqual({
      pagination: { total_items: 1, page_number: 7, page_size: 100, total_pages: 1 },
      data: [],
    })
    expect((await owner.applications.list({})).pagination).toMatchObject({ page_number: 1, page_size: 20 })
    for (const query of [
      { page: 0 },
      { page: -1 },
      { page: 1.5 },
      { size: 0 },
      { size: 101 },
      { size: 'x' },
    ]) {
      expect(await catchErrorFields(owner.applications.list(query as never))).toEqual(Object.keys(query))
    }
  })
})

describe('changing and deleting applications', () => {
  test('K-01 an update applies to existing keys immediately, and keeps the type', async () => {
    const vault = openBriefVault()
    const { id, client } = await vault.application({ permissions: ['token:read'] })
    expect((await client.tokens.list({})).data).toEqual([])
    const updated = await vault.owner.applications.update({
      id,
      name: 'new',
      rules: [createRule({ container: '/a/' })],
    })
    expect(updated).toMatchObject({ name: 'new', type: 'private', permissions: [] })
    expect((await catchProblem(client.tokens.list({ container: '/b/' }))).status).toBe(403)
    expect(
      await catchErrorFields(vault.owner.applications.update({ id, permissions: ['token:read'] } as never)),
    ).toEqual(['name'])
    for (const more of [{ type: 'public' }, { expires_at: '2031-01-01' }, { create_key: true }]) {
      const put = vault.owner.applications.update({
        id,
        name: 'x',
        permissions: ['token:read'],
        ...more,
      } as never)
      expect(await catchErrorFields(put)).toEqual(Object.keys(more))
    }
    const wrongType = vault.owner.applications.update({ id, name: 'x', permissions: ['log:read'] })
    expect(await catchErrorFields(wrongType)).toEqual(['permissions[0]'])
  })

  test('K-03 deleting an application deletes its keys', async () => {
    const vault = openBriefVault()
    const { id, client } = await vault.application({ permissions: ['token:read'] })
    await vault.owner.applications.remove({ id })
    expect((await catchProblem(client.tokens.list({}))).status).toBe(401)
    const gone = [
      () => vault.owner.applications.get({ id }),
      () => vault.owner.applications.remove({ id }),
      () => vault.owner.applications.update({ id, name: 'x', permissions: ['token:read'] }),
      () => vault.owner.keys.list({ id }),
      () => vault.owner.keys.create({ id }),
    ]
    for (const ask of gone) expect((await catchProblem(ask())).status).toBe(404)
  })

  test('K-03 an expired application is rejected, also when the owner views as it', async () => {
    const vault = openBriefVault()
    const { id, client } = await vault.application({
      permissions: ['token:read'],
      expires_at: '2030-01-01T00:00:10Z',
    })
    const through = createTestClient(() => vault.engine, { kind: 'as', application_id: id })
    vault.clock.advance(9_999)
    expect((await client.tokens.list({})).data).toEqual([])
    expect((await through.tokens.list({})).data).toEqual([])
    vault.clock.advance(1)
    expect((await catchProblem(client.tokens.list({}))).status).toBe(401)
    expect((await catchProblem(through.tokens.list({}))).status).toBe(404)
    expect((await catchProblem(vault.owner.applications.get({ id }))).status).toBe(404)
    expect((await catchProblem(vault.owner.keys.create({ id }))).status).toBe(404)
    expect((await vault.owner.applications.list({})).pagination.total_items).toBe(0)
  })
})

test('K-01 K-03 O-03 ids of applications, keys and intents are found in upper case', async () => {
  const { owner } = openBriefVault()
  const created = await owner.applications.create({
    name: 'App',
    type: 'management',
    permissions: ['application:read'],
  })
  const id = created.id.toUpperCase()
  expect((await owner.applications.get({ id })).id).toBe(created.id)
  expect((await owner.applications.list({ id: [id] })).data).toHaveLength(1)
  expect((await owner.applications.update({ id, name: 'New', permissions: ['log:read'] })).name).toBe('New')
  const key = await owner.keys.create({ id })
  expect((await owner.keys.get({ id, keyId: key.id.toUpperCase() })).id).toBe(key.id)
  await owner.keys.remove({ id, keyId: key.id.toUpperCase() })
  await owner.applications.remove({ id })
  const data = '021000021'
  const intent = await owner.tokenIntents.create({ type: 'us_bank_routing_number', data })
  const intent_id = intent.id.toUpperCase()
  expect((await owner.tokenIntents.get({ id: intent_id })).id).toBe(intent.id)
  const detokenized = await owner.tokens.detokenize({ payload: `{{ token_intent: ${intent_id} }}` })
  expect(detokenized).toMatchObject({ id: intent.id })
  expect((await owner.tokens.create({ token_intent_id: intent_id })).type).toBe('us_bank_routing_number')
})

test('Z-03 the Backend of a new vault may call all of agentic payments, as their guide does', () => {
  const granted = starters.private.rules.flatMap(({ permissions }) => permissions)
  const needed = Object.keys(permissions).filter((name) => /^(agent|enrollment):/.test(name))
  expect(needed.length).toBeGreaterThan(0)
  expect(granted).toEqual(expect.arrayContaining(needed))
})
