import { once } from 'node:events'
import fs from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { assertComparable, writeDifferences } from '../../electron/host/transfer/push-differences.ts'
import { pushVault } from '../../electron/host/transfer/push-vault.ts'
import { startCoffer } from '../../electron/testing/start-coffer.ts'
import { catchProblem, createTempFolder, openVault } from '../vault.ts'

const secret = 'a secret number 987654321'

/** Creates a vault with tokens, and another Coffer that has them all. */
async function startPushed() {
  const { engine, owner } = openVault()
  const metadata = { customer: 'Ada Lovelace', order: '7' }
  const createToken = (id: string, more: object = {}) =>
    owner.tokens.create({ id, type: 'token', data: secret, metadata, ...more })
  await createToken('same')
  await createToken('changed', { mask: '{{ data | reveal_last: 4 }}', expires_at: '2040-01-01T00:00:00Z' })
  await createToken('moved', { containers: ['/a/', '/b/'] })
  await createToken('retyped')
  await createToken('deleted')
  const there = await startCoffer()
  onTestFinished(() => there.close())
  const target = { url: there.url, key: there.keys.private }
  const order = { ...target, state: path.join(createTempFolder(), 'state.json') }
  const changeToken = async (method: string, at: string, body?: object) => {
    const headers = { 'SVC-API-KEY': there.keys.private, 'Content-Type': 'application/merge-patch+json' }
    const answer = await fetch(there.url + at, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([at, answer.ok]).toEqual([at, true])
  }
  const createKey = async (application: object): Promise<string> => {
    const headers = { 'SVC-API-KEY': there.keys.management, 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(application) }
    const { key } = (await (await fetch(`${there.url}/applications`, init)).json()) as { key: string }
    return key
  }
  return {
    engine,
    createKey,
    there,
    target,
    changeToken,
    push: (more = {}) => pushVault(engine, { ...order, ...more }),
  }
}

test('a report lists how each token differs on the server, without any value of data', async () => {
  const { engine, target, changeToken, push, createKey } = await startPushed()
  const pushed = await push()
  expect(pushed).toMatchObject({ created: 5, refused: 0 })
  await changeToken('PATCH', '/tokens/changed', {
    mask: 'hidden',
    expires_at: '2041-01-01T00:00:00Z',
    metadata: { customer: 'Grace Hopper', vip: 'yes' },
  })
  await changeToken('PATCH', '/tokens/moved', { containers: ['/b/'] })
  for (const id of ['deleted', 'retyped']) await changeToken('DELETE', `/tokens/${id}`)
  const body = { id: 'retyped', type: 'social_security_number', data: '123456789', metadata: {} }
  const created = await fetch(`${target.url}/tokens`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': target.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(created.status).toBe(201)

  const file = path.join(createTempFolder(), 'report.ndjson')
  expect(await writeDifferences(engine, { file, pushed }, target)).toEqual({
    same: 1,
    different: 3,
    missing: 1,
    unreadable: 0,
    members: {
      data: 1,
      mask: 2,
      metadata: 2,
      expires_at: 1,
      containers: 2,
      type: 1,
      fingerprint_expression: 1,
      search_indexes: 1,
    },
  })
  const text = fs.readFileSync(file, 'utf8')
  const [summary, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(summary).toMatchObject({ what: 'push', created: 5, refused: 0 })
  const byId = new Map(lines.map(({ id, ...line }) => [id, line]))
  expect(byId.get('same')).toEqual({ what: 'token', there: 'same' })
  expect(byId.get('deleted')).toEqual({ what: 'token', there: 'missing' })
  expect(byId.get('changed')).toEqual({
    what: 'token',
    there: 'different',
    differences: [
      { member: 'mask' },
      { member: 'metadata', keys: ['customer', 'vip'] },
      { member: 'expires_at', here: '2040-01-01T00:00:00.000Z', there: '2041-01-01T00:00:00.000Z' },
    ],
  })
  expect(byId.get('moved')).toEqual({
    what: 'token',
    there: 'different',
    differences: [{ member: 'containers', here: ['/a/', '/b/'], there: ['/b/'] }],
  })
  expect(byId.get('retyped')).toMatchObject({
    there: 'different',
    differences: expect.arrayContaining([{ member: 'type', here: 'token', there: 'social_security_number' }]),
  })
  // Neither values, nor masked values, nor metadata.
  expect(text).not.toMatch(/secret|4321|123456789|XXX|hidden|Ada|Grace|key_local/)
  expect(fs.statSync(file).mode & 0o077).toBe(0)

  // Data that is masked differently is a difference. Data that the rules of the key hide or reveal is not.
  for (const [transform, counted] of [
    ['mask', 2],
    ['redact', undefined],
  ] as const) {
    const rules = [{ priority: 1, container: '/', transform, permissions: ['token:read'] }]
    const key = await createKey({ name: 'Reader', type: 'private', rules })
    const again = { file: path.join(createTempFolder(), 'report.ndjson'), pushed }
    const { same, members } = await writeDifferences(engine, again, { ...target, key })
    expect([transform, same, members.data]).toEqual([transform, 1, counted])
  }
})

test('a report does not replace a file, and needs a key that may read tokens', async () => {
  const { target, there } = await startPushed()
  const file = path.join(createTempFolder(), 'report.ndjson')
  await assertComparable(file, target)
  expect(await catchProblem(assertComparable(file, { ...target, key: there.keys.public }))).toMatchObject({
    code: 'forbidden',
    detail: expect.stringContaining('token:read'),
  })
  fs.writeFileSync(file, 'mine')
  expect(await catchProblem(assertComparable(file, target))).toMatchObject({
    code: 'conflict',
    detail: `${file} already exists. It was not changed.`,
  })
})

test('a report whose path leads through a file names the path', async () => {
  const { engine, target, push } = await startPushed()
  const blocker = path.join(createTempFolder(), 'blocker')
  fs.writeFileSync(blocker, 'blocker')
  const job = { file: path.join(blocker, 'report.ndjson'), pushed: await push() }
  expect(await catchProblem(writeDifferences(engine, job, target))).toMatchObject({
    code: 'unavailable',
    detail: `${job.file} cannot be reached: part of its path is a file, not a folder. Choose another path.`,
  })
})

test('a comparison that is stopped leaves no file, so that the same command can be repeated', async () => {
  const { engine, target, push } = await startPushed()
  const pushed = await push()
  const folder = createTempFolder()
  const job = { file: path.join(folder, 'report.ndjson'), pushed }
  const stopped = { ...target, signal: AbortSignal.abort() }
  expect(await catchProblem(writeDifferences(engine, job, stopped))).toMatchObject({ code: 'cancelled' })
  expect(fs.readdirSync(folder)).toEqual([])
})

test('with a preview, a report compares and sends nothing', async () => {
  const { engine, target, push } = await startPushed()
  const pushed = await push({ preview: true })
  const file = path.join(createTempFolder(), 'report.ndjson')
  expect(await writeDifferences(engine, { file, pushed }, target)).toMatchObject({ same: 0, missing: 5 })
})

/** Starts a server that is not Coffer, and returns it as the target of a push. */
async function startOther(respond: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => respond(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k' }
}

test.each([
  [
    'a web page',
    200,
    {},
    /responded with 200, but not with what it created\. Check that this is the base URL /,
  ],
  ['a redirect', 302, { Location: 'http://127.0.0.1:1/' }, /responded with a redirect \(302\), /],
])('X-52 a push to a server that answers with %s stops and says so', async (_, status, headers, sentence) => {
  const { engine, owner } = openVault()
  await owner.tokens.create({ type: 'token', data: secret })
  const target = await startOther((response) => response.writeHead(status, headers).end('<html></html>'))
  const state = path.join(createTempFolder(), 'state.json')
  expect(await catchProblem(pushVault(engine, { ...target, state }))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringMatching(sentence),
  })
})

test('X-52 a response that is too long or never ends stops neither a push nor its report', async () => {
  const long = await startOther((response) => {
    const sendChunks = () => {
      while (response.write(Buffer.alloc(65536, ' ')));
      response.once('drain', sendChunks)
    }
    sendChunks()
  })
  const file = path.join(createTempFolder(), 'report.ndjson')
  await assertComparable(file, long)
  const { timeout } = AbortSignal
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 20))
  onTestFinished(() => spy.mockRestore())
  const endless = await startOther((response) => response.writeHead(200).flushHeaders())
  expect(await catchProblem(assertComparable(file, endless))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringMatching(/does not respond\. Run the same command again to resume\.$/),
  })
})
