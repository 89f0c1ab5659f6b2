import { execFile, execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { routes } from '../../electron/http/routes.ts'
import { sdkMethods } from '../../renderer/parts/api/node-sdk.ts'
import { formatRequest } from '../../renderer/parts/api/request-languages.ts'
import {
  formatCurl,
  formatFetch,
  formatNodeSdk,
  formatPython,
  type HttpRequest,
} from '../../renderer/parts/api/snippets.ts'
import { readJson } from '../../shared/json.ts'
import { startListener } from '../listener.ts'

const card = { type: 'card', data: { number: '4242424242424242' }, metadata: { "it's": 'a "quote"' } }

async function startSnippet() {
  const { vault, url } = await startListener()
  const { key } = await vault.application({ permissions: ['token:create', 'token:read'] })
  return { vault, url, key, request: { method: 'POST', url: `${url}/tokens`, key, body: card } }
}

test('a shell parses the curl command correctly, including quotes', () => {
  const request = { method: 'PATCH', url: 'http://127.0.0.1:1/tokens/x?a=1', key: 'k', body: card }
  const args = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${formatCurl(request)}`])
  expect(args.toString().trimEnd().split('\n')).toEqual([
    '-X',
    'PATCH',
    request.url,
    '-H',
    'SVC-API-KEY: k',
    '-H',
    'Content-Type: application/merge-patch+json',
    '-d',
    JSON.stringify(card),
  ])
  expect(formatCurl({ method: 'GET', url: 'http://127.0.0.1:1/tokens/x', key: 'k' })).not.toContain('-X')
})

test('running the fetch snippet creates the token of the request', async () => {
  const { vault, request } = await startSnippet()
  const run = new Function('console', `return (async () => { ${formatFetch(request)} })()`)
  const printed: unknown[][] = []
  await run({ log: (...words: unknown[]) => printed.push(words) })
  expect(printed[0]?.[0]).toBe(201)
  expect((await vault.owner.stats.tokens()).total).toBe(1)
})

test('A-14 snippets send numbers exactly, or contain a note that they cannot', async () => {
  const { vault, request } = await startSnippet()
  const data = '{"price":19.90,"big":123456789012345678901,"text":"\\ud83d\\"é"}'
  const body = readJson(`{"type":"token","data":${data}}`)
  const run = new Function('console', `return (async () => { ${formatFetch({ ...request, body })} })()`)
  const printed: string[][] = []
  await run({ log: (...words: string[]) => printed.push(words) })
  const { id } = JSON.parse(printed[0]?.[1] ?? '') as { id: string }
  const made = await vault.owner.tokens.reveal({ id })
  expect(JSON.stringify(made.data)).toBe(data)
  expect(formatCurl({ ...request, body })).toContain(JSON.stringify(body))
  expect(formatPython({ ...request, body })).toContain(
    `data=${JSON.stringify(JSON.stringify(body))}.encode(),`,
  )
  expect(formatPython({ ...request, body })).toContain('"Content-Type": "application/json"')
  expect(formatNodeSdk({ ...request, body })).toContain('use fetch')
})

test('the Python snippet writes JSON values as Python literals', () => {
  const body = { data: null, a: [true, 1] }
  expect(
    formatPython({ method: 'PATCH', url: 'http://127.0.0.1:1/tokens/x', key: 'k', body }),
  ).toBe(`import requests

response = requests.request(
    "PATCH",
    "http://127.0.0.1:1/tokens/x",
    headers={"SVC-API-KEY": "k", "Content-Type": "application/merge-patch+json"},
    json={
        "data": None,
        "a": [
            True,
            1,
        ],
    },
)
print(response.status_code, response.text)`)
})

test("the Node SDK snippet passes path parameters to the route's method", () => {
  const text = formatNodeSdk({
    method: 'DELETE',
    url: 'http://127.0.0.1:4747/applications/a/keys/b',
    key: 'k',
    route: '/applications/{id}/keys/{keyId}',
    params: ['a', 'b'],
  })
  expect(text).toContain("client.applicationKeys.delete('a', 'b')")
  expect(text).toContain("environment: 'http://127.0.0.1:4747'")
})

/** How a program is run in each language, in the folder of its file. */
const runners = {
  curl: ['call.sh', 'sh', 'call.sh'],
  node: ['call.mjs', process.execPath, 'call.mjs'],
  python: ['call.py', 'python3', 'call.py'],
  go: ['call.go', 'go', 'run', 'call.go'],
  java: ['Call.java', 'java', 'Call.java'],
  php: ['call.php', 'php', 'call.php'],
  ruby: ['call.rb', 'ruby', 'call.rb'],
} as const
const installed = (Object.keys(runners) as (keyof typeof runners)[]).filter(
  (language) => spawnSync('which', [runners[language][1]]).status === 0,
)

/** Runs the code of a request in a folder of its own, and returns what it prints. */
async function runSnippet(language: keyof typeof runners, request: HttpRequest): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'snippet-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const [file, program, ...more] = runners[language]
  fs.writeFileSync(path.join(folder, file), formatRequest(language, request))
  const env = { ...process.env, PRIVATE_KEY: String(request.headers?.['X-Key']) }
  const { stdout } = await promisify(execFile)(program, more, { cwd: folder, env, encoding: 'utf8' })
  return stdout
}

test.for(installed)(
  'A-14 code in %s sends a request exactly and prints the answer',
  {
    tags: 'thorough',
    timeout: 120_000,
  },
  async (language) => {
    const { vault, request, key } = await startSnippet()
    const data = String.raw`{"price":19.90,"text":"it's \"é\" ${'`'}$x${'`'} #{y} \\n \ud83d","none":null}`
    const body = readJson(`{"type":"token","data":${data}}`)
    // The code reads the key from the environment; the header passes it to this test.
    const sent = { ...request, key: { variable: 'PRIVATE_KEY' }, headers: { 'X-Key': key }, body }
    const printed = await runSnippet(language, sent)
    const id = /\bid['"]?: ?['"]([\w-]{36})/.exec(printed)?.[1] ?? printed
    expect(JSON.stringify((await vault.owner.tokens.reveal({ id })).data)).toBe(data)
    const get = { method: 'GET', url: `${request.url}/${id}?x=1`, key }
    expect(await runSnippet(language, get)).toContain(id)
  },
)

/** Starts a server that answers 204 and keeps what it is sent. */
async function startSink() {
  const sent: { url: string | undefined; idempotencyKey: unknown; body: string }[] = []
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    sent.push({ url: request.url, idempotencyKey: request.headers['svc-idempotency-key'], body })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return {
    sent,
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
  }
}

test.for(installed)(
  'A-14 hostile text in code in %s is sent as text, and no answer body is an error',
  { tags: 'thorough', timeout: 120_000 },
  async (language) => {
    const { sent, url } = await startSink()
    const idempotencyKey = `it's "$(id)" \`id\` \${HOME} #{1} \\n \\' %s {{x}}`
    const body = readJson(
      String.raw`{"a":"' \"\"\" $(id) ${'`'}id${'`'} \\' \u0007 \u0000 ﻿   \r\n","JSON":"JSON","__proto__":{"x":1}}`,
    )
    const target = "/tokens/it's(1)!*~;x=%24(id)"
    await runSnippet(language, {
      method: 'PATCH',
      url: url + target,
      key: `k'$(id)`,
      headers: { 'SVC-IDEMPOTENCY-KEY': idempotencyKey },
      body,
    })
    expect(sent.map((each) => ({ ...each, body: readJson(each.body) }))).toEqual([
      { url: target, idempotencyKey, body },
    ])
    await runSnippet(language, { method: 'DELETE', url: url + target, key: 'k' })
    expect(sent).toHaveLength(2)
  },
)

test('A-14 the Node SDK snippet quotes the parameters of the path', () => {
  const text = formatNodeSdk({
    method: 'GET',
    url: 'http://127.0.0.1:4747/tokens/x',
    key: 'k',
    route: '/tokens/{id}',
    params: ["x', process.exit(), '\n"],
  })
  expect(text).toContain(String.raw`client.tokens.get('x\', process.exit(), \'\n')`)
})

test('C# code sets the content type with the body, and other headers on the request', () => {
  const text = formatRequest('csharp', { method: 'PATCH', url: 'http://127.0.0.1:1/a', key: 'k', body: card })
  expect(text).toContain(
    'request.Headers.Add("SVC-API-KEY", "k");\nrequest.Content = new StringContent("""\n{',
  )
  expect(text).toContain('}\n""", Encoding.UTF8, "application/merge-patch+json");')
})

/** Returns the routes that the Node SDK calls, with `{}` for each path parameter. */
function listSdkRoutes(): Set<string> {
  const folder = path.join(import.meta.dirname, '../../node_modules/@basis-theory/node-sdk/dist/cjs/api')
  const called = /core\.url\.join\(.*Default, ["`](.*)["`]\),\s*method: "(\w+)"/g
  const found = fs.globSync('**/Client.js', { cwd: folder }).flatMap((file) => {
    const calls = fs.readFileSync(path.join(folder, file), 'utf8').matchAll(called)
    return [...calls].map(([, route = '', method]) => `${method} /${route.replaceAll(/\$\{[^}]*\}/g, '{}')}`)
  })
  return new Set(found)
}

test('the snippets cover every route of the Node SDK', () => {
  const known = routes.map(({ method, path }) => `${method} ${path}`)
  const inSdk = listSdkRoutes()
  const called = known.filter((route) => inSdk.has(route.replaceAll(/\{\w+\}/g, '{}')))
  expect(called.length).toBeGreaterThan(60)
  expect(called.filter((route) => !(route in sdkMethods))).toEqual([])
  expect(Object.keys(sdkMethods).filter((route) => !known.includes(route))).toEqual([])
})
