import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { packNpm } from '../../scripts/pack-npm.mjs'
import { bundles, noticesOf, packageAt, packagesOf } from '../../scripts/third-party-notices.mjs'
import { breakReads, startCoffer } from '../cli/run-coffer.ts'

const root = path.join(import.meta.dirname, '..', '..')
const run = promisify(execFile)

/** Turns a folder into a project in which Coffer's package and its dependencies are installed. */
async function createProject(folder: string): Promise<void> {
  const file = packNpm(folder)
  const modules = path.join(folder, 'node_modules')
  fs.mkdirSync(modules)
  await run('tar', ['-xzf', path.basename(file)], { cwd: folder })
  fs.renameSync(path.join(folder, 'package'), path.join(modules, 'coffer'))
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(modules, 'coffer', 'package.json'), 'utf8'))
  // Nothing else is installed, because the bundles include the rest. The types of Node belong to the project.
  for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true })
    fs.symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name), 'junction')
  }
}

const program = `
import { startCoffer, type Fault, type RunningCoffer } from 'coffer/testing'
const busy: Fault = { name: 'busy', operations: ['tokens.create'], status: 503, count: 1 }
const coffer: RunningCoffer = await startCoffer({
  seed: { tokens: [{ id: 'first', type: 'token', data: 'one' }], tenant: { name: 'Shop' } },
  faults: [busy],
})
const answer: Response = await fetch(coffer.url + '/tokens', {
  method: 'POST',
  headers: { 'SVC-API-KEY': coffer.keys.private, 'Content-Type': 'application/json' },
  body: JSON.stringify({ type: 'token', data: 'x' }),
})
console.log(JSON.stringify({ status: answer.status }))
await coffer.close()
`

/** The file names of the worker threads' programs, by which a thread's program is found when the thread starts. */
const threads = fs
  .globSync('electron/**/*.ts', { cwd: root })
  .flatMap((file) => [
    ...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/getThreadFile\(path\.join\(.*, '(.*)'\)\)/g),
  ])
  .map(([, name]) => name)

const required =
  "require('coffer/testing').startCoffer().then((coffer) => coffer.close()).then(() => console.log('closed'))"
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
beforeAll(() => createProject(folder), 60_000)
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('installed from a pack, the library and the CLI run without sources', {
  timeout: 60_000,
}, async () => {
  const coffer = path.join(folder, 'node_modules', 'coffer')
  expect(fs.readdirSync(coffer).sort()).toEqual([
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'THIRD-PARTY-NOTICES.txt',
    'coffer.config.schema.json',
    'coffer.faults.schema.json',
    'coffer.seed.schema.json',
    'docs',
    'electron',
    'examples',
    'out',
    'package.json',
    'resources',
  ])
  expect(threads.toSorted()).toEqual(['background-worker', 'checkpoint-worker', 'watchdog-worker'])
  const desktop = path.join(root, 'out', 'main')
  for (const thread of threads) {
    for (const folder of [path.join(coffer, 'out', 'cli'), desktop])
      expect(fs.readdirSync(folder)).toContain(`${thread}.js`)
  }
  expect(parse(fs.readFileSync(path.join(root, 'electron-builder.yml'), 'utf8'))).toMatchObject({
    files: expect.arrayContaining(['out/main/**']),
  })
  fs.writeFileSync(path.join(folder, 'try.mts'), program)
  const started = await run(process.execPath, [path.join(folder, 'try.mts')], { cwd: folder })
  expect(JSON.parse(started.stdout)).toEqual({ status: 503 })

  const commonJs = await run(process.execPath, ['--eval', required], { cwd: folder })
  expect(commonJs.stdout.trim()).toBe('closed')

  const call = "fetch('https://api.basistheory.com/_coffer/ready').then(({ status }) => console.log(status))"
  const hosted = await run(
    process.execPath,
    [
      path.join(coffer, 'electron', 'cli', 'run.mjs'),
      'run',
      '--as-hosted',
      '--',
      process.execPath,
      '-e',
      call,
    ],
    { cwd: folder },
  )
  expect(hosted.stdout).toBe('200\n')

  const version = await run(process.execPath, [path.join(coffer, 'electron', 'cli', 'run.mjs'), '--version'])
  expect(version.stdout.trim()).toBe(
    JSON.parse(fs.readFileSync(path.join(coffer, 'package.json'), 'utf8')).version,
  )
})

/** The targets of a page's links that are paths. */
const listLinks = (text: string) =>
  [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, a, b]) => a ?? b ?? '')
    .filter((link) => !/^(\w+:|#)/.test(link))

test('every link in the packaged guides and CLI resolves', async () => {
  const coffer = path.join(folder, 'node_modules', 'coffer')
  const pages = fs.globSync('**/*.md', { cwd: coffer })
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'SECURITY.md', path.join('docs', 'first-hour.md')]),
  )
  for (const page of pages) {
    for (const link of listLinks(fs.readFileSync(path.join(coffer, page), 'utf8'))) {
      const file = path.join(coffer, path.dirname(page), link.replace(/#.*/, ''))
      expect([page, link, fs.existsSync(file)]).toEqual([page, link, true])
    }
  }
  const program = path.join(coffer, 'electron', 'cli', 'run.mjs')
  const cwd = fs.realpathSync(folder)
  for (const [command, guide] of [
    ['env', 'elements.md'],
    ['--help', 'README.md'],
  ] as const) {
    const args = command === 'env' ? ['env', '--data-dir', path.join(folder, 'none')] : [command]
    const { stdout } = await run(process.execPath, [program, ...args], { cwd })
    const named = path.join('node_modules', 'coffer', 'docs', guide)
    expect(stdout).toContain(` ${named}`)
    expect(fs.existsSync(path.join(folder, named))).toBe(true)
  }
})

test('every packaged example has the files that it imports and needs no clone', () => {
  const examples = path.join(folder, 'node_modules', 'coffer', 'examples')
  expect(fs.readdirSync(examples)).not.toContain('checkout')
  for (const file of fs.globSync('**/*.{ts,mjs}', { cwd: examples })) {
    const source = fs.readFileSync(path.join(examples, file), 'utf8')
    for (const [, target = ''] of source.matchAll(/(?:from|import\() ?'(\.[^']+)'/g))
      expect([file, target, fs.existsSync(path.join(examples, path.dirname(file), target))]).toEqual([
        file,
        target,
        true,
      ])
    expect([file, /npm run /.test(source)]).toEqual([file, false])
  }
})

test('the package has the database driver, and compiles nothing on install', () => {
  const coffer = path.join(folder, 'node_modules', 'coffer')
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(coffer, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies).sort()).toEqual(['@node-rs/argon2', 'keytar'])
  for (const name of ['coffer', ...Object.keys(dependencies)]) {
    const installed = fs.realpathSync(path.join(folder, 'node_modules', name))
    // Yarn 1 compiles every package with this file; npm and pnpm ask first.
    expect([name, fs.globSync('**/binding.gyp', { cwd: installed })]).toEqual([name, []])
    const { scripts = {} } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'))
    for (const script of ['preinstall', 'install', 'postinstall'])
      expect([name, Object.hasOwn(scripts, script)]).toEqual([name, false])
  }
  const prebuilt = fs.readdirSync(path.join(coffer, 'out', 'better-sqlite3', 'prebuilds'))
  expect(prebuilt).toEqual(fs.readdirSync(path.join(root, 'node_modules', 'better-sqlite3', 'prebuilds')))
})

test('the package lists every bundled dependency with its licence', () => {
  const notices = fs.readFileSync(
    path.join(folder, 'node_modules', 'coffer', 'THIRD-PARTY-NOTICES.txt'),
    'utf8',
  )
  const driver = packageAt(path.join(root, 'node_modules', 'better-sqlite3'))
  expect(notices).toBe(noticesOf([...packagesOf(bundles.npm), driver]))
  expect(notices).toContain('SQLite3 Multiple Ciphers')
})

test('the first line of the program starts Node, which pnpm requires', () => {
  const program = path.join(folder, 'node_modules', 'coffer', 'electron', 'cli', 'run.mjs')
  expect(fs.readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env -S node /)
})

test('a program that uses the types of the installed pack passes tsc', {
  tags: 'thorough',
  timeout: 60_000,
}, async () => {
  fs.writeFileSync(path.join(folder, 'check.mts'), program)
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext', '--types', 'node']
  await run(process.execPath, [tsc, ...options, 'check.mts'], { cwd: folder })
})

test('installed from a pack, the CLI serves the window and records incidents', async () => {
  const dataDir = path.join(folder, 'data')
  const args = ['serve', '--console', '--port', '0', '--data-dir', dataDir, '--json']
  const coffer = path.join(folder, 'node_modules', 'coffer')
  const env = {
    COFFER_PASSPHRASE: 'correct horse battery staple',
    COFFER_TEST_DRIVER: path.join(coffer, 'out', 'better-sqlite3'),
    ...breakReads(),
  }
  const program = path.join(coffer, 'electron', 'cli', 'run.mjs')
  const served = await startCoffer(args, env, program, folder).json()
  const page = await fetch(served.console)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')])

  const headers = { 'SVC-API-KEY': served.keys.private }
  expect((await fetch(`${served.url}/tokens/break`, { headers })).status).toBe(500)
  const incidents = fs.readFileSync(path.join(dataDir, 'incidents.log'), 'utf8')
  expect(JSON.parse(incidents)).toMatchObject({ class: 'TypeError', where: 'tokens.get' })
})

/** The packages that a bundle imports by name. */
function listModules(file: string): string[] {
  // Names are in double quotes or, in minified code, in backquotes. Comments use other quotes.
  const requested =
    /(?:^(?:import|export) (?:[^"'`]* from )?|\bimport\(|\b(?:__require|require|createRequire\([^()]*\))\()["`]([\w@][\w./@-]*)["`]/gm
  const found = [...fs.readFileSync(file, 'utf8').matchAll(requested)].map(([, name = '']) => name)
  return found.filter((name) => !isBuiltin(name))
}

test('installed from a pack, the bundles import only modules installed with them', () => {
  const coffer = path.join(folder, 'node_modules', 'coffer')
  const files = ['cli', 'reactors'].flatMap((name) => fs.globSync(path.join(coffer, 'out', name, '*.*js')))
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(coffer, 'package.json'), 'utf8'))
  // Fastify would load these to compile schemas, which `electron/http/no-schemas.ts` prevents.
  const unused = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']
  expect([...new Set(files.flatMap(listModules))].sort()).toEqual(
    [...Object.keys(dependencies), ...unused].sort(),
  )
})

test('the library starts in a Jest test that runs as CommonJS', {
  tags: 'thorough',
  timeout: 60_000,
}, async () => {
  // Jest runs such files in a separate context, without `import()`.
  fs.writeFileSync(path.join(folder, 'shop.test.cjs'), `test('starts', () => ${required}, 30_000)`)
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js')
  await run(process.execPath, [jest, '--config', '{"testMatch":["**/shop.test.cjs"]}'], { cwd: folder })
})
