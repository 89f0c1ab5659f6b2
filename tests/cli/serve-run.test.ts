import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { waitFor } from '../wait-for.ts'
import { runWithEnv } from './in-process.ts'
import { builtCli, startCoffer } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')

/** Returns a shell command that runs a Node script. */
function toShellCommand(script: string): string {
  const file = path.join(createTempFolder(), 'script.mjs')
  fs.writeFileSync(file, script)
  return `"${process.execPath}" "${file}"`
}

const getRunArgs = (command: string, ...more: string[]) => ['serve', '--port', '0', '--run', command, ...more]

test('serve --run passes the vault’s URL and keys to a command, and exits with its code', async () => {
  const command = toShellCommand(`
    const { COFFER_BASE_URL, COFFER_API_KEY, COFFER_PUBLIC_KEY, COFFER_MANAGEMENT_KEY, COFFER_PASSPHRASE } = process.env
    const headers = { 'SVC-API-KEY': COFFER_API_KEY, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ type: 'token', data: 'x' })
    const { status } = await fetch(COFFER_BASE_URL + '/tokens', { method: 'POST', headers, body })
    console.log(JSON.stringify([status, COFFER_PUBLIC_KEY?.slice(0, 13), COFFER_MANAGEMENT_KEY?.slice(0, 13), COFFER_PASSPHRASE]))
    process.exit(7)`)
  const run = startCoffer(getRunArgs(command, '--data-dir', createTempFolder()), {
    COFFER_PASSPHRASE: 'correct horse',
  })
  expect(await run.ended).toBe(7)
  expect(JSON.parse(await run.waitForLine(/^\[/))).toEqual([201, 'key_local_pub', 'key_local_mgt', null])
})

test('serve --run does not run the command if the vault cannot start', async () => {
  const seed = path.join(createTempFolder(), 'seed.yaml')
  fs.writeFileSync(seed, 'tokens:\n  - { type: card, data: x }\n')
  const ran = path.join(createTempFolder(), 'ran')
  const { code, out, notes } = await runWithEnv({}, ...getRunArgs(`echo it ran > '${ran}'`, '--seed', seed))
  expect([code, out]).toEqual([1, ''])
  expect(notes).toMatch(/^coffer: .*seed\.yaml:2 tokens\[0\]\.data must .*\n$/)
  expect(fs.existsSync(ran)).toBe(false)
})

unix(
  'serve --run forwards SIGTERM to its command, and waits until it exits',
  { tags: 'thorough' },
  async () => {
    const command = `exec ${toShellCommand(`
    process.on('SIGTERM', () => { console.log('told'); process.exit(3) })
    setInterval(() => {}, 1000)
    console.log('ready')`)}`
    const run = startCoffer(getRunArgs(command, '--ephemeral'))
    await run.waitForLine(/^ready$/)
    run.stop()
    expect(await run.ended).toBe(3)
    expect(run.lines).toContain('told')
  },
)

unix.for(pickSome(['SIGTERM', 'SIGHUP', 'SIGINT'] as const, 1))(
  "%s also reaches the children of the command's shell",
  async (signal) => {
    const program = toShellCommand(`
      process.on('${signal}', () => { console.log('told'); process.exit() })
      // Exit with the shell, so that a failed test leaves no process. A signal that has already arrived is handled
      // first.
      const shell = process.ppid
      setInterval(() => process.ppid === shell || setImmediate(() => process.exit()), 100)
      console.log('ready')`)
    const run = startCoffer(getRunArgs(`${program}; true`, '--ephemeral'))
    await run.waitForLine(/^ready$/)
    run.signal(signal)
    await run.ended
    expect(run.lines).toContain('told')
  },
)

unix('the CI recipe in the docs runs as written, and reports an invalid seed', () => {
  const recipe = fs.readFileSync('docs/ci-recipe.md', 'utf8')
  const [, line = ''] = /- run: (npx --no-install coffer run .*)/.exec(recipe) ?? []
  const folder = createTempFolder()
  const writeProgram = (name: string, text: string) => {
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }
  writeProgram(
    'npx',
    `shift 2; exec "${process.execPath}" --disable-warning=ExperimentalWarning "${builtCli}" "$@"`,
  )
  writeProgram('pytest', 'echo "tests against $VAULT_URL with $VAULT_KEY"')
  const runStep = (seed: string) => {
    fs.writeFileSync(path.join(folder, 'coffer.seed.yaml'), seed)
    const PATH = `${folder}${path.delimiter}${process.env.PATH}`
    const { HOME } = process.env
    const run = spawnSync('bash', ['--norc', '-e', '-c', line], {
      cwd: folder,
      env: { PATH, HOME },
      encoding: 'utf8',
    })
    return { ...run, out: run.stdout }
  }
  const good = runStep('generate:\n  - { type: card, count: 2 }\n')
  expect([good.status, good.out]).toEqual([
    0,
    expect.stringMatching(/^tests against http:\/\/127\.0\.0\.1:\d+ with key_local_pvt_\w+\n$/),
  ])
  const bad = runStep('tokens: 1\n')
  expect([bad.status, bad.out]).toEqual([1, ''])
  expect(bad.stderr).toMatch(/^coffer: coffer\.seed\.yaml:1 tokens must /)
})

unix('--until-input-ends stops the vault when its harness is killed', async () => {
  const harness = toShellCommand(`
    import { spawn } from 'node:child_process'
    const words = ${JSON.stringify([builtCli, 'serve', '--ephemeral', '--port', '0', '--until-input-ends', '--json'])}
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdout.on('data', (text) => {
      process.stdout.write(text)
      process.kill(process.pid, 'SIGKILL')
    })`)
  const { stdout } = spawnSync('sh', ['-c', harness], { encoding: 'utf8' })
  const { url } = JSON.parse(stdout) as { url: string }
  await waitFor(() => expect(fetch(`${url}/_coffer/health`)).rejects.toThrow())
})
