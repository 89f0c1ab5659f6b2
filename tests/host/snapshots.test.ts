import { randomBytes, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createEphemeralVault } from '../../electron/host/vault/ephemeral.ts'
import { CHUNK_BYTES } from '../../shared/schemas/document.ts'
import { makeDocument } from '../make-document.ts'
import { catchProblem, createTestClient } from '../vault.ts'

const code = 'module.exports = async () => ({ raw: 1 })'
const hook = { url: 'http://localhost:3000/hooks', events: ['token.created'] }

/** Creates an in-memory vault with one item of every kind that can be created. */
async function startFull() {
  const vault = createEphemeralVault()
  onTestFinished(() => vault.lock())
  const owner = createTestClient(() => vault.engine, { kind: 'owner' })
  const content = randomBytes(3 * CHUNK_BYTES + 5)
  const document = await makeDocument(owner, content, { metadata: { customer: 'ada' } })
  const key = (await owner.clientKeys.create({})).key_id
  const proxy = await owner.proxies.create({
    name: 'p',
    destination_url: 'https://echo.coffer.test',
    configuration: { a: 'b' },
  })
  const reactor = await owner.reactors.create({ name: 'r', code, configuration: { a: 'b' } })
  const webhook = await owner.webhooks.create({ name: 'w', ...hook })
  await owner.reactorRuns.keep({
    trace_id: 'trace',
    reactor_id: reactor.id,
    proxy_id: null,
    kind: 'react',
    status: 200,
    duration_ms: 1,
    content: { console: 'printed', problem: null, token_ids: [] },
  })
  await owner.tokens.create({ id: 'told', type: 'token', data: 'x' })
  await owner.tenants.update({ name: 'Test', settings: { tokens_per_tokenize: '9' } })
  return { vault, owner, content, ids: { document, key, proxy, reactor, webhook } }
}

type Full = Awaited<ReturnType<typeof startFull>>

/** Returns the content of the vault, which is compared before a snapshot and after its restore. */
async function readState({ vault, owner, ids }: Full) {
  const { document, proxy, reactor, webhook } = ids
  const chunks: Buffer[] = []
  for (let number = 0; chunks.length === number; number++) {
    const chunk = vault.engine.documents.readChunk(document, number)
    if (chunk) chunks.push(chunk)
  }
  const [run] = (await owner.reactorRuns.list({})).data
  const deliveries = await owner.deliveries.list({ webhook_id: webhook.id })
  return {
    content: Buffer.concat(chunks).toString('base64'),
    document: await owner.documents.get({ id: document }),
    keys: await owner.clientKeys.list({}),
    proxy: await owner.proxies.get({ id: proxy.id }),
    reactor: await owner.reactors.get({ id: reactor.id }),
    run: await owner.reactorRuns.get({ id: run?.id ?? '' }),
    webhook: await owner.webhooks.get({ id: webhook.id }),
    deliveries: deliveries.data.map(({ id, type, state }) => ({ id, type, state })),
    settings: (await owner.tenants.get({})).settings,
  }
}

test('a snapshot restores documents, client keys, proxies, reactors and webhooks', async () => {
  const full = await startFull()
  const { vault, owner, ids, content } = full
  vault.controls?.saveSnapshot('full')
  const before = await readState(full)
  expect(before.content).toBe(content.toString('base64'))
  expect(before.deliveries).toHaveLength(1)
  await owner.documents.remove({ id: ids.document })
  await vault.engine.sweeper.sweep()
  await owner.clientKeys.remove({ id: ids.key })
  await owner.proxies.remove({ id: ids.proxy.id })
  await owner.reactorRuns.forget({})
  await owner.reactors.remove({ id: ids.reactor.id })
  await owner.webhooks.remove({ id: ids.webhook.id })
  await owner.tenants.update({ name: 'Test', settings: { tokens_per_tokenize: null } })
  expect(await catchProblem(readState(full))).toMatchObject({ status: 404 })
  vault.controls?.restoreSnapshot('full')
  expect(await readState(full)).toEqual(before)
})

test('D-01 X-56 an upload interrupted by a snapshot or a reset leaves no chunks', async () => {
  const { vault, owner } = await startFull()
  const id = randomUUID()
  await owner.documents.create({ id, number: 0, data: Buffer.alloc(CHUNK_BYTES), last: null })
  vault.controls?.saveSnapshot('during')
  vault.controls?.restoreSnapshot('during')
  const last = { content_type: 'a/b', metadata: {} }
  const rest = { id, number: 1, data: Buffer.from('x'), last }
  expect(await catchProblem(owner.documents.create(rest))).toMatchObject({ status: 503 })
  await vault.engine.sweeper.sweep()
  expect(vault.engine.documents.readChunk(id, 0)).toBeNull()
})
