import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { routes, toInput } from '../../electron/http/routes.ts'
import { createEnrollment, takeStep } from '../agentic.ts'
import { openVaultWithChanges } from '../changes.ts'
import { getFuzzParameters } from '../fuzz.ts'
import { requireRequest, startTestServer } from '../http/test-server.ts'
import { makeDocument } from '../make-document.ts'
import { browser, createThreeDsClient, payment } from '../three-ds.ts'
import { catchProblem } from '../vault.ts'
import { createApplePayload } from '../wallets.ts'
import type { TestVault } from './vault-helpers.ts'

type PreparedAction = () => Promise<unknown>

const minute = 60_000
const number = '4242424242424242'
const formatNextMinute = ({ clock }: TestVault) => new Date(clock.ms + minute).toISOString()

const createToken = ({ owner }: TestVault, more: object = {}) =>
  owner.tokens.create({ type: 'token', data: 'x', ...more })
const createApplication = ({ owner }: TestVault) =>
  owner.applications.create({ name: 'App', type: 'private', permissions: ['token:read'] })

const createProxy = ({ owner }: TestVault) =>
  owner.proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })

const createReactor = ({ owner }: TestVault) =>
  owner.reactors.create({ name: 'Split', code: 'module.exports = (req) => ({ raw: req.args })' })

const run = {
  trace_id: 'trace',
  reactor_id: null,
  proxy_id: null,
  kind: 'try',
  status: 200,
  duration_ms: 1,
  content: { console: '', problem: null, token_ids: [] },
}

const createWebhook = ({ owner }: TestVault) =>
  owner.webhooks.create({ name: 'Hook', url: 'http://localhost:1', events: ['token.created'] })

async function findKeyId({ owner }: TestVault, id: string) {
  const key = (await owner.stats.keys({})).find(({ application_id }) => application_id === id)
  return { id, keyId: key?.id ?? '' }
}

async function createSession(vault: TestVault) {
  const browser = await vault.application({ type: 'public', permissions: ['token:create'] })
  const backend = await vault.application({ permissions: ['token:read'] })
  const { nonce } = await browser.client.sessions.create()
  return {
    browser,
    backend,
    authorize: () => backend.client.sessions.authorize({ nonce, permissions: ['token:read'] }),
  }
}

const side = { method: 'GET', url: '/proxy', headers: [], body: { text: null, cut: false } }
const kept = {
  trace_id: 'trace',
  proxy_id: null,
  method: 'GET',
  host: 'echo.coffer.test',
  path: '/',
  status: 200,
  duration_us: 1,
  content: { sent: side, went_out: side, came_back: null, handed_back: null, problem: null, token_ids: [] },
}

const takeUploadKey = (url: string) => ({ upload_key: url.slice(url.lastIndexOf('/') + 1) })

/**
 * The operations that write and have no route, or that change more than the valid request to their route does. Each
 * function prepares the vault and returns a call of the operation.
 */
const writes: Record<string, (vault: TestVault) => Promise<PreparedAction>> = {
  async 'applications.remove'(vault) {
    const { browser, backend, authorize } = await createSession(vault)
    await authorize()
    // A session is deleted with its application and with its authorizer.
    return async () => {
      await vault.owner.applications.remove({ id: backend.id })
      await vault.owner.applications.remove({ id: browser.id })
    }
  },
  async 'accountUpdaterJobs.putPart'({ owner }) {
    const { upload_url } = await owner.accountUpdaterJobs.create({})
    return () => owner.accountUpdaterJobs.putPart({ ...takeUploadKey(upload_url), number: 0, lines: [] })
  },
  async 'accountUpdaterJobs.completeUpload'({ owner }) {
    const { upload_url } = await owner.accountUpdaterJobs.create({})
    return () => owner.accountUpdaterJobs.completeUpload({ ...takeUploadKey(upload_url), parts: 0 })
  },
  async 'accountUpdaterJobs.updateSome'({ owner }) {
    const { id, upload_url } = await owner.accountUpdaterJobs.create({})
    await owner.accountUpdaterJobs.completeUpload({ ...takeUploadKey(upload_url), parts: 0 })
    return () => owner.accountUpdaterJobs.updateSome({ id })
  },
  async 'wallets.createMerchant'({ owner }) {
    const merchant = { wallet: 'apple', merchant_identifier: 'merchant.com.example.shop' } as const
    return () => owner.wallets.createMerchant(merchant)
  },
  async 'wallets.createPayload'(vault) {
    return () => createApplePayload(vault)
  },
  async 'banks.put'({ owner }) {
    return () => owner.banks.put({ routing_number: '021000021', account_number: '1', status: 'enabled' })
  },
  async 'banks.remove'({ owner }) {
    const account = { routing_number: '021000021', account_number: '1' }
    await owner.banks.put({ ...account, status: 'enabled' })
    return () => owner.banks.remove(account)
  },
  async 'banks.importCsv'({ owner }) {
    await owner.banks.put({ routing_number: '021000021', account_number: '1', status: 'enabled' })
    const csv = 'routing_number,account_number,status\n021000021,1,disabled\n021000021,2,enabled'
    return () => owner.banks.importCsv({ csv })
  },
  async 'bins.importCsv'({ owner }) {
    await owner.bins.importCsv({ csv: 'from,to,brand\n424242,424242,visa' })
    return () => owner.bins.importCsv({ csv: 'from,to,brand\n555555,555555,mastercard' })
  },
  async 'bins.clear'({ owner }) {
    await owner.bins.importCsv({ csv: 'from,to,brand\n424242,424242,visa' })
    return () => owner.bins.clear()
  },
  async 'keys.remove'(vault) {
    const used = await vault.application({ permissions: ['token:read'] })
    await used.client.tokens.list()
    const one = await findKeyId(vault, used.id)
    return () => vault.owner.keys.remove(one)
  },
  async 'keys.replace'(vault) {
    const one = await findKeyId(vault, (await createApplication(vault)).id)
    return () => vault.owner.keys.replace(one)
  },
  async 'keys.keep'(vault) {
    const one = await findKeyId(vault, (await createApplication(vault)).id)
    const { id: keyId } = await vault.owner.keys.replace(one)
    return () => vault.owner.keys.keep({ id: one.id, keyId })
  },
  async 'keys.fix'(vault) {
    const { id } = await createApplication(vault)
    return () => vault.owner.keys.fix({ id, key: `key_local_pvt_${'a'.repeat(24)}` })
  },
  async 'drafts.save'({ owner }) {
    return () => owner.drafts.save({ kind: 'saved', content: '{}' })
  },
  async 'drafts.remove'({ owner }) {
    const { id } = await owner.drafts.save({ kind: 'saved', content: '{}' })
    return () => owner.drafts.remove({ id })
  },
  async 'drafts.forget'({ owner }) {
    await owner.drafts.save({ kind: 'sent', content: '{}' })
    return () => owner.drafts.forget()
  },
  async 'exchanges.keep'({ engine }) {
    return () => engine.call('exchanges.keep', kept, { kind: 'owner' })
  },
  async 'exchanges.forget'({ engine, owner }) {
    await engine.call('exchanges.keep', kept, { kind: 'owner' })
    return () => owner.exchanges.forget({})
  },
  async 'threeDs.completeMethod'({ owner }) {
    const id = await createThreeDsClient(owner)
    return () => owner.threeDs.completeMethod({ id })
  },
  async 'threeDs.answerChallenge'({ owner }) {
    const { acs_transaction_id } = await owner.threeDs.authenticate({
      id: await createThreeDsClient(owner),
      ...payment,
    })
    return () => owner.threeDs.answerChallenge({ acs_transaction_id, choice: 'pass' })
  },
  async 'threeDs.authenticateRedirect'({ owner }) {
    const callback_urls = { success: 'http://localhost/good', failure: 'http://localhost/bad' }
    const id = await createThreeDsClient(owner, { more: { authentication_request: payment, callback_urls } })
    return () => owner.threeDs.authenticateRedirect({ id, device_info: browser })
  },
  async 'enrollments.answerRedirect'(vault) {
    const { id } = await createEnrollment(vault, '5555555555554444')
    const { redirect } = await takeStep(vault, id, 'start')
    const key = redirect?.uri.split('/').at(-1) ?? ''
    return () => vault.owner.enrollments.answerRedirect({ key, choice: 'approve' })
  },
  async 'documents.create'(vault) {
    return () => makeDocument(vault.owner)
  },
  async 'documents.revealToOwner'(vault) {
    const id = await makeDocument(vault.owner)
    return () => vault.owner.documents.revealToOwner({ id })
  },
  async 'proxies.transformAndTokenize'(vault) {
    const { id } = await createProxy(vault)
    const message = { headers: [], body: null }
    const state = { message, shown: message, secrets: [], made: {} }
    const transforms = [{ type: 'tokenize', options: { token: { type: 'token', data: 'x' } } }]
    const step = { proxy_id: id, side: 'request', transforms, before: 0, state }
    return () => vault.engine.call('proxies.transformAndTokenize', step, { kind: 'owner' })
  },
  async 'reactors.reactAsync'(vault) {
    const { id } = await createReactor(vault)
    return () => vault.engine.call('reactors.reactAsync', { id }, { kind: 'owner' })
  },
  async 'reactors.prepareTry'(vault) {
    const input = { reactor_id: null, code: '', args: '{}' }
    return () => vault.engine.call('reactors.prepareTry', input, { kind: 'owner' })
  },
  async 'reactors.finish'(vault) {
    const value = { tokenize: { a: 'x' } }
    const finished = { reactor_id: null, request_id: null, used: [], value }
    return () => vault.engine.call('reactors.finish', finished, { kind: 'owner' })
  },
  async 'reactors.keep'(vault) {
    const answer = { status: 201, headers: {}, body: '' }
    const kept = { reactor_id: null, used: [], answer }
    return () => vault.engine.call('reactors.keep', kept, { kind: 'owner' })
  },
  async 'reactors.settle'(vault) {
    const answer = { status: 500, headers: {}, body: '' }
    return () => vault.engine.call('reactors.settle', { request_id: 'x', answer }, { kind: 'owner' })
  },
  async 'reactorRuns.keep'(vault) {
    return () => vault.engine.call('reactorRuns.keep', run, { kind: 'owner' })
  },
  async 'reactorRuns.forget'(vault) {
    await vault.engine.call('reactorRuns.keep', run, { kind: 'owner' })
    return () => vault.owner.reactorRuns.forget({})
  },
  async 'deliveries.sendTest'(vault) {
    const { id } = await createWebhook(vault)
    return () => vault.owner.deliveries.sendTest({ webhook_id: id, type: 'token.created' })
  },
  async 'deliveries.sendAgain'(vault) {
    const { id } = await createWebhook(vault)
    const test = await vault.owner.deliveries.sendTest({ webhook_id: id, type: 'token.created' })
    return () => vault.owner.deliveries.sendAgain({ id: test.id })
  },
  async 'sessions.create'(vault) {
    const { client } = await vault.application({ type: 'public', permissions: ['token:create'] })
    return () => client.sessions.create()
  },
  async 'sessions.authorize'(vault) {
    const { authorize } = await createSession(vault)
    return authorize
  },
  async 'tokens.create'({ owner }) {
    const { id } = await owner.tokenIntents.create({ type: 'token', data: 'x' })
    return () => owner.tokens.create({ token_intent_id: id })
  },
  async 'tokens.update'(vault) {
    const { id } = await createToken(vault, { containers: ['/a/', '/b/'] })
    return () => vault.owner.tokens.update({ id, containers: ['/c/'], metadata: { a: 'b' } })
  },
  async 'tokens.reveal'(vault) {
    const { id } = await createToken(vault)
    return () => vault.owner.tokens.reveal({ id })
  },
  async 'tokens.createMany'(vault) {
    await createToken(vault, { id: 'taken' })
    const tokens = ['one', 'taken', 'two'].map((id) => ({ id, type: 'token', data: id }))
    return () => vault.owner.tokens.createMany({ tokens })
  },
  async 'tokens.exportMany'(vault) {
    await createToken(vault)
    return () => vault.engine.call('tokens.exportMany', {}, { kind: 'owner' })
  },
  async 'tokens.saveSearch'({ owner }) {
    return () => owner.tokens.saveSearch({ id: randomUUID(), name: 'Gold', query: 'q=gold' })
  },
  async 'tokens.removeSearch'({ owner }) {
    const { id } = await owner.tokens.saveSearch({ id: randomUUID(), name: 'Gold', query: 'q=gold' })
    return () => owner.tokens.removeSearch({ id })
  },
  async 'tokens.tokenize'({ owner }) {
    return () => owner.tokens.tokenize({ payload: { a: 'x', b: { type: 'card', data: { number } } } })
  },
}

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
  const act = await (writes[name] ?? prepareRequest(name))(vault)
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
  await vault.owner.bins.importCsv({ csv: 'from,to,brand\n424242,424242,visa' })
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
