import { expect, test } from 'vitest'
import { fetchEveryItem } from '../../shared/every-item.ts'
import { catchProblem, openBriefVault } from '../vault.ts'
import { startTestServer } from './test-server.ts'

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
