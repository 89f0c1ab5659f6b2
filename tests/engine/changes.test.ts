import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { importBins } from '../../electron/host/transfer/import-directories.ts'
import { routes, toInput } from '../../electron/http/routes.ts'
import { openVaultWithChanges } from '../changes.ts'
import { getFuzzParameters } from '../fuzz.ts'
import { requireRequest, startTestServer } from '../http/test-server.ts'
import { catchProblem } from '../vault.ts'
import {
  createSession,
  createToken,
  createWebhook,
  number,
  type PreparedAction,
  preparedWrites,
} from './prepared-writes.ts'
import type { TestVault } from './vault-helpers.ts'

const minute = 60_000
const formatNextMinute = ({ clock }: TestVault) => new Date(clock.ms + minute).toISOString()

/** Prepares the valid request to the route of an operation, as a call by the owner. */
function prepareRequest(name: string) {
  return async (vault: TestVault): Promise<PreparedAction> => {
    const route = routes.find((each) => each.name === name)
    if (!route) throw new Error(`Add ${name} to \`writes\` in this file.`)
    const { params = {}, body } = await requireRequest(name).createRequest(await startTestServer(vault))
    return () => vault.engine.call(name, toInput(route, params, {}, body), { kind: 'owner' })
  }
}

const names = [...catalogue].filter(([, { effect }]) => effect === 'write').map(([name]) => name)
const nothing = [
  'networkTokens.createCryptogram',
  'documents.revealToOwner',
  'reactors.prepareTry',
  'reactors.reactAsync',
  'reactors.keep',
  'accountUpdaterJobs.putPart',
  'reactors.settle',
  'tokens.exportMany',
  'tokens.reveal',
]

test.each(names)('%s reports exactly the changes of its tables', async (name) => {
  const { vault, watch } = openVaultWithChanges()
  const act = await (preparedWrites[name] ?? prepareRequest(name))(vault)
  vault.clock.advance(1)
  const { reported, expected } = await watch(act)
  expect(reported).toEqual(expected)
  expect(Object.keys(reported).length > 0).toBe(!nothing.includes(name))
})

/** Collects the changes of an action in a prepared vault. */
async function collectChanges(prepare: (vault: TestVault) => Promise<PreparedAction>) {
  const { vault, watch } = openVaultWithChanges()
  const act = await prepare(vault)
  vault.clock.advance(1)
  return watch(act)
}

test('T-14 T-15 K-03 O-03 O-04 the sweeper reports everything it deletes', async () => {
  const { reported, expected } = await collectChanges(async (vault) => {
    await createToken(vault, { expires_at: formatNextMinute(vault) })
    await vault.owner.tokens.create({ type: 'card', data: { number, cvc: '123' } })
    await vault.owner.tokenIntents.create({ type: 'token', data: 'x' })
    const browser = await vault.application({
      type: 'public',
      permissions: ['token:create'],
      expires_at: new Date(vault.clock.ms + 86_400_000).toISOString(),
    })
    const { nonce } = await browser.client.sessions.create()
    const backend = await vault.application({ permissions: ['token:read'] })
    const expires_at = new Date(vault.clock.ms + 172_800_000).toISOString()
    await backend.client.sessions.authorize({ nonce, permissions: ['token:read'], expires_at })
    await browser.client.sessions.create()
    return async () => {
      vault.clock.advance(86_400_000)
      await vault.engine.sweeper.sweep()
    }
  })
  expect(reported).toEqual(expected)
  expect(Object.keys(reported).sort()).toEqual([
    'application deleted',
    'application_key deleted',
    'session deleted',
    'token deleted',
    'token updated',
    'token_intent deleted',
  ])
})

test('O-04 the end or new key of a session is reported', async () => {
  const ended = await collectChanges(async (vault) => {
    await (await createSession(vault)).authorize()
    return async () => {
      vault.clock.advance(5 * minute)
      await vault.engine.sweeper.sweep()
    }
  })
  expect(ended.reported).toEqual(ended.expected)
  expect(Object.keys(ended.reported)).toEqual(['session deleted'])
  const again = await collectChanges(async (vault) => {
    const browser = await vault.application({ type: 'public', permissions: ['token:create'] })
    const client = browser.with({ idempotency: { key: 'once', method: 'POST', path: '/sessions' } })
    await client.sessions.create()
    return () => client.sessions.create()
  })
  expect(again.reported).toEqual(again.expected)
  expect(Object.keys(again.reported)).toContain('session updated')
})

test('W-02 a queued event is reported as a delivery', async () => {
  const { reported, expected } = await collectChanges(async (vault) => {
    await createWebhook(vault)
    return () => createToken(vault, { id: 'aaa' })
  })
  expect(reported).toEqual({ 'token created': ['aaa'], 'delivery created': 'unnamed' })
  expect(reported).toEqual(expected)
})

test('T-04 T-15 an operation reports expired data that it deletes', async () => {
  const reused = await collectChanges(async (vault) => {
    await createToken(vault, { id: 'aaa', expires_at: formatNextMinute(vault) })
    vault.clock.advance(minute)
    return () => createToken(vault, { id: 'aaa' })
  })
  expect(reused.reported).toEqual({ 'token deleted': ['aaa'], 'token created': ['aaa'] })
  expect(reused.reported).toEqual(reused.expected)
  const changed = await collectChanges(async (vault) => {
    await vault.owner.tokens.create({ id: 'bbb', type: 'card', data: { number, cvc: '123' } })
    vault.clock.advance(120 * minute)
    return () => vault.owner.tokens.update({ id: 'bbb', metadata: { a: 'b' } })
  })
  expect(changed.reported).toEqual({ 'token updated': ['bbb'] })
  expect(changed.reported).toEqual(changed.expected)
})

test('T-10 T-13 a write that finds a duplicate reports no change', async () => {
  const card = { type: 'card_number', data: number, deduplicate_token: true } as const
  const made = await collectChanges(async ({ owner }) => {
    await owner.tokens.create({ ...card, id: 'aaa' })
    await owner.tokens.create({ id: 'bbb', type: 'card_number', data: '5555555555554444' })
    return async () => {
      await owner.tokens.create(card)
      await owner.tokens.createMany({ tokens: [card, card] })
      await owner.tokens.update({ id: 'bbb', data: number, deduplicate_token: true })
    }
  })
  expect(made).toEqual({ reported: {}, expected: {} })
})

test('A-12 a replayed request reports only the use of its key', async () => {
  const { vault, watch } = openVaultWithChanges()
  const application = await vault.application({ permissions: ['token:create'] })
  const client = application.with({ idempotency: { key: 'once', method: 'POST', path: '/tokens' } })
  const { id } = await client.tokens.create({ type: 'token', data: 'x' })
  vault.clock.advance(1000)
  const { reported } = await watch(async () => {
    expect((await client.tokens.create({ type: 'token', data: 'x' })).id).toBe(id)
  })
  expect(Object.keys(reported)).toEqual(['key_use updated'])
})

test('Elements: the use of a key by a page is reported as a change of its last use', async () => {
  const { vault, watch } = openVaultWithChanges()
  const { key } = await vault.application({ permissions: ['token:create'] })
  const caller = vault.engine.identification.identifyKey(key)
  vault.engine.outcomes.flushLog()
  const { reported } = await watch(() =>
    vault.engine.identification.recordElementUse(caller, 'http://localhost:3000'),
  )
  expect(reported).toEqual({ 'key_use updated': 'unnamed' })
})

test('O-01 a rolled-back or dry-run write reports no change', async () => {
  const { reported, expected } = await collectChanges(async (vault) => {
    const { owner } = vault
    await createToken(vault, { id: 'taken' })
    const { id } = await owner.tokenIntents.create({ type: 'card', data: { number } })
    return async () => {
      // These calls are pending at the same time, so they share one commit.
      const [refused, intent, dry, made] = await Promise.all([
        catchProblem(owner.tokens.tokenize({ payload: ['x', { type: 'card', data: {} }] })),
        catchProblem(owner.tokens.create({ id: 'taken', token_intent_id: id })),
        owner.tokens.createMany({ tokens: [{ type: 'token', data: 'x' }], dry_run: true }),
        createToken(vault, { id: 'made' }),
      ])
      expect([refused.status, intent.status, dry.ids.length, made.id]).toEqual([400, 409, 1, 'made'])
    }
  })
  expect(reported).toEqual({ 'token created': ['made'] })
  expect(reported).toEqual(expected)
})

test('a failed commit reports no change, and the next commit reports only its own', async () => {
  const { vault, db, watch } = openVaultWithChanges()
  db.exec("CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'full'); END")
  const failed = await watch(() =>
    catchProblem(createToken(vault, { id: 'aaa', expires_at: formatNextMinute(vault) })),
  )
  expect(failed).toEqual({ reported: {}, expected: {} })
  db.exec('DROP TRIGGER full')
  const made = await watch(() => createToken(vault, { id: 'bbb', expires_at: formatNextMinute(vault) }))
  expect(made.reported).toEqual({ 'token created': ['bbb'] })
  db.exec("CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'full'); END")
  vault.clock.advance(minute)
  const swept = await watch(() => expect(vault.engine.sweeper.sweep()).rejects.toThrow('full'))
  expect(swept).toEqual({ reported: {}, expected: {} })
  db.exec('DROP TRIGGER full')
  expect((await watch(() => vault.engine.sweeper.sweep())).reported).toEqual({ 'token deleted': ['bbb'] })
})

test('changes are reported in order, once they are on disk', async () => {
  const { vault, db, changes } = openVaultWithChanges()
  let there: unknown
  const add = changes.push.bind(changes)
  changes.push = (...added) => {
    there ??= db.prepare('SELECT id FROM token').pluck().all()
    return add(...added)
  }
  await createToken(vault, { id: 'aaa' })
  expect(there).toEqual(['aaa'])
  changes.length = 0
  await Promise.all([
    createToken(vault, { id: 'bbb' }),
    createToken(vault, { id: 'ccc' }),
    vault.owner.tokens.remove({ id: 'bbb' }),
    createToken(vault, { id: 'bbb' }),
  ])
  expect([...changes]).toEqual([
    { entity: 'token', kind: 'created', ids: ['bbb', 'ccc'] },
    { entity: 'token', kind: 'deleted', ids: ['bbb'] },
    { entity: 'token', kind: 'created', ids: ['bbb'] },
  ])
})

test('reads report only the last use of keys', async () => {
  const { reported, expected } = await collectChanges(async (vault) => {
    const { client } = await vault.application({ permissions: ['token:read', 'token:search'] })
    const { id } = await createToken(vault)
    return async () => {
      await client.tokens.get({ id })
      await client.tokens.search({ query: '' })
      await client.tokens.detokenize({ payload: `{{ ${id} }}` })
      await vault.owner.tokens.get({ id })
    }
  })
  expect(reported).toEqual(expected)
  expect(Object.keys(reported)).toEqual(['key_use updated'])
})

test('B-02 X-35 no change contains the written data', async () => {
  const { vault, changes } = openVaultWithChanges()
  await vault.owner.tokens.create({ type: 'card', data: { number, cvc: '123' }, metadata: { a: 'meta' } })
  await vault.owner.banks.put({ routing_number: '021000021', account_number: '00012345', status: 'enabled' })
  await importBins(vault.engine, { csv: 'from,to,brand\n424242,424242,visa', dry_run: false })
  expect(changes.map(({ entity }) => entity)).toEqual(['token', 'bank_account', 'bin'])
  const reported = JSON.stringify(changes).replaceAll(/[0-9a-f-]{36}/g, '')
  expect(reported).not.toMatch(/424242|123|meta|021000021/)
})

const anyId = fc.constantFrom('one', 'two', 'three', 'four', 'five')
const anyNumber = fc.constantFrom(number, '5555555555554444')
const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('create' as const),
      id: fc.option(anyId, { nil: undefined }),
      data: anyNumber,
      minutes: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
      deduplicate_token: fc.boolean(),
    }),
    fc.record({ do: fc.constant('many' as const), ids: fc.array(anyId), dry_run: fc.boolean() }),
    fc.record({ do: fc.constant('tokenize' as const), ids: fc.array(anyId, { minLength: 1, maxLength: 4 }) }),
    fc.record({
      do: fc.constant('update' as const),
      id: anyId,
      data: anyNumber,
      deduplicate_token: fc.boolean(),
    }),
    fc.record({ do: fc.constant('remove' as const), id: anyId }),
    fc.record({
      do: fc.constant('wait' as const),
      minutes: fc.integer({ min: 1, max: 5 }),
      sweeps: fc.boolean(),
    }),
  ),
  { maxLength: 30 },
)
type ChangeStep = typeof steps extends fc.Arbitrary<(infer Each)[]> ? Each : never

async function runStep(vault: TestVault, step: ChangeStep): Promise<unknown> {
  const { owner, clock } = vault
  switch (step.do) {
    case 'create': {
      const { id, data, minutes, deduplicate_token } = step
      const expires_at = minutes === null ? null : new Date(clock.ms + minutes * minute).toISOString()
      return owner.tokens.create({ id, type: 'card_number', data, expires_at, deduplicate_token })
    }
    case 'many': {
      const tokens = step.ids.map((id) => ({ id, type: 'token', data: id }))
      return owner.tokens.createMany({ tokens, dry_run: step.dry_run })
    }
    case 'tokenize':
      return owner.tokens.tokenize({ payload: step.ids.map((id) => ({ id, type: 'token', data: 'x' })) })
    case 'update':
      return owner.tokens.update({ id: step.id, data: step.data, deduplicate_token: step.deduplicate_token })
    case 'remove':
      return owner.tokens.remove({ id: step.id })
    case 'wait':
      clock.advance(step.minutes * minute)
      return step.sweeps ? vault.engine.sweeper.sweep() : undefined
  }
}

const everyKind: readonly ChangeStep[] = [
  { do: 'create', id: 'one', data: '4242424242424242', minutes: null, deduplicate_token: false },
  { do: 'update', id: 'one', data: '5555555555554444', deduplicate_token: false },
  { do: 'remove', id: 'one' },
]

test('random token operations report exactly the changes of the tables', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (all, together) => {
      const { vault, watch } = openVaultWithChanges()
      while (all.length > 0) {
        vault.clock.advance(1)
        const now = all.splice(0, together)
        const { reported, expected } = await watch(() =>
          Promise.all(now.map((step) => runStep(vault, step).catch(() => undefined))),
        )
        for (const name of Object.keys(reported)) seen.add(name)
        // Tokens created and deleted within one commit are reported too.
        if (now.length === 1) expect(reported).toEqual(expected)
        else
          for (const [name, ids] of Object.entries(expected))
            expect(reported[name]).toEqual(expect.arrayContaining([...ids]))
      }
      vault.engine.close()
    }),
    // The example creates, changes and deletes a token, so each kind of change is seen whatever the random runs do.
    { ...getFuzzParameters(25), examples: [[[...everyKind], 1]] },
  )
  expect([...seen].sort()).toEqual(['token created', 'token deleted', 'token updated'])
})
