import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createTempFolder } from '../vault.ts'

const root = path.join(import.meta.dirname, '..', '..')

/** Copies the checkout, so that a test may change its sources. */
function copyCheckout(): string {
  const folder = path.join(createTempFolder(), 'checkout')
  fs.mkdirSync(folder)
  for (const name of [
    'electron',
    'renderer',
    'scripts',
    'shared',
    'package.json',
    'tsconfig.base.json',
    'electron.vite.config.ts',
  ])
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'out'])
    fs.symlinkSync(path.join(root, name), path.join(folder, name), 'junction')
  return folder
}

test('npm run dev without a display serves the window with hot reload', async () => {
  const folder = copyCheckout()
  const permissions = path.join(folder, 'electron/engine/resources/permissions/operations.ts')
  const failing = "handler() { throw new Error('a failure in the engine') }, unused"
  fs.writeFileSync(permissions, fs.readFileSync(permissions, 'utf8').replace(/\bhandler\b/, failing))
  const child = spawn(process.execPath, [path.join(folder, 'scripts', 'dev.mjs')], {
    cwd: folder,
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let errors = ''
  child.stderr.on('data', (text) => (errors += text))
  const printed: string[] = []
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      printed.push(line)
      if (line.startsWith('  public ')) resolve()
    })
    child.on('exit', () => reject(new Error(errors)))
  })
  const findPrinted = (pattern: RegExp) => pattern.exec(printed.join('\n'))?.[1] ?? ''
  const link = new URL(findPrinted(/^The window, from its sources: (.+)$/m))
  expect(errors).toContain(
    'There is no display for the desktop window. Serving the window in a browser instead.\n',
  )
  const tokens = await fetch(`${findPrinted(/^The API: (.+)$/m)}/tokens`, {
    headers: { 'SVC-API-KEY': findPrinted(/^ {2}private +(.+)$/m) },
  })
  expect(tokens.status).toBe(200)
  const failed = await fetch(`${findPrinted(/^The API: (.+)$/m)}/permissions`, {
    headers: { 'SVC-API-KEY': findPrinted(/^ {2}management +(.+)$/m) },
  })
  expect(failed.status).toBe(500)
  expect(await failed.text()).not.toContain('a failure')
  await expect.poll(() => errors).toMatch(/^Error: a failure in the engine\n +at .*operations\.ts/m)
  const { origin } = link
  const fetchText = async (file: string) => (await fetch(origin + file)).text()
  expect(await fetchText('/')).toContain('/@vite/client')

  const postToConsole = (name: string, body: object, headers: Record<string, string>) =>
    fetch(`${origin}/_coffer/console/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const token = link.hash.replace('#launch=', '')
  const foreign = await postToConsole('launch', { token }, { Origin: 'http://127.0.0.1:1' })
  expect(foreign.status).toBe(403)
  const launched = await postToConsole('launch', { token }, { Origin: origin })
  expect(launched.status).toBe(200)
  const [cookie = ''] = (launched.headers.get('set-cookie') ?? '').split(';')
  const status = await postToConsole(
    'call',
    { name: 'host.status', input: {} },
    { Origin: origin, Cookie: cookie },
  )
  expect(await status.json()).toMatchObject({ ok: true })

  const source = '/ui/empty.tsx'
  const [, key = ''] = /const wsToken = "([^"]+)"/.exec(await fetchText('/@vite/client')) ?? []
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/?token=${key}`, 'vite-hmr')
  onTestFinished(() => socket.close())
  await once(socket, 'open')
  expect(await fetchText(source)).not.toContain('changed by a test')
  const updated = new Promise<string>((resolve) => {
    socket.addEventListener('message', ({ data }) => String(data).includes(source) && resolve(String(data)))
  })
  fs.appendFileSync(path.join(folder, 'renderer', source), "\nconsole.info('changed by a test')\n")
  expect(JSON.parse(await updated)).toMatchObject({ type: 'update' })
  expect(await fetchText(source)).toContain('changed by a test')

  fs.appendFileSync(permissions, '\n')
  await expect
    .poll(() => errors)
    .toContain(
      `${path.relative(folder, permissions)} has changed. Restart npm run dev to load it into the vault.\n`,
    )
})
