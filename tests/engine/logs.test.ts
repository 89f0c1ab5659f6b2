import { expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { splitRoute } from '../../electron/engine/pipeline/operation.ts'
import { toLogOperation } from '../../electron/engine/resources/logs/hosted-words.ts'
import type { LogObject } from '../../shared/schemas/log.ts'
import { catchProblem, openVault } from '../vault.ts'

async function openAuditedVault() {
  const vault = openVault()
  const auditor = await vault.application({ type: 'management', permissions: ['log:read'] })
  const app = await vault.application({
    rules: [
      { priority: 1, container: '/general/', transform: 'mask', permissions: ['token:create', 'token:read'] },
    ],
  })
  return { vault, auditor, app }
}

/** Reads every record page by page until a page is empty, like the SDKs. */
async function readByPage(list: (page: number) => Promise<{ data: LogObject[] }>): Promise<LogObject[]> {
  const all: LogObject[] = []
  for (let page = 1; page < 1000; page++) {
    const { data } = await list(page)
    if (data.length === 0) return all
    all.push(...data)
  }
  throw new Error('the pages never end')
}

test('O-05 a record names actor, entity, operation, outcome and trace id', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  const client = app.with({ trace_id: 'trace-7' })
  const token = await client.tokens.create({ type: 'token', data: 'secret' })
  const { data } = await auditor.client.logs.list({ entity_type: 'token' })
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      tenant_id: vault.engine.tenant_id,
      actor_id: app.id,
      actor_type: 'application',
      entity_type: 'token',
      entity_id: token.id,
      operation: 'create',
      action: 'tokens.create',
      method: 'POST',
      path: '/tokens',
      key_hint: app.key.slice(-4),
      status: 201,
      message: 'Token created',
      note: 'mask, by rule 1 on /general/ (token:create)',
      trace_id: 'trace-7',
      duration_ms: expect.any(Number),
      created_at: '2030-01-01T00:00:00.000+00:00',
    },
  ])
})

test('O-05 rejected operations are recorded with their reason and without data', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  const token = await vault.owner.tokens.create({ type: 'card_number', data: '4242424242424242' })
  await catchProblem(app.client.tokens.get({ id: token.id }))
  await catchProblem(app.client.tokens.get({ id: 'nobody' }))
  await catchProblem(
    app.client.tokens.create({ type: 'card_number', data: '4242424242424241', metadata: {} }),
  )
  await catchProblem(app.client.tokens.remove({ id: token.id }))
  await catchProblem(app.client.logs.list())
  const { data } = await auditor.client.logs.list({ size: 5 })
  expect(data.map(({ action, entity_id, status, message }) => [action, entity_id, status, message])).toEqual([
    ['logs.list', undefined, 403, 'Refused with 403: This needs the permission log:read.'],
    ['tokens.remove', token.id, 403, 'Refused with 403: This needs the permission token:delete.'],
    ['tokens.create', undefined, 400, 'Refused with 400: data'],
    ['tokens.get', 'nobody', 404, 'Refused with 404: There is no such token.'],
    ['tokens.get', token.id, 403, 'Refused with 403: token:read is not granted on /pci/high/'],
  ])
  expect(JSON.stringify(data)).not.toContain('424242')
})

test('O-05 a record says why a call was denied, or which rule and transform applied', async () => {
  const { vault, auditor } = await openAuditedVault()
  const { client } = await vault.application({
    rules: [
      {
        priority: 1,
        container: '/general/',
        transform: 'mask',
        permissions: ['token:create', 'token:update'],
      },
      { priority: 2, container: '/general/', transform: 'reveal', permissions: ['token:read'] },
    ],
  })
  const blind = await vault.application({ permissions: ['token:create'] })
  const { id } = await client.tokens.create({ type: 'token', data: 'x' })
  const again = { type: 'token', data: 'x', deduplicate_token: true }
  await client.tokens.create(again)
  await blind.client.tokens.create(again)
  await catchProblem(client.tokens.update({ id, mask: '{{ data | nope }}' }))
  await catchProblem(client.tokens.detokenize({ payload: `{{ ${id} }} {{ nobody }}` }))
  await catchProblem(client.tokens.update({ id, containers: ['/pci/'] }))
  const { data } = await auditor.client.logs.list({ size: 5 })
  expect(data.map(({ message, note }) => [message, note])).toEqual([
    ['Refused with 403: token:update is not granted on /pci/', 'token:update is not granted on /pci/'],
    ['Refused with 400: body', 'body'],
    ['Refused with 400: mask', 'mask'],
    ['Token created', 'mask, by permission (token:create); deduplicated; shown without data'],
    [
      'Token created',
      'mask, by rule 1 on /general/ (token:create); deduplicated; reveal, by rule 2 on /general/ (token:read)',
    ],
  ])
})

test('O-05 A-04 a call with an invalid key is recorded without actor', async () => {
  const { vault, auditor } = await openAuditedVault()
  const call = vault.engine.call('tokens.get', { id: 'abc' }, { kind: 'key', key: 'key_local_pvt_wrong' })
  await catchProblem(call)
  const [record] = (await auditor.client.logs.list({ size: 1 })).data
  expect(record).toMatchObject({ action: 'tokens.get', status: 401 })
  expect(record).not.toHaveProperty('actor_id')
  expect(record).not.toHaveProperty('actor_type')
})

test('O-05 every operation has one record', async () => {
  const { auditor, app } = await openAuditedVault()
  const { id } = await app.client.tokens.create({ type: 'token', data: 1 })
  await app.client.tokens.get({ id })
  await app.client.tokens.list()
  const { data } = await auditor.client.logs.list({ entity_type: 'token' })
  expect(data.map(({ action }) => action)).toEqual(['tokens.list', 'tokens.get', 'tokens.create'])
})

test('O-05 L-04 paging by cursor returns every record once while new ones arrive', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  const ids: string[] = []
  for (let at = 0; at < 7; at++) {
    ids.push((await app.client.tokens.create({ type: 'token', data: at })).id)
    if (at % 3 === 0) vault.clock.advance(10)
  }
  const seen: (string | undefined)[] = []
  let start: string | undefined
  do {
    const page = await auditor.client.logs.list({ entity_type: 'token', size: 2, ...(start && { start }) })
    seen.push(...page.data.map(({ entity_id }) => entity_id))
    start = page.pagination.next
    await app.client.tokens.create({ type: 'token', data: 'meanwhile' })
  } while (start)
  expect(seen).toEqual(ids.toReversed())
})

test('O-05 L-05 paging ends although each request adds a record', async () => {
  const { auditor, app } = await openAuditedVault()
  for (let at = 0; at < 5; at++) await app.client.tokens.create({ type: 'token', data: at })
  await catchProblem(app.client.logs.list())
  for (const size of [1, 3, 20]) {
    const first = await auditor.client.logs.list({ size })
    expect(first.pagination).toMatchObject({ total_items: 8, page_number: 1, page_size: size })
    const all = await readByPage((page) => auditor.client.logs.list({ page, size }))
    expect([all.length, new Set(all.map(({ id }) => id)).size]).toEqual([8, 8])
  }
  const own = await auditor.client.logs.list({ entity_type: 'log', size: 100 })
  expect(own.pagination.total_items).toBe(own.data.length)
  expect(own.data.length).toBeGreaterThan(10)
})

test('O-05 L-05 a page number sent with a cursor continues the list and ends', async () => {
  const { auditor, app } = await openAuditedVault()
  for (let at = 0; at < 6; at++) await app.client.tokens.create({ type: 'token', data: at })
  const first = await auditor.client.logs.list({ entity_type: 'token', size: 2 })
  const start = first.pagination.next as string
  const rest = await readByPage((page) =>
    auditor.client.logs.list({ entity_type: 'token', size: 2, start, page }),
  )
  expect([...first.data, ...rest].map(({ id }) => id)).toHaveLength(6)
})

test('O-05 the owner’s list has the last record first, also after the clock was set back', async () => {
  const { vault, auditor } = await openAuditedVault()
  const day = 86_400_000
  const createToken = (id: string) => vault.owner.tokens.create({ id, type: 'token', data: 1 })
  await createToken('first')
  vault.clock.advance(day)
  await createToken('moved-1')
  await createToken('moved-2')
  vault.clock.advance(-day)
  await createToken('last')
  const since = new Date(vault.clock.ms).toISOString()
  for (const filter of [{}, { start_date: since }, { entity_type: 'token' }, { action: 'tokens.create' }]) {
    const ids: (string | undefined)[] = []
    let start: string | undefined
    do {
      const { data, pagination } = await vault.owner.logs.find({ ...filter, size: 2, start })
      ids.push(...data.filter(({ action }) => action === 'tokens.create').map(({ entity_id }) => entity_id))
      if (start === undefined) expect(pagination.total_items).toBeGreaterThanOrEqual(4)
      start = pagination.next
    } while (start !== undefined)
    expect([filter, ids]).toEqual([filter, ['last', 'moved-2', 'moved-1', 'first']])
  }
  // GET /logs stays in the order of `created_at`.
  const { data } = await auditor.client.logs.list({ size: 2 })
  expect(data.map(({ entity_id }) => entity_id)).toEqual(['moved-2', 'moved-1'])
})

test('O-05 start_date is inclusive, end_date is not', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  for (let at = 0; at < 4; at++) {
    await app.client.tokens.create({ type: 'token', data: at })
    vault.clock.advance(1000)
  }
  const listSeconds = async (dates: { start_date?: string; end_date?: string }) => {
    const { data, pagination } = await auditor.client.logs.list({ entity_type: 'token', ...dates })
    expect(pagination.total_items).toBe(data.length)
    return data.map(({ created_at }) => created_at.slice(17, 19))
  }
  expect(await listSeconds({ start_date: '2030-01-01T00:00:01Z', end_date: '2030-01-01T00:00:03Z' })).toEqual(
    ['02', '01'],
  )
  expect(await listSeconds({ start_date: '2030-01-01T01:00:02+01:00' })).toEqual(['03', '02'])
  expect(await listSeconds({ end_date: '2030-01-01T00:00:00.001Z' })).toEqual(['00'])
  expect(await listSeconds({ end_date: '2030-01-01' })).toEqual([])
  for (const bad of [{ start_date: 'yesterday' }, { end_date: '2030-02-30' }]) {
    expect((await catchProblem(auditor.client.logs.list(bad))).status).toBe(400)
  }
})

test('O-05 filters combine, also for records about several entities', async () => {
  const { auditor, app } = await openAuditedVault()
  const [a, b] = (await app.client.tokens.tokenize({ payload: ['a', 'b'] })) as [string, string]
  await app.client.tokens.get({ id: a })
  await app.client.tokens.get({ id: b })
  const listOperations = async (filter: { entity_id: string; entity_type?: string }) => {
    const { data, pagination } = await auditor.client.logs.list({ ...filter, size: 1 })
    const rest = await readByPage((page) => auditor.client.logs.list({ ...filter, size: 1, page }))
    expect(data[0]?.id).toBe(rest[0]?.id)
    expect(pagination.total_items ?? 0).toBe(rest.length)
    return rest.map(({ action, entity_id }) => [action, entity_id === filter.entity_id])
  }
  const both = [
    ['tokens.get', true],
    ['tokens.tokenize', true],
  ]
  expect(await listOperations({ entity_id: a })).toEqual(both)
  expect(await listOperations({ entity_id: b, entity_type: 'token' })).toEqual(both)
  expect(await listOperations({ entity_id: b, entity_type: 'application' })).toEqual([])
})

test('O-05 L-04 a damaged cursor or one of another list is 400', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  for (let at = 0; at < 3; at++) await app.client.tokens.create({ type: 'token', data: at })
  const { next = '' } = (await auditor.client.logs.list({ entity_type: 'token', size: 1 })).pagination
  const other = await vault.application({ type: 'management', permissions: ['log:read'] })
  const refused = [
    catchProblem(auditor.client.logs.list({ entity_type: 'token', start: `${next}x` })),
    catchProblem(auditor.client.logs.list({ entity_type: 'application', start: next })),
    catchProblem(other.client.logs.list({ entity_type: 'token', start: next })),
  ]
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([400, 400, 400])
})

test('O-05 the entity types are returned as a bare list', async () => {
  const { auditor } = await openAuditedVault()
  const types = await auditor.client.logs.getEntityTypes()
  expect(types).toContainEqual({ display_name: 'Token', value: 'token' })
  expect(types).toContainEqual({ display_name: 'Application Key', value: 'application_key' })
})

test('O-05 T-11 the record of a deletion keeps the token’s id, type and containers', async () => {
  const { vault, auditor } = await openAuditedVault()
  const app = await vault.application({ permissions: ['token:create', 'token:delete'] })
  const { id } = await app.client.tokens.create({ type: 'token', data: 'gone for good' })
  await app.client.tokens.remove({ id })
  const { data } = await auditor.client.logs.list({ entity_id: id })
  expect(data[0]).toMatchObject({
    action: 'tokens.remove',
    actor_id: app.id,
    note: expect.stringContaining('token in /general/high/'),
  })
})

test('O-05 records survive a restart, including those of reads', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  const { id } = await app.client.tokens.create({ type: 'token', data: 1 })
  await app.client.tokens.get({ id })
  vault.reopen()
  const { data } = await auditor.client.logs.list({ entity_id: id })
  expect(data.map(({ action }) => action)).toEqual(['tokens.get', 'tokens.create'])
})

test('O-05 records of reads survive a close while writes are paused', async () => {
  const { vault, app } = await openAuditedVault()
  vault.engine.lifecycle.pauseWrites()
  await app.with({ trace_id: 'while held' }).tokens.list({})
  vault.reopen()
  const { data } = await vault.owner.logs.list({ trace_id: 'while held' })
  expect(data).toMatchObject([{ action: 'tokens.list', status: 200 }])
})

test('O-05 operation and message are the words of the hosted service', async () => {
  const { vault, auditor, app } = await openAuditedVault()
  const { owner } = vault
  const { id } = await app.client.tokens.create({ type: 'token', data: 'a' })
  await app.client.tokens.get({ id })
  await owner.tokens.update({ id, metadata: { a: 'b' } })
  await owner.tokens.remove({ id })
  const application = await owner.applications.create({
    name: 'A',
    type: 'private',
    permissions: ['token:read'],
  })
  await owner.keys.create({ id: application.id })
  await owner.proxies.create({ name: 'p', destination_url: 'https://echo.coffer.test' })
  const { data } = await auditor.client.logs.list({ size: 7 })
  expect(data.map(({ operation, message }) => [operation, message]).reverse()).toEqual([
    ['create', 'Token created'],
    ['read', 'Token retrieved'],
    ['update', 'Token updated'],
    ['delete', 'Token deleted'],
    ['create', 'Application created'],
    ['create', 'Application key created'],
    ['create', 'Proxy created'],
  ])
})

test('O-05 every operation of the API has the word of its effect', () => {
  const words = [...catalogue].flatMap(([name, { route, always }]) => {
    if (route === null || always) return []
    const word = toLogOperation(name)
    const { method, path } = splitRoute(route)
    const usual = { GET: 'read', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' }[method]
    return word === usual ? [] : [`${path} ${word}`]
  })
  expect(words).toEqual([
    '/account-updater/real-time update',
    '/apple-pay/domain-deregistration delete',
    '/enrichments/bank-account-verify read',
    '/agentic/enrollments/{id}/retry update',
    '/agentic/enrollments/{id}/verify update',
    '/agentic/enrollments/{id}/verify/method update',
    '/agentic/enrollments/{id}/verify/otp update',
    '/agentic/enrollments/{id}/verify/complete update',
    '/agentic/agents/{agent_id}/instructions/{id}/verify update',
    '/agentic/agents/{agent_id}/instructions/{id}/verify/passkey update',
    '/agentic/agents/{agent_id}/instructions/{id}/credentials read',
    '/agentic/agents/{agent_id}/instructions/{id}/confirmations read',
    '/tenants/self/invitations/{id}/resend update',
    '/tenants/{tenant_id}/merchants/{id}/services update',
    '/proxy invoke',
    '/reactors/{id}/react invoke',
    '/reactors/{id}/react-async invoke',
    '/sessions/authorize update',
    '/3ds/sessions/{id}/authenticate update',
    '/tokens/search read',
    '/v2/tokens/search read',
    '/detokenize read',
  ])
})
