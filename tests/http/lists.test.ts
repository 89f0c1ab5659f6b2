import { describe, expect, test } from 'vitest'
import { fetchEveryItem } from '../../shared/every-item.ts'
import type { Token } from '../../shared/schemas/token.ts'
import { startListener } from '../listener.ts'
import { catchProblem, openBriefVault } from '../vault.ts'
import { startTestServer } from './test-server.ts'

async function startFilledListener(options: { strict?: boolean } = {}) {
  const listener = await startListener(options)
  const { client, key } = await listener.vault.application({
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'mask',
        permissions: ['token:create', 'token:read', 'token:search'],
      },
    ],
  })
  const metadata = { 'customer.id': '3181', 'a b': 'ü & =' }
  await client.tokens.create({ id: 'one', type: 'token', data: 1, metadata, containers: ['/a/'] })
  await client.tokens.create({ id: 'two', type: 'token', data: 2, metadata: { 'customer.id': '3182' } })
  await client.tokens.create({ id: 'three', type: 'card_number', data: '4242424242424242' })
  const getPath = (path: string) => listener.request('GET', path, { key })
  const listIds = async (path: string) => {
    const { status, body } = await getPath(path)
    return status === 200
      ? body.data.map((token: Token) => token.id)
      : [status, ...Object.keys(body.errors ?? {})]
  }
  return { ...listener, key, getPath, listIds }
}

describe('List Tokens v2', () => {
  test('L-01 the list accepts every filter', async () => {
    const { listIds } = await startFilledListener()
    expect(await listIds('/v2/tokens')).toEqual(['three', 'two', 'one'])
    expect(await listIds('/v2/tokens?container=%2Fa%2F')).toEqual(['one'])
    expect(await listIds('/v2/tokens?container=/a/&type=token')).toEqual(['one'])
    expect(await listIds('/v2/tokens?type=card_number')).toEqual(['three'])
  })

  test('L-01 a repeated parameter or a second filter is rejected', async () => {
    const { listIds } = await startFilledListener({ strict: true })
    for (const [query, member] of [
      ['container=/a/&container=/a/', 'container'],
      ['type=token&type=token', 'type'],
      ['size=1&size=1', 'size'],
      ['start=a&start=a', 'start'],
      ['fingerprint=a&fingerprint=a', 'fingerprint'],
      ['metadata.a=b&metadata.a=b', 'query'],
      ['metadata.a=b&metadata.c=d', 'query'],
      ['metadata[a]=b&metadata.a=b', 'query'],
      ['metadata[a][b]=c', 'metadata[a][b]'],
      ['metadata=%7B%22a%22%3A%22b%22%2C%22c%22%3A%22d%22%7D', 'query'],
      ['type=token&metadata.a=b', 'query'],
      ['type=token&fingerprint=a', 'query'],
      ['id=one', 'id'],
      ['id=one&id=two', 'id'],
      ['page=1', 'page'],
      ['data=x', 'data'],
      ['metadata=x', 'metadata'],
      ['metadata=%5B%5D', 'metadata'],
      ['metadata=%7B%22a%22%3A1%7D', 'metadata'],
    ]) {
      expect([query, await listIds(`/v2/tokens?${query}`)]).toEqual([query, [400, member]])
    }
  })

  test('L-02 a metadata filter is accepted in three notations', async () => {
    const { listIds } = await startFilledListener()
    const json = encodeURIComponent(JSON.stringify({ 'customer.id': '3181' }))
    for (const query of ['metadata.customer.id=3181', 'metadata[customer.id]=3181', `metadata=${json}`]) {
      expect([query, await listIds(`/v2/tokens?${query}`)]).toEqual([query, ['one']])
    }
    expect(await listIds('/v2/tokens?metadata%5Bcustomer.id%5D=3182')).toEqual(['two'])
    const odd = encodeURIComponent('ü & =')
    expect(await listIds(`/v2/tokens?metadata.a%20b=${odd}`)).toEqual(['one'])
    expect(await listIds(`/v2/tokens?metadata.a+b=${odd}`)).toEqual(['one'])
    expect(await listIds('/v2/tokens?metadata.Customer.id=3181')).toEqual([])
    expect(await listIds('/v2/tokens?metadata.__proto__=3181')).toEqual([])
  })

  test('L-04 the list pages by cursor to the end', async () => {
    const { getPath } = await startFilledListener()
    const first = await getPath('/v2/tokens?size=2')
    expect(first.body.pagination).toEqual({ page_size: 2, next: expect.any(String) })
    const last = await getPath(`/v2/tokens?size=2&start=${first.body.pagination.next}`)
    expect(last.body.pagination).toEqual({ page_size: 2 })
    expect([...first.body.data, ...last.body.data].map((token: Token) => token.id)).toEqual([
      'three',
      'two',
      'one',
    ])
  })

  test('L-05 size must be an integer from 1 to 100, written in digits only', async () => {
    const { getPath } = await startFilledListener()
    for (const size of ['1', '100', '007'])
      expect((await getPath(`/v2/tokens?size=${size}`)).status).toBe(200)
    for (const size of ['0', '101', '-1', '1.0', '1e1', '+1', ' 1', '0x1', '', 'x', '99999999999999999999']) {
      const { status, body } = await getPath(`/v2/tokens?size=${encodeURIComponent(size)}`)
      expect([size, status, Object.keys(body.errors)]).toEqual([size, 400, ['size']])
    }
  })
})

describe('lists with numbered pages', () => {
  test('L-05 a strict listener accepts `start`, which has no effect', async () => {
    const { request, keys } = await startTestServer()
    for (const path of [
      'applications',
      'proxies',
      'reactors',
      'tenants/self/members',
      'tenants/self/invitations',
    ]) {
      const { status, body, headers } = await request('GET', `/${path}?start=abc&page=99`, {
        key: keys.management,
      })
      expect([path, status, body.data, headers.get('Coffer-Ignored')]).toEqual([path, 200, [], null])
    }
    expect((await request('GET', '/tokens?start=abc', { key: keys.private })).status).toBe(200)
  })

  test('K-04 the keys of an application can be filtered by id and type', async () => {
    const { request, keys, createApplication } = await startTestServer()
    const { id, keys: own } = await createApplication()
    const listIds = async (query: string) => {
      const { body } = await request('GET', `/applications/${id}/keys?${query}`, { key: keys.management })
      return body.errors ?? body.data.map((key: { id: string }) => key.id)
    }
    const other = '00000000-0000-4000-8000-000000000000'
    const [first] = own
    const second = (await request('POST', `/applications/${id}/keys`, { key: keys.management })).body.id
    expect(await listIds('')).toEqual([second, first?.id])
    expect(await listIds(`id=${first?.id}`)).toEqual([first?.id])
    expect(await listIds(`id=${first?.id}&id=${second}&id=${other}`)).toEqual([second, first?.id])
    expect(await listIds(`id=${other}`)).toEqual([])
    expect(await listIds('type=private&type=public&size=1&page=2')).toEqual([first?.id])
    expect(await listIds('type=management')).toEqual([])
    expect(Object.keys(await listIds('__proto__=1'))).toEqual(['__proto__'])
  })

  test('L-05 K-02 applications can be filtered by several ids, and a page past the end is empty', async () => {
    const { vault, request } = await startFilledListener()
    const management = await vault.application({ type: 'management', permissions: ['application:read'] })
    const listApplications = async (query: string) =>
      (await request('GET', `/applications?${query}`, { key: management.key })).body
    const { data } = await listApplications('')
    const [newest, oldest] = data
    expect(newest.id).toBe(management.id)
    expect((await listApplications(`id=${oldest.id}&id=${newest.id}`)).data).toEqual(data)
    expect((await listApplications('type=private')).data).toEqual([oldest])
    expect((await listApplications('type=private&type=management&size=1&page=2')).data).toEqual([oldest])
    expect(await listApplications('page=9&size=5')).toEqual({
      pagination: { total_items: 2, page_number: 9, page_size: 5, total_pages: 1 },
      data: [],
    })
    for (const page of [1_000_001, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(await listApplications(`page=${page}&size=100`)).toEqual({
        pagination: { total_items: 2, page_number: page, page_size: 100, total_pages: 1 },
        data: [],
      })
    }
    expect((await listApplications('page=9007199254740992')).errors).toEqual({
      page: ['must be at most 9,007,199,254,740,991'],
    })
    expect(Object.keys((await listApplications('page=0&size=0')).errors)).toEqual(['page', 'size'])
    expect(Object.keys((await listApplications('page=1&page=2')).errors)).toEqual(['page'])
  })

  test('L-06 L-07 GET /tokens and POST /tokens/search have deprecation headers', async () => {
    const { getPath, request, key } = await startFilledListener()
    const responses = [await getPath('/tokens'), await request('POST', '/tokens/search', { key, body: {} })]
    const successors = [
      '</v2/tokens>; rel="successor-version"',
      '</v2/tokens/search>; rel="successor-version"',
    ]
    for (const [at, { status, headers, body }] of responses.entries()) {
      expect(status).toBe(200)
      expect(body.pagination.total_items).toBe(3)
      expect(headers.get('link')).toBe(successors[at])
      expect(headers.get('deprecation')).toBe(`@${Date.parse('2025-01-03') / 1000}`)
      expect(headers.get('sunset')).toBe('Sat, 01 Mar 2025 00:00:00 GMT')
    }
    expect((await getPath('/v2/tokens')).headers.get('deprecation')).toBeNull()
  })

  test('L-10 deprecated lists give 410 if the tenant disables them, and regenerating a key always does', async () => {
    const { vault, getPath, request, key } = await startFilledListener()
    await vault.owner.tenants.update({ name: 'x', settings: { deprecated_operations: 'gone' } })
    const responses = [
      await getPath('/tokens'),
      await request('POST', '/tokens/search', { key, body: {} }),
      await request('POST', '/applications/any/regenerate', { key }),
    ]
    expect(responses.map((response) => [response.status, response.body.status])).toEqual([
      [410, 410],
      [410, 410],
      [410, 410],
    ])
    expect(responses[2]?.body.detail).toContain('/applications/{id}/keys')
    expect((await getPath('/v2/tokens')).status).toBe(200)
    await vault.owner.tenants.update({ name: 'x', settings: { deprecated_operations: null } })
    expect((await getPath('/tokens')).status).toBe(200)
  })
})

test('X-65 L-05 proxies and reactors too large for a page can be listed in smaller pages', async () => {
  const { owner } = openBriefVault()
  const configuration = Object.fromEntries(
    Array.from({ length: 25 }, (_, at) => [`k${at}`, 'é'.repeat(10_000)]),
  )
  const destination_url = 'https://echo.coffer.test'
  for (let at = 0; at < 11; at++) {
    await owner.proxies.create({ name: `p${at}`, destination_url, configuration })
    await owner.reactors.create({ name: `r${at}`, code: 'x', configuration })
  }
  for (const { list } of [owner.proxies, owner.reactors]) {
    expect(await catchProblem(list({ size: 100 }))).toMatchObject({
      status: 400,
      errors: { size: expect.any(Array) },
    })
    const { items, total } = await fetchEveryItem<{ name: string }>((page) => list(page))
    expect([items.length, total]).toEqual([11, 11])
    expect(new Set(items.map(({ name }) => name)).size).toBe(11)
  }
})

test('X-65 the runtime of a reactor has at most 16,384 characters, even after a patch', async () => {
  const { owner } = openBriefVault()
  const errors = { runtime: ['must have at most 16384 characters as JSON'] }
  const createResolutions = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, '1'.repeat(150)]))
  const runtime = { resolutions: createResolutions('a', 95) }
  const { id } = await owner.reactors.create({ name: 'r', code: 'x', runtime })
  expect(
    await catchProblem(owner.reactors.patch({ id, runtime: { resolutions: createResolutions('b', 20) } })),
  ).toMatchObject({
    status: 400,
    errors,
  })
  expect((await owner.reactors.get({ id })).runtime).toEqual(runtime)
})
