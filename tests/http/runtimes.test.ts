import { expect, test } from 'vitest'
import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import type { Json } from '../../shared/json.ts'
import type { ReactorRuntime } from '../../shared/schemas/runtime.ts'
import { catchProblem, openBriefVault, openVault } from '../vault.ts'
import { startReactors } from './start-reactors.ts'

const code = 'module.exports = async (event) => ({ res: { body: event.req } })'
const destination_url = 'https://echo.coffer.test'

const dependencies = { '@basis-theory/node-sdk': '4.2.1', axios: '1.8.2' }
const everyMember: ReactorRuntime = {
  image: 'node22',
  dependencies,
  resolutions: { 'follow-redirects': '^1.15.6' },
  warm_concurrency: 1,
  timeout: 30,
  resources: 'xlarge',
  permissions: ['token:read', 'token:create'],
}

const installed = new Map(Object.entries(dependencies))

test('F-03 a runtime is returned as it was sent, in reactors and in transforms of proxies', async () => {
  const { owner } = openBriefVault({ packages: () => installed })
  const runtimes: ReactorRuntime[] = [{}, { image: 'node-bt' }, { ...everyMember, async: true, timeout: 900 }]
  for (const runtime of runtimes) {
    const created = await owner.reactors.create({ name: 'r', code, runtime })
    expect(created.runtime).toEqual(runtime)
    expect((await owner.reactors.get({ id: created.id })).runtime).toEqual(runtime)
    expect(created).toMatchObject({ state: 'active', created_at: expect.any(String) })
  }
  expect(await owner.reactors.create({ name: 'r', code })).not.toHaveProperty('runtime')
  const transform = { type: 'code', code, options: { runtime: everyMember } } as const
  const { id, state, request_transforms } = await owner.proxies.create({
    name: 'p',
    destination_url,
    request_transforms: [transform],
    response_transform: { code, options: { runtime: { image: 'node-bt' } } },
  })
  expect(state).toBe('active')
  expect(request_transforms).toEqual([transform])
  expect(await owner.proxies.get({ id })).toMatchObject({
    request_transforms: [transform],
    response_transform: { code, options: { runtime: { image: 'node-bt' } } },
  })
})

test.each<[member: string, runtime: Json]>([
  ['image', { image: 'node24' }],
  ['timeout', { timeout: 9 }],
  ['timeout', { timeout: 31 }],
  ['timeout', { timeout: 901, async: true }],
  ['timeout', { timeout: 10.5 }],
  ['warm_concurrency', { warm_concurrency: 2 }],
  ['resources', { resources: 'huge' }],
  ['dependencies.axios', { dependencies: { axios: '^1.8.2' } }],
  ['dependencies.axios', { dependencies: { axios: 'latest' } }],
  ['dependencies.axios', { dependencies: { axios: 1 } }],
  ['dependencies.$(id)', { dependencies: { '$(id)': '1.0.0' } }],
  ['resolutions.a', { resolutions: { a: { b: '1.0.0' } } }],
  ['permissions[0]', { permissions: ['token:everything'] }],
  ['permissions', { permissions: ['application:create'] }],
  ['async', { async: 'yes' }],
])('F-03 a runtime with an invalid %s is refused by name: %j', async (member, runtime) => {
  const { owner } = openBriefVault()
  expect(await catchProblem(owner.reactors.create({ name: 'r', code, runtime } as never))).toMatchObject({
    status: 400,
    errors: { [`runtime.${member}`]: [expect.any(String)] },
  })
  if (member === 'async') return
  const request_transforms = [{ code, options: { runtime } }]
  const proxy = { name: 'p', destination_url, request_transforms }
  expect(await catchProblem(owner.proxies.create(proxy as never))).toMatchObject({
    status: 400,
    errors: { [`request_transforms[0].options.runtime.${member}`]: [expect.any(String)] },
  })
})

test('F-03 transforms are never asynchronous, so they may take 30 seconds at most', async () => {
  const { request, vault } = await startReactors()
  const { key } = await vault.application({ type: 'management', permissions: ['proxy:create'] })
  const createProxy = (runtime: Json) =>
    request('POST', '/proxies', {
      key,
      body: { name: 'p', destination_url, request_transforms: [{ code, options: { runtime } }] },
    })
  expect(await createProxy({ timeout: 31 })).toMatchObject({ status: 400 })
  const { status, headers, body } = await createProxy({ image: 'node22', async: true, timeout: 30 })
  expect(status).toBe(201)
  expect(headers.get('Coffer-Ignored')).toBe('request_transforms[0].options.runtime.async')
  expect(body.request_transforms[0].options).toEqual({ runtime: { image: 'node22', timeout: 30 } })
})

test('F-03 a merge patch changes single members and packages of a runtime', async () => {
  const { owner } = openBriefVault({ packages: () => installed })
  const { id } = await owner.reactors.create({ name: 'r', code, runtime: everyMember })
  await owner.reactors.patch({ id, runtime: { timeout: null, dependencies: { axios: null } } })
  const { timeout: _, ...rest } = everyMember
  const { axios: __, ...others } = dependencies
  expect((await owner.reactors.get({ id })).runtime).toEqual({ ...rest, dependencies: others })
  expect(await catchProblem(owner.reactors.patch({ id, runtime: { timeout: 60 } }))).toMatchObject({
    status: 400,
    errors: { 'runtime.timeout': ['must be at most 30 seconds unless async is true'] },
  })
  await owner.reactors.patch({ id, runtime: { timeout: 60, async: true } })
  expect((await owner.reactors.get({ id })).runtime).toMatchObject({ timeout: 60, async: true })
  await owner.reactors.patch({ id, runtime: null })
  expect(await owner.reactors.get({ id })).not.toHaveProperty('runtime')
})

test('F-01 a merge patch of configuration keeps the other entries', async () => {
  const { owner } = openBriefVault()
  const { id } = await owner.reactors.create({ name: 'r', code, configuration: { API_KEY: 'kept' } })
  const { id: proxy } = await owner.proxies.create({
    name: 'p',
    destination_url,
    configuration: { API_KEY: 'kept' },
  })
  const BT_LOGGING_CONFIGURATION = '{"destination":"https://logs.coffer.test","date":1}'
  for (const [{ patch, get }, of] of [
    [owner.reactors, id],
    [owner.proxies, proxy],
  ] as const) {
    await patch({ id: of, configuration: { BT_LOGGING_CONFIGURATION } })
    expect((await get({ id: of })).configuration).toEqual({ API_KEY: 'kept', BT_LOGGING_CONFIGURATION })
    await patch({ id: of, configuration: { BT_LOGGING_CONFIGURATION: '' } })
    expect((await get({ id: of })).configuration).toEqual({ API_KEY: 'kept', BT_LOGGING_CONFIGURATION: '' })
  }
})

test('F-03 a reactor is failed until its packages are installed, and says how to add them', async () => {
  const packages = new Map<string, string>()
  const { owner } = openBriefVault({ packages: () => packages })
  const runtime = { image: 'node22', dependencies: { axios: '1.8.2', uuid: '9.0.1' } } as const
  const configuration = { REGION: 'eu' }
  const created = await owner.reactors.create({ name: 'r', code, configuration, runtime })
  const { id } = created
  expect(created).toMatchObject({
    state: 'failed',
    code,
    runtime,
    requested: {
      reactor: { code, configuration, runtime },
      error_code: 'packages_missing',
      error_message: expect.stringContaining('coffer reactor add-package axios@1.8.2 uuid@9.0.1'),
      error_details: {
        packages: [
          { name: 'axios', version: '1.8.2', installed: null },
          { name: 'uuid', version: '9.0.1', installed: null },
        ],
      },
    },
  })
  packages.set('axios', '1.8.2').set('uuid', '8.3.2')
  const [listed] = (await owner.reactors.list({})).data
  expect(listed).toMatchObject({
    state: 'outdated',
    requested: {
      error_message: expect.stringMatching(/ coffer reactor add-package uuid@9\.0\.1$/),
      error_details: { packages: [{ name: 'uuid', version: '9.0.1', installed: '8.3.2' }] },
    },
  })
  packages.set('uuid', '9.0.1')
  const after = await owner.reactors.get({ id })
  expect(after.state).toBe('active')
  expect(after).not.toHaveProperty('requested')
})

test('F-03 a proxy is failed until the packages of its transforms are installed', async () => {
  const packages = new Map<string, string>()
  const { owner } = openBriefVault({ packages: () => packages })
  const needPackage = (name: string, version: string) => ({
    code,
    options: { runtime: { image: 'node22', dependencies: { [name]: version } } },
  })
  const transforms = {
    request_transforms: [needPackage('axios', '1.8.2')],
    response_transform: needPackage('uuid', '9.0.1'),
  }
  const configuration = { REGION: 'eu' }
  const { id, ...created } = await owner.proxies.create({
    name: 'p',
    destination_url,
    configuration,
    ...transforms,
  })
  expect(created).toMatchObject({
    state: 'failed',
    requested: {
      proxy: { destination_url, configuration, require_auth: true, ...transforms },
      error_code: 'packages_missing',
      error_message: expect.stringContaining('coffer reactor add-package uuid@9.0.1 axios@1.8.2'),
    },
  })
  packages.set('axios', '1.8.2').set('uuid', '9.0.1')
  const after = await owner.proxies.get({ id })
  expect(after.state).toBe('active')
  expect(after).not.toHaveProperty('requested')
})

test('F-03 a runtime of an earlier version stays readable, and is in no command', async () => {
  const { owner, file, master } = openVault()
  const { id } = await owner.reactors.create({ name: 'r', code })
  const runtime = { timeout: 2, dependencies: { '$(id)': '1' } }
  const db = openDatabase(file, deriveDatabaseKey(master), { create: false })
  db.prepare('UPDATE reactor SET runtime = ?').run(JSON.stringify(runtime))
  db.close()
  const stored = await owner.reactors.get({ id })
  expect(stored).toMatchObject({ state: 'active', runtime })
  expect(stored).not.toHaveProperty('requested')
})
