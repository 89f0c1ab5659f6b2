import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../../electron/http/routes.ts'
import { sdkMethods } from '../../renderer/parts/api/node-sdk.ts'
import { formatCurl, formatFetch, formatNodeSdk, formatPython } from '../../renderer/parts/api/snippets.ts'
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
  const printed: { id: string }[][] = []
  await run({ log: (...words: { id: string }[]) => printed.push(words) })
  const made = await vault.owner.tokens.reveal({ id: printed[0]?.[1]?.id ?? '' })
  expect(JSON.stringify(made.data)).toBe(data)
  expect(formatCurl({ ...request, body })).toContain(JSON.stringify(body))
  expect(formatPython({ ...request, body })).toContain(
    `data=${JSON.stringify(JSON.stringify(body))}.encode(),`,
  )
  expect(formatPython({ ...request, body })).toContain('"Content-Type": "application/json"')
  expect(formatNodeSdk({ ...request, body }, 'http://127.0.0.1:1')).toContain('use fetch')
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
print(response.status_code, response.json())`)
})

test("the Node SDK snippet passes path parameters to the route's method", () => {
  const text = formatNodeSdk(
    {
      method: 'DELETE',
      url: 'http://127.0.0.1:4747/applications/a/keys/b',
      key: 'k',
      route: '/applications/{id}/keys/{keyId}',
      params: ['a', 'b'],
    },
    'http://127.0.0.1:4747',
  )
  expect(text).toContain("client.applicationKeys.delete('a', 'b')")
  expect(text).toContain("environment: 'http://127.0.0.1:4747'")
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
