import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ReactorPool } from '../../electron/code-runner/pool.ts'
import { findSyntaxProblem } from '../../electron/code-runner/syntax-problem.ts'
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import { createVaultWithData } from '../../electron/host/initial-data/create-vault-with-data.ts'
import { readReactors, storeReactors } from '../../electron/host/reactors/folder.ts'
import { startCoffer } from '../../electron/testing/start-coffer.ts'
import { createTempFolder, openVault } from '../vault.ts'

async function startReactorHost(reactors = true) {
  const host = new Host({
    version: '0',
    shell: 'console',
    dataDir: createTempFolder(),
    autoLock: false,
    overrides: { port: 0, reactors },
  })
  onTestFinished(() => host.close())
  const { vault } = await createVaultWithData({ engine: host.engineOptions })
  host.current.adoptVault(vault)
  const runHostCommand = async (name: string, input: object) =>
    (await runCommand(host, { name, input })) as never as {
      ok: boolean
      output: Record<string, unknown>
      problem: { code: string; detail: string }
    }
  return { host, runHostCommand, engine: vault.engine }
}

const code =
  'module.exports = ({ args, configuration }) => {\n  console.log(args.n)\n  return { raw: { ...args, ...configuration } }\n}'

test('F-03 a test run from the window shows output, console and duration, redacted', async () => {
  const { runHostCommand } = await startReactorHost()
  const { output: token } = await runHostCommand('tokens.create', {
    type: 'token',
    data: 'a value nobody sees',
  })
  const input = {
    reactor_id: null,
    code,
    args: JSON.stringify({ n: `{{ ${token.id} }}` }),
    configuration: { shop: 'ada' },
  }
  const attempted = await runHostCommand('host.tryReactor', input)
  expect(attempted.problem).toBeUndefined()
  const { output } = attempted
  expect(output).toMatchObject({ status: 200, console: '••••••••\n', problem: null, token_ids: [token.id] })
  expect(output.output).toContain('"shop": "ada"')
  expect(output.output).not.toContain('nobody')
  const { output: log } = await runHostCommand('logs.list', { trace_id: output.trace_id })
  expect((log.data as object[])[0]).toMatchObject({ action: 'reactors.prepareTry', entity_id: token.id })
  const { output: runs } = await runHostCommand('reactorRuns.list', {})
  expect((runs.data as object[])[0]).toMatchObject({ kind: 'try', status: 200 })
  const failing = {
    reactor_id: null,
    code: 'module.exports = () => {\n  throw new Error("no")\n}',
    args: '{}',
  }
  expect((await runHostCommand('host.tryReactor', failing)).output).toMatchObject({
    status: 500,
    problem: { status: 500, detail: expect.stringContaining('no'), place: { line: 2 } },
  })
  expect(await runHostCommand('host.tryReactor', { ...failing, args: '{' })).toMatchObject({
    ok: false,
    problem: { code: 'invalid' },
  })
})

test('F-02 the window cannot call the internal operations of a code run', async () => {
  const { runHostCommand } = await startReactorHost()
  for (const name of ['react', 'reactAsync', 'prepareTry', 'finish', 'keep', 'settle', 'results'])
    expect(await runHostCommand(`reactors.${name}`, {})).toMatchObject({
      ok: false,
      problem: { code: 'not_found' },
    })
})

test('F-02 a test run fails if running code is disabled or the listener is off', async () => {
  const off = await startReactorHost(false)
  const input = { reactor_id: null, code, args: '{}' }
  expect(await off.runHostCommand('host.tryReactor', input)).toMatchObject({
    ok: false,
    problem: { code: 'forbidden' },
  })
  await off.runHostCommand('host.updateSettings', { reactors: true })
  expect(await off.runHostCommand('host.tryReactor', input)).toMatchObject({ ok: true })
  const { output: app } = await off.runHostCommand('applications.create', {
    name: 'a',
    type: 'private',
    permissions: ['token:read'],
  })
  expect(await off.runHostCommand('host.tryReactor', { ...input, application_id: app.id })).toMatchObject({
    ok: false,
    problem: { code: 'conflict', detail: expect.stringContaining('listener') },
  })
})

test('F-02 disabling code ends active runs', async () => {
  const { runHostCommand } = await startReactorHost(false)
  await runHostCommand('host.updateSettings', { reactors: true })
  const endless = { reactor_id: null, code: 'module.exports = () => new Promise(() => {})', args: '{}' }
  const trying = runHostCommand('host.tryReactor', endless)
  await runHostCommand('host.updateSettings', { reactors: false })
  expect(await trying).toMatchObject({ ok: false, problem: { code: 'forbidden' } })
})

test('F-02 startCoffer creates the reactors of a folder', async () => {
  const folder = createTempFolder()
  fs.writeFileSync(path.join(folder, 'echo.js'), code)
  fs.writeFileSync(path.join(folder, 'reactors.yml'), 'echo:\n  configuration:\n    shop: ada\n')
  await using coffer = await startCoffer({ reactors: folder })
  const headers = { 'SVC-API-KEY': coffer.keys.management, 'Content-Type': 'application/json' }
  const listReactors = async () => {
    const { data } = await (await fetch(`${coffer.url}/reactors`, { headers })).json()
    return data[0]
  }
  expect(await listReactors()).toMatchObject({ name: 'echo', code, configuration: { shop: 'ada' } })
  await coffer.reset()
  const { id } = await listReactors()
  const response = await fetch(`${coffer.url}/reactors/${id}/react`, {
    method: 'POST',
    headers: { ...headers, 'SVC-API-KEY': coffer.keys.private },
    body: JSON.stringify({ args: { n: 1 } }),
  })
  expect(await response.json()).toEqual({ raw: { n: 1, shop: 'ada' } })
})

test('a snapshot includes reactors and webhooks', async () => {
  await using coffer = await startCoffer()
  const headers = { 'SVC-API-KEY': coffer.keys.management, 'Content-Type': 'application/json' }
  const postJson = (path: string, sent: object) =>
    fetch(coffer.url + path, { method: 'POST', headers, body: JSON.stringify(sent) })
  const listNames = async () => {
    const lists = ['/reactors', '/webhooks'].map(async (path) => {
      const { data } = await (await fetch(coffer.url + path, { headers })).json()
      return data.map(({ name }: { name: string }) => name)
    })
    return (await Promise.all(lists)).flat()
  }
  const hook = { url: 'http://127.0.0.1:9', events: ['token.created'] }
  await postJson('/reactors', { name: 'r1', code })
  await postJson('/webhooks', { name: 'w1', ...hook })
  const restore = await coffer.snapshot()
  await postJson('/reactors', { name: 'r2', code })
  await postJson('/webhooks', { name: 'w2', ...hook })
  expect((await listNames()).toSorted()).toEqual(['r1', 'r2', 'w1', 'w2'])
  await restore()
  expect(await listNames()).toEqual(['r1', 'w1'])
})

test('F-01 storing a folder again replaces code by name and keeps the configuration', async () => {
  const pool = new ReactorPool({ packagesDir: null })
  onTestFinished(() => pool.close())
  const compileInPool = (each: string) => findSyntaxProblem(pool, each)
  const { engine, owner } = openVault()
  const folder = createTempFolder()
  fs.writeFileSync(path.join(folder, 'one.js'), code)
  await storeReactors(engine, readReactors(folder), compileInPool)
  const { data } = await owner.reactors.list({})
  const id = data[0]?.id as string
  await owner.reactors.patch({ id, configuration: { A: 'b' } } as never)
  fs.writeFileSync(path.join(folder, 'one.js'), `${code}\n// more`)
  await storeReactors(engine, readReactors(folder), compileInPool)
  expect(await owner.reactors.get({ id })).toMatchObject({
    code: `${code}\n// more`,
    configuration: { A: 'b' },
  })
  fs.writeFileSync(path.join(folder, 'bad.js'), 'return )')
  expect(await storeReactors(engine, readReactors(folder), compileInPool)).toEqual([
    "bad.js:1:8: Unexpected token ')'. Calls of this reactor are answered with 422.",
  ])
  expect((await owner.reactors.list({})).data.map(({ name }) => name)).toContain('bad')
})

test('F-03 a folder stores the runtimes of its reactors, and names packages that are missing', async () => {
  const { engine, owner } = openVault()
  const folder = createTempFolder()
  fs.writeFileSync(path.join(folder, 'one.js'), code)
  fs.writeFileSync(path.join(folder, 'two.js'), code)
  const runtime = { image: 'node22', dependencies: { axios: '1.8.2' } }
  fs.writeFileSync(path.join(folder, 'reactors.yml'), JSON.stringify({ one: { runtime } }))
  expect(await storeReactors(engine, readReactors(folder), async () => null)).toEqual([
    'one.js: Packages of the runtime are not installed in their versions. Add them with: coffer reactor add-package axios@1.8.2',
  ])
  expect((await owner.reactors.list({ name: 'one' })).data).toMatchObject([{ runtime }])
})

test('F-01 reactors of a seed have the application that the seed names', async () => {
  const seed = {
    applications: [{ name: 'App', type: 'private' as const, permissions: ['token:read'] }],
    reactors: [{ name: 'r', code, application: { name: 'App' } }],
    run_reactors: true,
  }
  await using coffer = await startCoffer({ seed })
  const response = await fetch(`${coffer.url}/reactors`, {
    headers: { 'SVC-API-KEY': coffer.keys.management },
  })
  expect((await response.json()).data[0]).toMatchObject({
    name: 'r',
    application: { id: expect.any(String) },
  })
})
