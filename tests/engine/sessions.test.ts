import { expect, test } from 'vitest'
import { catchProblem, createTestClient, openBriefVault, openVault } from '../vault.ts'
import type { TestVault } from './vault-helpers.ts'

const minute = 60_000

async function openVaultWithSession(authorizer: Parameters<TestVault['application']>[0] = {}) {
  const vault = openVault()
  const browser = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:delete'] },
    ],
    ...authorizer,
  })
  const started = await browser.client.sessions.create()
  const session = createTestClient(() => vault.engine, { kind: 'key', key: started.session_key })
  const token = await vault.owner.tokens.create({
    type: 'token',
    data: 'secret',
    mask: '{{ data | reveal_last: 1 }}',
  })
  return { vault, browser, backend, started, session, token }
}

test('O-04 A-03 a public key starts a session, which has no access yet', async () => {
  const { started, session, token } = await openVaultWithSession()
  expect(started).toEqual({
    session_key: expect.stringMatching(/^key_local_ses_[0-9A-Za-z]{22,}$/),
    nonce: expect.any(String),
    expires_at: '2030-01-01T00:03:00.000+00:00',
  })
  expect((await catchProblem(session.tokens.get({ id: token.id }))).status).toBe(403)
  expect((await catchProblem(session.tokens.create({ type: 'token', data: 1 }))).status).toBe(403)
})

test('O-04 an authorized session has its grants until it expires', async () => {
  const { vault, backend, started, session, token } = await openVaultWithSession()
  expect(
    await backend.client.sessions.authorize({
      nonce: started.nonce,
      rules: [
        {
          priority: 1,
          conditions: [{ attribute: 'id', operator: 'equals', value: token.id }],
          transform: 'reveal',
          permissions: ['token:read'],
        },
      ],
    }),
  ).toEqual({})
  expect((await session.tokens.get({ id: token.id })).data).toBe('secret')
  const other = await vault.owner.tokens.create({ type: 'token', data: 'other' })
  expect((await catchProblem(session.tokens.get({ id: other.id }))).status).toBe(403)
  vault.clock.advance(3 * minute - 1)
  expect((await session.tokens.get({ id: token.id })).data).toBe('secret')
  vault.clock.advance(1)
  expect((await catchProblem(session.tokens.get({ id: token.id }))).status).toBe(401)
})

test('O-04 expires_at of the authorization decides when a session expires', async () => {
  const { vault, backend, started, session, token } = await openVaultWithSession()
  await backend.client.sessions.authorize({
    nonce: started.nonce,
    permissions: ['token:read'],
    expires_at: '2030-01-01T01:00:00Z',
  })
  vault.clock.advance(60 * minute - 1)
  expect((await session.tokens.get({ id: token.id })).data).toBe('XXXXXt')
  vault.clock.advance(1)
  expect((await catchProblem(session.tokens.get({ id: token.id }))).status).toBe(401)
})

test('O-04 an unknown or expired nonce is 404, a used one 409', async () => {
  const { vault, browser, backend, started } = await openVaultWithSession()
  const authorizeSession = (nonce: string) =>
    backend.client.sessions.authorize({ nonce, permissions: ['token:read'] })
  expect((await catchProblem(authorizeSession('nothing'))).status).toBe(404)
  expect((await catchProblem(authorizeSession(started.session_key))).status).toBe(404)
  await authorizeSession(started.nonce)
  expect((await catchProblem(authorizeSession(started.nonce))).status).toBe(409)
  const late = await browser.client.sessions.create()
  vault.clock.advance(3 * minute)
  expect((await catchProblem(authorizeSession(late.nonce))).status).toBe(404)
})

test('O-04 K-03 authorising a session of an expired or deleted application is 404', async () => {
  const { vault, backend } = await openVaultWithSession()
  const browser = await vault.application({
    type: 'public',
    permissions: ['token:create'],
    expires_at: '2030-01-01T00:01:00Z',
  })
  const { nonce } = await browser.client.sessions.create()
  vault.clock.advance(minute)
  const catchAuthorizeProblem = () =>
    catchProblem(backend.client.sessions.authorize({ nonce, permissions: ['token:read'] }))
  expect((await catchAuthorizeProblem()).status).toBe(404)
  await vault.engine.sweeper.sweep()
  expect((await catchAuthorizeProblem()).status).toBe(404)
})

test('O-04 only a public key starts a session, and only a private one authorizes it', async () => {
  const { vault, browser, backend, started, session } = await openVaultWithSession()
  const { client: management } = await vault.application({ type: 'management', permissions: ['log:read'] })
  for (const client of [backend.client, management, session, vault.owner]) {
    expect((await catchProblem(client.sessions.create())).status).toBe(403)
  }
  for (const client of [browser.client, management, session, vault.owner]) {
    const call = client.sessions.authorize({ nonce: started.nonce, permissions: ['token:create'] })
    expect((await catchProblem(call)).status).toBe(403)
  }
})

test('O-04 P-03 P-06 invalid grants of a session are rejected', async () => {
  const { backend, started } = await openVaultWithSession()
  const rule = { priority: 1, transform: 'reveal', permissions: ['token:read'] } as const
  const conditions = [{ attribute: 'id', operator: 'equals', value: 'abc' }] as const
  const refused = [
    {},
    { permissions: [], rules: [] },
    { permissions: ['application:read'] },
    { permissions: ['nonsense'] },
    { rules: [rule] },
    { rules: [{ ...rule, container: '/', conditions }] },
    {
      rules: [
        { ...rule, container: '/' },
        { ...rule, container: '/a/' },
      ],
    },
    { permissions: ['token:read'], expires_at: '2029-01-01' },
    { permissions: ['token:read'], colour: 'red' },
  ]
  for (const grants of refused) {
    const call = backend.client.sessions.authorize({ nonce: started.nonce, ...grants } as never)
    expect([(await catchProblem(call)).status, grants]).toEqual([400, grants])
  }
})

test('X-20 a permission that the authorizer does not hold is rejected', async () => {
  const { backend, started } = await openVaultWithSession()
  const problem = await catchProblem(
    backend.client.sessions.authorize({ nonce: started.nonce, permissions: ['token:read', 'token:update'] }),
  )
  expect(problem).toMatchObject({ status: 403, detail: expect.stringContaining('token:update') })
  const rules = [{ priority: 1, container: '/', transform: 'mask', permissions: ['token:use'] }] as const
  expect(
    (await catchProblem(backend.client.sessions.authorize({ nonce: started.nonce, rules } as never))).status,
  ).toBe(403)
})

test('X-20 a session sees no more than its authorizer sees', async () => {
  const { vault, backend, started, session, token } = await openVaultWithSession({
    rules: [{ priority: 1, container: '/general/', transform: 'mask', permissions: ['token:read'] }],
  })
  const other = await vault.owner.tokens.create({ type: 'token', data: 'hidden', containers: ['/pii/'] })
  await backend.client.sessions.authorize({
    nonce: started.nonce,
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
  })
  expect((await session.tokens.get({ id: token.id })).data).toBe('XXXXXt')
  expect((await catchProblem(session.tokens.get({ id: other.id }))).status).toBe(403)
  expect((await session.tokens.list()).data.map(({ id }) => id)).toEqual([token.id])
  const detokenized = await session.tokens.detokenize({ payload: `{{ ${token.id} }}` })
  expect(detokenized).toBe('XXXXXt')
})

test('X-20 a session loses access as soon as its authorizer does', async () => {
  const { vault, backend, started, session, token } = await openVaultWithSession()
  await backend.client.sessions.authorize({
    nonce: started.nonce,
    permissions: ['token:read', 'token:delete'],
  })
  expect((await session.tokens.get({ id: token.id })).id).toBe(token.id)
  await vault.owner.applications.update({ id: backend.id, name: 'Less', permissions: ['token:read'] })
  expect((await catchProblem(session.tokens.remove({ id: token.id }))).status).toBe(403)
  expect((await session.tokens.get({ id: token.id })).id).toBe(token.id)
  await vault.owner.applications.remove({ id: backend.id })
  expect((await catchProblem(session.tokens.get({ id: token.id }))).status).toBe(401)
})

test('X-20 K-03 a session ends when its application or its authorizer expires', async () => {
  const vault = openBriefVault()
  const grants = { permissions: ['token:read'], expires_at: '2030-01-01T00:01:00Z' }
  const token = await vault.owner.tokens.create({ type: 'token', data: 'secret' })
  const createSession = async (starts: string | undefined, authorizes: string | undefined) => {
    const browser = await vault.application({
      type: 'public',
      permissions: ['token:create'],
      ...(starts && { expires_at: starts }),
    })
    const backend = await vault.application({
      permissions: ['token:read'],
      ...(authorizes && { expires_at: authorizes }),
    })
    const { session_key, nonce } = await browser.client.sessions.create()
    await backend.client.sessions.authorize({ nonce, permissions: ['token:read'] })
    return { browser, client: createTestClient(() => vault.engine, { kind: 'key', key: session_key }) }
  }
  const first = await createSession(grants.expires_at, undefined)
  const second = await createSession(undefined, grants.expires_at)
  const third = await createSession(undefined, undefined)
  await first.client.tokens.get({ id: token.id })
  vault.clock.advance(minute)
  expect((await catchProblem(first.client.tokens.get({ id: token.id }))).status).toBe(401)
  expect((await catchProblem(second.client.tokens.get({ id: token.id }))).status).toBe(401)
  expect((await third.client.tokens.get({ id: token.id })).id).toBe(token.id)
  await vault.owner.applications.remove({ id: third.browser.id })
  expect((await catchProblem(third.client.tokens.get({ id: token.id }))).status).toBe(401)
})

test('O-04 T-08 created_by of a session is the application that started it', async () => {
  const { browser, backend, started, session, vault } = await openVaultWithSession({
    permissions: ['token:create', 'token:update'],
    rules: [],
  })
  await backend.client.sessions.authorize({
    nonce: started.nonce,
    permissions: ['token:create', 'token:update'],
  })
  const created = await session.tokens.create({ type: 'token', data: 1 })
  expect(created.created_by).toBe(browser.id)
  const updated = await session.tokens.update({ id: created.id, metadata: { a: 'b' } })
  expect(updated.modified_by).toBe(browser.id)
  const { data } = await vault.owner.logs.list({ entity_id: created.id })
  expect(data.map(({ actor_type }) => actor_type)).toEqual(['session', 'session'])
})

test('O-04 a session survives a restart of the vault', async () => {
  const { vault, backend, started, token } = await openVaultWithSession()
  vault.reopen()
  await backend.client.sessions.authorize({ nonce: started.nonce, permissions: ['token:read'] })
  vault.reopen()
  const session = createTestClient(() => vault.engine, { kind: 'key', key: started.session_key })
  expect((await session.tokens.get({ id: token.id })).data).toBe('XXXXXt')
})

test('P-07 O-04 conditions ignore the case of containers, but not of ids', async () => {
  const { vault, backend, started, session } = await openVaultWithSession()
  await vault.owner.tokens.create({ id: 'one', type: 'token', data: 1, containers: ['/CaSe/X/'] })
  await vault.owner.tokens.create({ id: 'two', type: 'token', data: 2, containers: ['/else/'] })
  const createRule = (
    priority: number,
    attribute: 'id' | 'container',
    operator: 'equals' | 'starts_with',
    value: string,
  ) => ({
    priority,
    conditions: [{ attribute, operator, value }],
    transform: 'reveal' as const,
    permissions: ['token:read' as const],
  })
  await backend.client.sessions.authorize({
    nonce: started.nonce,
    rules: [createRule(1, 'container', 'equals', '/CaSe/X/'), createRule(2, 'id', 'equals', 'TWO')],
  })
  expect((await session.tokens.get({ id: 'one' })).data).toBe(1)
  expect((await catchProblem(session.tokens.get({ id: 'two' }))).status).toBe(403)
})

test('O-04 authorizing a session for more than its authorizer holds says so, and so does each use', async () => {
  const { vault, backend, started, session, token } = await openVaultWithSession({
    permissions: ['token:read'],
    rules: [{ priority: 1, container: '/vip/', transform: 'reveal', permissions: ['token:read'] }],
  })
  const rule = { transform: 'reveal', permissions: ['token:read'] }
  const conditions = [{ attribute: 'id', operator: 'equals', value: token.id }]
  const rules = [
    { ...rule, priority: 1, container: '/general/' },
    { ...rule, priority: 2, container: '/vip/cards/' },
    { ...rule, priority: 3, transform: 'mask', conditions },
  ]
  const caller = { kind: 'key' as const, key: backend.key }
  const { output, headers } = await vault.engine.call(
    'sessions.authorize',
    { nonce: started.nonce, rules },
    caller,
  )
  const notice =
    'A session gets no more than the application that authorizes it. Rule 1 asks for reveal with token:read; the session gets at most mask.'
  expect([output, headers]).toEqual([{}, { 'Coffer-Notice': notice }])
  expect((await session.tokens.get({ id: token.id })).data).toBe('XXXXXt')
  const [read, authorized] = (await vault.owner.logs.list({})).data
  expect(authorized?.note).toBe(notice)
  expect(read?.note).toBe(
    'mask, by rule 1 on /general/ (token:read), limited by the application that authorized the session',
  )
})
