import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startDestination } from '../outbound/destination.ts'
import { createTempFolder } from '../vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'

const real = 'https://api.example.test'

async function callProxy(url: string, key: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${url}/proxy`, { headers: { 'SVC-API-KEY': key, ...headers } })
  return `${response.status} ${await response.text()}`
}

test('G-02 G-03 X-52 serve accepts destinations as options, and prints them', async () => {
  const { url } = await startDestination()
  const args = ['--ephemeral', '--data-dir', createTempFolder()]
  const allowed = ['--allow-destination', 'API.example.com', '--allow-destination', '10.0.0.0/8']
  const served = await serveInProcess([...args, ...allowed, '--map-destination', `${real}=${url}`, '--json'])
  const { url: vault, keys, destinations } = served.facts
  expect(destinations).toEqual({ allow: ['api.example.com', '10.0.0.0/8'], map: { [real]: url } })
  expect(await callProxy(vault, keys.private, { 'SVC-PROXY-URL': real })).toBe('200 ok')
  expect(await callProxy(vault, keys.private, { 'SVC-PROXY-URL': 'https://other.test' })).toMatch(
    /^403 .*other\.test/,
  )

  const { out } = await serveInProcess([...args, ...allowed, '--map-destination', `${real}=${url}`])
  expect(out).toMatch(/Proxies may call, beyond this machine: api\.example\.com, 10\.0\.0\.0\/8/)
  expect(out).toMatch(new RegExp(`Calls to ${real} go to ${url}`))
})

test('G-02 destinations and proxies from a seed survive a restart with --keep', async () => {
  const { url } = await startDestination()
  const folder = createTempFolder()
  const seed = path.join(folder, 'seed.yaml')
  fs.writeFileSync(
    seed,
    `applications:
  - { name: Shop, type: private, permissions: [proxy:invoke, token:create] }
destinations:
  map: { '${real}': '${url}' }
proxies:
  - { name: Provider, destination_url: '${real}', application: { name: Shop } }
`,
  )
  const env = { COFFER_PASSPHRASE: 'correct horse battery staple' }
  const args = ['--data-dir', path.join(folder, 'data'), '--json']
  const first = await serveInProcess([...args, '--seed', seed, '--keep'], env)
  const { url: vault, keys } = first.facts
  const proxies = await fetch(`${vault}/proxies`, { headers: { 'SVC-API-KEY': keys.management } })
  const [proxy] = (await proxies.json()).data
  expect(proxy).toMatchObject({ name: 'Provider', application_id: expect.any(String) })
  expect(await callProxy(vault, keys.private, { 'BT-PROXY-KEY': proxy.key })).toBe('200 ok')
  await first.stop()
  const { facts: again } = await serveInProcess(args, env)
  expect(again.destinations).toEqual({ allow: [], map: { [real]: url } })
  expect(await callProxy(again.url, keys.private, { 'BT-PROXY-KEY': proxy.key })).toBe('200 ok')
})

test.each([
  [
    'proxies:\n  - { name: P, destination_url: https://a.test, application: { name: Nobody } }',
    /seed\.yaml:2 .*application\.name/,
  ],
  ['proxies:\n  - { name: P, destination_url: nonsense }', /seed\.yaml:2 .*destination_url/],
  ['destinations:\n  allow: [https://a.test]', /seed\.yaml:2 .*must be a host/],
])('G-02 a seed’s invalid destination is reported with its line: %s', async (text, message) => {
  const folder = createTempFolder()
  const seed = path.join(folder, 'seed.yaml')
  fs.writeFileSync(seed, text)
  const { code, notes } = await runWithEnv({}, 'serve', '--port', '0', '--data-dir', folder, '--seed', seed)
  expect(code).toBe(1)
  expect(notes).toMatch(message)
})
