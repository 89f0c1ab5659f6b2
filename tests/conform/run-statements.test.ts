import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ConformKeys } from '../../electron/conform/check-statement.ts'
import type { Statement, StatementStep } from '../../electron/conform/statement.ts'
import {
  createAt,
  createToken,
  refuseRequest,
  sendGet,
  sendRequest,
} from '../../electron/conform/statements/steps.ts'
import { checkServer } from '../../electron/host/conform/check-server.ts'
import { listenOnFreePort } from '../outbound/destination.ts'
import { createTempFolder } from '../vault.ts'
import { createOutbound } from './serve-for-conform.ts'

type StubAnswer = { status: number; body?: unknown; headers?: Record<string, string> }
type AnswerRequest = (request: string, key: string) => StubAnswer | 'close'

const keys: ConformKeys = { key: 'private-key-of-a-stub', management: 'management-key-of-a-stub' }
const everything = ['token:create', 'token:read', 'token:delete']

/** Starts a server that accepts every key, and records what it is asked. */
async function startStub(answerRequest: AnswerRequest) {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      const line = `${request.method} ${request.url}`
      const key = String(request.headers['bt-api-key'])
      asked.push(line)
      const type = key === keys.management ? 'management' : 'private'
      const answer: ReturnType<AnswerRequest> =
        line === 'GET /applications/key'
          ? { status: 200, body: { type, permissions: everything } }
          : answerRequest(line, key)
      if (answer === 'close')
        return void response
          .writeHead(200, { 'content-length': 9 })
          .write('{', () => request.socket.destroy())
      response.writeHead(answer.status, answer.headers)
      response.end(answer.body === undefined ? '' : JSON.stringify(answer.body))
    })
  })
  onTestFinished(() => server.closeAllConnections())
  return { url: `http://127.0.0.1:${await listenOnFreePort(server)}`, asked }
}

const toStatement = (...steps: StatementStep[]): Statement => ({
  rule: 'Q-01',
  says: 'A server answers',
  source: 'None',
  needs: [],
  steps,
})

function runAgainst(
  url: string,
  statements: Statement[],
  {
    dataDir = createTempFolder(),
    used = keys,
    signal,
  }: { dataDir?: string; used?: ConformKeys; signal?: AbortSignal } = {},
) {
  const server = { url, keys: used, outbound: createOutbound(), dataDir }
  return checkServer(server, { stub: statements }, signal ? { signal } : {})
}

test('what a tenant that deduplicates had before the run is not deleted', async () => {
  const { url, asked } = await startStub((line) =>
    line.startsWith('POST')
      ? {
          status: 201,
          body: { card: { id: 'theirs', _extras: { deduplicated: true } }, made: { id: 'made' } },
        }
      : { status: 204 },
  )
  const save = { theirs: '/card/id', made: '/made/id' }
  const remove = Object.keys(save).map((name) => `/tokens/\${${name}}`)
  const tokenize = sendRequest('POST', '/tokenize', 201, { save, remove }, {})
  const { left } = await runAgainst(url, [toStatement(tokenize)])
  expect(asked.filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE /tokens/made'])
  expect(left).toBe(0)
})

test('a run with the keys of another tenant forgets nothing that a crash has left', async () => {
  let isDeletable = false
  const { url, asked } = await startStub((line, key) => {
    if (line.startsWith('POST')) return { status: 201, body: { id: 'made' } }
    return { status: key === 'key-of-another-tenant' ? 404 : isDeletable ? 204 : 500 }
  })
  const dataDir = createTempFolder()
  const create = [toStatement(createToken({ type: 'token', data: 'x' }))]
  expect((await runAgainst(url, create, { dataDir })).left).toBe(1)
  const other = { key: 'key-of-another-tenant', management: undefined }
  expect((await runAgainst(url, [], { dataDir, used: other })).left).toBe(0)
  fs.writeFileSync(path.join(dataDir, `${fs.readdirSync(dataDir)[0]}.tmp`), '')
  isDeletable = true
  asked.length = 0
  expect((await runAgainst(url, [], { dataDir })).left).toBe(0)
  expect(asked).toContain('DELETE /tokens/made')
  expect(fs.readdirSync(dataDir)).toEqual([])
})

test('a list of what is left that cannot be read is named, and stays', async () => {
  const { url } = await startStub(() => ({ status: 500 }))
  const dataDir = createTempFolder()
  await runAgainst(url, [toStatement(createAt('/tokens', {}, undefined, { status: 500 }))], { dataDir })
  const stub = await startStub((line) =>
    line.startsWith('POST') ? { status: 201, body: { id: 'a' } } : { status: 500 },
  )
  await runAgainst(stub.url, [toStatement(createToken({}))], { dataDir })
  const [name = ''] = fs.readdirSync(dataDir)
  fs.writeFileSync(path.join(dataDir, name), '')
  await expect(async () => runAgainst(stub.url, [], { dataDir })).rejects.toThrow(`${name} is damaged`)
  expect(fs.readdirSync(dataDir)).toEqual([name])
})

test('a run that was stopped says what it could not delete', async () => {
  const stop = new AbortController()
  const { url } = await startStub((line) => {
    if (!line.startsWith('POST')) return { status: 500 }
    stop.abort()
    return { status: 201, body: { id: 'made' } }
  })
  await expect(
    runAgainst(url, [toStatement(createToken({}), sendGet('/tokens'))], { signal: stop.signal }),
  ).rejects.toThrow('Stopped. 1 resource could not be deleted.')
})

test('a server that asks to wait for long ends the run, and says for how long', async () => {
  const { url, asked } = await startStub(() => ({ status: 429, headers: { 'retry-after': '86400' } }))
  await expect(runAgainst(url, [toStatement(sendGet('/a'))])).rejects.toThrow('24 hours')
  expect(asked).toEqual(['GET /applications/key', 'GET /applications/key', 'GET /a'])
})

test('a server that no longer answers ends the run', { timeout: 60_000 }, async () => {
  const { url, asked } = await startStub(() => 'close')
  const statements = Array.from({ length: 60 }, () => toStatement(createToken({})))
  await expect(runAgainst(url, statements)).rejects.toThrow('closed the connection')
  expect(asked.length).toBeLessThan(30)
})

test('an answer that breaks off is asked for again, and described without words of the system', async () => {
  const answers = ['close', { status: 200, body: 1 }] as const
  const { url, asked } = await startStub(() => answers[Math.min(asked.length - 3, 1)] ?? 'close')
  const report = await runAgainst(url, [toStatement(sendGet('/a', 1))])
  expect(report.outcomes).toMatchObject([{ result: 'holds' }])
  expect(asked).toHaveLength(4)
})

test('a report has nothing of the tenant: no keys, no items of lists, no body of an unexpected success', async () => {
  const theirs = { name: 'Our shop', configuration: { token: 'swordfish' } }
  const { url } = await startStub((line) => {
    if (line === 'GET /list') return { status: 200, body: { data: [theirs, theirs] } }
    if (line === 'GET /echo') return { status: 400, body: keys }
    return { status: 200, body: theirs }
  })
  const { outcomes } = await runAgainst(url, [
    toStatement(sendGet('/list', { data: [] })),
    toStatement(sendGet('/echo')),
    toStatement({ send: { method: 'GET', path: '/secret' }, expect: { status: 403 } }),
  ])
  expect(outcomes.map(({ differences }) => differences[0]?.received)).toEqual([
    'a list of 2',
    '400 {"key":"<key>","management":"<key>"}',
    '200',
  ])
  expect(JSON.stringify(outcomes)).not.toMatch(/swordfish|Our shop|of-a-stub/)
})

test('a statement is skipped if the management key lacks a permission for it', async () => {
  const { url } = await startStub(() => ({ status: 403 }))
  const { outcomes } = await runAgainst(url, [
    toStatement(sendGet('/webhooks', undefined, { as: 'management' })),
  ])
  expect(outcomes).toMatchObject([
    { result: 'skipped', reason: 'the management key lacks the permission for GET /webhooks' },
  ])
})

test('how errors name members is a decision, because the documents do not show it', async () => {
  const { url } = await startStub(() => ({ status: 400, body: { status: 400, errors: { Name: ['wrong'] } } }))
  const { outcomes } = await runAgainst(url, [
    toStatement(refuseRequest('POST', '/a', {}, ['name'])),
    toStatement(refuseRequest('POST', '/a', {}, ['name'], { status: 422 })),
  ])
  expect(outcomes.map(({ decision, result }) => [decision, result])).toEqual([
    [true, 'differs'],
    [false, 'differs'],
  ])
})
