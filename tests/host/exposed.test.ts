import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { prepareDataDirectory } from '../../electron/host/files/data-dir.ts'
import { describeExposure } from '../../electron/host/files/exposed.ts'
import { readSettingsFile } from '../../electron/host/files/settings-file.ts'
import { Reactors } from '../../electron/host/reactors/reactors.ts'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { CofferError } from '../../shared/errors.ts'
import { runWithEnv, serveInProcess } from '../cli/in-process.ts'
import { startCoffer } from '../cli/run-coffer.ts'
import { createTempFolder } from '../vault.ts'
import { startHost } from './start-host.ts'
import { createStoredVault, passphrase } from './stored-vault.ts'

const isUnix = process.platform !== 'win32'
const unix = test.runIf(isUnix)
const isRoot = process.getuid?.() === 0
/** Runs only as root, because only root can create files of another user. */
const asRoot = test.runIf(isRoot)
const why = isRoot ? '' : ' (skipped: only root makes files of another user)'
const NOBODY = 65_534

const others = /^Other users can write to .*\. Check its content, then run: chmod go-w '/
const foreign = /belongs to another user \(.+\), who can change it\. If you trust .* sudo chown -R /

function createFolder(mode: number, uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0): string {
  const folder = path.join(createTempFolder(), 'data')
  fs.mkdirSync(folder)
  fs.chownSync(folder, uid, gid)
  fs.chmodSync(folder, mode)
  return folder
}

unix.each([
  [0o700, null],
  [0o755, null],
  [0o777, others],
  [0o1777, others],
  [0o703, others],
])('X-68 a folder of the user with mode %o is reported only if others can write to it', (mode, expected) => {
  const exposure = describeExposure(createFolder(mode))
  if (expected) expect(exposure).toMatch(expected)
  else expect(exposure).toBeNull()
})

asRoot.each([
  // The owner of such a folder can change its mode at any time.
  [0o700, NOBODY, 0, foreign],
  [0o777, NOBODY, NOBODY, foreign],
  [0o775, 0, NOBODY, others],
  // Root's own group, and a group without members that has no entry, as in a container.
  [0o775, 0, 0, null],
  [0o2775, 0, 54_321, null],
])(
  `X-68 a folder with mode %o, user %i and group %i is reported only if others can change it${why}`,
  (mode, uid, gid, expected) => {
    const exposure = describeExposure(createFolder(mode, uid, gid))
    if (expected) expect(exposure).toMatch(expected)
    else expect(exposure).toBeNull()
  },
)

const env = { COFFER_PASSPHRASE: 'correct horse battery staple' }
const commands = [
  ['init'],
  ['serve', '--port', '0'],
  ['serve', '--ephemeral', '--port', '0'],
  ['status'],
  ['keys', 'list'],
  ['backup'],
  ['delete', '--yes-delete', 'default'],
  ['reactor', 'packages'],
  ['reactor', 'add-package', 'ms'],
]

asRoot(`X-68 no command uses a data folder that another user has made${why}`, async () => {
  const dataDir = createFolder(0o777, NOBODY, NOBODY)
  const planted = path.join(dataDir, 'settings.json')
  const map = { 'https://api.stripe.com': 'http://127.0.0.1:15777' }
  fs.writeFileSync(
    planted,
    JSON.stringify({ settings: { destinations: { allow: [], map }, reactors: true } }),
  )
  fs.chownSync(planted, NOBODY, NOBODY)
  for (const args of commands) {
    const { code, error } = await runWithEnv({ ...env, COFFER_DATA_DIR: dataDir }, ...args)
    expect([args, code, error]).toEqual([args, 1, expect.stringMatching(foreign)])
  }
  expect(fs.readdirSync(dataDir)).toEqual(['settings.json'])
  expect(() => startHost({ dataDir })).toThrow(foreign)
  const { code, out } = await runWithEnv({ ...env, COFFER_DATA_DIR: dataDir }, 'doctor')
  expect(code).toBe(1)
  expect(out).toMatch(/^fail {2}permissions {2}.* belongs to another user \(nobody\)/m)
})

asRoot(`X-68 nor does another user use a folder of a third one${why}`, () => {
  const dataDir = createFolder(0o777, 1000, 1000)
  fs.chmodSync(path.dirname(dataDir), 0o755)
  const args = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', process.execPath]
  const cli = path.join(import.meta.dirname, '../../electron/cli/run.mjs')
  const ran = spawnSync('setpriv', [...args, cli, 'init', '--data-dir', dataDir], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  })
  expect(ran.stderr).toMatch(/belongs to another user \(.*\), who can change it/)
  expect(ran.status).toBe(1)
  expect(fs.readdirSync(dataDir)).toEqual([])
})

unix('X-68 a vault with files that others may write is rejected, and doctor names them', async () => {
  const { dataDir, vault } = await createStoredVault()
  vault.lock()
  const settings = path.join(dataDir, 'settings.json')
  fs.writeFileSync(settings, '{}', { mode: 0o600 })
  const packages = path.join(dataDir, '.packages')
  fs.mkdirSync(packages, { mode: 0o700 })
  const openWork = () => openVault({ dataDir, name: 'work', with: { passphrase } })
  const tries: [string, () => unknown][] = [
    [settings, () => readSettingsFile(dataDir)],
    [vault.files.folder, openWork],
    [vault.files.database, openWork],
    [vault.files.header, openWork],
    [vault.files.count, openWork],
    [dataDir, () => prepareDataDirectory(dataDir)],
    [packages, () => undefined],
  ]
  for (const [file, use] of tries) {
    const { mode } = fs.statSync(file)
    fs.chmodSync(file, 0o777)
    if (file !== packages) await expect((async () => use())(), file).rejects.toThrow(others)
    const { out } = await runWithEnv({ COFFER_DATA_DIR: dataDir }, 'doctor', '--vault', 'work')
    expect(out).toMatch(/^fail {2}permissions {2}Other users can write to/m)
    expect(out).toContain(`chmod go-w '${file}'`)
    fs.chmodSync(file, mode)
  }
  ;(await openWork()).lock()
})

unix('X-68 code is not run while other users can write to the packages folder', async () => {
  const dataDir = createFolder(0o700)
  const packages = path.join(dataDir, '.packages')
  fs.mkdirSync(packages)
  fs.chmodSync(packages, 0o777)
  const { facts } = await serveInProcess(['--ephemeral', '--reactors', '--json'], {
    COFFER_DATA_DIR: dataDir,
  })
  const postJson = async (route: string, key: string, body: object) => {
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
    const response = await fetch(facts.url + route, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const code = 'module.exports = () => ({ raw: 1 })'
  const { body } = await postJson('/reactors', facts.keys.management, { name: 'one', code })
  const react = () => postJson(`/reactors/${body.id}/react`, facts.keys.private, { args: {} })
  const rejected = await react()
  expect([rejected.status, rejected.body.detail]).toEqual([503, expect.stringMatching(/^Another user could/)])
  expect(JSON.stringify(rejected.body)).not.toContain(dataDir)
  fs.chmodSync(packages, 0o700)
  expect((await react()).status).toBe(200)
})

test('X-68 F-01 code that cannot be checked is no incident', async () => {
  const report = vi.fn()
  const newPool = () => {
    throw new CofferError('unavailable', 'Another user could change the packages.')
  }
  const off = { engine: () => null, isOn: () => false, baseUrl: () => null }
  const reactors = new Reactors({ ...off, newPool, report })
  await expect(reactors.checkSyntax('1').catch(() => 'unchecked')).resolves.toBe('unchecked')
  expect(report).not.toHaveBeenCalled()
})

unix("X-68 with umask 0002 Coffer's files are accessible to their owner only", () => {
  const dataDir = path.join(createTempFolder(), 'a', 'data')
  const cli = path.join(import.meta.dirname, '../../electron/cli/run.mjs')
  const { PATH, HOME, NODE_OPTIONS } = process.env
  const ran = spawnSync('sh', ['-c', 'umask 0002; exec "$@"', 'sh', process.execPath, cli, 'init'], {
    encoding: 'utf8',
    env: { PATH, HOME, NODE_OPTIONS, ...env, COFFER_DATA_DIR: dataDir },
  })
  expect(ran.stderr).toBe('')
  for (const name of ['', '..', ...fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })]) {
    expect([name, fs.statSync(path.join(dataDir, name)).mode & 0o077]).toEqual([name, 0])
  }
})

asRoot(`X-68 another user's config file is ignored unless it is named${why}`, async () => {
  const cwd = createTempFolder()
  const file = path.join(cwd, 'coffer.config.yaml')
  fs.writeFileSync(file, 'ephemeral: true\nport: 0\nreactors: true\n')
  fs.chownSync(file, NOBODY, NOBODY)
  const args = ['serve', '--json', '--data-dir', path.join(cwd, 'data')]
  const rejected = startCoffer(args, {}, undefined, cwd)
  const { error } = await rejected.json()
  expect(error.message).toMatch(foreign)
  expect(error.message).toMatch(/add --config coffer\.config\.yaml\. To ignore it, add --no-config$/)
  expect(await rejected.ended).toBe(1)
  const named = startCoffer([...args, '--config', 'coffer.config.yaml'], {}, undefined, cwd)
  expect((await named.json()).url).toContain('http://')
})
