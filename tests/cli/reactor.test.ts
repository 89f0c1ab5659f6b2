import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addPackages, createPackagesReader, readPackages } from '../../electron/code-runner/packages.ts'
import { includedPackages } from '../../shared/included-packages.ts'
import { readFile } from '../repository.ts'
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
  // Packages such as exceljs read the umask while they load.
  expect(await runCode('module.exports = () => ({ raw: process.umask() })')).toMatchObject({ code: 0 })
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
  for (const spec of ['-g', 'https://a/b.tgz', 'a b', 'git+ssh://x', '$(id)']) {
    await expect(
      addPackages(packages, [spec], () => {}, npm),
      spec,
    ).rejects.toThrow('Use package names')
  }
  for (const spec of ['../a', './none.tgz', dir]) {
    await expect(
      addPackages(packages, [spec], () => {}, npm),
      spec,
    ).rejects.toThrow('There is no package at')
  }
})

/** Creates a program in place of npm that records its arguments and adds packages, but knows none named missing. */
function createFakeNpm(dir: string): { bin: string; readCalls: () => string[] } {
  const bin = path.join(dir, 'bin')
  fs.mkdirSync(bin)
  const calls = path.join(dir, 'calls')
  const script = `#!${process.execPath}
const fs = require('node:fs')
const specs = process.argv.slice(process.argv.indexOf('--') + 1)
fs.appendFileSync(${JSON.stringify(calls)}, specs.join(' ') + '\\n')
if (specs.some((spec) => spec.startsWith('missing'))) {
  console.error('npm error code E404')
  process.exit(1)
}
const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'))
for (const spec of specs) {
  const [, name, version = '1.0.0'] = /^(.[^@]*)(?:@[^\\d]*(.*))?$/.exec(spec)
  manifest.dependencies = { ...manifest.dependencies, [name]: version }
  fs.mkdirSync('node_modules/' + name, { recursive: true })
  fs.writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ version }))
}
fs.writeFileSync('package.json', JSON.stringify(manifest))
`
  fs.writeFileSync(path.join(bin, 'npm'), script, { mode: 0o755 })
  return { bin, readCalls: () => fs.readFileSync(calls, 'utf8').trimEnd().split('\n') }
}

async function startWithFakeNpm() {
  const dir = createTempFolder()
  const { bin, readCalls } = createFakeNpm(dir)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PATH', `${bin}${path.delimiter}${process.env.PATH}`)
  const addPackage = (...args: string[]) =>
    runCommandLine('reactor', 'add-package', ...args, '--packages', path.join(dir, 'packages'))
  return { addPackage, readCalls }
}

test('F-03 a package that the registry does not have does not prevent others from being added', async () => {
  const { addPackage, readCalls } = await startWithFakeNpm()
  expect(await addPackage('a@1.2.3', 'missing-x', 'b', 'c')).toMatchObject({
    code: 1,
    out: 'a 1.2.3\nb 1.0.0\nc 1.0.0\n',
    error: "Not added: missing-x. See npm's output above. The others were added.",
  })
  expect(await addPackage('missing-y')).toMatchObject({
    code: 1,
    error: "Not added: missing-y. See npm's output above.",
  })
  expect(readCalls()).toEqual([
    'a@1.2.3 missing-x b c',
    'a@1.2.3 missing-x',
    'a@1.2.3',
    'missing-x',
    'b c',
    'missing-y',
  ])
})

test('F-03 add-package --hosted adds the packages of the older runtime, but those that are included', async () => {
  const { addPackage, readCalls } = await startWithFakeNpm()
  const { code, out, notes } = await addPackage('--hosted')
  expect(code).toBe(0)
  const specs = readCalls().flatMap((line) => line.split(' '))
  expect(specs).toHaveLength(35)
  expect(specs).toContain('axios@^0.27.2')
  expect(out).toContain('axios 0.27.2\n')
  const included = Object.keys(includedPackages).filter((name) => name !== '@basis-theory/node-sdk')
  expect(specs.filter((spec) => included.some((name) => spec.startsWith(`${name}@`)))).toEqual([])
  expect(notes).toContain(`Not added, because Coffer includes them: ${included.join(', ')}.`)
  expect(notes).toContain('Adding 31 to 35 of 35: ')
  expect(await addPackage('@basis-theory/node-sdk-2')).toMatchObject({
    code: 0,
    notes: expect.stringContaining('because Coffer includes them: @basis-theory/node-sdk-2.'),
  })
  expect(await addPackage()).toMatchObject({ code: 2, error: 'Name a package, or use --hosted.' })
})

test('F-03 the versions of included packages are those of package.json', () => {
  const { devDependencies } = JSON.parse(readFile('package.json')) as {
    devDependencies: Record<string, string>
  }
  const { '@basis-theory/node-sdk-2': second, ...rest } = includedPackages
  expect(devDependencies['basis-theory-node-sdk-2']).toBe(`npm:@basis-theory/node-sdk@${second}`)
  const versions = Object.entries(rest).filter(([, version]) => version !== null)
  expect(versions).toHaveLength(2)
  for (const [name, version] of versions) expect(devDependencies[name]).toBe(version)
})

test('F-03 packages of folders and tarballs are added offline, and their scripts do not run', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/')
  vi.stubEnv('npm_config_fetch_retries', '0')
  vi.stubEnv('npm_config_ignore_scripts', 'false')
  const dir = createTempFolder()
  const source = path.join(dir, 'my-package')
  fs.mkdirSync(source)
  const names = ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'postpack', 'dependencies']
  const scripts = Object.fromEntries(names.map((name) => [name, `touch ${path.join(dir, `ran-${name}`)}`]))
  const writeVersion = (version: string) =>
    fs.writeFileSync(
      path.join(source, 'package.json'),
      JSON.stringify({ name: 'my-package', version, scripts }),
    )
  const packages = path.join(dir, 'packages')
  const addPackage = (spec: string) => runCommandLine('reactor', 'add-package', spec, '--packages', packages)
  const readInstalled = createPackagesReader(() => packages)
  expect(readInstalled()).toEqual(new Map())
  for (const version of ['1.0.0', '1.1.0']) {
    writeVersion(version)
    expect(await addPackage(source)).toMatchObject({ code: 0, out: `my-package ${version}\n` })
    expect(readInstalled()).toEqual(new Map([['my-package', version]]))
  }
  writeVersion('2.0.0')
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], {
    cwd: source,
    stdio: 'ignore',
  })
  expect(await addPackage(path.join(dir, 'my-package-2.0.0.tgz'))).toMatchObject({
    code: 0,
    out: 'my-package 2.0.0\n',
  })
  expect(fs.lstatSync(path.join(packages, 'node_modules/my-package')).isSymbolicLink()).toBe(false)
  expect(fs.readdirSync(dir).filter((name) => name.startsWith('ran-'))).toEqual([])
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
