import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')

/** Returns the arguments that run a Node script. */
function toNodeArgs(script: string): string[] {
  const file = path.join(createTempFolder(), 'script.mjs')
  fs.writeFileSync(file, script)
  return [process.execPath, file]
}

test('run gives a program an in-memory vault, and exits with the program’s code', async () => {
  const folder = createTempFolder()
  const seed = path.join(folder, 'seed.yaml')
  fs.writeFileSync(seed, 'tokens:\n  - { id: first, type: token, data: seeded }\n')
  const program = toNodeArgs(`
    const { VAULT_URL, VAULT_KEY, COFFER_BASE_URL, COFFER_API_KEY, COFFER_PUBLIC_KEY, COFFER_MANAGEMENT_KEY, COFFER_PASSPHRASE } = process.env
    const read = await fetch(VAULT_URL + '/tokens/first', { headers: { 'SVC-API-KEY': VAULT_KEY } })
    const { data } = await read.json()
    const reset = await fetch(VAULT_URL + '/_coffer/reset', { method: 'POST', headers: { 'SVC-API-KEY': COFFER_MANAGEMENT_KEY } })
    const result = { data, reset: reset.status, words: process.argv.slice(2), url: VAULT_URL, secret: COFFER_PASSPHRASE,
      same: VAULT_URL === COFFER_BASE_URL && VAULT_KEY === COFFER_API_KEY, key: COFFER_PUBLIC_KEY.slice(0, 13) }
    console.log(JSON.stringify(result))
    process.exit(7)`)
  const dataDir = path.join(folder, 'data')
  const words = ['run', '--seed', seed, '--data-dir', dataDir, '--', ...program, '--watch', 'a b', '$HOME']
  const run = startCoffer(words, { COFFER_PASSPHRASE: 'correct horse' })
  const printed = await run.json()
  expect(printed).toEqual({
    data: 'seeded',
    reset: 204,
    words: ['--watch', 'a b', '$HOME'],
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    same: true,
    key: 'key_local_pub',
  })
  expect(await run.ended).toBe(7)
  await expect(fetch(printed.url)).rejects.toThrow()
  expect(fs.existsSync(path.join(dataDir, 'default'))).toBe(false)
})

test('run starts nothing if the seed is invalid, and exits with 127 for a missing program', async () => {
  const seed = path.join(createTempFolder(), 'seed.yaml')
  fs.writeFileSync(seed, 'tokens: 1\n')
  const ran = path.join(createTempFolder(), 'ran')
  const program = toNodeArgs(`(await import('node:fs')).writeFileSync(${JSON.stringify(ran)}, '')`)
  const bad = await runWithEnv({}, 'run', '--seed', seed, '--', ...program)
  expect(bad).toMatchObject({ code: 1, out: '' })
  expect(bad.notes).toMatch(/^coffer: .*seed\.yaml:1 tokens must .*\n$/)
  expect(fs.existsSync(ran)).toBe(false)

  const missing = await runWithEnv({}, 'run', '--', 'there-is-no-such-program')
  expect(missing).toMatchObject({
    code: 127,
    error: 'there-is-no-such-program cannot be started: there is no such file or folder.',
  })

  expect((await runWithEnv({}, 'run')).code).toBe(2)
  expect((await runWithEnv({}, 'run', 'echo', '--flag-of-echo')).code).toBe(2)
})

unix.for(pickSome(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 1))(
  'run forwards %s to its program, and waits until the program exits',
  async (signal) => {
    const program = toNodeArgs(`
      process.on('${signal}', () => { console.log('told'); process.exit(3) })
      setInterval(() => {}, 1000)
      console.log('ready')`)
    const run = startCoffer(['run', '--', ...program])
    await run.waitForLine(/^ready$/)
    run.signal(signal)
    expect(await run.ended).toBe(3)
    expect(run.lines).toContain('told')
  },
)

unix('run exits with 128 + the signal number if a signal ends its program', async () => {
  expect((await runWithEnv({}, 'run', '--', 'sh', '-c', 'kill -9 $$')).code).toBe(137)
})

unix('run ignores the port of a configuration file, and unsets MALLOC_ARENA_MAX', async () => {
  const folder = createTempFolder()
  // A port on which coffer serve may be listening.
  const server = await serveInProcess(['--ephemeral', '--json'])
  const { port } = new URL(server.facts.url)
  fs.writeFileSync(
    path.join(folder, 'coffer.config.yaml'),
    `port: ${port}\nlog: json\nfaults: [{ name: busy, operations: [tokens.create], status: 503 }]\n`,
  )
  const asked = `
      const headers = { 'SVC-API-KEY': process.env.VAULT_KEY, 'Content-Type': 'application/json' }
      const { status } = await fetch(process.env.VAULT_URL + '/tokens', { method: 'POST', headers, body: '{"type":"token","data":"x"}' })
      console.log(JSON.stringify([status, process.env.MALLOC_ARENA_MAX ?? null]))`
  const { PATH, HOME, NODE_OPTIONS } = process.env
  const words = ['run', '--', ...toNodeArgs(asked)]
  const ran = spawnSync(path.resolve('electron/cli/run.mjs'), words, {
    encoding: 'utf8',
    cwd: folder,
    env: {
      // The program's shebang finds Node in this folder.
      PATH: `${path.dirname(process.execPath)}:${PATH}`,
      HOME,
      NODE_OPTIONS,
      MALLOC_ARENA_MAX: '1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    },
  })
  const lines = ran.stderr.split('\n').filter((each) => each.startsWith('{'))
  expect(lines.map((each) => JSON.parse(each))).toMatchObject([{ path: '/tokens', status: 503 }])
  expect(ran.stdout).toBe(`${JSON.stringify([503, null])}\n`)
  expect(ran.status).toBe(0)
})
