import { BasisTheory, BasisTheoryClient } from '@basis-theory/node-sdk'
import { expect, test } from 'vitest'
import { waitFor } from '../../wait-for.ts'
import { awaitRejection, startClientServer } from './start.ts'

async function startUpdater() {
  const { vault, url } = await startClientServer()
  const permissions = [
    ...(['token:create', 'token:read', 'account-updater:real-time:invoke'] as const),
    ...(['account-updater:job:create', 'account-updater:job:read'] as const),
  ]
  const { key } = await vault.application({ permissions })
  const client = new BasisTheoryClient({ apiKey: key, environment: url, maxRetries: 0 })
  const data = { number: '4111111111111111', expiration_month: 12, expiration_year: 2023 }
  const { id = '' } = await client.tokens.create({ type: 'card', data })
  return { client, vault, id }
}

test('Z-03 node-sdk 5: a card is updated in real time', async () => {
  const { client, id } = await startUpdater()
  const { realTime } = client.accountUpdater
  const answer = await realTime.invoke({ tokenId: id, expirationYear: 2030, deduplicateToken: false })
  expect(answer).toMatchObject({
    resultCode: 'UPD_PAN',
    newToken: { type: 'card', data: { number: 'XXXXXXXXXXXX6746', expiration_year: 2030 } },
  })
  const missing = await awaitRejection(realTime.invoke({ tokenId: 'nothing' }))
  expect(missing).toBeInstanceOf(BasisTheory.BadRequestError)
})

test('Z-03 node-sdk 5: a job updates the cards of an uploaded file', async () => {
  const { client, id } = await startUpdater()
  const { jobs } = client.accountUpdater
  const job = await jobs.create({ resultVersion: '1.1', deduplicateTokens: false })
  expect(job).toMatchObject({ status: 'pending', expiresAt: new Date('2030-01-01T01:00Z') })
  const body = `token,expiration_year,expiration_month\r\n${id},30,02\r\nunknown,,\r\n`
  expect((await fetch(job.uploadUrl, { method: 'PUT', body })).status).toBe(200)
  await waitFor(async () => expect((await jobs.get(job.id)).status).toBe('completed'))
  const done = await jobs.get(job.id)
  expect(done).toMatchObject({ requests: 2, results: { UPD_PAN: 1, ERR_INVALID_TOKEN: 1 } })
  const result = await fetch(done.downloadUrl ?? '')
  expect(result.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect((await result.text()).split('\n')).toEqual([
    expect.stringMatching(/^token,.*,result_code,new_fingerprint,new_brand$/),
    expect.stringContaining(`${id},30,02,`),
    'unknown,,,,,,ERR_INVALID_TOKEN,,',
    '',
  ])
  const second = await jobs.create()
  const page = await jobs.list({ size: 1 })
  expect(page.data.map((each) => each.id)).toEqual([second.id])
  const rest = await jobs.list({ size: 1, start: page.pagination.next ?? '' })
  expect(rest.data.map((each) => each.id)).toEqual([job.id])
  expect(await awaitRejection(jobs.get('nothing'))).toBeInstanceOf(BasisTheory.NotFoundError)
})

test('Z-03 X-08 the URL of a file serves nobody who cannot know it, once, and within bounds', async () => {
  const { client, id } = await startUpdater()
  const { uploadUrl } = await client.accountUpdater.jobs.create()
  const uploadFile = async (url: string, body: string, type?: string) => {
    const headers: HeadersInit = type === undefined ? {} : { 'Content-Type': type }
    return (await fetch(url, { method: 'PUT', body, headers })).status
  }
  const base = uploadUrl.slice(0, uploadUrl.lastIndexOf('/uploads'))
  expect(await uploadFile(`${base}/uploads/unknown`, 'token\n', 'text/csv')).toBe(404)
  expect(await uploadFile(uploadUrl, `token\n${'a'.repeat(2001)}`, 'text/csv')).toBe(400)
  expect(await uploadFile(uploadUrl, `${'a'.repeat(1023)}\n`.repeat(31 * 1024))).toBe(413)
  // A failed upload can be repeated, but not one that has succeeded.
  expect(await uploadFile(uploadUrl, `token\n${id}`, 'text/csv')).toBe(200)
  expect(await uploadFile(uploadUrl, `token\n${id}`, 'text/csv')).toBe(409)
  const key = uploadUrl.slice(uploadUrl.lastIndexOf('/') + 1)
  expect((await fetch(`${base}/downloads/${key}`)).status).toBe(404)
})

test('Z-03 a file that is uploaded twice at once is not mixed', async () => {
  const { client } = await startUpdater()
  const { id, uploadUrl } = await client.accountUpdater.jobs.create()
  const uploadRows = async (name: string) => {
    const body = `token\n${`${name.repeat(20)}\n`.repeat(20_000)}`
    return (await fetch(uploadUrl, { method: 'PUT', body })).status
  }
  const statuses = await Promise.all(['a', 'b', 'c'].map(uploadRows))
  expect(statuses.toSorted()).toEqual([200, 409, 409])
  const { jobs } = client.accountUpdater
  await waitFor(async () => expect((await jobs.get(id)).status).toBe('completed'))
  const result = await (await fetch((await jobs.get(id)).downloadUrl ?? '')).text()
  const names = result
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.charAt(0))
  expect([names.length, new Set(names).size]).toEqual([20_000, 1])
})

test('Z-03 X-50 requests with an unknown URL of a file leave no record', async () => {
  const { client, vault } = await startUpdater()
  const { uploadUrl } = await client.accountUpdater.jobs.create()
  const base = uploadUrl.slice(0, uploadUrl.lastIndexOf('/uploads'))
  const countRecords = async () =>
    (await vault.owner.logs.list({ entity_type: 'account_updater_job' })).data.length
  const before = await countRecords()
  const put = await fetch(`${base}/uploads/unknown`, { method: 'PUT', body: 'token\n' })
  const get = await fetch(`${base}/downloads/unknown`)
  expect([put.status, get.status]).toEqual([404, 404])
  expect(await put.json()).toMatchObject({ code: 'not_found', detail: 'There is no such file.' })
  expect(await countRecords()).toBe(before)
})
