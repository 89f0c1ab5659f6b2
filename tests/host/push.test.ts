import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import timers from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { pushVault } from '../../electron/host/transfer/push-vault.ts'
import { startCoffer } from '../../electron/testing/start-coffer.ts'
import type { NewApplication } from '../../shared/schemas/application.ts'
import type { NewFaultRule } from '../../shared/schemas/fault.ts'
import { createEnrollment, directCard } from '../agentic.ts'
import { makeDocument } from '../make-document.ts'
import { createNetworkToken } from '../network-tokens.ts'
import { catchProblem, createTempFolder, openVault } from '../vault.ts'
import { waitFor } from '../wait-for.ts'

type NewRule = NonNullable<NewApplication['rules']>[number]

/**
 * The second Coffer of a finished test, reset for the next one, because starting another takes as long as a small test.
 */
let left: Awaited<ReturnType<typeof startCoffer>> | undefined

async function startSecondCoffer() {
  const there = left ?? (await startCoffer())
  left = undefined
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') return there.close()
    await there.reset()
    left = there
  })
  return there
}

afterAll(() => left?.close())

/** Makes a push retry without delays until the test ends. */
function skipRetryDelays(): void {
  const wait = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined)
  syncBuiltinESMExports()
  onTestFinished(() => {
    wait.mockRestore()
    syncBuiltinESMExports()
  })
}

/** Creates a vault with tokens, and another Coffer to push it to. */
async function startPush(tokens = 30) {
  const { engine, owner } = openVault()
  for (let at = 0; at < tokens; at++) {
    await owner.tokens.create({
      id: `card-${at}`,
      type: 'card_number',
      data: '4242424242424242',
      metadata: { n: `${at}` },
    })
  }
  await owner.applications.create({
    name: 'Support desk',
    type: 'private',
    rules: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
  })
  const there = await startSecondCoffer()
  const state = path.join(createTempFolder(), 'state.json')
  const order = { url: there.url, key: there.keys.private, management_key: there.keys.management, state }
  const getJson = async (at: string, key: string) =>
    (await (await fetch(there.url + at, { headers: { 'SVC-API-KEY': key } })).json()) as never
  const countTokens = async () => {
    const report = (await getJson('/tenants/self/reports/usage', there.keys.management)) as {
      total_tokens: number
    }
    return report.total_tokens
  }
  const listApplications = async () => {
    const { data } = (await getJson('/applications', there.keys.management)) as { data: { name: string }[] }
    return data.map(({ name }) => name).sort()
  }
  const addFault = (rule: NewFaultRule) => there.fault(rule)
  /** Creates an application on the other Coffer, and returns its key. */
  const createRemoteKey = async (application: object) => {
    const headers = { 'SVC-API-KEY': there.keys.management, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Other', ...application })
    const response = await fetch(`${there.url}/applications`, { method: 'POST', headers, body })
    return ((await response.json()) as { key: string }).key
  }
  return {
    engine,
    owner,
    there,
    order,
    state,
    getJson,
    countTokens,
    listApplications,
    addFault,
    createRemoteKey,
  }
}

test('tokens are pushed with their ids and data, and applications without keys', async () => {
  const { engine, order, getJson, countTokens, listApplications, there, state } = await startPush()
  expect(await pushVault(engine, order)).toEqual({
    preview: false,
    resumed: false,
    applications: 1,
    applications_existing: 0,
    created: 30,
    proxies_created: 0,
    proxies_existing: 0,
    reactors_created: 0,
    reactors_existing: 0,
    merchants_created: 0,
    merchants_existing: 0,
    webhooks_created: 0,
    webhooks_existing: 0,
    settings: [],
    documents_created: 0,
    documents_existing: 0,
    documents: {},
    existing: 0,
    refused: 0,
    refusals: [],
    left_out: [],
  })
  expect(await countTokens()).toBe(30)
  expect(await listApplications()).toEqual(['Backend', 'Browser', 'Management', 'Support desk'])
  const token = await getJson('/tokens/card-7', there.keys.private)
  expect(token).toMatchObject({ data: '4242424242424242', metadata: { n: '7' }, containers: ['/pci/high/'] })
  expect(fs.existsSync(state)).toBe(false)
})

test('A-12 a push retries after errors and lost responses, and creates nothing twice', async () => {
  const { engine, order, countTokens, addFault } = await startPush()
  await addFault({ name: 'busy', operations: ['tokens.create'], status: 503, count: 3 })
  await addFault({ name: 'lost', operations: ['tokens.create'], cut: true, when: 'after', count: 3 })
  expect(await pushVault(engine, order)).toMatchObject({ created: 30, existing: 0, refused: 0 })
  expect(await countTokens()).toBe(30)
})

test('a push to an unreachable server stops, and the next push resumes it', {
  tags: 'thorough',
}, async () => {
  const { engine, order, countTokens, listApplications, addFault, state } = await startPush(3)
  const back = await addFault({ name: 'down', operations: ['tokens.create'], status: 500 })
  const { detail } = await catchProblem(pushVault(engine, order))
  expect(detail).toMatch(/responded with 500\. Run the same command again to resume\.$/)
  const saved = fs.readFileSync(state, 'utf8')
  expect(saved).not.toMatch(/4242|key_local/)
  await back()
  expect(await pushVault(engine, order)).toMatchObject({ resumed: true, applications: 1, created: 3 })
  expect(await countTokens()).toBe(3)
  expect(await listApplications()).toHaveLength(4)
})

test('an item whose creation response was lost is not created again by the next push', {
  tags: 'thorough',
}, async () => {
  const { engine, order, listApplications, addFault } = await startPush(1)
  const back = await addFault({
    name: 'lost',
    operations: ['applications.create'],
    status: 500,
    when: 'after',
  })
  await catchProblem(pushVault(engine, order))
  await back()
  expect(await pushVault(engine, order)).toMatchObject({ resumed: true, applications: 1, created: 1 })
  expect(await listApplications()).toHaveLength(4)
})

test('a push changes no existing item, and lists rejected ones by id and status', async () => {
  const { engine, order, there, addFault } = await startPush(4)
  await pushVault(engine, order)
  expect(await pushVault(engine, { ...order, management_key: undefined })).toMatchObject({
    created: 0,
    existing: 4,
  })
  await there.reset()
  await addFault({ name: 'no', operations: ['tokens.create'], status: 422, count: 1 })
  const report = await pushVault(engine, { ...order, management_key: undefined })
  expect(report).toMatchObject({ created: 3, refused: 1, applications: 0 })
  expect(report.refusals).toEqual([{ what: 'token', id: expect.stringMatching(/^card-/), status: 422 }])
})

test('items rejected before a push stopped are listed in the report of the run that completes it', async () => {
  const { engine, order, addFault } = await startPush(4)
  await addFault({ name: 'app', operations: ['applications.create'], status: 422, count: 1 })
  const back = await addFault({ name: 'away', operations: ['tokens.create'], status: 401 })
  await catchProblem(pushVault(engine, order))
  await back()
  const { resumed, refusals } = await pushVault(engine, order)
  expect(resumed).toBe(true)
  expect(refusals).toEqual([{ what: 'application', id: expect.any(String), status: 422 }])
})

test('a repeated push creates only applications that differ from existing ones', async () => {
  const { engine, owner, order, listApplications } = await startPush(1)
  const rule: NewRule = {
    priority: 1,
    container: '/pci/',
    transform: 'mask',
    permissions: ['token:read'],
  }
  // This application is identical to the existing one, but is copied too.
  await owner.applications.create({ name: 'Support desk', type: 'private', rules: [rule] })
  expect(await pushVault(engine, order)).toMatchObject({ applications: 2, applications_existing: 0 })
  await owner.applications.create({
    name: 'Support desk',
    type: 'private',
    rules: [{ ...rule, transform: 'reveal' }],
  })
  await owner.applications.create({
    name: 'Back office',
    type: 'private',
    permissions: ['token:read', 'token:create'],
  })
  const repeated = { applications: 4, created: 0, existing: 1 }
  expect(await pushVault(engine, order)).toMatchObject({ ...repeated, applications_existing: 2 })
  expect(await pushVault(engine, order)).toMatchObject({ ...repeated, applications_existing: 4 })
  const own = ['Backend', 'Browser', 'Management']
  expect(await listApplications()).toEqual([
    'Back office',
    ...own,
    'Support desk',
    'Support desk',
    'Support desk',
  ])
})

test('a resumed push also creates an application identical to one copied before', async () => {
  const { engine, owner, order, listApplications, addFault } = await startPush(1)
  const back = await addFault({ name: 'no', operations: ['tokens.create'], status: 401 })
  await catchProblem(pushVault(engine, order))
  await back()
  const [copied] = (await owner.applications.list()).data
  await owner.applications.create({ name: 'Support desk', type: 'private', rules: copied?.rules })
  expect(await pushVault(engine, order)).toMatchObject({ applications: 2, applications_existing: 0 })
  expect((await listApplications()).filter((name) => name === 'Support desk')).toHaveLength(2)
})

test('a push with a key without the permission fails immediately, and another key resumes it', async () => {
  const { engine, order, countTokens, listApplications, createRemoteKey } = await startPush(45)
  const asked = vi.spyOn(globalThis, 'fetch')
  onTestFinished(() => asked.mockRestore())
  const key = await createRemoteKey({ type: 'private', permissions: ['token:read'] })
  const { status, detail } = await catchProblem(
    pushVault(engine, { ...order, key, management_key: undefined }),
  )
  expect([status, detail]).toEqual([403, expect.stringContaining('lacks the permission token:create')])
  expect(detail).not.toContain('key_local')
  expect(asked.mock.calls.length).toBeLessThan(40)
  for (const [permissions, missing] of [
    [['application:create'], 'application:read'],
    [['application:read'], 'application:create'],
  ]) {
    const management_key = await createRemoteKey({ type: 'management', permissions })
    const error = await catchProblem(pushVault(engine, { ...order, management_key }))
    expect([error.status, error.detail]).toEqual([403, expect.stringContaining(`permission ${missing}`)])
  }
  expect(await countTokens()).toBe(0)
  expect(await pushVault(engine, order)).toMatchObject({ resumed: true, applications: 1, created: 45 })
  expect((await listApplications()).filter((name) => name === 'Support desk')).toHaveLength(1)
})

test('a key limited to some containers copies only their tokens', async () => {
  const { engine, owner, order, createRemoteKey } = await startPush(2)
  await owner.tokens.create({ id: 'here', type: 'token', data: 'x', containers: ['/here/'] })
  const rules = [{ priority: 1, container: '/here/', transform: 'mask', permissions: ['token:create'] }]
  const key = await createRemoteKey({ type: 'private', rules })
  expect(await pushVault(engine, { ...order, key })).toMatchObject({ created: 1, refused: 2 })
})

test('a push reports a rejected key, a state file of another push, and a stop', async () => {
  const { engine, order, state } = await startPush(1)
  const wrong = await catchProblem(
    pushVault(engine, { ...order, management_key: undefined, key: 'key_local_pvt_none' }),
  )
  expect(wrong.detail).toContain('does not accept this key')
  expect(JSON.stringify(wrong)).not.toContain('key_local')
  const stopped = catchProblem(pushVault(engine, order, { signal: AbortSignal.abort() }))
  expect((await stopped).detail).toContain('Run the same command again to resume')
  fs.writeFileSync(state, 'something else')
  expect((await catchProblem(pushVault(engine, order))).detail).toContain('is not the state of a push')
  expect(fs.readFileSync(state, 'utf8')).toBe('something else')
})

test('G-01 proxies are pushed once, with configuration, application and a new key', async () => {
  const { engine, owner, order, getJson, there } = await startPush(1)
  const [desk] = (await owner.applications.list()).data
  const proxy = {
    name: 'charges',
    destination_url: 'https://echo.coffer.test/v1',
    configuration: { secret: 'shh' },
    request_transforms: [
      {
        code: 'module.exports = ({ req }) => ({ req })',
        options: { runtime: { image: 'node22', timeout: 20 } },
      },
    ],
    response_transforms: [{ type: 'append_header', options: { location: 'X-A', value: 'b' } }],
    application: { id: desk?.id ?? '' },
    require_auth: false,
  } as const
  const here = await owner.proxies.create(proxy as never)
  await owner.proxies.create({ name: 'charges', destination_url: 'https://echo.coffer.test/v2' })
  const first = await pushVault(engine, order)
  expect(first).toMatchObject({ proxies_created: 2, proxies_existing: 0, left_out: [], refusals: [] })
  const listProxies = async () => {
    const { data } = (await getJson('/proxies', there.keys.management)) as { data: Record<string, unknown>[] }
    return data.sort((a, b) => String(a.destination_url).localeCompare(String(b.destination_url)))
  }
  const [copy, second] = await listProxies()
  const { application: _, ...same } = proxy
  expect(copy).toMatchObject({ ...same, disable_detokenization: false })
  expect([copy?.key, copy?.id]).not.toContain(here.key)
  expect(second).toMatchObject({ configuration: {}, require_auth: true })
  const { data } = (await getJson('/applications?size=100', there.keys.management)) as {
    data: { id: string; name: string }[]
  }
  expect(data.find(({ name }) => name === 'Support desk')?.id).toBe(copy?.application_id)

  // A repeated push creates no proxy twice, and reports the name of a proxy that has another destination on the server.
  await owner.proxies.patch({ id: here.id, destination_url: 'https://echo.coffer.test/v3' })
  expect(await pushVault(engine, order)).toMatchObject({
    proxies_created: 0,
    proxies_existing: 1,
    documents_created: 0,
    left_out: [{ what: 'proxy', id: here.id, name: 'charges', why: 'other_destination' }],
  })
  expect(await listProxies()).toHaveLength(2)
})

test('G-01 proxies that cannot be copied are listed, and a stopped push resumes', async () => {
  skipRetryDelays()
  const { engine, owner, order, addFault, getJson, there } = await startPush(1)
  const [desk] = (await owner.applications.list()).data
  const destination_url = 'https://echo.coffer.test'
  const application = await owner.proxies.create({
    name: 'a',
    destination_url,
    application: { id: desk?.id ?? '' },
  })
  const refused = await owner.proxies.create({ name: 'b', destination_url })
  const { management_key, ...tokensOnly } = order
  expect(
    (await pushVault(engine, tokensOnly)).left_out.map(({ what, name, why }) => [what, name, why]),
  ).toEqual([
    ['application', 'Support desk', 'no_management_key'],
    ['proxy', 'b', 'no_management_key'],
    ['proxy', 'a', 'no_management_key'],
  ])
  await there.reset()
  await addFault({ name: 'no', operations: ['applications.create', 'proxies.create'], status: 422, count: 2 })
  const report = await pushVault(engine, order)
  expect(report.left_out).toEqual([{ what: 'proxy', id: application.id, name: 'a', why: 'no_application' }])
  expect(report.refusals).toEqual([
    { what: 'application', id: desk?.id, status: 422 },
    { what: 'proxy', id: refused.id, status: 422 },
  ])
  await there.reset()
  const lost = await addFault({ name: 'lost', operations: ['proxies.create'], status: 500, when: 'after' })
  await catchProblem(pushVault(engine, order))
  await lost()
  expect(await pushVault(engine, order)).toMatchObject({ resumed: true, left_out: [], refusals: [] })
  const { data } = (await getJson('/proxies', management_key)) as { data: { name: string }[] }
  expect(data.map(({ name }) => name).sort()).toEqual(['a', 'b'])
})

test('F-01 reactors are pushed once, with code, configuration and application', async () => {
  const { engine, owner, order, getJson, there } = await startPush(1)
  const [desk] = (await owner.applications.list()).data
  const reactor = {
    name: 'charge',
    code: 'module.exports = async () => ({ raw: 1 })',
    configuration: { secret: 'shh' },
    runtime: { image: 'node22', timeout: 20, permissions: ['token:read'], dependencies: { axios: '1.8.2' } },
  }
  const here = await owner.reactors.create({ ...reactor, application: { id: desk?.id ?? '' } } as never)
  await owner.reactors.create({ name: 'other', code: 'module.exports = () => ({})' })
  expect(await pushVault(engine, order)).toMatchObject({
    reactors_created: 2,
    reactors_existing: 0,
    left_out: [],
    refusals: [],
  })
  const listReactors = async () => {
    const { data } = (await getJson('/reactors', there.keys.management)) as {
      data: Record<string, unknown>[]
    }
    return data.sort((a, b) => String(a.name).localeCompare(String(b.name)))
  }
  const [copy] = await listReactors()
  expect(copy).toMatchObject(reactor)
  const { data } = (await getJson('/applications?size=100', there.keys.management)) as {
    data: { id: string; name: string }[]
  }
  expect(copy?.application).toEqual({ id: data.find(({ name }) => name === 'Support desk')?.id })

  await owner.reactors.patch({ id: here.id, code: 'module.exports = async () => ({ raw: 2 })' })
  expect(await pushVault(engine, order)).toMatchObject({
    reactors_created: 0,
    reactors_existing: 1,
    left_out: [{ what: 'reactor', id: here.id, name: 'charge', why: 'other_code' }],
  })
  expect(await listReactors()).toHaveLength(2)
})

test('Z-03 a push reports agents and enrollments, and does not copy them', async () => {
  const { engine, owner, order } = await startPush(1)
  const { id } = await createEnrollment({ owner }, directCard)
  const agent = await owner.agents.create({ name: 'Travel' })
  const why = 'verified_here'
  expect((await pushVault(engine, order)).left_out).toEqual([
    { what: 'agent', id: agent.id, name: 'Travel', why },
    { what: 'enrollment', id, name: id, why },
  ])
})

test('Z-03 merchants are pushed without the services that they are registered for', async () => {
  const { engine, owner, order, getJson, there } = await startPush(1)
  const tenant_id = 'self'
  const details = { merchant: { full_legal_name: 'Shop Ltd', address: { country: 'GB' } } }
  const { id } = await owner.merchants.create({ tenant_id, name: 'Shop', details })
  await owner.merchants.requestOnboarding({ tenant_id, id })
  expect(await pushVault(engine, order)).toMatchObject({
    merchants_created: 1,
    left_out: [{ what: 'merchant', id, name: 'Shop', why: 'services' }],
  })
  const listRemote = async () =>
    ((await getJson('/tenants/self/merchants', there.keys.management)) as { data: object[] }).data
  expect(await listRemote()).toMatchObject([
    { name: 'Shop', details, services: { network_token: { status: 'not_requested' } } },
  ])
  expect(await pushVault(engine, order)).toMatchObject({
    merchants_created: 0,
    merchants_existing: 1,
    left_out: [],
  })
  await owner.merchants.update({ tenant_id, id, name: 'Shop', details: {} })
  expect(await pushVault(engine, order)).toMatchObject({
    merchants_existing: 0,
    left_out: [{ what: 'merchant', id, name: 'Shop', why: 'other_details' }],
  })
  expect(await listRemote()).toMatchObject([{ details }])
})

test('W-01 webhooks are pushed last, so the push itself sends them no events', async () => {
  const { engine, owner, order, getJson, there } = await startPush(3)
  const sent: unknown[] = []
  const server = createServer((request, response) => {
    request.on('data', (body) => sent.push(JSON.parse(String(body)))).on('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const hook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`,
    events: ['token.created'],
  }
  const first = await owner.webhooks.create({ name: 'w', ...hook, notify_email: 'ada@example.com' })
  const off = await owner.webhooks.create({ name: 'off', ...hook })
  await owner.webhooks.update({ id: off.id, name: 'off', ...hook, status: 'disabled' })
  const left = { what: 'webhook', id: off.id, name: 'off', why: 'disabled' }
  expect(await pushVault(engine, order)).toMatchObject({ created: 3, webhooks_created: 1, left_out: [left] })
  const { data } = (await getJson('/webhooks', there.keys.management)) as { data: Record<string, unknown>[] }
  expect(data).toMatchObject([{ name: 'w', ...hook, notify_email: 'ada@example.com', status: 'enabled' }])
  const headers = { 'SVC-API-KEY': there.keys.private, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ id: 'later', type: 'token', data: 'x' })
  await fetch(`${there.url}/tokens`, { method: 'POST', headers, body })
  await waitFor(() => expect(sent).toHaveLength(1))
  expect(JSON.stringify(sent)).toContain('later')

  const url = 'https://hooks.example.com/b'
  await owner.webhooks.update({ id: first.id, name: 'w', ...hook, url })
  expect(await pushVault(engine, order)).toMatchObject({
    webhooks_created: 0,
    left_out: [left, { what: 'webhook', id: first.id, name: 'w', why: 'other_url' }],
  })
})

test('O-06 a push sets differing settings after the tokens, and leaves others unchanged', async () => {
  const { engine, owner, order, getJson, there } = await startPush(2)
  const name = 'Here'
  await owner.tenants.update({
    name,
    settings: { deduplicate_tokens: 'true', tokens_per_tokenize: '7', keep_exchanges: 'never' },
  })
  const getTenant = async () =>
    (await getJson('/tenants/self', there.keys.management)) as {
      name: string
      settings: Record<string, string>
    }
  const before = await getTenant()
  const left = { what: 'setting', id: 'keep_exchanges', name: 'keep_exchanges', why: 'only_its_owner' }
  const changed = ['deduplicate_tokens', 'tokens_per_tokenize']
  // Both tokens are created, although they are equal and the setting would deduplicate them.
  expect(await pushVault(engine, order)).toMatchObject({ settings: changed, created: 2, left_out: [left] })
  expect(await getTenant()).toMatchObject({
    name: before.name,
    settings: { ...before.settings, deduplicate_tokens: 'true', tokens_per_tokenize: '7' },
  })
  expect(await pushVault(engine, order)).toMatchObject({ settings: [], created: 0, existing: 2 })
})

test('T-10 a token that the server deduplicates under another id is listed as left out', async () => {
  const { engine, owner, order, there } = await startPush(2)
  await owner.tenants.update({ name: 'Here', settings: { deduplicate_tokens: 'true' } })
  const asked = {
    method: 'PUT',
    headers: { 'SVC-API-KEY': there.keys.management, 'Content-Type': 'application/json' },
  }
  const body = JSON.stringify({ name: 'There', settings: { deduplicate_tokens: 'true' } })
  expect((await fetch(`${there.url}/tenants/self`, { ...asked, body })).status).toBe(200)
  const report = await pushVault(engine, { ...order })
  expect(report).toMatchObject({ created: 1, existing: 1, refused: 0 })
  expect(report.left_out).toEqual([
    { what: 'token', id: expect.stringMatching(/^card-/), name: expect.any(String), why: 'other_id_there' },
  ])
})

test('C-01 client encryption keys cannot be copied, and are listed', async () => {
  const { engine, owner, order, getJson, there } = await startPush(1)
  const { key_id } = await owner.clientKeys.create({})
  expect((await pushVault(engine, order)).left_out).toEqual([
    { what: 'client_key', id: key_id, name: key_id, why: 'private_key' },
  ])
  expect(await getJson('/keys', there.keys.management)).toEqual([])
})

test('Z-03 network tokens are not sent, and are listed by id', async () => {
  const { engine, owner, order } = await startPush(1)
  const { id } = await createNetworkToken({ owner })
  expect((await pushVault(engine, order)).left_out).toEqual([
    { what: 'network_token', id, name: id, why: 'made_by_network' },
  ])
})

test('M-01 invitations are not sent, and are listed by id', async () => {
  const { engine, owner, order, getJson, there } = await startPush(1)
  const { id } = await owner.invitations.create({ email: 'somebody@example.com' })
  const left = { what: 'invitation', id, name: id, why: 'would_be_mailed' }
  const { management_key: _, ...tokensOnly } = order
  expect((await pushVault(engine, tokensOnly)).left_out).toContainEqual(left)
  expect((await pushVault(engine, order)).left_out).toEqual([left])
  expect(await getJson('/tenants/self/invitations', there.keys.management)).toMatchObject({ data: [] })
})

test('M-01 the security contact is set only if the server has none', async () => {
  const { engine, owner, order, getJson, there } = await startPush(1)
  const getContact = () => getJson('/tenants/self/security-contact', there.keys.management)
  const email = 'security@example.com'
  await owner.tenants.setSecurityContact({ email })
  const left = { what: 'setting', id: 'security_contact', name: 'security_contact' }
  const { management_key: _, ...tokensOnly } = order
  expect((await pushVault(engine, tokensOnly)).left_out).toContainEqual({ ...left, why: 'no_management_key' })
  expect(await getContact()).toEqual({ email: null })
  expect(await pushVault(engine, order)).toMatchObject({ settings: ['security_contact'], left_out: [] })
  expect(await getContact()).toEqual({ email })
  expect(await pushVault(engine, order)).toMatchObject({ settings: [], left_out: [] })
  await owner.tenants.setSecurityContact({ email: 'other@example.com' })
  expect(await pushVault(engine, order)).toMatchObject({
    settings: [],
    left_out: [{ ...left, why: 'other_there' }],
  })
  expect(await getContact()).toEqual({ email })
})

test('a preview reports what a push would do, and writes nothing on either side', async () => {
  const { engine, owner, order, state, there, countTokens, listApplications } = await startPush(3)
  const [desk] = (await owner.applications.list()).data
  const application = { id: desk?.id ?? '' }
  await owner.proxies.create({ name: 'p', destination_url: 'https://echo.coffer.test', application })
  await owner.reactors.create({ name: 'r', code: 'module.exports = () => ({})', application })
  await owner.webhooks.create({ name: 'w', url: 'https://hooks.example.com', events: ['token.created'] })
  await owner.tenants.update({ name: 'Here', settings: { deduplicate_tokens: 'true' } })
  await makeDocument(owner, Buffer.alloc(600_000, 'content'))
  const written = vi.spyOn(globalThis, 'fetch')
  onTestFinished(() => written.mockRestore())
  const plan = {
    applications: 1,
    created: 3,
    proxies_created: 1,
    reactors_created: 1,
    webhooks_created: 1,
    documents_created: 1,
    settings: ['deduplicate_tokens'],
    left_out: [],
  }
  expect(await pushVault(engine, { ...order, preview: true })).toMatchObject({ ...plan, preview: true })
  expect(
    written.mock.calls.map(([, init]) => init?.method ?? 'GET').filter((each) => each !== 'GET'),
  ).toEqual([])
  written.mockRestore()
  expect(fs.existsSync(state)).toBe(false)
  expect([await countTokens(), await listApplications()]).toEqual([0, ['Backend', 'Browser', 'Management']])
  const { data } = await owner.logs.list({})
  expect(data.filter(({ action }) => /reveal|export/i.test(action))).toEqual([])
  expect(await pushVault(engine, order)).toMatchObject(plan)
  expect(await pushVault(engine, { ...order, preview: true })).toMatchObject({
    applications_existing: 1,
    proxies_created: 0,
    proxies_existing: 1,
    reactors_existing: 1,
    webhooks_existing: 1,
    documents_created: 0,
    documents_existing: 1,
    settings: [],
  })
  await there.reset()
  expect(await pushVault(engine, { ...order, preview: true })).toMatchObject({ documents_created: 1 })
})

test('D-02 a second push skips documents that the server still has', async () => {
  const { engine, owner, order, there, getJson, state } = await startPush(1)
  const [kept, gone] = [await makeDocument(owner), await makeDocument(owner)]
  const first = await pushVault(engine, order)
  expect(first).toMatchObject({ documents_created: 2, documents_existing: 0, resumed: false })
  expect(await getJson(`/documents/${first.documents[kept]}`, there.keys.private)).toMatchObject({
    metadata: {},
  })
  expect(fs.readFileSync(state, 'utf8')).not.toMatch(/key_local|content/)
  const headers = { 'SVC-API-KEY': there.keys.private }
  await fetch(`${there.url}/documents/${first.documents[gone]}`, { method: 'DELETE', headers })
  const third = await makeDocument(owner)
  const second = await pushVault(engine, order)
  expect(second).toMatchObject({ documents_created: 2, documents_existing: 1, resumed: false, existing: 1 })
  expect(second.documents[kept]).toBe(first.documents[kept])
  expect(second.documents[gone]).not.toBe(first.documents[gone])
  expect(Object.keys(second.documents)).toContain(third)
})

test('G-01 a push lists each proxy that the server rejects, and names a missing permission', async () => {
  const { engine, owner, order, addFault, createRemoteKey } = await startPush(1)
  const { id } = await owner.proxies.create({ name: 'a', destination_url: 'https://echo.coffer.test' })
  const permissions = ['application:read', 'application:create', 'proxy:read']
  const management_key = await createRemoteKey({ type: 'management', permissions })
  const error = await catchProblem(pushVault(engine, { ...order, management_key }))
  expect([error.status, error.detail]).toEqual([403, expect.stringContaining('permission proxy:create')])
  await addFault({ name: 'none', operations: ['proxies.list', 'proxies.create'], status: 404 })
  expect(await pushVault(engine, order)).toMatchObject({
    created: 1,
    proxies_created: 0,
    refusals: [{ what: 'proxy', id, status: 404 }],
  })
})

test('D-02 documents are pushed with content and metadata, and not again by a resumed push', async () => {
  skipRetryDelays()
  const { engine, owner, order, there, getJson, addFault } = await startPush(1)
  const content = Buffer.alloc(600_000, 'content')
  const metadata = { 'a"b': 'ä' }
  await makeDocument(owner, content, { content_type: 'application/pdf', metadata })
  await makeDocument(owner, Buffer.alloc(0))
  await addFault({ name: 'broken', operations: ['documents.create'], status: 503, count: 5 } as NewFaultRule)
  expect(await catchProblem(pushVault(engine, order))).toMatchObject({ code: 'unavailable' })
  expect(await pushVault(engine, order)).toMatchObject({ resumed: true, documents_created: 2, refusals: [] })
  const { data } = (await getJson('/logs?entity_type=document', there.keys.management)) as {
    data: { status: number; entity_id: string }[]
  }
  const [empty, full] = data.filter(({ status }) => status === 202).map(({ entity_id }) => entity_id)
  expect(await getJson(`/documents/${full}`, there.keys.private)).toMatchObject({
    content_type: 'application/pdf',
    metadata,
  })
  const headers = { 'SVC-API-KEY': there.keys.private }
  const fetchContent = async (id = '') =>
    Buffer.from(await (await fetch(`${there.url}/documents/${id}/data`, { headers })).arrayBuffer())
  expect((await fetchContent(full)).equals(content)).toBe(true)
  expect(await fetchContent(empty)).toHaveLength(0)
})

test('R-01 once a server limits a request, all requests of a push wait as long as it asks', async () => {
  const { engine, order } = await startPush(40)
  let limited_at = 0
  const early: number[] = []
  const server = createServer((request, response) => {
    const now = Date.now()
    if (limited_at === 0) {
      limited_at = now
      response.writeHead(429, { 'Retry-After': new Date(now + 2000).toUTCString() }).end()
    } else {
      // Those sent before the push has read the answer arrive early.
      if (now < Math.floor((limited_at + 2000) / 1000) * 1000 - 50) early.push(now)
      // The token that was sent, with its id.
      response.writeHead(201, { 'Content-Type': 'application/json' })
      request.pipe(response)
    }
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pushed = await pushVault(engine, { ...order, url, management_key: undefined })
  expect(pushed).toMatchObject({ created: 40, refused: 0 })
  expect(early.length).toBeLessThan(32)
})
