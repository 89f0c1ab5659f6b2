import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { allowsNothing, mayHold, permissionNames } from '../../shared/permissions.ts'
import { createTempFolder } from '../vault.ts'
import { runForText, serveInProcess } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const env = { COFFER_PASSPHRASE: 'correct horse battery staple' }

async function sendRequest(url: string, key: string, path: string, body?: unknown) {
  const response = await fetch(`${url}${path}`, {
    headers: { 'SVC-API-KEY': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

test('serve creates a vault, prints one line of JSON and stores tokens', async () => {
  const dataDir = createTempFolder()
  const first = startServe(dataDir, env)
  const made = await first.json()
  expect(first.lines).toHaveLength(1)
  expect(made).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created: true,
    keys: { management: expect.any(String), private: expect.any(String), public: expect.any(String) },
    recovery_key: expect.any(String),
  })
  const { url, keys } = made
  const { body: applications } = await sendRequest(url, keys.management, '/applications?size=100')
  const byType = Object.fromEntries(
    (applications.data as { type: string; permissions?: string[]; rules?: unknown }[]).map((each) => [
      each.type,
      each,
    ]),
  )
  expect(byType.management?.permissions?.toSorted()).toEqual(
    permissionNames
      .filter((each) => mayHold('management', each) && !allowsNothing(each))
      .filter(
        (each) =>
          !/^((apple|google)-pay:(?!manage)|network[-_]token:|account-updater:|agent:|enrollment:)/.test(
            each,
          ),
      )
      .toSorted(),
  )
  expect(byType.private?.rules).toMatchObject([
    { priority: 1, container: '/', transform: 'mask', permissions: ['token:create', 'token:update'] },
    {
      priority: 2,
      container: '/',
      transform: 'reveal',
      permissions: expect.arrayContaining(['token:read', 'token:search', 'token:delete', 'token:use']),
    },
  ])
  expect(byType.public?.permissions).toEqual([
    'token:create',
    'token-intent:create',
    '3ds:session:create',
    'apple-pay:create',
    'apple-pay:session',
    'google-pay:create',
  ])

  const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2040 }
  const { status, body: token } = await sendRequest(url, keys.private, '/tokens', {
    type: 'card',
    data: card,
  })
  expect(status).toBe(201)
  expect(token.data.number).toMatch(/X+4242$/)
  first.signal('SIGINT')
  expect(await first.ended).toBe(0)

  const { facts: opened } = await serveInProcess(['--data-dir', dataDir, '--json'], env)
  expect(opened).toEqual({ url: expect.any(String), tenant_id: made.tenant_id, created: false })
  const { body: kept } = await sendRequest(opened.url, keys.private, `/tokens/${token.id}`)
  expect(kept.data).toMatchObject(card)
})

test('serve stops when the terminal is closed, although SIGHUP arrives twice', async () => {
  const dataDir = createTempFolder()
  const { stop } = await serveInProcess(['--data-dir', dataDir, '--json'], env)
  expect(await stop(['SIGHUP', 'SIGHUP'])).toBe(0)
  expect(fs.readdirSync(path.join(dataDir, 'default')).toSorted()).toEqual([
    'vault.db',
    'vault.db-commits',
    'vault.json',
  ])
})

test('serve prints keys, a sample request and its start time', async () => {
  const dataDir = createTempFolder()
  const first = await serveInProcess(['--data-dir', dataDir], env)
  const printed = first.out + first.notes
  expect(printed).toMatch(/listening.*ready in \d+ ms/)
  const curl = /^.*curl http.*$/m.exec(printed)?.[0]
  expect(printed).toContain('Ctrl-C')
  const key = /private +(\S+)/.exec(printed)?.[1] ?? ''
  expect(key).not.toBe('')
  expect(curl).toContain(key)
  expect(await first.stop()).toBe(0)
  const { out, notes } = await serveInProcess(['--data-dir', dataDir], env)
  expect(out).toContain('Ctrl-C')
  expect(out + notes).not.toContain(key)
  expect(out + notes).not.toContain('Recovery key')
})

test('X-31 a second process reports which process has the vault open', async () => {
  const dataDir = createTempFolder()
  const place = ['--data-dir', dataDir]
  const runCoffer = (...args: string[]) => runForText(env, ...args, ...place)
  expect(await runCoffer('status')).toMatchObject({ code: 0, text: expect.stringContaining('No vault yet') })
  const made = await runCoffer('init', '--json')
  expect(JSON.parse(made.text)).toMatchObject({ created: true, recovery_key: expect.any(String) })
  expect(await runCoffer('init')).toMatchObject({ code: 1, text: expect.stringContaining('already exists') })
  const created = await runCoffer('keys', 'create', '--type', 'private', '--name', 'Checkout', '--json')
  const { key, keys } = JSON.parse(created.text)
  expect((await runCoffer('keys', 'list')).text).toContain('Checkout')
  const listed = JSON.parse((await runCoffer('keys', 'list', '--json')).text) as { name: string }[]
  expect(listed.find(({ name }) => name === 'Checkout')).toMatchObject({ keys })
  expect(keys).toEqual([expect.objectContaining({ id: expect.any(String), created_at: expect.any(String) })])

  const running = startServe(dataDir, env)
  const { url } = await running.json()
  expect((await sendRequest(url, key, '/v2/tokens')).status).toBe(200)
  const second = await runCoffer('serve', '--port', '0')
  expect(second).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^coffer: .* is open in coffer serve \(process \d+/),
  })
  expect(second.text).toContain(url)
  const { text: lines } = await runCoffer('env')
  expect(lines).toContain(`COFFER_BASE_URL=${url}`)
  expect(lines).toContain(`<script src="${url}/elements.js"></script>`)
  expect(lines).toContain(`COFFER_ELEMENTS=${url}/elements.js`)
  const { vaults } = JSON.parse((await runCoffer('status', '--json')).text)
  expect(vaults).toMatchObject([{ name: 'default', protection: 'passphrase', open_in: { url } }])
})

test('serve uses an in-memory vault without a keychain, terminal or passphrase', async () => {
  const dataDir = createTempFolder()
  const { facts, notes } = await serveInProcess(['--data-dir', dataDir, '--json'])
  expect(facts).not.toHaveProperty('recovery_key')
  expect(notes).toMatch(/COFFER_PASSPHRASE is not set. This vault is therefore stored only in memory/)
})

test('X-23 an uncaught error ends the process and prints no message', async () => {
  const folder = createTempFolder()
  const [wish, preload] = [path.join(folder, 'crash'), path.join(folder, 'crash.cjs')]
  fs.writeFileSync(
    preload,
    `const { existsSync } = require('node:fs')
    setInterval(() => {
      if (existsSync(${JSON.stringify(wish)})) Promise.reject(new RangeError('4242424242424242'))
    }, 20).unref()`,
  )
  const dataDir = path.join(folder, 'data')
  const coffer = startServe(dataDir, {
    ...env,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require=${JSON.stringify(preload)}`,
  })
  await coffer.json()
  fs.writeFileSync(wish, '')
  expect(await coffer.ended).toBe(1)
  expect(coffer.lines.join('\n')).toContain('coffer: Something went wrong inside the vault.')
  const kept = fs.readFileSync(path.join(dataDir, 'incidents.log'), 'utf8')
  expect(JSON.parse(kept)).toMatchObject({ class: 'RangeError', where: 'process' })
  expect(kept + coffer.lines.slice(1).join('\n')).not.toContain('42424242')
})
