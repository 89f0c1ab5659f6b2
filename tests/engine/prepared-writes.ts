import { randomUUID } from 'node:crypto'
import type { Engine } from '../../electron/engine/engine.ts'
import { createEnrollment, takeStep } from '../agentic.ts'
import { makeDocument } from '../make-document.ts'
import { browser, createThreeDsClient, payment } from '../three-ds.ts'
import { createApplePayload } from '../wallets.ts'
import type { TestVault } from './vault-helpers.ts'

export type PreparedAction = () => Promise<unknown>

/** What a call needs to be prepared in a vault. */
export type PreparedVault = Pick<TestVault, 'owner' | 'application'> & {
  readonly engine: Pick<Engine, 'call'>
}

export const number = '4242424242424242'
const createBin = (from: string) => ({ from, to: from, brand: 'visa', funding: null, authentication: null })
/** Creates a token. */
export const createToken = ({ owner }: PreparedVault, more: object = {}) =>
  owner.tokens.create({ type: 'token', data: 'x', ...more })
const createApplication = ({ owner }: PreparedVault) =>
  owner.applications.create({ name: 'App', type: 'private', permissions: ['token:read'] })

const createProxy = ({ owner }: PreparedVault) =>
  owner.proxies.create({ name: 'Charges', destination_url: 'https://echo.coffer.test' })

const createReactor = ({ owner }: PreparedVault) =>
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

/** Creates a webhook that receives nothing. */
export const createWebhook = ({ owner }: PreparedVault) =>
  owner.webhooks.create({ name: 'Hook', url: 'http://localhost:1', events: ['token.created'] })

async function findKeyId({ owner }: PreparedVault, id: string) {
  const key = (await owner.stats.keys({})).find(({ application_id }) => application_id === id)
  return { id, keyId: key?.id ?? '' }
}

/** Creates the applications of a session, and the session that one of them authorizes. */
export async function createSession(vault: PreparedVault) {
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

/** What the window asks for unless the owner changes it. */
export const newCheckout = {
  name: 'Checkout',
  page_name: 'Checkout page',
  server_name: 'Checkout server',
  proxy_name: 'Checkout',
  webhook_name: 'Checkout',
  origin: 'http://localhost:3000',
  added_origin: true,
  destination_url: 'https://echo.coffer.test',
  webhook_url: 'http://localhost:3000/webhook',
}

const takeUploadKey = (url: string) => ({ upload_key: url.slice(url.lastIndexOf('/') + 1) })

/**
 * The operations that write and have no route, or that change more than the valid request to their route does. Each
 * function prepares the vault and returns a call of the operation.
 */
export const preparedWrites: Record<string, (vault: PreparedVault) => Promise<PreparedAction>> = {
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
  async 'banks.putMany'({ owner }) {
    const account = { routing_number: '021000021', account_number: '1' }
    await owner.banks.put({ ...account, status: 'enabled' })
    const other = { ...account, account_number: '2', status: 'enabled' as const }
    const entries = [{ ...account, status: 'disabled' as const }, other]
    return () => owner.banks.putMany({ entries, dry_run: false })
  },
  async 'bins.replaceSome'({ owner }) {
    await owner.bins.replaceSome({ after: '', until: '4', entries: [createBin('4')] })
    return () => owner.bins.replaceSome({ after: '', until: '5', entries: [createBin('5')] })
  },
  async 'bins.clear'({ owner }) {
    await owner.bins.replaceSome({ after: '', until: '4', entries: [createBin('4')] })
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
  async 'checkouts.create'({ owner }) {
    return () => owner.checkouts.create(newCheckout)
  },
  async 'checkouts.remove'({ owner }) {
    const { id } = await owner.checkouts.create(newCheckout)
    return () => owner.checkouts.remove({ id })
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
  async 'threeDs.decide'({ owner }) {
    const id = await createThreeDsClient(owner)
    await owner.threeDs.authenticate({ id, ...payment })
    return () => owner.threeDs.decide({ id, decision: 'pass' })
  },
  async 'sessions.remove'(vault) {
    await createSession(vault)
    const [session] = (await vault.owner.sessions.list({})).data
    return () => vault.owner.sessions.remove({ id: session?.id ?? '' })
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
