import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addPackages, readPackages } from '../../electron/code-runner/packages.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'

test('F-03 reactor run runs a file without a vault', async () => {
  const dir = createTempFolder()
  const file = path.join(dir, 'reactor.js')
  const runCode = (code: string, ...more: string[]) => {
    fs.writeFileSync(file, code)
    return runCommandLine('reactor', 'run', file, '--data-dir', dir, '--args', '{"a":1}', ...more)
  }
  const code =
    'module.exports = (req) => { console.log("note"); return { raw: [req.args, req.configuration] } }'
  expect(await runCode(code, '--configuration', '{"B":"c"}')).toMatchObject({
    code: 0,
    out: `${JSON.stringify({ raw: [{ a: 1 }, { B: 'c' }] }, null, 2)}\n`,
    notes: 'note\n',
  })
  expect(await runCode('module.exports = () => {\n  throw new Error("why")\n}')).toMatchObject({
    code: 1,
    out: '',
    error: `${file}:2:9: Reactor Runtime Error (500): why`,
  })
  expect(await runCode('let a = 1\nlet b = foo bar')).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /reactor\.js:2:13: Invalid Reactor Formula \(422\): .*Unexpected identifier/,
    ),
  })
  const event =
    'module.exports = ({ req, logger }) => { logger.warn("note"); return { res: { body: req, statusCode: 201 } } }'
  expect(await runCode(event, '--runtime', 'node22')).toMatchObject({
    code: 0,
    out: `${JSON.stringify({ status: 201, headers: {}, body: { a: 1 } }, null, 2)}\n`,
    notes: 'WARN note\n',
  })
  expect(await runCode(event)).toMatchObject({
    code: 1,
    error: expect.stringContaining('If it is meant for node22, set runtime.image to node22.'),
  })
  expect(await runCode(code, '--configuration', '[]')).toMatchObject({ code: 2 })
  expect(await runCode(code, '--args', '{')).toMatchObject({ code: 2, error: '--args must be JSON.' })
  expect(await runCode(code, '--args', '{"n":1e400}')).toMatchObject({
    code: 1,
    out: '',
    error: 'args.n is a number that JavaScript cannot represent exactly: send it as a string.',
  })
  expect(fs.readdirSync(dir)).toEqual(['reactor.js'])
})

test('F-03 npm packages are added without running install scripts, and listed', async () => {
  const dir = createTempFolder()
  const words: string[] = []
  const npm = path.join(dir, 'npm')
  fs.writeFileSync(
    npm,
    `#!/bin/sh\necho "$@"\nmkdir -p node_modules/axios\necho '{"dependencies":{"axios":"1.8.2"}}' > package.json\necho '{"version":"1.8.2"}' > node_modules/axios/package.json\n`,
    { mode: 0o755 },
  )
  const packages = path.join(dir, '.packages')
  await addPackages(packages, ['axios@1.8.2'], (text) => void words.push(text), npm)
  expect(words.join('')).toMatch(/^install --ignore-scripts .*-- axios@1\.8\.2\n$/)
  expect(readPackages(packages)).toEqual([{ name: 'axios', version: '1.8.2' }])
  expect((await runCommandLine('reactor', 'packages', '--data-dir', dir)).out).toBe('axios 1.8.2\n')
  await expect(addPackages(packages, ['a'], () => {}, path.join(dir, 'none'))).rejects.toThrow(
    'npm was not found',
  )
  for (const spec of ['../a', '-g', 'https://a/b.tgz', 'a b', 'git+ssh://x', '$(id)']) {
    await expect(
      addPackages(packages, [spec], () => {}, npm),
      spec,
    ).rejects.toThrow('Use package names')
  }
})

test('an npm failure is printed with its reason, even under npm run -s', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('npm_config_loglevel', 'silent')
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/')
  vi.stubEnv('npm_config_fetch_retries', '0')
  const words: string[] = []
  const added = addPackages(createTempFolder(), ['axios@1.8.2'], (text) => void words.push(text))
  await expect(added).rejects.toThrow('npm could not add the packages; see its output above.')
  expect(words.join('')).toContain('npm error code ECONNREFUSED')
})

test('an error names the folder in which packages cannot be installed', async () => {
  const file = path.join(createTempFolder(), 'file')
  fs.writeFileSync(file, '')
  const packages = path.join(file, 'packages')
  expect(await runCommandLine('reactor', 'add-package', 'ms', '--packages', packages)).toMatchObject({
    code: 1,
    error: `${packages} cannot be reached: part of its path is a file, not a folder. Choose another path.`,
  })
})
