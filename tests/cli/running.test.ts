import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { cli, getServeArgs, startCoffer, startServe } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'
const unix = test.runIf(process.platform !== 'win32')

unix('coffer serve --detach serves in the background until coffer stop', async () => {
  const dataDir = createTempFolder()
  const env = { COFFER_DATA_DIR: dataDir, COFFER_PASSPHRASE: passphrase }
  const serve = startCoffer(['serve', '--detach', '--port', '0'], env)
  const pid = Number(
    /process (\d+)/.exec(await serve.waitForLine(/^Coffer is listening on http.* in the background/))?.[1],
  )
  onTestFinished(() => void tryToKill(pid))
  await serve.waitForLine(/^ {2}private {5}key_local_pvt_/)
  await serve.waitForLine(/^Stop it with: .*stop$/)
  expect(await serve.ended).toBe(0)
  expect((await runWithEnv(env, 'api', '/v2/tokens')).code).toBe(0)
  const stopped = await runWithEnv(env, 'stop', '--json')
  expect(JSON.parse(stopped.out)).toMatchObject({ pid, in_memory: false })
  expect(readProcessState(pid)).toMatch(/^(Z.*)?$/)
  expect((await runWithEnv(env, 'stop')).error).toMatch(/^The vault default is not open in .* Open it with/)
})

/** The state of a process, such as S; Z if it has ended and its parent has not noticed; empty if there is none. */
function readProcessState(pid: number): string {
  return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
}

test.runIf(process.platform === 'linux')('coffer stop ends although nothing reaps the process', async () => {
  const dataDir = createTempFolder()
  const args = [process.execPath, cli, ...getServeArgs(dataDir, '--ephemeral')]
  // As in a container whose first program is `sleep`.
  const shell = spawn('sh', ['-c', '"$@" & exec sleep 120', 'sh', ...args], { detached: true })
  onTestFinished(() => void tryToKill(-Number(shell.pid)))
  await once(shell.stdout, 'data')
  const { code, out } = await runWithEnv({ COFFER_DATA_DIR: dataDir }, 'stop', '--json')
  expect(code).toBe(0)
  const { pid } = JSON.parse(out)
  expect(readProcessState(pid)).toMatch(/^Z/)
})

unix('coffer serve --detach says why it cannot start', async () => {
  const dataDir = createTempFolder()
  const { url } = await startServe(dataDir, {}, '--ephemeral').json()
  const serve = startCoffer(['serve', '--ephemeral', '--detach', '--port', new URL(url).port], {
    COFFER_DATA_DIR: dataDir,
  })
  await serve.waitForLine(/^coffer: Port \d+ is taken/)
  expect(await serve.ended).toBe(1)
})

unix('X-64 coffer open asks for the passphrase of a vault on disk, and hides the link', async () => {
  const dataDir = createTempFolder()
  const bin = path.join(dataDir, 'bin')
  fs.mkdirSync(bin)
  const seen = path.join(dataDir, 'seen')
  const script = `#!/bin/sh\nstat -c %a "$1" > '${seen}'; echo "$@" >> '${seen}'; cat "$1" >> '${seen}'; exit 3\n`
  fs.writeFileSync(path.join(bin, 'xdg-open'), script, { mode: 0o755 })
  await startServe(dataDir, { COFFER_PASSPHRASE: passphrase }, '--console').json()
  const env = { COFFER_DATA_DIR: dataDir, PATH: `${bin}:${process.env.PATH}` }
  expect((await runWithEnv(env, 'open', '--print')).error).toMatch(/passphrase/)
  expect((await runWithEnv({ ...env, COFFER_PASSPHRASE: 'wrong' }, 'open', '--print')).code).toBe(1)
  const opened = await runWithEnv({ ...env, COFFER_PASSPHRASE: passphrase }, 'open')
  expect(opened.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/#launch=\S+\n$/)
  if (process.platform !== 'linux') return
  const [mode, args, page] = fs.readFileSync(seen, 'utf8').split('\n')
  expect([mode, args]).toEqual(['600', expect.stringMatching(/coffer-open-.*window\.html$/)])
  expect(page).toContain('#launch=')
  expect(fs.existsSync(args ?? '')).toBe(false)
})

unix('coffer open names the command that serves a window', async () => {
  const dataDir = createTempFolder()
  await startServe(dataDir, {}, '--ephemeral').json()
  const { error } = await runWithEnv({ COFFER_DATA_DIR: dataDir }, 'open')
  expect(error).toMatch(/serves no window\. Start it with: .*serve --console/)
})

test('coffer docs lists and prints the guides', async () => {
  expect((await runWithEnv({}, 'docs')).out).toMatch(/^webhooks +Webhooks$/m)
  expect((await runWithEnv({}, 'docs', 'webhooks')).out).toMatch(/^# Webhooks\n/)
  expect((await runWithEnv({}, 'docs', 'webhoks')).error).toBe(
    'There is no such guide. Did you mean webhooks?',
  )
  expect(JSON.parse((await runWithEnv({}, 'docs', 'proxies', '--json')).out)).toMatchObject({
    name: 'proxies',
  })
})

function tryToKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
