import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from '../e2e/chromium.ts'
import { describeMissingPythonWith, findPythonWith } from '../http/clients/python.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { root, runProgram } from './run-program.ts'

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js')
const playwright = path.join(root, 'node_modules', '@playwright', 'test', 'cli.js')

test('the example for node:test passes', { tags: 'thorough' }, async () => {
  const { code, text } = await runProgram(process.execPath, ['--test', 'examples/node-test/checkout.test.ts'])
  expect(text).toMatch(/pass 2\b/)
  expect(code).toBe(0)
})

/** Creates a project with the examples, each copied to several test files. */
function createProject(files: number): string {
  const folder = createTempFolder()
  const modules = path.join(folder, 'node_modules')
  fs.mkdirSync(modules)
  const names = fs.readdirSync(path.join(root, 'node_modules')).filter((name) => !name.startsWith('.'))
  for (const name of names)
    fs.symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name), 'junction')
  fs.symlinkSync(root, path.join(modules, 'coffer'), 'junction')
  fs.cpSync(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  const tests = ['jest/checkout.test.ts', 'vitest/checkout.test.ts', 'playwright/checkout.spec.ts']
  for (const file of tests.map((each) => path.join(folder, 'examples', each))) {
    for (let number = 2; number <= files; number++)
      fs.copyFileSync(file, file.replace('checkout', `checkout-${number}`))
  }
  return folder
}

// Test files that share a vault may pass by chance. One run shows that the examples succeed, and many runs that they
// are isolated.
const files = isThorough ? 6 : 1
const runs = isThorough ? 20 : 1
/** A timeout that ends a test that hangs, but not a test on a busy machine. */
const timeoutArgs = ['--testTimeout', '60000']

/** Runs a test program in a folder, and checks its output. */
async function expectPass(args: string[], cwd: string, printed: RegExp): Promise<void> {
  const { code, text } = await runProgram(process.execPath, args, {
    cwd,
    env: { CHROMIUM_PATH: findChromium() },
  })
  expect(text).toMatch(printed)
  expect(code).toBe(0)
}

/**
 * Both examples start a vault in each file, the one for Jest in a custom environment. `npm test` runs only that one.
 */
const runners: readonly [string, string[], RegExp][] = [
  [
    'jest',
    [
      '--experimental-vm-modules',
      jest,
      '--config',
      'examples/jest/jest.config.mjs',
      '-w',
      '3',
      ...timeoutArgs,
    ],
    new RegExp(`Tests: +${3 * files} passed, ${3 * files} total`),
  ],
  [
    'vitest',
    [vitest, 'run', '--root', 'examples/vitest', '--maxWorkers', '3', ...timeoutArgs],
    new RegExp(`Tests +${4 * files} passed`),
  ],
]

test.each(pickSome(runners, 1))(
  'the example for %s passes',
  { timeout: runs * 90_000 },
  async (_name, args, passed) => {
    const cwd = createProject(files)
    for (let run = 1; run <= runs; run++) await expectPass(args, cwd, passed)
  },
)

/** The arguments that run Playwright on its example. */
const playwrightArgs = [playwright, 'test', '--config', 'examples/playwright']

test('the example for playwright loads with both of its tests', { tags: 'thorough' }, async () => {
  await expectPass([...playwrightArgs, '--list'], createProject(1), /Total: 2 tests in 1 file/)
})

test('the example for playwright passes with all its files in parallel', {
  tags: 'thorough',
  timeout: runs * 90_000,
}, async () => {
  const cwd = createProject(files)
  for (let run = 1; run <= runs; run++)
    await expectPass(playwrightArgs, cwd, new RegExp(`\\b${2 * files} passed`))
})

const command = `${process.execPath} ${path.join(root, 'electron', 'cli', 'run.mjs')}`
const pytest = ['pytest==9.2.0']
const noPython = describeMissingPythonWith(pytest)
const noPythonReason = noPython === null ? '' : ` (skipped: ${noPython})`

test.skipIf(noPython !== null)(
  `the example for Python passes${noPythonReason}`,
  { tags: 'thorough' },
  async () => {
    const cwd = path.join(root, 'examples', 'python')
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider']
    const env = { COFFER_COMMAND: command, PYTHONDONTWRITEBYTECODE: '1' }
    const { code, text } = await runProgram(findPythonWith(pytest), args, { cwd, env })
    expect(text).toMatch(/^6 passed/m)
    expect(code).toBe(0)

    const failed = await runProgram(findPythonWith(pytest), args, {
      cwd,
      env: { ...env, COFFER_COMMAND: 'no-such-coffer' },
    })
    expect(failed.text).toContain('There is no no-such-coffer on PATH. Name the program in COFFER_COMMAND.')
    expect(failed.code).toBe(1)
  },
)

const go = await runProgram('go', ['version']).catch(() => null)
const noGoReason = go?.code === 0 ? '' : ' (skipped: there is no Go)'

test.skipIf(go?.code !== 0)(
  `the example for Go passes${noGoReason}`,
  {
    tags: 'thorough',
    // The first time, Go compiles its standard library.
    timeout: 180_000,
  },
  async () => {
    const cwd = path.join(root, 'examples', 'go')
    const env = { COFFER_COMMAND: command, GOTOOLCHAIN: 'local' }
    const { code, text } = await runProgram('go', ['test', '-count=1', '-v', './...'], { cwd, env })
    expect(text.match(/^--- PASS/gm)).toHaveLength(5)
    expect(code).toBe(0)

    const failed = await runProgram('go', ['test', '-count=1', '.'], {
      cwd,
      env: { ...env, COFFER_COMMAND: 'no-such-coffer' },
    })
    expect(failed.text).toContain('name the program in COFFER_COMMAND')
    expect(failed.code).toBe(1)
  },
)
