import fs from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { getJsonSchema } from '../../electron/cli/actions/config.ts'
import { config } from '../../electron/cli/terminal/config-file.ts'
import { readFile } from '../repository.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine, serveInProcess } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

/** Creates a folder with a configuration. */
function createFolder(text: string, name = 'coffer.config.yaml'): string {
  const folder = createTempFolder()
  fs.writeFileSync(path.join(folder, name), text)
  return folder
}

function enterFolder(folder: string): void {
  const before = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
}

test('serve reads unset options from coffer.config.yaml, and prints the file’s name', async () => {
  const folder = createFolder(`
ephemeral: true
port: 0
seed: seed.yaml
cors_origins: [http://localhost:3000]
destinations:
  map: { 'https://api.example.com': 'http://127.0.0.1:12111' }
faults:
  - { name: busy, operations: [tokens.create], status: 503 }
`)
  fs.writeFileSync(path.join(folder, 'seed.yaml'), 'tokens:\n  - { id: first, type: token, data: x }\n')
  const run = startCoffer(['serve', '--json', '--data-dir', path.join(folder, 'data')], {}, undefined, folder)
  const { url, keys, faults, destinations } = await run.json()
  await run.waitForLine(/Using coffer\.config\.yaml in this folder/)
  expect([faults, destinations.map]).toEqual([
    ['busy'],
    { 'https://api.example.com': 'http://127.0.0.1:12111' },
  ])
  const headers = { 'SVC-API-KEY': keys.private, Origin: 'http://localhost:3000' }
  const response = await fetch(`${url}/tokens/first`, { headers })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'http://localhost:3000',
  ])
})

test('options override the configuration file; --config and --no-config select it', async () => {
  const folder = createFolder('ephemeral: true\nport: 1\nfaults:\n  - { name: found, delay_ms: 1 }\n')
  const other = createFolder('ephemeral: true\nfaults: rules.yaml\n', 'other.yaml')
  fs.writeFileSync(path.join(other, 'rules.yaml'), '- { name: named, delay_ms: 1 }\n')
  fs.writeFileSync(path.join(folder, 'given.yaml'), '- { name: given, delay_ms: 1 }\n')
  enterFolder(folder)
  const listFaults = async (...more: string[]) => {
    const { facts, stop } = await serveInProcess(['--json', ...more])
    await stop()
    return facts.faults
  }
  expect(await listFaults()).toEqual(['found'])
  expect(await listFaults('--faults', 'given.yaml')).toEqual(['given'])
  expect(await listFaults('--config', path.join(other, 'other.yaml'))).toEqual(['named'])
  expect(await listFaults('--no-config', '--ephemeral')).toBeUndefined()
})

test('A-08 --strict and the configuration file make requests strict, and the command line takes precedence', async () => {
  enterFolder(createFolder('ephemeral: true\nport: 0\nstrict: true\n'))
  const postUnknown = async (...more: string[]) => {
    const { facts, stop } = await serveInProcess(['--json', ...more])
    const { status, headers } = await fetch(`${facts.url}/tokens`, {
      method: 'POST',
      headers: { 'SVC-API-KEY': facts.keys.private, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'token', data: 1, colour: 1 }),
    })
    await stop()
    return [status, headers.get('Coffer-Ignored')]
  }
  expect(await postUnknown()).toEqual([400, null])
  const ephemeral = ['--no-config', '--ephemeral', '--port', '0']
  expect(await postUnknown(...ephemeral)).toEqual([201, 'colour'])
  expect(await postUnknown(...ephemeral, '--strict')).toEqual([400, null])
})

test('serve rejects an invalid configuration and names the line and the member', async () => {
  enterFolder(
    createFolder(`ephemeral: true
log: jsn
cors_origins: [http://a.test/x]
allow_hosts: [vault.test, vault.test:99999]
faults:
  - { name: busy, status: 20 }
nope: 1
`),
  )
  const { code, error } = await runCommandLine('serve')
  expect(code).toBe(1)
  expect(error?.split('\n').sort()).toEqual([
    'coffer.config.yaml:2 log must be one of pretty, json, off',
    'coffer.config.yaml:3 cors_origins[0] must be an origin, such as http://localhost:3000',
    'coffer.config.yaml:4 allow_hosts[1] must be a host, such as vault.test or vault.test:4747, with a port from 1 to 65535',
    'coffer.config.yaml:6 faults[0].status must be at least 400',
    'coffer.config.yaml:7 nope is not a known member',
  ])
  const missing = await runCommandLine('serve', '--config', 'none.yaml')
  expect([missing.code, missing.error]).toEqual([1, expect.stringContaining('none.yaml cannot be read')])
})

test.each([
  'cors_origins: [https://evil.test]',
  'allow_hosts: [evil.test]',
  'as_hosted: true',
  "destinations: { allow: ['*'] }",
  'reactors: true',
  'reactors: ./code',
  'faults: [{ name: lost, cut: true }]',
])('without --config, serve rejects this setting for a vault on disk: %s', async (line) => {
  enterFolder(createFolder(`# Read me\n${line}\n`))
  const dataDir = createTempFolder()
  const { code, error } = await runCommandLine('serve', '--data-dir', dataDir, '--port', '0')
  const member = line.split(':')[0]
  expect([code, error]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^coffer\\.config\\.yaml:2 ${member} would apply to a vault on disk`)),
  ])
  expect(fs.readdirSync(dataDir)).toEqual([])
})

test('with --config, serve accepts cors_origins for a vault on disk', async () => {
  const folder = createFolder('cors_origins: [http://localhost:3000]\n')
  enterFolder(folder)
  const words = ['--json', '--data-dir', path.join(folder, 'data'), '--config', 'coffer.config.yaml']
  const { facts } = await serveInProcess(words, { COFFER_PASSPHRASE: 'correct horse battery staple' })
  const response = await fetch(`${facts.url}/_coffer/health`, {
    headers: { Origin: 'http://localhost:3000' },
  })
  expect(response.status).toBe(200)
})

test('coffer config prints every member in a valid form', async () => {
  const { out } = await runCommandLine('config')
  expect(out).toMatch(/^# yaml-language-server: \$schema=\.\/coffer\.config\.schema\.json\n/)
  expect(parse(out)).toBeNull()
  const members = out
    .split('\n')
    .filter((line) => /^# (?:[a-z_]+:| {2})/.test(line) && !line.startsWith('# yaml-language'))
    .map((line) => line.slice(2))
  const read = config.parse(parse(members.join('\n')))
  expect(Object.keys(read).sort()).toEqual(Object.keys(config.shape).sort())
})

test.each(['config', 'seed', 'faults'] as const)(
  'the packaged JSON schema for %s equals the schema that checks the file',
  async (of) => {
    const name = `coffer.${of}.schema.json`
    const shipped = JSON.parse(fs.readFileSync(name, 'utf8'))
    expect(shipped).toEqual(JSON.parse(JSON.stringify(await getJsonSchema(of))))
    const { out } = await runCommandLine('config', '--schema', ...(of === 'config' ? [] : [of]))
    expect(JSON.parse(out)).toEqual(shipped)
    const { files } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
    expect(files).toContain(name)
  },
)

test("editors find the schema of a project's configuration", async () => {
  const root = process.cwd()
  enterFolder(path.dirname(root))
  expect((await runCommandLine('config')).out).toContain(
    `$schema=./${path.basename(root)}/coffer.config.schema.json`,
  )
})

test('the faults schema accepts a list, as in the guide, and an object with rules', async () => {
  const validate = new Ajv({ strict: false }).compile(await getJsonSchema('faults'))
  const [, guide = ''] =
    /faults coffer\.faults\.yaml`[\s\S]*?```yaml\n([\s\S]*?)```/.exec(readFile('docs/ci-recipe.md')) ?? []
  const rules = parse(guide)
  expect(rules).toHaveLength(3)
  for (const file of [rules, { rules }, parse(readFile('tests/cli/slow.faults.yaml'))])
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true)
  for (const file of [[{ name: 'x', opration: [] }], { rule: rules }]) expect(validate(file)).toBe(false)
})

test('every example of a seed, of faults and of a configuration names its schema for editors', () => {
  const blocks = [...readFile('docs/ci-recipe.md').matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  )
  const named = blocks.flatMap((text) => /^# yaml-language-server: \$schema=\S+\/(\S+)/.exec(text)?.[1] ?? [])
  expect(named).toEqual(['seed', 'faults', 'config'].map((of) => `coffer.${of}.schema.json`))
  for (const file of fs.globSync('examples/**/*seed*.yaml', { exclude: ['**/node_modules'] })) {
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFile(file)) ?? []
    expect([file, fs.existsSync(path.join(path.dirname(file), schema))]).toEqual([file, true])
    expect(schema).toMatch(/coffer\.seed\.schema\.json$/)
  }
})

test('the seed schema accepts the examples and rejects a misspelt member', async () => {
  const validate = new Ajv({ strict: false, formats: { email: true, uuid: true } }).compile(
    await getJsonSchema('seed'),
  )
  const seeds = fs
    .globSync(['examples/**/*seed*.{yaml,yml,json}', 'tests/**/*seed*.yaml'], {
      exclude: ['**/node_modules'],
    })
    .map((file) => parse(fs.readFileSync(file, 'utf8')))
  expect(seeds.length).toBeGreaterThan(0)
  for (const seed of seeds) expect(validate(seed), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ tokens: [{ tpye: 'token', data: 1 }] })).toBe(false)
})
