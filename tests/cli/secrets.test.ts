import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openVault } from '../../electron/host/vault/open-vault.ts'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { canOpen, runWithEnv } from './in-process.ts'
import { builtCli, startCoffer, startInTerminal } from './run-coffer.ts'

const COFFER_PASSPHRASE = 'correct horse'
const cli = path.join(import.meta.dirname, '..', '..', 'electron', 'cli', 'run.mjs')

async function initVault() {
  const folder = createTempFolder()
  const dataDir = path.join(folder, 'data')
  const { out } = await runWithEnv({ COFFER_PASSPHRASE }, 'init', '--data-dir', dataDir, '--json')
  return {
    folder,
    dataDir,
    recovery_key: String(JSON.parse(out).recovery_key),
    place: ['--data-dir', dataDir],
  }
}

/** Runs a command whose standard output is a full disk. */
function runIntoFullDisk(args: readonly string[]) {
  const line = [process.execPath, '--disable-warning=ExperimentalWarning', cli, ...args]
    .map((each) => `'${each}'`)
    .join(' ')
  const { PATH, HOME, NODE_OPTIONS } = process.env
  const env = { PATH, HOME, NODE_OPTIONS, COFFER_PASSPHRASE }
  return spawnSync('sh', ['-c', `${line} > /dev/full`], { encoding: 'utf8', env })
}

test.runIf(process.platform === 'linux')(
  'X-43 a key that could not be printed never becomes valid',
  async () => {
    const { dataDir, recovery_key, place } = await initVault()
    for (const args of pickSome([['recovery-key'], ['recovery-key', '--json'], ['rotate', 'master']], 1)) {
      const { status, stderr } = runIntoFullDisk([...args, ...place])
      expect([args, status]).toEqual([args, 1])
      expect(stderr).toMatch(
        /^coffer: The output cannot be written: the disk is full\. Nothing has changed: .* stays valid\.\n$/,
      )
      expect(await canOpen(dataDir, { recovery_key })).toBe(true)
    }
    const { status, stderr } = runIntoFullDisk([
      'keys',
      'create',
      '--type',
      'private',
      '--name',
      'lost',
      ...place,
    ])
    expect(status).toBe(1)
    expect(stderr).toMatch(/the disk is full\. The application was deleted again\.\n$/)
    const { out } = await runWithEnv({ COFFER_PASSPHRASE }, 'keys', 'list', '--json', ...place)
    expect(out).toMatch(/^\[.*Backend/)
    expect(out).not.toContain('lost')
  },
)

test('a weak passphrase is refused, and nothing is created', {
  tags: 'thorough',
}, async () => {
  const folder = createTempFolder()
  const dataDir = path.join(folder, 'data')
  const init = startCoffer(['init', '--data-dir', dataDir], { COFFER_PASSPHRASE: 'password' })
  expect(await init.waitForLine(/^coffer: passphrase is too easy to guess/)).toMatch(
    /four or five random words/,
  )
  expect(await init.ended).toBe(1)
  expect(fs.existsSync(path.join(dataDir, 'default'))).toBe(false)
  const kept = await initVault()
  for (const command of [['passphrase'], ['passphrase', '--keep-master'], ['protect', 'passphrase']]) {
    const secrets = { COFFER_PASSPHRASE, COFFER_NEW_PASSPHRASE: 'default1' }
    const refused = startCoffer([...command, ...kept.place], secrets)
    await refused.waitForLine(/^coffer: passphrase is too easy to guess: it is the name of the vault/)
    expect(await refused.ended).toBe(1)
  }
  expect(await canOpen(kept.dataDir, { passphrase: COFFER_PASSPHRASE })).toBe(true)
})

test.runIf(process.platform === 'linux')(
  'a prompt refuses a weak passphrase and asks again',
  { tags: 'thorough' },
  async () => {
    const dataDir = path.join(createTempFolder(), 'data')
    const run = startInTerminal(['init', '--data-dir', dataDir])
    await run.waitForPrompt('at least 8 characters: ')
    run.press('password\r')
    await run.waitForPrompt('at least 8 characters: ', 2)
    expect(run.getOutput()).toContain('it is among the first passphrases that are guessed')
    run.press('battery staple\rbattery staple\r')
    expect(await run.ended).toBe(0)
    expect(await canOpen(dataDir, { passphrase: 'battery staple' })).toBe(true)
  },
)

test.runIf(process.platform !== 'win32')(
  'child processes inherit no passphrase from the environment or a file',
  { tags: 'thorough' },
  async () => {
    const { folder, place, dataDir } = await initVault()
    const file = path.join(folder, 'passphrase')
    fs.writeFileSync(file, `${COFFER_PASSPHRASE}\nnot this\n`, { mode: 0o600 })
    const out = path.join(folder, 'environment')
    for (const secret of [{ COFFER_PASSPHRASE }, { COFFER_PASSPHRASE_FILE: file }]) {
      const run = startCoffer(['serve', '--port', '0', '--run', `env > '${out}'`, ...place], {
        ...secret,
        COFFER_NEW_PASSPHRASE: 'battery staple',
      })
      expect(await run.ended).toBe(0)
      expect(fs.readFileSync(out, 'utf8')).toContain('COFFER_BASE_URL=')
      expect(fs.readFileSync(out, 'utf8')).not.toMatch(/PASSPHRASE|correct horse|battery staple/)
    }
    fs.chmodSync(file, 0o644)
    const open = startCoffer(['status', ...place, '--json'])
    await open.ended
    const readable = startCoffer(['keys', 'list', ...place], { COFFER_PASSPHRASE_FILE: file })
    expect(await readable.waitForLine(/^Other users can read/)).toContain('chmod 600')
    expect(await readable.ended).toBe(0)
    const refusals: [Record<string, string>, RegExp][] = [
      [
        { COFFER_PASSPHRASE_FILE: `${file}-missing` },
        /^coffer: The file named by COFFER_PASSPHRASE_FILE cannot be read/,
      ],
      [{ COFFER_PASSPHRASE_FILE: dataDir }, /cannot be read: it is a folder/],
      [
        { COFFER_PASSPHRASE_FILE: '/dev/null' },
        /first line of the file named by COFFER_PASSPHRASE_FILE is empty/,
      ],
      [{ COFFER_PASSPHRASE_FILE: file, COFFER_PASSPHRASE }, /are both set/],
    ]
    for (const [env, sentence] of refusals) {
      const refused = startCoffer(['keys', 'list', ...place], env)
      expect(await refused.waitForLine(/^coffer: /)).toMatch(sentence)
      expect(await refused.ended).toBe(1)
    }
  },
)

test('X-43 --keep-master warns that older copies of vault.json still work', {
  tags: 'thorough',
}, async () => {
  const { dataDir, place } = await initVault()
  const header = path.join(dataDir, 'default', 'vault.json')
  const before = fs.readFileSync(header)
  const env = { COFFER_PASSPHRASE, COFFER_NEW_PASSPHRASE: 'battery staple' }
  for (const command of ['passphrase', 'recovery-key']) {
    const run = startCoffer([command, '--keep-master', ...place], env)
    expect(await run.ended).toBe(0)
    expect(run.lines.join('\n')).toContain(
      'Whoever has an older copy of vault.json can still open the vault with the previous passphrase or recovery key.',
    )
    expect(run.lines.join('\n')).not.toContain('only older backups')
    fs.writeFileSync(header, before)
    expect(await canOpen(dataDir, { passphrase: COFFER_PASSPHRASE })).toBe(true)
  }
  const changed = startCoffer(['passphrase', ...place], env)
  await changed.waitForLine(/The previous credential opens only older backups\./)
  expect(await changed.ended).toBe(0)
})

test('restore needs a confirmation when it would bring back deleted data', {
  tags: 'thorough',
}, async () => {
  const { folder, place } = await initVault()
  const file = path.join(folder, 'then.coffer-backup')
  const runCoffer = async (...args: string[]) => {
    const run = startCoffer([...args, ...place, '--json'], { COFFER_PASSPHRASE })
    const result = await run.json()
    return { result, code: await run.ended }
  }
  await runCoffer('backup', '--out', file)
  const none = { applications: 0, keys: 0, tokens: 0, proxies: 0, documents: 0, client_keys: 0 }
  const restoreVault = (name: string, ...more: string[]) =>
    runCoffer('restore', file, '--vault', name, ...more)
  expect(await restoreVault('same')).toMatchObject({ code: 0, result: { brings_back: none } })
  const vault = await openVault({
    dataDir: path.join(folder, 'data'),
    name: 'default',
    with: { passphrase: COFFER_PASSPHRASE },
  })
  const owner = vault.engine.as({ kind: 'owner' })
  const { data } = await owner.applications.list({})
  await owner.applications.remove({ id: data[0]?.id ?? '' })
  vault.lock()
  expect(await restoreVault('then')).toMatchObject({ code: 1, result: { error: { code: 'forbidden' } } })
  expect(fs.existsSync(path.join(folder, 'data', 'then'))).toBe(false)
  const brings_back = { applications: 1, keys: 1, tokens: 0, proxies: 0, documents: 0, client_keys: 0 }
  expect(await restoreVault('then', '--yes')).toMatchObject({ code: 0, result: { brings_back } })
})

/** Makes a child print each key derivation, and whether the engine was already loaded. */
function reportDerivations(folder: string): { NODE_OPTIONS: string } {
  const file = path.join(folder, 'report-derivations.cjs')
  const argon2 = JSON.stringify(createRequire(import.meta.url).resolve('@node-rs/argon2'))
  const body = `const argon2 = require(${argon2}), { hashRaw } = argon2
argon2.hashRaw = (...args) => {
  const isLoaded = Object.keys(require.cache).some((name) => name.includes('better-sqlite3'))
  require('node:fs').writeSync(2, isLoaded ? 'a key, late\\n' : 'a key, early\\n')
  return hashRaw(...args)
}`
  fs.writeFileSync(file, body)
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require=${JSON.stringify(file)}` }
}

test('serve derives a passphrase’s key once, before the engine is loaded', async () => {
  const { folder, place, recovery_key } = await initVault()
  const reporterEnv = reportDerivations(folder)
  const listDerivations = async (passphrase: string, ...more: string[]) => {
    const coffer = startCoffer(
      ['serve', '--port', '0', '--json', ...place, ...more],
      { ...reporterEnv, COFFER_PASSPHRASE: passphrase },
      builtCli,
    )
    const facts: { error?: { code: string } } = await coffer.json()
    coffer.stop()
    await coffer.ended
    return { keys: coffer.lines.filter((each) => each.startsWith('a key')), error: facts.error?.code }
  }
  fs.writeFileSync(path.join(folder, 'in-memory.yaml'), 'ephemeral: true')
  const config = ['--config', path.join(folder, 'in-memory.yaml')]
  const early = ['a key, early']
  const cases: [string[], { keys: string[]; error: string | undefined }][] = [
    [[COFFER_PASSPHRASE], { keys: early, error: undefined }],
    [['battery staple'], { keys: early, error: 'unauthenticated' }],
    [[recovery_key], { keys: [], error: undefined }],
    [[COFFER_PASSPHRASE, '--ephemeral'], { keys: [], error: undefined }],
    [[COFFER_PASSPHRASE, ...config], { keys: [], error: undefined }],
  ]
  for (const [[secret = '', ...more], expected] of pickSome(cases, 1)) {
    expect(await listDerivations(secret, ...more)).toEqual(expected)
  }
})
