import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readReactors } from '../../electron/host/reactors/folder.ts'
import { startClientServer } from '../http/clients/start.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'

const code = 'module.exports = (req) => ({ raw: req.args })\n'

async function startWithFolder() {
  const { url, vault } = await startClientServer()
  const permissions = ['reactor:create', 'reactor:read', 'reactor:update', 'application:read']
  const { key } = await vault.application({ type: 'management', permissions } as never)
  const folder = path.join(createTempFolder(), 'reactors')
  const runReactor = (what: string, ...more: string[]) =>
    runCommandLine('reactor', what, folder, '--url', url, '--key', key, ...more)
  const writeFile = (name: string, text: string) => {
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  const readFile = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8')
  const listStored = async () =>
    (await vault.owner.reactors.list({})).data.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { vault, owner: vault.owner, folder, runReactor, writeFile, readFile, listStored }
}

test('F-01 pulling pushed reactors restores the same files', async () => {
  const { vault, owner, folder, runReactor, writeFile, readFile, listStored } = await startWithFolder()
  const { id } = await vault.application({ name: 'Shop', permissions: ['token:read'] } as never)
  writeFile('echo.js', code)
  writeFile('sum.js', '// straße\r\nmodule.exports = () => ({})')
  writeFile('reactors.yml', '# ours\necho:\n  application: Shop\n  configuration:\n    REGION: eu\n')
  expect(await runReactor('push')).toMatchObject({
    code: 0,
    out: 'Pushed 2 reactors: 2 new, 0 changed. 0 unchanged.\n',
  })
  expect(await listStored()).toMatchObject([
    { name: 'echo', code, application: { id }, configuration: { REGION: 'eu' } },
    { name: 'sum', code: '// straße\r\nmodule.exports = () => ({})', configuration: {} },
  ])
  const files = fs.readdirSync(folder).map((name) => [name, readFile(name)])
  expect((await runReactor('pull')).out).toBe('Wrote 0 reactors: 0 new, 0 changed. 2 unchanged.\n')
  expect(fs.readdirSync(folder).map((name) => [name, readFile(name)])).toEqual(files)
  const before = await listStored()
  expect((await runReactor('push')).out).toBe('Pushed 0 reactors: 0 new, 0 changed. 2 unchanged.\n')
  expect(await listStored()).toEqual(before)

  // Pull the reactors into an empty folder, and push them back.
  const runtime = { image: 'node22' } as const
  await owner.reactors.patch({ id: before[0]?.id ?? '', runtime, configuration: { API_KEY: 's3cret-value' } })
  fs.rmSync(folder, { recursive: true })
  const pulled = await runReactor('pull')
  expect(pulled).toMatchObject({ code: 0, out: 'Wrote 2 reactors: 2 new, 0 changed. 0 unchanged.\n' })
  expect(pulled.notes).toContain(
    'Configuration values stay in Coffer; reactors.yml has only their names: echo.',
  )
  expect(readFile('reactors.yml')).toMatch(
    /^# .*\n# .*\n\necho:\n {2}application: Shop\n {2}configuration:\n {4}REGION:\n {4}API_KEY:\n {2}runtime:\n {4}image: node22\n$/,
  )
  const now = await listStored()
  expect((await runReactor('push', '--json')).out).toBe(
    '{"created":[],"changed":[],"unchanged":2,"left_alone":[],"without_value":[]}\n',
  )
  expect(await listStored()).toEqual(now)
  // Coffer accepts a pulled folder.
  expect(readReactors(folder).map(({ name }) => name)).toEqual(['echo', 'sum'])
})

test('F-03 push and pull carry the runtime of a reactor', async () => {
  const { owner, runReactor, writeFile, readFile, listStored } = await startWithFolder()
  writeFile('echo.js', code)
  const writeRuntime = (text: string) => writeFile('reactors.yml', `echo:\n  runtime: ${text}\n`)
  writeRuntime('{ image: node22, timeout: 20, dependencies: { axios: 1.8.2, uuid: 9.0.1 } }')
  expect((await runReactor('push')).notes).toContain(
    'echo: Packages of the runtime are not installed in their versions. Add them with: coffer reactor add-package axios@1.8.2 uuid@9.0.1\n',
  )
  const [stored] = await listStored()
  expect(stored?.runtime).toEqual({
    image: 'node22',
    timeout: 20,
    dependencies: { axios: '1.8.2', uuid: '9.0.1' },
  })
  writeRuntime('{ image: node22, permissions: [token:read], dependencies: { axios: 1.8.2 } }')
  const changed = await runReactor('push', '--yes')
  expect(changed.notes).toContain('  runtime: changes dependencies, permissions, timeout\n')
  const runtime = { image: 'node22', permissions: ['token:read'], dependencies: { axios: '1.8.2' } } as const
  expect((await listStored())[0]?.runtime).toEqual(runtime)
  expect((await runReactor('push')).out).toBe('Pushed 0 reactors: 0 new, 0 changed. 1 unchanged.\n')
  const id = stored?.id ?? ''
  await owner.reactors.patch({ id, runtime: { permissions: null, async: true } })
  const pulled = await runReactor('pull', '--yes')
  expect(pulled.notes).toContain('  runtime: changes async, permissions\n')
  expect(readFile('reactors.yml')).toBe(
    'echo:\n  runtime:\n    image: node22\n    dependencies:\n      axios: 1.8.2\n    async: true\n',
  )
  expect((await runReactor('push')).out).toBe('Pushed 0 reactors: 0 new, 0 changed. 1 unchanged.\n')
  // A file without a runtime keeps the stored one.
  writeFile('reactors.yml', '')
  await runReactor('push')
  expect((await listStored())[0]?.runtime).toEqual({
    image: 'node22',
    async: true,
    dependencies: { axios: '1.8.2' },
  })
  writeRuntime('{ image: node24 }')
  expect((await runReactor('push')).error).toContain('must be node-bt or node22')
})

test('F-01 push lists the reactors that it replaces, and needs a confirmation', async () => {
  const { owner, runReactor, writeFile, readFile, listStored } = await startWithFolder()
  const { id } = await owner.reactors.create({
    name: 'echo',
    code: `// one\n${code}`,
    configuration: { OLD: 'a', KEPT: 'kept-value' },
  })
  const unasked = await owner.reactors.create({ name: 'other', code })
  writeFile('echo.js', `// two\n${code}`)
  writeFile('reactors.yml', '# mine\necho:\n  configuration: { KEPT: , API_KEY: s3cret-value }\n')
  const before = await listStored()
  const refused = await runReactor('push')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.error).toContain('Nothing was pushed. To replace 1 stored reactor, add --yes.')
  expect(refused.notes).toContain(`echo.js changes the stored reactor:
  code, from line 1:
    - // one
    + // two
  configuration: sets API_KEY
  configuration: removes OLD
`)
  expect(await listStored()).toEqual(before)

  const pull = await runReactor('pull')
  expect(pull.error).toContain('Nothing was written. To replace 1 file, add --yes.')
  expect(pull.notes).toContain(`echo.js changes:
  code, from line 1:
    - // two
    + // one
  configuration: API_KEY is removed, because it is not stored
  configuration: OLD is added, without its value
`)
  expect(readFile('echo.js')).toBe(`// two\n${code}`)

  const pushed = await runReactor('push', '--yes')
  expect(pushed).toMatchObject({ code: 0, out: 'Pushed 1 reactor: 0 new, 1 changed. 0 unchanged.\n' })
  expect(pushed.notes).toContain('Not changed, because they have no file: other.')
  expect(await owner.reactors.get({ id })).toMatchObject({
    code: `// two\n${code}`,
    configuration: { KEPT: 'kept-value', API_KEY: 's3cret-value' },
  })
  expect(await owner.reactors.get({ id: unasked.id })).toEqual(unasked)

  // A value in the file that differs from the stored one is removed, and the stored value is not written to the file.
  await owner.reactors.patch({ id, configuration: { API_KEY: 'renewed-value' } })
  const again = await runReactor('pull', '--yes')
  expect(again.notes).toContain('API_KEY loses its value, because another one is stored')
  expect(readFile('reactors.yml')).toBe('# mine\necho:\n  configuration:\n    KEPT:\n    API_KEY:\n')
  for (const { out, notes } of [refused, pull, pushed, again])
    expect(out + notes).not.toMatch(/kept-value|s3cret-value|renewed-value/)
})

test('F-01 invalid files are reported with positions, and nothing is pushed', async () => {
  const { owner, folder, runReactor, writeFile, listStored } = await startWithFolder()
  writeFile('bad.js', 'let a = 1\nlet b = foo bar')
  writeFile('good.js', code)
  writeFile('long.js', `//${'x'.repeat(50_000)}`)
  writeFile('empty.js', '')
  writeFile('other.js', 'return )')
  const { error = '', code: ended } = await runReactor('push', '--yes')
  expect(ended).toBe(1)
  expect(error.split('\n')).toEqual([
    expect.stringMatching(/reactors\/bad\.js:2:13: .*identifier/),
    expect.stringMatching(/reactors\/empty\.js: code /),
    expect.stringMatching(/reactors\/long\.js: code must have at most 50000 characters/),
    expect.stringMatching(/reactors\/other\.js:1:8: /),
    'Nothing was pushed.',
  ])
  expect(await listStored()).toEqual([])

  fs.rmSync(folder, { recursive: true })
  expect((await runReactor('push')).error).toContain('There is no folder')
  writeFile('Echo.js', code)
  writeFile('echo.js', code)
  expect((await runReactor('push')).error).toMatch(/Echo\.js: on some disks.*\n.*echo\.js: on some disks/)
  fs.rmSync(path.join(folder, 'Echo.js'))
  fs.writeFileSync(path.join(folder, 'text.js'), Buffer.from([0x2f, 0x2f, 0xff]))
  expect((await runReactor('push')).error).toMatch(/text\.js is not UTF-8 text/)
  fs.rmSync(path.join(folder, 'text.js'))
  writeFile('reactors.yml', 'echo:\n  application: Nobody\n')
  expect((await runReactor('push')).error).toMatch(/echo\.js: its application "Nobody" does not exist/)
  writeFile('reactors.yml', 'echo:\n  configuration:\n    A: [1]\n')
  expect((await runReactor('push')).error).toMatch(/reactors\.yml:3 echo\.configuration\.A /)
  writeFile('reactors.yml', '')
  await owner.reactors.create({ name: 'echo', code })
  await owner.reactors.create({ name: 'echo', code })
  expect((await runReactor('push', '--yes')).error).toMatch(
    /echo\.js: several stored reactors have this name/,
  )
  expect(await listStored()).toHaveLength(2)
})

test('F-01 pull reports reactors without a valid file name, and skips them', async () => {
  const { owner, folder, runReactor, writeFile, readFile } = await startWithFolder()
  const names = ['../x', 'a/b', 'a\\b', '..', '.hidden', 'con', 'NUL.txt', 'a:b', 'a\nb', 'x'.repeat(200)]
  const wide = '\u{1F511}'.repeat(90)
  for (const name of [...names, wide, 'Echo', 'echo', 'link', 'Twin', 'fine'])
    await owner.reactors.create({ name, code })
  await owner.reactors.create({ name: 'merge', code, configuration: { '<<': 'x' } })
  writeFile('twin.js', '// another')
  fs.writeFileSync(path.join(folder, '..', 'outside'), 'outside')
  fs.symlinkSync('../outside', path.join(folder, 'link.js'))
  const { code: ended, out, notes } = await runReactor('pull')
  expect(ended).toBe(1)
  expect(out).toBe('Wrote 2 reactors: 2 new, 0 changed. 0 unchanged.\n')
  expect(fs.readdirSync(folder).toSorted()).toEqual([
    'fine.js',
    'link.js',
    'twin.js',
    `${'x'.repeat(200)}.js`,
  ])
  expect(fs.readdirSync(path.dirname(folder)).toSorted()).toEqual(['outside', 'reactors'])
  expect(readFile('../outside')).toBe('outside')
  expect(readFile('twin.js')).toBe('// another')
  for (const name of ['merge', '../x', 'a/b', 'a\uFFFDb', 'Echo', 'echo', 'link', 'Twin', wide])
    expect(notes).toContain(`The reactor ${name} was not written: `)
  expect(notes).toContain('Not changed, because no reactor is stored for these files: twin.')
})

test('F-01 push reports a configuration entry without a value, and stores the others', async () => {
  const { runReactor, writeFile, listStored } = await startWithFolder()
  writeFile('echo.js', code)
  writeFile('reactors.yml', 'echo:\n  configuration:\n    API_KEY:\n    REGION: eu\n')
  const { code: ended, notes } = await runReactor('push')
  expect(ended).toBe(0)
  expect(notes).toContain('echo has no value for API_KEY: reactors.yml has none, and none is stored.')
  expect(await listStored()).toMatchObject([{ configuration: { REGION: 'eu' } }])
})
