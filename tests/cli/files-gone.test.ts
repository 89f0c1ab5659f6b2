import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runForText, runWithEnv } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'
const env = { COFFER_PASSPHRASE: passphrase }
const TOKENS_BEFORE = 70

const runCoffer = (...args: string[]) => runForText(env, ...args)

/** Starts a server on a new vault, with tokens that it has acknowledged. */
async function startVault() {
  const folder = createTempFolder()
  const dataDir = path.join(folder, 'data')
  const server = startServe(dataDir, env)
  const { url, keys } = await server.json()
  const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }
  const createToken = () =>
    fetch(`${url}/tokens`, { method: 'POST', headers, body: JSON.stringify({ type: 'token', data: 'x' }) })
  const readToken = (id: string) => fetch(`${url}/tokens/${id}`, { headers })
  const responses = await Promise.all(Array.from({ length: TOKENS_BEFORE }, createToken))
  const ids = await Promise.all(responses.map(async (each) => ((await each.json()) as { id: string }).id))
  const vault = path.join(dataDir, 'default')
  return {
    folder,
    dataDir,
    vault,
    database: path.join(vault, 'vault.db'),
    server,
    createToken,
    readToken,
    ids,
    url,
  }
}

/** Returns the ids of these tokens that a stored vault contains. */
async function listStored(dataDir: string, name: string, ids: readonly string[]) {
  await using vault = await openVault({ dataDir, name, with: { passphrase } })
  const owner = vault.engine.as({ kind: 'owner' })
  const held: string[] = []
  for (const id of ids) {
    const found = await owner.tokens.get({ id }).catch(() => undefined)
    if (found) held.push(id)
  }
  return held
}

type StartedVault = Awaited<ReturnType<typeof startVault>>

function removeFolder(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true })
  } catch (error) {
    // Coffer has already begun to restore the vault, so the folder is not empty.
    expect(error).toMatchObject({ code: 'ENOTEMPTY' })
  }
}

/**
 * Accidents to the files. The third item is where the vault is afterwards: in its place, next to it, or where it was
 * moved.
 */
const cases: [string, (at: StartedVault) => void, 'back' | 'beside' | ((at: StartedVault) => string)][] = [
  ['vault.db is removed', ({ database }) => fs.rmSync(database), 'back'],
  ['vault.db is renamed', ({ database }) => fs.renameSync(database, `${database}.old`), 'back'],
  [
    'another file takes the place of vault.db',
    ({ database }) => {
      fs.writeFileSync(`${database}.new`, 'something else')
      fs.renameSync(`${database}.new`, database)
    },
    'beside',
  ],
  ['the log is removed', ({ database }) => fs.rmSync(`${database}-wal`), 'back'],
  ['the log is renamed', ({ database }) => fs.renameSync(`${database}-wal`, `${database}-wal.old`), 'back'],
  ['the log is cut to nothing', ({ database }) => fs.truncateSync(`${database}-wal`), 'back'],
  [
    'the log is cut to half',
    ({ database }) => fs.truncateSync(`${database}-wal`, Math.floor(fs.statSync(`${database}-wal`).size / 2)),
    'back',
  ],
  ['its folder is removed', ({ vault }) => removeFolder(vault), 'back'],
  [
    'another folder takes the place of its own',
    ({ vault, folder }) => {
      fs.renameSync(vault, path.join(folder, 'away'))
      fs.rmSync(path.join(folder, 'away'), { recursive: true })
      fs.mkdirSync(vault)
      fs.writeFileSync(path.join(vault, 'vault.db'), 'something else')
      fs.writeFileSync(path.join(vault, 'vault.db-wal'), 'its log')
    },
    'beside',
  ],
  ['the data folder is removed', ({ dataDir }) => removeFolder(dataDir), 'back'],
  [
    'its folder is moved',
    ({ vault, folder }) => fs.renameSync(vault, path.join(folder, 'default')),
    ({ folder }) => folder,
  ],
  [
    'the data folder is moved',
    ({ dataDir, folder }) => fs.renameSync(dataDir, path.join(folder, 'elsewhere')),
    ({ folder }) => path.join(folder, 'elsewhere'),
  ],
]

test.for(pickSome(cases, 1))(
  'X-46 when %s, writes fail with 503 and no commit is lost',
  async ([, act, where]) => {
    const at = await startVault()
    const { server, dataDir, vault, ids } = at
    act(at)
    const foreign = where === 'beside' ? readFiles(vault) : null
    const after = await at.createToken()
    expect(after.status).toBe(503)
    expect(await after.json()).toMatchObject({
      code: 'unavailable',
      detail: expect.not.stringContaining('/'),
    })
    const message = await server.waitForLine(/^coffer: The (files of the )?vault default/)
    expect((await at.createToken()).status).toBe(503)
    expect((await at.readToken(ids[0] ?? '')).status).toBe(503)
    server.stop()
    expect(await server.ended).toBe(1)
    if (typeof where === 'function') {
      expect(message).toContain(path.join(where(at), 'default'))
      expect(fs.existsSync(vault)).toBe(false)
      const next = await runCoffer('serve', '--json', '--data-dir', dataDir, '--port', '0')
      expect(next).toMatchObject({
        code: 1,
        text: expect.stringContaining('The vault default is missing from'),
      })
      expect(fs.existsSync(vault)).toBe(false)
      expect(await listStored(where(at), 'default', ids)).toEqual(ids)
    } else if (where === 'beside') {
      expect(readFiles(vault)).toEqual(foreign)
      const name = fs.readdirSync(dataDir).find((each) => each.startsWith('default-rescued-')) ?? ''
      expect(message).toContain(path.join(dataDir, name))
      expect(await listStored(dataDir, name, ids)).toEqual(ids)
    } else {
      expect(message).toContain(vault)
      expect(await listStored(dataDir, 'default', ids)).toEqual(ids)
    }
  },
)

const loaded: [string, (at: StartedVault) => void][] = [
  ['its folder is removed', ({ vault }) => removeFolder(vault)],
  ['the log is cut to nothing', ({ database }) => fs.truncateSync(`${database}-wal`)],
]

test.for(pickSome(loaded, 1))(
  'X-46 when %s during writes, every acknowledged write survives',
  async ([, act]) => {
    const at = await startVault()
    const { server, dataDir, createToken, ids } = at
    const answered = [...ids]
    let refused = 0
    const writeUntilRefused = async () => {
      for (;;) {
        const response = await createToken().catch(() => undefined)
        if (response?.status !== 201) {
          refused++
          return
        }
        answered.push(((await response.json()) as { id: string }).id)
        if (answered.length === 2 * TOKENS_BEFORE) {
          act(at)
          server.stop()
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, writeUntilRefused))
    expect(refused).toBe(8)
    await server.ended
    expect(server.lines.join('\n')).toContain('including every answered call')
    expect(await listStored(dataDir, 'default', answered)).toEqual(answered)
  },
)

test('X-46 a truncated file is reported, and no new vault replaces it', async () => {
  const { server, dataDir, database, createToken } = await startVault()
  fs.truncateSync(database)
  expect((await createToken()).status).toBe(503)
  expect(await server.waitForLine(/^coffer: The files/)).toMatch(
    /can no longer be read.* restore the newest backup/,
  )
  server.stop()
  expect(await server.ended).toBe(1)
  const next = await runCoffer('serve', '--data-dir', dataDir, '--port', '0')
  expect(next).toMatchObject({ code: 1, text: expect.stringMatching(/vault\.db.* (damaged|truncated)/) })
})

/** Reads the files of a folder, by name. */
function readFiles(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder).filter((name) => !/^vault\.(json|db-shm)/.test(name))
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name), 'hex')]))
}

test('X-46 an idle server restores a deleted vault.json or vault folder', {
  tags: 'thorough',
}, async () => {
  const { server, vault, dataDir, ids, createToken } = await startVault()
  const header = path.join(vault, 'vault.json')
  const before = fs.readFileSync(header, 'utf8')
  fs.rmSync(header)
  await expect.poll(() => fs.existsSync(header) && fs.readFileSync(header, 'utf8')).toBe(before)
  expect((await createToken()).status).toBe(201)
  fs.rmSync(vault, { recursive: true })
  await server.waitForLine(/^coffer: The files of the vault default/)
  const second = startServe(dataDir, env)
  expect(await second.json()).toMatchObject({ created: false })
  second.stop()
  await second.ended
  expect(await listStored(dataDir, 'default', ids)).toEqual(ids)
})

const lockActs: [string, (file: string) => void][] = [
  ['deleted', (file) => fs.rmSync(file)],
  ['renamed', (file) => fs.renameSync(file, `${file}.old`)],
  [
    'replaced',
    (file) => {
      fs.rmSync(file)
      fs.writeFileSync(file, '')
    },
  ],
]
const lockFiles = [['default.lock'], ['default.lock.json'], ['default.lock', 'default.lock.json']]

test.for(pickSome(lockActs, 1))(
  'X-46 with the lock files %s, no second process opens the vault',
  async ([, act]) => {
    const { server, dataDir, createToken, url } = await startVault()
    const listLocks = () => fs.readdirSync(dataDir).filter((each) => /^default\.lock(\.json)?$/.test(each))
    const readInode = () => fs.statSync(path.join(dataDir, 'default.lock'), { throwIfNoEntry: false })?.ino
    for (const files of lockFiles) {
      const before = readInode()
      // Stop the server, so that it cannot restore the lock files before the second process starts.
      server.signal('SIGSTOP')
      for (const file of files) act(path.join(dataDir, file))
      const second = await runCoffer('serve', '--json', '--data-dir', dataDir, '--port', '0')
      server.signal('SIGCONT')
      expect(second).toMatchObject({ code: 1, text: expect.stringMatching(/is open in/) })
      await expect.poll(listLocks).toEqual(['default.lock', 'default.lock.json'])
      if (files[0] === 'default.lock') await expect.poll(readInode).not.toBe(before)
      expect((await createToken()).status).toBe(201)
    }
    await expect
      .poll(async () => (await runCoffer('serve', '--data-dir', dataDir, '--port', '0')).text)
      .toContain(url)
  },
)

test('X-46 serve does not replace a missing vault until init or delete is run', {
  tags: 'thorough',
}, async () => {
  const dataDir = createTempFolder()
  const place = ['--data-dir', dataDir]
  await runCoffer('init', ...place)
  await runCoffer('backup', ...place)
  const vault = path.join(dataDir, 'default')
  fs.rmSync(vault, { recursive: true })
  const refused = await runCoffer('serve', '--port', '0', ...place)
  expect(refused).toMatchObject({
    code: 1,
    text: expect.stringMatching(/is missing from .* restore .* init /),
  })
  expect(fs.existsSync(vault)).toBe(false)
  expect((await runCoffer('doctor', ...place)).text).toMatch(
    /fail {2}vault +The vault default is missing from .* restore /,
  )
  expect((await runCoffer('status', ...place)).text).toMatch(/^default {2}missing: /m)
  const [backup = ''] = fs.readdirSync(path.join(dataDir, 'backups', 'default'))
  const file = path.join(dataDir, 'backups', 'default', backup)
  const secrets = { ...env, COFFER_NEW_PASSPHRASE: passphrase }
  expect((await runWithEnv(secrets, 'restore', file, ...place)).code).toBe(0)
  const deleted = await runCoffer('delete', '--yes-delete', 'default', ...place)
  expect(deleted.code).toBe(0)
  const fresh = startServe(dataDir, env)
  expect(await fresh.json()).toMatchObject({ created: true })
  fresh.stop()
  await fresh.ended
  fs.rmSync(vault, { recursive: true })
  expect(await runCoffer('init', ...place)).toMatchObject({ code: 0 })
})
