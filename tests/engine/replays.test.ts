import { describe, expect, onTestFinished, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { migrateDatabase } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase, openReadOnly } from '../../electron/engine/db/open.ts'
import { Engine } from '../../electron/engine/engine.ts'
import { catalogue } from '../../electron/engine/operations.ts'
import type { CallInfo } from '../../electron/engine/pipeline/call.ts'
import { splitRoute } from '../../electron/engine/pipeline/operation.ts'
import type { AccessRule } from '../../shared/schemas/rule.ts'
import { toFirstFormat } from '../first-format.ts'
import { catchProblem, createTestClient, openBriefVault, openVault } from '../vault.ts'
import { withoutIds } from '../without-ids.ts'

type Vault = ReturnType<typeof openVault>
type App = Awaited<ReturnType<Vault['application']>>

const hour = 3_600_000
const number = '4242424242424242'
const card = { type: 'card', data: { number, cvc: '737' } }

const once = (path = '/tokens', method = 'POST', key = 'once'): CallInfo => ({
  idempotency: { key, method, path },
})

function rule(
  container: string,
  transform: AccessRule['transform'],
  ...permissions: AccessRule['permissions']
): AccessRule {
  return { priority: 1, container, transform, permissions }
}

/** Replaces the rules of an application. */
function grant({ owner }: Vault, { id }: App, ...rules: AccessRule[]) {
  const numbered = rules.map((each, index) => ({ ...each, priority: index + 1 }))
  return owner.applications.update({ id, name: 'App', rules: numbered })
}

/**
 * Creates a token with an idempotency key. Returns the vault, the application, the first response, and a function that
 * repeats the request. Without rules, the application has all token permissions.
 */
async function createRepeatable(input: object = card, ...rules: AccessRule[]) {
  const vault = openVault()
  const all: AccessRule = rule('/', 'reveal', 'token:create', 'token:read', 'token:update', 'token:delete')
  const app = await vault.application({ rules: rules.length > 0 ? rules : [all] })
  const repeat = () => app.with(once()).tokens.create(input as never)
  return { vault, app, repeat, first: await repeat() }
}

async function getConflict(promise: Promise<unknown>) {
  const { status, detail } = await catchProblem(promise)
  expect([status, detail]).toEqual([409, expect.stringContaining('done again')])
}

async function countTokens({ owner }: Vault): Promise<number> {
  return (await owner.tokens.list({ size: 100 })).data.length
}

test('A-12 every POST, PUT and PATCH that writes defines its replay', () => {
  for (const [name, { route, effect, replay }] of catalogue) {
    if (route === null) continue
    const { method } = splitRoute(route)
    // A reactor's code may write, although the operation that prepares its run does not.
    const writes = effect === 'write' || name === 'reactors.react'
    const wanted = writes && ['POST', 'PUT', 'PATCH'].includes(method)
    expect([name, replay !== undefined]).toEqual([name, wanted])
  }
})

describe('a repeated create', () => {
  test('A-12 a repeated create gets the same response after restart and key rotation', async () => {
    const { vault, repeat, first } = await createRepeatable()
    expect(first.data).toEqual({ number, cvc: '737' })
    expect(await repeat()).toEqual(first)
    vault.reopen()
    expect(await repeat()).toEqual(first)
    await vault.engine.rotateDataKey(vault.master)
    vault.reopen()
    expect(await repeat()).toEqual(first)
    expect(await countTokens(vault)).toBe(1)
  })

  test.each<[string, AccessRule['transform'], unknown]>([
    ['masked if it is masked now', 'mask', { number: 'XXXXXXXXXXXX4242' }],
    ['without data if it is redacted now', 'redact', undefined],
  ])('X-49 a repeated create is shown %s', async (_, transform, data) => {
    const { vault, app, repeat } = await createRepeatable()
    await grant(vault, app, rule('/', transform, 'token:create'))
    expect((await repeat()).data).toEqual(data)
  })

  test('X-49 a repeated create is rejected without permission on the container', async () => {
    const { vault, app, repeat, first } = await createRepeatable()
    await grant(vault, app, rule('/elsewhere/', 'reveal', 'token:create'))
    expect((await catchProblem(repeat())).status).toBe(403)
    await grant(vault, app, rule('/', 'reveal', 'token:read'))
    expect((await catchProblem(repeat())).status).toBe(403)
    await grant(vault, app, rule('/', 'reveal', 'token:create'))
    expect(await repeat()).toEqual(first)
  })

  test('X-49 a repeated create uses the token’s current container', async () => {
    const rules = [rule('/pci/', 'reveal', 'token:create'), rule('/kept/', 'redact', 'token:create')]
    const { vault, app, repeat, first } = await createRepeatable(
      card,
      ...rules.map((each, at) => ({ ...each, priority: at + 1 })),
    )
    expect(first.data).toBeDefined()
    await vault.owner.tokens.update({ id: first.id, containers: ['/kept/'] })
    const moved = await repeat()
    expect([moved.containers, moved.data]).toEqual([['/kept/'], undefined])
    await vault.owner.tokens.update({ id: first.id, containers: ['/secret/'] })
    expect((await catchProblem(repeat())).status).toBe(403)
    await vault.owner.applications.remove({ id: app.id })
    expect((await catchProblem(repeat())).status).toBe(401)
  })

  test('X-49 a repeated create hides others’ later changes without read access', async () => {
    const { vault, app, repeat, first } = await createRepeatable(
      { type: 'token', data: 'mine', metadata: { a: '1' } },
      rule('/', 'reveal', 'token:create'),
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
    expect(await repeat()).toEqual({ id, tenant_id, type, containers, created_by, created_at, _extras })
    await grant(vault, app, rule('/', 'reveal', 'token:create'), rule('/', 'mask', 'token:read'))
    expect((await repeat()).data).toBe('theirs theirs 4242')
    await grant(vault, app, rule('/', 'mask', 'token:create'), rule('/', 'reveal', 'token:read'))
    expect((await repeat()).data).toBe('theirs theirs 4242')
    await grant(vault, app, rule('/', 'reveal', 'token:create', 'token:read'))
    expect(await repeat()).toMatchObject({ data: 'theirs 4242', metadata: { a: '1', b: 'theirs' } })
  })

  test('X-49 T-15 a repeated create never shows an expired cvc, in data or mask', async () => {
    const mask = { code: '{{ data.cvc }}' }
    const { vault, app, repeat, first } = await createRepeatable({ ...card, mask })
    expect(first).toMatchObject({ data: { cvc: '737' }, mask })
    vault.clock.advance(hour)
    expect((await repeat()).data).toEqual({ number })
    await grant(vault, app, rule('/', 'mask', 'token:create'))
    expect(withoutIds(await repeat())).not.toContain('737')
    await vault.engine.sweep()
    expect(withoutIds(await repeat())).not.toContain('737')
  })

  test.each<[string, (vault: Vault, id: string) => Promise<unknown>]>([
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
        return engine.sweep()
      },
    ],
  ])('X-49 T-11 T-14 a repeated create is 409 once its token is %s', async (_, end) => {
    const expires_at = '2030-01-01T01:00:00Z'
    const { vault, repeat, first } = await createRepeatable({ type: 'token', data: 'x', expires_at })
    await end(vault, first.id)
    await getConflict(repeat())
    vault.reopen()
    await getConflict(repeat())
    expect(await countTokens(vault)).toBe(0)
    vault.clock.advance(24 * hour)
    const later = await catchProblem(repeat())
    expect([later.status, Object.keys(later.errors ?? {})]).toEqual([400, ['expires_at']])
  })

  test('X-49 T-11 a repeated create does not show another token with the same id', async () => {
    const { vault, repeat } = await createRepeatable({ type: 'token', data: 'mine', id: 'same' })
    await vault.owner.tokens.remove({ id: 'same' })
    await vault.owner.tokens.create({ type: 'token', data: 'theirs', id: 'same' })
    await getConflict(repeat())
  })

  test('T-10 X-49 a repeated create shows a duplicate with the current read access', async () => {
    const vault = openBriefVault()
    const input = { type: 'card_number', data: number, containers: ['/web/'], deduplicate_token: true }
    const original = await vault.owner.tokens.create({ ...input, containers: ['/pci/'] })
    const app = await vault.application({ rules: [rule('/web/', 'reveal', 'token:create')] })
    const repeat = () => app.with(once()).tokens.create(input)
    const first = await repeat()
    expect([first.id, first.data, first._extras]).toEqual([original.id, undefined, { deduplicated: true }])
    expect(await repeat()).toEqual(first)
    await grant(vault, app, rule('/web/', 'reveal', 'token:create'), rule('/pci/', 'reveal', 'token:read'))
    expect(await repeat()).toMatchObject({ data: number, _extras: { deduplicated: true } })
    await grant(vault, app, rule('/pci/', 'reveal', 'token:create', 'token:read'))
    expect((await catchProblem(repeat())).status).toBe(403)
    await grant(vault, app, rule('/web/', 'reveal', 'token:create'))
    await vault.owner.tokens.remove({ id: original.id })
    await getConflict(repeat())
    expect(await countTokens(vault)).toBe(0)
  })

  test('A-12 one of twenty concurrent creates succeeds, and the others get 409', async () => {
    const vault = openBriefVault()
    const { with: using } = await vault.application({ permissions: ['token:create'] })
    const client = using(once())
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
    const repeat = () => app.with(once(`/tokens/${id}`, 'PATCH')).tokens.update({ id, data: { b: 2 } })
    return { vault, app, id, repeat, first: await repeat() }
  }

  test('A-12 X-49 a repeated patch shows the current token, and changes nothing', async () => {
    const { vault, id, repeat, first } = await patchRepeatable(rule('/', 'reveal', ...all, 'token:read'))
    expect(first).toMatchObject({ data: { a: 1, b: 2 }, _extras: { deduplicated: false } })
    vault.clock.advance(1)
    expect(await repeat()).toEqual(first)
    const now = await vault.owner.tokens.update({ id, data: { b: 3 } })
    const shown = await repeat()
    expect(shown).toMatchObject({ data: { a: 1, b: 3 }, modified_at: now.modified_at })
    await vault.owner.tokens.remove({ id })
    await getConflict(repeat())
  })

  test('X-49 a repeated patch uses the current permissions', async () => {
    const { vault, app, id, repeat, first } = await patchRepeatable(rule('/', 'reveal', 'token:update'))
    expect(first.data).toEqual({ a: 1, b: 2 })
    await grant(vault, app, rule('/', 'redact', 'token:update'))
    expect((await repeat()).data).toBeUndefined()
    await grant(vault, app, rule('/', 'reveal', 'token:update'))
    await vault.owner.tokens.update({ id, data: { secret: 'theirs' } })
    expect(JSON.stringify(await repeat())).not.toContain('theirs')
    await vault.owner.tokens.update({ id, containers: ['/far/'] })
    await grant(vault, app, rule('/general/', 'reveal', 'token:update'))
    expect((await catchProblem(repeat())).status).toBe(403)
  })

  test('T-13 X-49 a repeated patch shows a duplicate with the current read access', async () => {
    const vault = openBriefVault()
    const original = await vault.owner.tokens.create({ type: 'token', data: 'same', containers: ['/far/'] })
    const { id } = await vault.owner.tokens.create({ type: 'token', data: 'x' })
    const app = await vault.application({ rules: [rule('/general/', 'reveal', 'token:update')] })
    const patch = { id, data: 'same', deduplicate_token: true }
    const repeat = () => app.with(once(`/tokens/${id}`, 'PATCH')).tokens.update(patch)
    const first = await repeat()
    expect([first.id, first.data, first._extras]).toEqual([original.id, undefined, { deduplicated: true }])
    expect(await repeat()).toEqual(first)
    await grant(
      vault,
      app,
      rule('/general/', 'reveal', 'token:update'),
      rule('/far/', 'reveal', 'token:read'),
    )
    expect((await repeat()).data).toBe('same')
    await vault.owner.tokens.remove({ id: original.id })
    await getConflict(repeat())
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
    const app = await vault.application({ rules: [rule('/', 'reveal', 'token:create', 'token:read')] })
    const repeat = (given: unknown = payload) =>
      app.with(once('/tokenize')).tokens.tokenize({ payload: given as never })
    const first = (await repeat()) as { a: string; b: [null, { id: string }, string]; d: object }
    return { vault, app, repeat, first }
  }

  test('A-12 O-01 a repeated tokenize gets the same response, whatever it sends', async () => {
    const { vault, repeat, first } = await tokenizeRepeatable()
    expect(first.b[1]).toMatchObject({ data: { number } })
    // Compared as text, to include `__proto__`.
    expect(JSON.stringify(await repeat())).toBe(JSON.stringify(first))
    vault.reopen()
    expect(await repeat('other')).toEqual(first)
    expect(await countTokens(vault)).toBe(4)
  })

  test('X-49 a repeated tokenize checks access again, and is 409 once one is deleted', async () => {
    const { vault, app, repeat, first } = await tokenizeRepeatable()
    await grant(vault, app, rule('/', 'mask', 'token:create'))
    expect(await repeat()).toMatchObject({
      a: first.a,
      b: [null, { data: { number: 'XXXXXXXXXXXX4242' } }, first.b[2]],
    })
    await grant(vault, app, rule('/pci/', 'mask', 'token:create'))
    expect((await catchProblem(repeat())).status).toBe(403)
    await grant(vault, app, rule('/', 'mask', 'token:create'))
    await vault.owner.tokens.remove({ id: first.b[2] })
    await getConflict(repeat())
    expect(await countTokens(vault)).toBe(3)
  })

  test('A-12 T-10 a repeated tokenize shows a deduplicated token in every position', async () => {
    const { vault, app } = await tokenizeRepeatable()
    const request = { type: 'card', data: { number }, deduplicate_token: true }
    const repeat = () =>
      app.with(once('/tokenize', 'POST', 'two')).tokens.tokenize({ payload: [request, request] })
    const first = await repeat()
    expect(await repeat()).toEqual(first)
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

  test('A-12 X-49 an application is shown with its key until either is deleted', async () => {
    const { vault, app } = await openManager()
    const input = { name: 'New', type: 'public' as const, permissions: ['token:create' as const] }
    const repeat = (key: string) => app.with(once('/applications', 'POST', key)).applications.create(input)
    const first = await repeat('a')
    expect(first.key).toMatch(/^key_local_pub_/)
    vault.reopen()
    expect(await repeat('a')).toEqual(first)
    await vault.engine.rotateDataKey(vault.master)
    await vault.owner.applications.update({ id: first.id, name: 'Renamed', permissions: ['token:update'] })
    expect(await repeat('a')).toMatchObject({
      name: 'Renamed',
      permissions: ['token:update'],
      key: first.key,
    })
    await vault.owner.keys.remove({ id: first.id, keyId: first.keys?.[0]?.id ?? '' })
    await getConflict(repeat('a'))
    const second = await repeat('b')
    await vault.owner.applications.remove({ id: second.id })
    await getConflict(repeat('b'))
    expect((await vault.owner.applications.list({})).data.map(({ name }) => name)).toEqual(['Renamed', 'App'])
  })

  test('A-12 X-49 an application without a key is shown without one', async () => {
    const { app } = await openManager()
    const input = {
      name: 'New',
      type: 'public' as const,
      permissions: ['token:create' as const],
      create_key: false,
    }
    const repeat = () => app.with(once('/applications')).applications.create(input)
    expect(await repeat()).toEqual(await repeat())
  })

  test('A-12 X-49 a key is shown to its creator until it is deleted', async () => {
    const { vault, app } = await openManager()
    const target = await vault.application({ permissions: ['token:read'] })
    const path = `/applications/${target.id}/keys`
    const repeat = (key: string) => app.with(once(path, 'POST', key)).keys.create({ id: target.id })
    const first = await repeat('a')
    expect(await repeat('a')).toEqual(first)
    const other = await vault.application({ type: 'management', permissions: ['application:create'] })
    expect((await other.with(once(path, 'POST', 'a')).keys.create({ id: target.id })).key).not.toBe(first.key)
    await vault.owner.keys.remove({ id: target.id, keyId: first.id })
    await getConflict(repeat('a'))
    await repeat('b')
    await vault.owner.applications.remove({ id: target.id })
    await getConflict(repeat('b'))
  })

  test('A-12 X-49 the key is stored encrypted, for 24 hours', async () => {
    const { vault, app } = await openManager()
    const { key = '' } = await app.with(once('/keys')).keys.create({ id: app.id })
    const kept = () => {
      const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
      const found = db.prepare('SELECT kept FROM idempotency').pluck().all() as Buffer[]
      db.close()
      return found
    }
    expect(kept()).toHaveLength(1)
    expect(kept()[0]?.includes(key.slice(14))).toBe(false)
    vault.clock.advance(24 * hour)
    await vault.engine.sweep()
    expect(kept()).toEqual([])
  })

  test('A-12 X-49 updates of application and tenant show the current state', async () => {
    const { vault, app } = await openManager()
    const { id } = await vault.application({ permissions: ['token:read'] })
    const put = () =>
      app
        .with(once(`/applications/${id}`, 'PUT'))
        .applications.update({ id, name: 'Put', permissions: ['token:read'] })
    expect((await put()).name).toBe('Put')
    await vault.owner.applications.update({ id, name: 'Later', permissions: ['token:update'] })
    expect(await put()).toMatchObject({ name: 'Later', permissions: ['token:update'] })
    await vault.owner.applications.remove({ id })
    await getConflict(put())
    const name = () => app.with(once('/tenants/self', 'PUT')).tenants.update({ name: 'Put' })
    expect((await name()).name).toBe('Put')
    const later = await vault.owner.tenants.update({ name: 'Later' })
    expect(await name()).toEqual(later)
  })

  test('O-03 X-49 a token intent is 409 once it was converted, deleted or has expired', async () => {
    const vault = openBriefVault()
    const app = await vault.application({ permissions: ['token-intent:create', 'token:create'] })
    const repeat = (key: string) =>
      app.with(once('/token-intents', 'POST', key)).tokenIntents.create({ type: 'card_number', data: number })
    const first = await repeat('a')
    expect(await repeat('a')).toEqual(first)
    await app.client.tokens.create({ token_intent_id: first.id })
    await getConflict(repeat('a'))
    const second = await repeat('b')
    await vault.owner.tokenIntents.remove({ id: second.id })
    await getConflict(repeat('b'))
    await repeat('c')
    await vault.owner.tenants.update({ name: 'x', settings: { token_intent_retention_seconds: '1' } })
    const third = await repeat('d')
    vault.clock.advance(1000)
    await getConflict(repeat('d'))
    expect(third.id).not.toBe(first.id)
  })

  test('A-12 a token from an intent is shown without the intent', async () => {
    const vault = openBriefVault()
    const app = await vault.application({ permissions: ['token-intent:create', 'token:create'] })
    const intent = await app.client.tokenIntents.create({ type: 'card_number', data: number })
    const repeat = () => app.with(once()).tokens.create({ token_intent_id: intent.id })
    expect(await repeat()).toEqual(await repeat())
    expect(await countTokens(vault)).toBe(1)
  })
})

describe('a session that is created again with the same idempotency key', () => {
  async function openBrowser() {
    const vault = openVault()
    const { id, with: using } = await vault.application({ type: 'public', permissions: ['token:create'] })
    const backend = await vault.application({ permissions: ['token:read'] })
    const start = () => using(once('/sessions')).sessions.create({})
    const authorize = (nonce: string, key = 'once') =>
      backend
        .with(once('/sessions/authorize', 'POST', key))
        .sessions.authorize({ nonce, permissions: ['token:read'] })
    const read = (key: string) => createTestClient(() => vault.engine, { kind: 'key', key }).tokens.list({})
    return { vault, id, backend, start, authorize, read }
  }

  test('X-49 O-04 a repeated start is the same session, and its earlier key is invalid', async () => {
    const { vault, start, authorize, read } = await openBrowser()
    const [first, second] = [await start(), await start()]
    expect(second.expires_at).toBe(first.expires_at)
    expect(second.session_key).not.toBe(first.session_key)
    expect((await catchProblem(read(first.session_key))).status).toBe(401)
    expect((await catchProblem(authorize(first.nonce))).status).toBe(404)
    await authorize(second.nonce)
    expect((await read(second.session_key)).data).toEqual([])
    const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
    expect(db.prepare('SELECT count(*) FROM session').pluck().get()).toBe(1)
    db.close()
  })

  test('X-49 O-04 a repeated start is 409 once the session is authorized or ended', async () => {
    const { vault, start, authorize, read } = await openBrowser()
    const { nonce, session_key } = await start()
    await authorize(nonce)
    const taken = await catchProblem(start())
    expect([taken.status, taken.detail]).toEqual([409, expect.stringContaining('authorised')])
    expect((await read(session_key)).data).toEqual([])
    vault.clock.advance(3 * 60_000)
    await getConflict(start())
    await vault.engine.sweep()
    await getConflict(start())
  })

  test('X-49 O-04 a repeated authorization needs the current permissions', async () => {
    const { vault, backend, start, authorize } = await openBrowser()
    const { nonce } = await start()
    expect(await authorize(nonce)).toEqual({})
    expect(await authorize(nonce)).toEqual({})
    expect((await catchProblem(authorize(nonce, 'other'))).status).toBe(409)
    await vault.owner.applications.update({ id: backend.id, name: 'x', permissions: ['token:use'] })
    expect((await catchProblem(authorize(nonce))).status).toBe(403)
    await vault.owner.applications.update({ id: backend.id, name: 'x', permissions: ['token:read'] })
    vault.clock.advance(3 * 60_000)
    await getConflict(authorize(nonce))
  })

  test('X-49 A-12 two sessions of one application share no replays', async () => {
    const { vault, backend, read } = await openBrowser()
    const page = await vault.application({ type: 'public', permissions: ['token:create'] })
    await vault.owner.applications.update({ id: backend.id, name: 'x', permissions: ['token:create'] })
    const ids: string[] = []
    for (const data of ['one', 'two']) {
      const { session_key, nonce } = await page.client.sessions.create({})
      await backend.client.sessions.authorize({ nonce, permissions: ['token:create'] })
      const session = createTestClient(() => vault.engine, { kind: 'key', key: session_key }, once())
      ids.push((await session.tokens.create({ type: 'token', data })).id)
      expect((await catchProblem(read(session_key))).status).toBe(403)
    }
    expect(new Set(ids).size).toBe(2)
  })
})

test('A-12 O-05 the record of a replay names the entity and the access decision', async () => {
  const { vault, app, first } = await createRepeatable()
  await app.with({ ...once(), trace_id: 'again' }).tokens.create(card)
  const { data } = await vault.owner.logs.list({ entity_id: first.id })
  expect(data[0]).toMatchObject({ operation: 'tokens.create', entity_id: first.id })
  expect(data[0]?.message).toContain('reveal, by rule 1 on / (token:create); replayed')
})

test('A-12 a response stored by an older version is deleted, and not repeated', async () => {
  const { vault, repeat } = await createRepeatable()
  vault.engine.close()
  toFirstFormat(vault)
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  db.exec("UPDATE tenant SET type = 'vault'")
  migrateDatabase(db, migrations)
  expect(db.prepare('SELECT kept FROM idempotency').pluck().all()).toEqual([null])
  db.close()
  const engine = Engine.open(vault.file, vault.master, { now: vault.clock.now })
  onTestFinished(() => engine.close())
  await engine.rotateDataKey(vault.master)
  engine.close()
  vault.reopen()
  const problem = await catchProblem(repeat())
  expect([problem.status, problem.detail]).toEqual([
    409,
    expect.stringContaining('before Coffer was updated'),
  ])
  expect(await countTokens(vault)).toBe(1)
  expect((await vault.owner.tenants.get()).type).toBe('test')
  vault.clock.advance(24 * hour)
  await repeat()
  expect(await countTokens(vault)).toBe(2)
})
