import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { packNpm } from '../scripts/pack-npm.mjs'
import { runProgram } from './testing/run-program.ts'
import { createTempFolder } from './vault.ts'

const root = path.join(import.meta.dirname, '..')
const text = fs.readFileSync(path.join(root, 'action.yml'), 'utf8')
type ActionStep = { shell: string; run: string; env: Record<string, string> }
const { inputs, runs } = parse(text) as {
  inputs: Record<string, { default?: string }>
  runs: { steps: ActionStep[] }
}

test('the action’s shell scripts contain no GitHub expressions', () => {
  for (const { shell, run } of runs.steps) expect([shell, run.includes('${{')]).toEqual(['bash', false])
})

/** Runs the steps like a runner, up to the first that fails. Returns the environment for later steps. */
async function runAction(inputValues: Record<string, string>, node = path.dirname(process.execPath)) {
  const temp = createTempFolder()
  const files = {
    env: path.join(temp, 'env'),
    path: path.join(temp, 'path'),
    output: path.join(temp, 'output'),
  }
  for (const file of Object.values(files)) fs.writeFileSync(file, '')
  onTestFinished(() => {
    const pid = path.join(temp, 'coffer.pid')
    if (fs.existsSync(pid) && isRunning(Number(fs.readFileSync(pid, 'utf8'))))
      process.kill(Number(fs.readFileSync(pid, 'utf8')))
  })
  const runner = {
    // Unset npm's variable, or Coffer would watch the npm script that runs these tests.
    npm_package_name: '',
    RUNNER_TEMP: temp,
    GITHUB_ENV: files.env,
    GITHUB_PATH: files.path,
    GITHUB_OUTPUT: files.output,
  }
  const buildEnvironment = () => {
    const lines = fs.readFileSync(files.env, 'utf8').split('\n').filter(Boolean)
    const added = fs.readFileSync(files.path, 'utf8').split('\n').filter(Boolean)
    return {
      ...runner,
      ...Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2))),
      PATH: [...added, node, process.env.PATH].join(path.delimiter),
    }
  }
  let printed = ''
  for (const { run, env } of runs.steps) {
    const own = Object.entries(env).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1] ?? ''
      return [name, inputValues[input] ?? inputs[input]?.default ?? '']
    })
    const step = path.join(temp, 'step.sh')
    fs.writeFileSync(step, run)
    // The options that GitHub uses for `shell: bash`.
    const shell = ['--noprofile', '--norc', '-eo', 'pipefail', step]
    const { code, text } = await runProgram('bash', shell, {
      env: { ...buildEnvironment(), ...Object.fromEntries(own) },
    })
    printed += text
    if (code !== 0) return { printed, failed: true, buildEnvironment }
  }
  return { printed, failed: false, buildEnvironment, output: fs.readFileSync(files.output, 'utf8') }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Creates a release archive. Its program runs the checkout's command line, or the given shell command. */
function createArchive(
  line = `exec "${process.execPath}" "${path.join(root, 'electron', 'cli', 'run.mjs')}" "$@"`,
): string {
  const folder = createTempFolder()
  const program = path.join(folder, 'coffer-1.0.0', 'coffer')
  fs.mkdirSync(path.dirname(program))
  fs.writeFileSync(program, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  const file = path.join(folder, 'coffer-1.0.0.tar.gz')
  expect(spawnSync('tar', ['-czf', file, '-C', folder, 'coffer-1.0.0']).status).toBe(0)
  return file
}

const seed = path.join(root, 'examples', 'coffer.seed.yaml')

async function expectVault({
  printed,
  failed,
  buildEnvironment,
  output,
}: Awaited<ReturnType<typeof runAction>>) {
  expect([failed, printed]).toEqual([false, expect.any(String)])
  const env = buildEnvironment() as Record<string, string>
  const { COFFER_BASE_URL = '', COFFER_API_KEY = '', COFFER_PUBLIC_KEY, COFFER_MANAGEMENT_KEY } = env
  expect(output).toBe(`url=${COFFER_BASE_URL}\n`)
  for (const key of [COFFER_API_KEY, COFFER_PUBLIC_KEY, COFFER_MANAGEMENT_KEY])
    expect(printed).toContain(`::add-mask::${key}\n`)
  expect(printed.match(/key_local_/g)).toHaveLength(3)
  const fetchToken = () =>
    fetch(`${COFFER_BASE_URL}/tokens/gift-card`, { headers: { 'SVC-API-KEY': COFFER_API_KEY } })
  expect((await fetchToken()).status).toBe(200)
  // A later step can use the command, the base URL and the keys.
  expect(await runProgram('coffer', ['reset'], { env })).toMatchObject({ code: 0 })
  const files = fs.readdirSync(env.RUNNER_TEMP ?? '')
  expect(files).not.toContain('coffer.json')
}

const onWindows = process.platform === 'win32'

test.skipIf(onWindows)('the action starts a vault from a release and hides its keys', async () => {
  await expectVault(await runAction({ package: createArchive(), seed }))
})

test.skipIf(onWindows)('H-03 the action gives later steps the names of the hosted service', async () => {
  const action = await runAction({ package: createArchive(), options: '--as-hosted' })
  const [, file = ''] = /^environment_file=(.*)$/m.exec(action.output ?? '') ?? []
  const script =
    "fetch('https://api.basistheory.com/_coffer/ready').then(({ status }) => console.log(status))"
  const env = action.buildEnvironment()
  const step = await runProgram(
    'sh',
    ['-c', `. "$0" && "$1" -e "$2" && echo "$HTTPS_PROXY"`, file, process.execPath, script],
    { env },
  )
  const [status, proxy = ''] = step.text.split('\n')
  expect(status).toBe('200')
  expect(action.printed).toContain(`::add-mask::${new URL(proxy).password}\n`)
})

test.skipIf(onWindows)(
  'the action starts a vault from the npm package',
  { tags: 'thorough', timeout: 300_000 },
  async () => {
    const file = packNpm(createTempFolder())
    await expectVault(await runAction({ package: file, seed }))
  },
)

test.skipIf(onWindows)(
  'the action reports a missing package, a missing seed and an unclosed quote',
  async () => {
    const missing = await runAction({ package: 'no-such.tgz' })
    expect([missing.failed, missing.printed]).toEqual([true, '::error::There is no file no-such.tgz.\n'])
    const wrong = await runAction({ package: createArchive(), seed: 'no-such.yaml', options: '--reactors' })
    expect([wrong.failed, wrong.printed]).toEqual([
      true,
      expect.stringMatching(
        /^::error::Coffer did not start\. no-such\.yaml cannot be read.*\ncoffer: no-such\.yaml cannot be read/,
      ),
    ])
    const open = await runAction({ package: createArchive(), options: '--seed "my seed.yaml' })
    expect([open.failed, open.printed]).toEqual([true, '::error::A quote in options has no end.\n'])
  },
)

test.skipIf(onWindows)('the action accepts quoted options, and runs no code in them', async () => {
  const options = `--seed "no such.yaml"  --name '$(touch ran)'\n--reactors`
  const { failed, printed } = await runAction({
    package: createArchive(`printf '<%s>' "$@" >&2; exit 1`),
    options,
  })
  expect([failed, printed]).toEqual([
    true,
    expect.stringContaining('<--json><--seed><no such.yaml><--name><$(touch ran)><--reactors>'),
  ])
  expect(fs.existsSync(path.join(root, 'ran'))).toBe(false)
})

test.skipIf(onWindows)('the action rejects a timeout that is not a whole number', async () => {
  for (const start_seconds of ['soon', '', '1.5', `a[$(touch ${path.join(root, 'ran')})]`]) {
    const { failed, printed } = await runAction({ package: createArchive('exec sleep 600'), start_seconds })
    expect([failed, printed]).toEqual([true, '::error::start_seconds must be a whole number.\n'])
  }
  expect(fs.existsSync(path.join(root, 'ran'))).toBe(false)
})

test.skipIf(onWindows)('the action fails and stops Coffer when it is not ready in time', async () => {
  const silent = createArchive('echo waiting >&2; exec sleep 600')
  const { failed, printed, buildEnvironment } = await runAction({ package: silent, start_seconds: '01' })
  expect([failed, printed]).toEqual([
    true,
    '::error::Coffer did not start. It took more than 01 seconds. waiting\nwaiting\n',
  ])
  const { RUNNER_TEMP = '' } = buildEnvironment() as Record<string, string>
  const pid = Number(fs.readFileSync(path.join(RUNNER_TEMP, 'coffer.pid'), 'utf8'))
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test.skipIf(onWindows)(
  'the action rejects an unsupported Node version before it installs anything',
  async () => {
    const folder = createTempFolder()
    const node = `#!/bin/sh\n[ "$1" = --version ] && echo v20.19.0\n[ "$1" = --version ]\n`
    fs.writeFileSync(path.join(folder, 'node'), node, { mode: 0o755 })
    const { failed, printed } = await runAction({ package: 'package.json' }, folder)
    expect([failed, printed]).toEqual([
      true,
      '::error::Coffer needs Node 22.14, 23.7 or newer, and this job has v20.19.0. Put actions/setup-node before this step.\n',
    ])
  },
)
