import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { expectRecordedCost } from '../host/full-cost.ts'
import { createTempFolder } from '../vault.ts'
import { builtCli, startCoffer } from './run-coffer.ts'

const startBuilt = (args: readonly string[], env: Record<string, string> = {}) =>
  startCoffer(args, env, builtCli)

test('the built CLI serves a vault, backs it up and opens it again', async () => {
  const dataDir = createTempFolder()
  const passphrase = 'correct horse battery staple'
  const env = { COFFER_PASSPHRASE: passphrase }
  const args = ['serve', '--data-dir', dataDir, '--port', '0', '--json']
  const first = startBuilt(args, env)
  const { url, keys } = await first.json()
  const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ type: 'token', data: 'kept' })
  const response = await fetch(`${url}/tokens`, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: string }
  first.stop()
  expect(await first.ended).toBe(0)
  await expectRecordedCost({ dataDir, name: 'default', passphrase })
  const file = path.join(dataDir, 'a.coffer-backup')
  const backup = startBuilt(['backup', '--data-dir', dataDir, '--out', file], env)
  expect(await backup.ended, backup.lines.join('\n')).toBe(0)
  expect(fs.statSync(file).size).toBeGreaterThan(0)
  const second = startBuilt(args, env)
  const again = await fetch(`${(await second.json()).url}/tokens/${id}`, { headers })
  expect(await again.json()).toMatchObject({ id, data: 'kept' })
})

test('the built CLI serves the window and elements', async () => {
  const shop = 'http://localhost:3000'
  const program = startBuilt([
    ...['serve', '--ephemeral', '--port', '0', '--json'],
    ...['--console', '--cors-origin', shop],
  ])
  const { url, console: link } = (await program.json()) as unknown as { url: string; console: string }
  const page = await fetch(link)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<script type="module"')

  expect(await (await fetch(`${url}/elements.js`)).text()).toContain(JSON.stringify(url))
  const frame = await fetch(`${url}/elements/frame?origin=${shop}`)
  expect(frame.status).toBe(200)
  const source = /src="([^"]+)"/.exec(await frame.text())?.[1]
  expect((await fetch(url + source)).status).toBe(200)
})

test.each([
  ['as built', builtCli],
  ['from its sources', undefined],
])('the CLI %s stores its compile cache in the user’s own folder', async (_, program) => {
  const [temporary, cache] = [createTempFolder(), createTempFolder()]
  const child = startCoffer(['--version'], { TMPDIR: temporary, XDG_CACHE_HOME: cache }, program)
  expect(await child.ended).toBe(0)
  expect(fs.readdirSync(temporary)).toEqual([])
  expect(fs.readdirSync(cache)).toEqual(['coffer'])
})

test('the built CLI contains no `using`, which Node 22 cannot parse', () => {
  const folder = path.dirname(builtCli)
  const scripts = fs.readdirSync(folder).filter((name) => name.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(2)
  for (const name of scripts) {
    expect(fs.readFileSync(path.join(folder, name), 'utf8'), name).not.toMatch(/^\s*(await )?using \w+ =/m)
  }
})

// In these versions of Node, the database driver ends the process without a message.
test.each(['20.20.2', '22.13.1', '23.5.0'])(
  'the test library rejects Node %s, and names the minimum',
  (node) => {
    const library = pathToFileURL(path.resolve('electron/testing/index.mjs')).href
    const script = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}', napi: '9' } })
    await import('${library}').catch(({ message }) => process.stdout.write(message))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    })
    expect(stdout).toContain(`needs Node 22.14, 23.7 or newer, but this is Node ${node}`)
  },
)
