import { describe, expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase, openReadOnly } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { catalogue } from '../../electron/engine/operations.ts'
import { splitRoute } from '../../electron/engine/pipeline/operation.ts'
import type { AccessRule } from '../../shared/schemas/rule.ts'
import { toFirstFormat } from '../first-format.ts'
import { catchProblem, createTestClient, openBriefVault, openVault } from '../vault.ts'
import { withoutIds } from '../without-ids.ts'
import { createIdempotency, type TestVault } from './vault-helpers.ts'

type GrantedApplication = Awaited<ReturnType<TestVault['application']>>

const hour = 3_600_000
const number = '4242424242424242'
const card = { type: 'card', data: { number, cvc: '737' } }

function createRule(
  container: string,
  transform: AccessRule['transform'],
  ...permissions: AccessRule['permissions']
): AccessRule {
  return { priority: 1, container, transform, permissions }
}

/** Replaces the rules of an application. */
function grantRules({ owner }: TestVault, { id }: GrantedApplication, ...rules: AccessRule[]) {
  const numbered = rules.map((each, index) => ({ ...each, priority: index + 1 }))
  return owner.applications.update({ id, name: 'App', rules: numbered })
}

/**
 * Creates a token with an idempotency key. Returns the vault, the application, the first response, and a function that
 * repeats the request. Without rules, the application has all token permissions.
 */
async function createRepeatable(input: object = card, ...rules: AccessRule[]) {
  const vault = openVault()
  const all: AccessRule = createRule(
    '/',
    'reveal',
    'token:create',
    'token:read',
    'token:update',
    'token:delete',
  )
  const app = await vault.application({ rules: rules.length > 0 ? rules : [all] })
  const repeatCall = () => app.with(createIdempotency()).tokens.create(input as never)
  return { vault, app, repeatCall, first: await repeatCall() }
}

async function getConflict(promise: Promise<unknown>) {
  const { status, detail } = await catchProblem(promise)
  expect([status, detail]).toEqual([409, expect.stringContaining('not run again')])
}

async function countTokens({ owner }: TestVault): Promise<number> {
  return (await owner.tokens.list({ size: 100 })).data.length
}

test('A-12 every POST, PUT and PATCH that writes defines its replay', () => {
  for (const [name, { route, effect, replay }] of catalogue) {
    if (route === null) continue
    const { method } = splitRoute(route)
    // A reactor's code may write, although the operation that prepares its run does not.
    const writes = effect === 'write' || name === 'reactors.react'
    const wanted = writes && ['POST', 'PUT', 'PATCH'].includes(method)
    const message = wanted
      ? `${name} writes, so it needs \`replay\` (docs/contributing/endpoint.md).`
      : `${name} is never repeated from replay data, so it needs no \`replay\`.`
    expect(replay !== undefined, message).toBe(wanted)
  }
})

describe('a repeated create', () => {
  test('A-12 a repeated create gets the same response after restart and key rotation', async () => {
    const { vault, repeatCall, first } = await createRepeatable()
    expect(first.data).toEqual({ number, cvc: '737' })
    expect(await repeatCall()).toEqual(first)
    vault.reopen()
    expect(await repeatCall()).toEqual(first)
    await vault.engine.lifecycle.rotateDataKey(vault.master)
    vault.reopen()
    expect(await repeatCall()).toEqual(first)
    expect(await countTokens(vault)).toBe(1)
  })

  test.each<[string, AccessRule['transform'], unknown]>([
    ['masked if it is masked now', 'mask', { number: 'XXXXXXXXXXXX4242' }],
    ['without data if it is redacted now', 'redact', undefined],
  ])('X-49 a repeated create returns the token %s', async (_, transform, data) => {
    const { vault, app, repeatCall } = await createRepeatable()
    await grantRules(vault, app, createRule('/', transform, 'token:create'))
    expect((await repeatCall()).data).toEqual(data)
  })

  test('X-49 a repeated create is rejected without permission on the container', async () => {
    const { vault, app, repeatCall, first } = await createRepeatable()
    await grantRules(vault, app, createRule('/elsewhere/', 'reveal', 'token:create'))
    expect((await catchProblem(repeatCall())).status).toBe(403)
    await grantRules(vault, app, createRule('/', 'reveal', 'token:read'))
    expect((await catchProblem(repeatCall())).status).toBe(403)
    await grantRules(vault, app, createRule('/', 'reveal', 'token:create'))
    expect(await repeatCall()).toEqual(first)
  })

  test('X-49 a repeated create uses the token’s current container', async () => {
    const rules = [
      createRule('/pci/', 'reveal', 'token:create'),
      createRule('/kept/', 'redact', 'token:create'),
    ]
    const { vault, app, repeatCall, first } = await createRepeatable(
      card,
      ...rules.map((each, at) => ({ ...each, priority: at + 1 })),
    )
    expect(first.data).toBeDefined()
    await vault.owner.tokens.update({ id: first.id, containers: ['/kept/'] })
    const moved = await repeatCall()
    expect([moved.containers, moved.data]).toEqual([['/kept/'], undefined])
    await vault.owner.tokens.update({ id: first.id, containers: ['/secret/'] })
    expect((await catchProblem(repeatCall())).status).toBe(403)
    await vault.owner.applications.remove({ id: app.id })
    expect((await catchProblem(repeatCall())).status).toBe(401)
  })

  test('X-49 a repeated create hides others’ later changes without read access', async () => {
    const { vault, app, repeatCall, first } = await createRepeatable(
      { type: 'token', data: 'mine', metadata: { a: '1' } },
      createRule('/', 'reveal', 'token:create'),
    )
    expect(first.data).toBe('mine')
    await vault.owner.tokens.update({
      id: first.id,
      data: 'theirs 4242',
      mask: 'theirs {{ data }}',
      metadata: { b: 'theirs' },
    })
    const { id, tenant_id, type, containers, created_by, created_at } = first
    const _extras = { deduplicated: false }
    expect(await repeatCall()).toEqual({ id, tenant_id, type, containers, created_by, created_at, _extras })
    await grantRules(
      vault,
      app,
      createRule('/', 'reveal', 'token:create'),
      createRule('/', 'mask', 'token:read'),
    )
    expect((await repeatCall()).data).toBe('theirs theirs 4242')
    await grantRules(
      vault,
      app,
      createRule('/', 'mask', 'token:create'),
      createRule('/', 'reveal', 'token:read'),
    )
    expect((await repeatCall()).data).toBe('theirs theirs 4242')
    await grantRules(vault, app, createRule('/', 'reveal', 'token:create', 'token:read'))
    expect(await repeatCall()).toMatchObject({ data: 'theirs 4242', metadata: { a: '1', b: 'theirs' } })
  })

  test('X-49 T-15 a repeated create never shows an expired cvc, in data or mask', async () => {
    const mask = { code: '{{ data.cvc }}' }
    const { vault, app, repeatCall, first } = await createRepeatable({ ...card, mask })
    expect(first).toMatchObject({ data: { cvc: '737' }, mask })
    vault.clock.advance(hour)
    expect((await repeatCall()).data).toEqual({ number })
    await grantRules(vault, app, createRule('/', 'mask', 'token:create'))
    expect(withoutIds(await repeatCall())).not.toContain('737')
    await vault.engine.sweeper.sweep()
    expect(withoutIds(await repeatCall())).not.toContain('737')
  })

  test.each<[string, (vault: TestVault, id: string) => Promise<unknown>]>([
    ['deleted', ({ owner }, id) => owner.tokens.remove({ id })],
    [
      'expired',
      async ({ clock }) => {
        clock.advance(hour)
      },
    ],
    [
      'expired and swept',
      ({ clock, engine }) => {
        clock.advance(hour)
        return engine.sweeper.sweep()
      },
    ],
  ])('X-49 T-11 T-14 a repeated create is 409 once its token is %s', async (_, end) => {
    const expires_at = '2030-01-01T01:00:00Z'
    const { vault, repeatCall, first } = await createRepeatable({ type: 'token', data: 'x', expires_at })
    await end(vault, first.id)
    await getConflict(repeatCall())
    vault.reopen()
    await getConflict(repeatCall())
    expect(await countTokens(vault)).toBe(0)
    vault.clock.advance(24 * hour)
    const later = await catchProblem(repeatCall())
    expect([later.status, Object.keys(later.errors ?? {})]).toEqual([400, ['expires_at']])
  })

  test('X-49 T-11 a repeated create does not show another token with the same id', async () => {
    const { vault, repeatCall } = await createRepeatable({ type: 'token', data: 'mine', id: 'same' })
    await vault.owner.tokens.remove({ id: 'same' })
    await vault.owner.tokens.create({ type: 'token', data: 'theirs', id: 'same' })
    await getConflict(repeatCall())
  })

  test('T-10 X-49 a repeated create shows a duplicate with the current read access', async () => {
    const vault = openBriefVault()
    const input = { type: 'card_number', data: number, containers: ['/web/'], deduplicate_token: true }
    const original = await vault.owner.tokens.create({ ...input, containers: ['/pci/'] })
    const app = await vault.application({ rules: [createRule('/web/', 'reveal', 'token:create')] })
    const repeatCall = () => app.with(createIdempotency()).tokens.create(input)
    const first = await repeatCall()
    expect([first.id, first.data, first._extras]).toEqual([
      original.id,
      undefined,
      { deduplicated: true, deduplication_behavior: 'read_existing' },
    ])
    expect(await repeatCall()).toEqual(first)
    await grantRules(
      vault,
      app,
      createRule('/web/', 'reveal', 'token:create'),
      createRule('/pci/', 'reveal', 'token:read'),
    )
    expect(await repeatCall()).toMatchObject({
      data: number,
      _extras: { deduplicated: true, deduplication_behavior: 'read_existing' },
    })
    await grantRules(vault, app, createRule('/pci/', 'reveal', 'token:create', 'token:read'))
    expect((await catchProblem(repeatCall())).status).toBe(403)
    await grantRules(vault, app, createRule('/web/', 'reveal', 'token:create'))
    await vault.owner.tokens.remove({ id: original.id })
    await getConflict(repeatCall())
    expect(await countTokens(vault)).toBe(0)
  })

  test('A-12 one of twenty concurrent creates succeeds, and the others get 409', async () => {
    const vault = openBriefVault()
    const { with: using } = await vault.application({ permissions: ['token:create'] })
    const client = using(createIdempotency())
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => client.tokens.create({ type: 'token', data: 1 })),
    )
    expect(all.map(({ status }) => status).filter((status) => status === 'fulfilled')).toHaveLength(1)
    expect(await countTokens(vault)).toBe(1)
    await client.tokens.create({ type: 'token', data: 1 })
    expect(await countTokens(vault)).toBe(1)
  })
})

describe('a repeated patch', () => {
  const all = ['token:create', 'token:update'] as const
  async function patchRepeatable(...rules: AccessRule[]) {
    const vault = openVault()
    const app = await vault.application({ rules })
    const { id } = await vault.owner.tokens.create({ type: 'token', data: { a: 1 } })
    const repeatCall = () =>
      app.with(createIdempotency(`/tokens/${id}`, 'PATCH')).tokens.update({ id, data: { b: 2 } })
    return { vault, app, id, repeatCall, first: await repeatCall() }
  }

  test('A-12 X-49 a repeated patch shows the current token, and changes nothing', async () => {
    const { vault, id, repeatCall, first } = await patchRepeatable(
      createRule('/', 'reveal', ...all, 'token:read'),
    )
    expect(first).toMatchObject({ data: { a: 1, b: 2 }, _extras: { deduplicated: false } })
    vault.clock.advance(1)
    expect(await repeatCall()).toEqual(first)
    const now = await vault.owner.tokens.update({ id, data: { b: 3 } })
    const shown = await repeatCall()
    expect(shown).toMatchObject({ data: { a: 1, b: 3 }, modified_at: now.modified_at })
    await vault.owner.tokens.remove({ id })
    await getConflict(repeatCall())
  })

  test('X-49 a repeated patch uses the current permissions', async () => {
    const { vault, app, id, repeatCall, first } = await patchRepeatable(
      createRule('/', 'reveal', 'token:update'),
    )
    expect(first.data).toEqual({ a: 1, b: 2 })
    await grantRules(vault, app, createRule('/', 'redact', 'token:update'))
    expect((await repeatCall()).data).toBeUndefined()
    await grantRules(vault, app, createRule('/', 'reveal', 'token:update'))
    await vault.owner.tokens.update({ id, data: { secret: 'theirs' } })
    expect(JSON.stringify(await repeatCall())).not.toContain('theirs')
    await vault.owner.tokens.update({ id, containers: ['/far/'] })
    await grantRules(vault, app, createRule('/general/', 'reveal', 'token:update'))
    expect((await catchProblem(repeatCall())).status).toBe(403)
  })

  test('T-13 X-49 a repeated patch shows a duplicate with the current read access', async () => {
    const vault = openBriefVault()
    const original = await vault.owner.tokens.create({ type: 'token', data: 'same', containers: ['/far/'] })
    const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x' })
    const app = await vault.application({ rules: [createRule('/general/', 'reveal', 'token:update')] })
    const patch = { id, data: 'same', deduplicate_token: true }
    const repeatCall = () => app.with(createIdempotency(`/tokens/${id}`, 'PATCH')).tokens.update(patch)
    const first = await repeatCall()
    expect([first.id, first.data, first._extras]).toEqual([
      original.id,
      undefined,
      { deduplicated: true, deduplication_behavior: 'read_existing' },
    ])
    expect(await repeatCall()).toEqual(first)
    await grantRules(
      vault,
      app,
      createRule('/general/', 'reveal', 'token:update'),
      createRule('/far/', 'reveal', 'token:read'),
    )
    expect((await repeatCall()).data).toBe('same')
    await vault.owner.tokens.remove({ id: original.id })
    await getConflict(repeatCall())
  })
})

describe('a repeated tokenize request', () => {
  const payload = {
    a: 'one',
    b: [null, { type: 'card', data: { number } }, 7],
    c: {},
    d: JSON.parse('{"__proto__":"two"}'),
  }

  async function tokenizeRepeatable() {
    const vault = openVault()
    const app = await vault.application({ rules: [createRule('/', 'reveal', 'token:create', 'token:read')] })
    const repeatCall = (input: unknown = payload) =>
      app.with(createIdempotency('/tokenize')).tokens.tokenize({ payload: input as never })
    const first = (await repeatCall()) as { a: string; b: [null, { id: string }, string]; d: object }
    return { vault, app, repeatCall, first }
  }

  test('A-12 O-01 a repeated tokenize gets the first response, even with another body', async () => {
    const { vault, repeatCall, first } = await tokenizeRepeatable()
    expect(first.b[1]).toMatchObject({ data: { number } })
    // Compared as text, to include `__proto__`.
    expect(JSON.stringify(await repeatCall())).toBe(JSON.stringify(first))
    vault.reopen()
    expect(await repeatCall('other')).toEqual(first)
    expect(await countTokens(vault)).toBe(4)
  })

  test('X-49 a repeated tokenize checks access again, and is 409 once a token is deleted', async () => {
    const { vault, app, repeatCall, first } = await tokenizeRepeatable()
    await grantRules(vault, app, createRule('/', 'mask', 'token:create'))
    expect(await repeatCall()).toMatchObject({
      a: first.a,
      b: [null, { data: { number: 'XXXXXXXXXXXX4242' } }, first.b[2]],
    })
    await grantRules(vault, app, createRule('/pci/', 'mask', 'token:create'))
    expect((await catchProblem(repeatCall())).status).toBe(403)
    await grantRules(vault, app, createRule('/', 'mask', 'token:create'))
    await vault.owner.tokens.remove({ id: first.b[2] })
    await getConflict(repeatCall())
    expect(await countTokens(vault)).toBe(3)
  })

  test('A-12 T-10 a repeated tokenize shows a deduplicated token in every position', async () => {
    const { vault, app } = await tokenizeRepeatable()
    const request = { type: 'card', data: { number }, deduplicate_token: true }
    const repeatCall = () =>
      app.with(createIdempotency('/tokenize', 'POST', 'two')).tokens.tokenize({ payload: [request, request] })
    const first = await repeatCall()
    expect(await repeatCall()).toEqual(first)
    expect(await countTokens(vault)).toBe(4)
  })
})

describe('other repeated requests', () => {
  async function openManager() {
    const vault = openVault()
    const app = await vault.application({
      type: 'management',
      permissions: ['application:create', 'application:update', 'tenant:update', 'tenant:read'],
    })
    return { vault, app }
  }

  test('A-12 X-49 a repeated create returns an application’s key until either is deleted', async () => {
    const { vault, app } = await openManager()
    const input = { name: 'New', type: 'public' as const, permissions: ['token:create' as const] }
    const repeatCall = (key: string) =>
      app.with(createIdempotency('/applications', 'POST', key)).applications.create(input)
    const first = await repeatCall('a')
    expect(first.key).toMatch(/^key_local_pub_/)
    vault.reopen()
    expect(await repeatCall('a')).toEqual(first)
    await vault.engine.lifecycle.rotateDataKey(vault.master)
    await vault.owner.applications.update({ id: first.id, name: 'Renamed', permissions: ['token:update'] })
    expect(await repeatCall('a')).toMatchObject({
      name: 'Renamed',
      permissions: ['token:update'],
      key: first.key,
    })
    await vault.owner.keys.remove({ id: first.id, keyId: first.keys?.[0]?.id ?? '' })
    await getConflict(repeatCall('a'))
    const second = await repeatCall('b')
    await vault.owner.applications.remove({ id: second.id })
    await getConflict(repeatCall('b'))
    expect((await vault.owner.applications.list({})).data.map(({ name }) => name)).toEqual(['Renamed', 'App'])
  })

  test('A-12 X-49 a repeated create of an application without a key returns no key', async () => {
    const { app } = await openManager()
    const input = {
      name: 'New',
      type: 'public' as const,
      permissions: ['token:create' as const],
      create_key: false,
    }
    const repeatCall = () => app.with(createIdempotency('/applications')).applications.create(input)
    expect(await repeatCall()).toEqual(await repeatCall())
  })

  test('A-12 X-49 a repeated key creation returns the key until it is deleted', async () => {
    const { vault, app } = await openManager()
    const target = await vault.application({ permissions: ['token:read'] })
    const path = `/applications/${target.id}/keys`
    const repeatCall = (key: string) =>
      app.with(createIdempotency(path, 'POST', key)).keys.create({ id: target.id })
    const first = await repeatCall('a')
    expect(await repeatCall('a')).toEqual(first)
    const other = await vault.application({ type: 'management', permissions: ['application:create'] })
    expect(
      (await other.with(createIdempotency(path, 'POST', 'a')).keys.create({ id: target.id })).key,
    ).not.toBe(first.key)
    await vault.owner.keys.remove({ id: target.id, keyId: first.id })
    await getConflict(repeatCall('a'))
    await repeatCall('b')
    await vault.owner.applications.remove({ id: target.id })
    await getConflict(repeatCall('b'))
  })

  test('A-12 X-49 a stored response with a key is encrypted, and deleted after 24 hours', async () => {
    const { vault, app } = await openManager()
    const { key = '' } = await app.with(createIdempotency('/keys')).keys.create({ id: app.id })
    const readStoredReplays = () => {
      const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
      const found = db.prepare('SELECT kept FROM idempotency').pluck().all() as Buffer[]
      db.close()
      return found
    }
    expect(readStoredReplays()).toHaveLength(1)
    expect(readStoredReplays()[0]?.includes(key.slice(14))).toBe(false)
    vault.clock.advance(24 * hour)
    await vault.engine.sweeper.sweep()
    expect(readStoredReplays()).toEqual([])
  })

  test('A-12 X-49 a repeated update of application or tenant returns the current state', async () => {
    const { vault, app } = await openManager()
    const { id } = await vault.application({ permissions: ['token:read'] })
    const putApplication = () =>
      app
        .with(createIdempotency(`/applications/${id}`, 'PUT'))
        .applications.update({ id, name: 'Put', permissions: ['token:read'] })
    expect((await putApplication()).name).toBe('Put')
    await vault.owner.applications.update({ id, name: 'Later', permissions: ['token:update'] })
    expect(await putApplication()).toMatchObject({ name: 'Later', permissions: ['token:update'] })
    await vault.owner.applications.remove({ id })
    await getConflict(putApplication())
    const nameTenant = () =>
      app.with(createIdempotency('/tenants/self', 'PUT')).tenants.update({ name: 'Put' })
    expect((await nameTenant()).name).toBe('Put')
    const later = await vault.owner.tenants.update({ name: 'Later' })
    expect(await nameTenant()).toEqual(later)
  })

  test('O-03 X-49 a repeated create of a used, deleted or expired intent is 409', async () => {
    const vault = openBriefVault()
    const app = await vault.application({ permissions: ['token-intent:create', 'token:create'] })
    const repeatCall = (key: string) =>
      app
        .with(createIdempotency('/token-intents', 'POST', key))
        .tokenIntents.create({ type: 'card_number', data: number })
    const first = await repeatCall('a')
    expect(await repeatCall('a')).toEqual(first)
    await app.client.tokens.create({ token_intent_id: first.id })
    await getConflict(repeatCall('a'))
    const second = await repeatCall('b')
    await vault.owner.tokenIntents.remove({ id: second.id })
    await getConflict(repeatCall('b'))
    await repeatCall('c')
    await vault.owner.tenants.update({ name: 'x', settings: { token_intent_retention_seconds: '1' } })
    const third = await repeatCall('d')
    vault.clock.advance(1000)
    await getConflict(repeatCall('d'))
    expect(third.id).not.toBe(first.id)
  })

  test('A-12 a repeated conversion of an intent returns the same token', async () => {
    const vault = openBriefVault()
    const app = await vault.application({ permissions: ['token-intent:create', 'token:create'] })
    const intent = await app.client.tokenIntents.create({ type: 'card_number', data: number })
    const repeatCall = () => app.with(createIdempotency()).tokens.create({ token_intent_id: intent.id })
    expect(await repeatCall()).toEqual(await repeatCall())
    expect(await countTokens(vault)).toBe(1)
  })
})

describe('a session that is created again with the same idempotency key', () => {
  async function openBrowser() {
    const vault = openVault()
    const { id, with: using } = await vault.application({ type: 'public', permissions: ['token:create'] })
    const backend = await vault.application({ permissions: ['token:read'] })
    const startSession = () => using(createIdempotency('/sessions')).sessions.create({})
    const authorizeSession = (nonce: string, key = 'once') =>
      backend
        .with(createIdempotency('/sessions/authorize', 'POST', key))
        .sessions.authorize({ nonce, permissions: ['token:read'] })
    const listTokens = (key: string) =>
      createTestClient(() => vault.engine, { kind: 'key', key }).tokens.list({})
    return { vault, id, backend, startSession, authorizeSession, listTokens }
  }

  test('X-49 O-04 a repeated start is the same session, and its earlier key is invalid', async () => {
    const { vault, startSession, authorizeSession, listTokens } = await openBrowser()
    const [first, second] = [await startSession(), await startSession()]
    expect(second.expires_at).toBe(first.expires_at)
    expect(second.session_key).not.toBe(first.session_key)
    expect((await catchProblem(listTokens(first.session_key))).status).toBe(401)
    expect((await catchProblem(authorizeSession(first.nonce))).status).toBe(404)
    await authorizeSession(second.nonce)
    expect((await listTokens(second.session_key)).data).toEqual([])
    const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
    expect(db.prepare('SELECT count(*) FROM session').pluck().get()).toBe(1)
    db.close()
  })

  test('X-49 O-04 a repeated start is 409 once the session is authorized or ended', async () => {
    const { vault, startSession, authorizeSession, listTokens } = await openBrowser()
    const { nonce, session_key } = await startSession()
    await authorizeSession(nonce)
    const taken = await catchProblem(startSession())
    expect([taken.status, taken.detail]).toEqual([409, expect.stringContaining('authorized')])
    expect((await listTokens(session_key)).data).toEqual([])
    vault.clock.advance(3 * 60_000)
    await getConflict(startSession())
    await vault.engine.sweeper.sweep()
    await getConflict(startSession())
  })

  test('X-49 O-04 a repeated authorization needs the current permissions', async () => {
    const { vault, backend, startSession, authorizeSession } = await openBrowser()
    const { nonce } = await startSession()
    expect(await authorizeSession(nonce)).toEqual({})
    expect(await authorizeSession(nonce)).toEqual({})
    expect((await catchProblem(authorizeSession(nonce, 'other'))).status).toBe(409)
    await vault.owner.applications.update({ id: backend.id, name: 'x', permissions: ['token:use'] })
    expect((await catchProblem(authorizeSession(nonce))).status).toBe(403)
    await vault.owner.applications.update({ id: backend.id, name: 'x', permissions: ['token:read'] })
    vault.clock.advance(3 * 60_000)
    await getConflict(authorizeSession(nonce))
  })

  test('X-49 A-12 two sessions of one application share no replays', async () => {
    const { vault, backend, listTokens } = await openBrowser()
    const page = await vault.application({ type: 'public', permissions: ['token:create'] })
    await vault.owner.applications.update({ id: backend.id, name: 'x', permissions: ['token:create'] })
    const ids: string[] = []
    for (const data of ['one', 'two']) {
      const { session_key, nonce } = await page.client.sessions.create({})
      await backend.client.sessions.authorize({ nonce, permissions: ['token:create'] })
      const session = createTestClient(
        () => vault.engine,
        { kind: 'key', key: session_key },
        createIdempotency(),
      )
      ids.push((await session.tokens.create({ type: 'token', data })).id)
      expect((await catchProblem(listTokens(session_key))).status).toBe(403)
    }
    expect(new Set(ids).size).toBe(2)
  })
})

test('A-12 O-05 the record of a replay names the entity and the access decision', async () => {
  const { vault, app, first } = await createRepeatable()
  await app.with({ ...createIdempotency(), trace_id: 'again' }).tokens.create(card)
  const { data } = await vault.owner.logs.list({ entity_id: first.id })
  expect(data[0]).toMatchObject({ action: 'tokens.create', entity_id: first.id })
  expect(data[0]?.note).toContain('reveal, by rule 1 on / (token:create); replayed')
})

test('A-12 a response stored by an older version is deleted, and not repeated', async () => {
  const { vault, repeatCall } = await createRepeatable()
  vault.engine.close()
  toFirstFormat(vault)
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  db.exec("UPDATE tenant SET type = 'vault'")
  migrateDatabase(db, migrations)
  expect(db.prepare('SELECT kept FROM idempotency').pluck().all()).toEqual([null])
  db.close()
  const engine = Engine.open(vault.file, vault.master, { now: vault.clock.now })
  onTestFinished(() => engine.close())
  await engine.lifecycle.rotateDataKey(vault.master)
  engine.close()
  vault.reopen()
  const problem = await catchProblem(repeatCall())
  expect([problem.status, problem.detail]).toEqual([
    409,
    expect.stringContaining('before Coffer was updated'),
  ])
  expect(await countTokens(vault)).toBe(1)
  expect((await vault.owner.tenants.get()).type).toBe('test')
  vault.clock.advance(24 * hour)
  await repeatCall()
  expect(await countTokens(vault)).toBe(2)
})
