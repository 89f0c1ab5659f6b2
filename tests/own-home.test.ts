import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { getDataDirectory } from '../electron/host/files/data-dir.ts'
import { startCoffer } from './cli/run-coffer.ts'
import { root, runProgram } from './testing/run-program.ts'
import { createTempFolder } from './vault.ts'

const developers = (process.env.DATA_FOLDERS_OF_THE_DEVELOPER ?? '').split(path.delimiter)

test('X-75 test processes and their children have their own data folder', () => {
  expect(developers[0]).toBeTruthy()
  expect(developers).not.toContain(getDataDirectory())
  const child = `import('${path.join(root, 'electron/host/files/data-dir.ts')}').then((m) => console.log(m.getDataDirectory()))`
  const { PATH, HOME } = process.env
  for (const env of [process.env, { PATH, HOME }]) {
    const { stdout } = spawnSync(process.execPath, ['--eval', child], { encoding: 'utf8', env })
    expect(stdout.trim()).toBe(getDataDirectory())
  }
})

test.each(developers)('X-75 no program of a test can access the data folder %s', (folder) => {
  const refusal = /^A test reached for .* the data folder of whoever runs it\.$/
  for (const name of ['', 'settings.json', '.control']) {
    const file = path.join(folder, name)
    expect(() => fs.existsSync(file)).toThrow(refusal)
    expect(() => fs.readdirSync(file)).toThrow(refusal)
    expect(() => fs.mkdirSync(file)).toThrow(refusal)
    expect(() => fs.promises.readFile(file)).toThrow(refusal)
  }
  const { NODE_OPTIONS } = process.env
  const script = `require('node:fs').statSync(${JSON.stringify(folder)}, { throwIfNoEntry: false })`
  const options = { encoding: 'utf8', env: { NODE_OPTIONS, DATA_FOLDERS_OF_THE_DEVELOPER: folder } } as const
  expect(spawnSync(process.execPath, ['--eval', script], options).stderr).toContain('A test reached for')
})

test('X-75 the CLI tests do not affect the developer’s in-memory vault', {
  tags: 'thorough',
}, async () => {
  const home = createTempFolder()
  const env = { HOME: home, XDG_DATA_HOME: path.join(home, 'data'), XDG_RUNTIME_DIR: path.join(home, 'run') }
  const running = startCoffer(['serve', '--ephemeral', '--port', '0', '--json'], env)
  const { url, keys } = await running.json()
  const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ type: 'token', data: 'x' })
  const { id } = (await (await fetch(`${url}/tokens`, { method: 'POST', headers, body })).json()) as {
    id: string
  }
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const files = ['exit-codes', 'open-vault', 'seed', 'env'].map((name) => `tests/cli/${name}.test.ts`)
  const { text } = await runProgram(process.execPath, [vitest, 'run', '--project', 'whole', ...files], {
    env: {
      ...env,
      COFFER_TESTS: '',
      HOMES_OF_TESTS: '',
      DATA_FOLDERS_OF_THE_DEVELOPER: '',
      NODE_OPTIONS: '',
    },
  })
  expect(text).toMatch(/Tests +\d+ passed/)
  expect((await fetch(`${url}/tokens/${id}`, { headers })).status).toBe(200)
})
