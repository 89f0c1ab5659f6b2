import { expect, test } from 'vitest'
import { migrations } from '../../../electron/engine/db/migrations.ts'
import { processJobs } from '../../../electron/http/account-updater/process-jobs.ts'
import { countRows } from '../../rows.ts'
import { undoMigrations } from '../../undo-migrations.ts'
import { catchProblem, openBriefVault, openVault } from '../../vault.ts'
import type { TestVault } from '../vault-helpers.ts'
import { openWithWebhook } from '../webhooks/received-events.ts'

const minute = 60 * 1000
const expiry = { expiration_month: 12, expiration_year: 2023 }
const may = ['token:create', 'token:read', 'account-updater:job:create', 'account-updater:job:read'] as const

function createUpdater(vault: TestVault) {
  return vault.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: [...may] }],
  })
}

const takeKey = (url = '') => url.slice(url.lastIndexOf('/') + 1)

/** Uploads a file for a job and processes it. Returns the lines of its results. */
async function runJob(
  { owner }: TestVault,
  { id, upload_url }: { id: string; upload_url: string },
  file: string[],
) {
  const jobs = owner.accountUpdaterJobs
  const upload_key = takeKey(upload_url)
  await jobs.putPart({ upload_key, number: 0, lines: file.slice(0, 2) })
  await jobs.putPart({ upload_key, number: 1, lines: file.slice(2) })
  await jobs.completeUpload({ upload_key, parts: 2 })
  while (!(await jobs.updateSome({ id })).is_done);
  const { download_url } = await jobs.get({ id })
  if (download_url === undefined) return []
  let text = ''
  for (let from: number | null = 0; from !== null; ) {
    const results = await jobs.readResults({ download_key: takeKey(download_url), from })
    text += results.text
    from = results.next
  }
  return text.trimEnd().split('\n')
}

test('Z-03 a job updates the cards of a file with the rights of its application', async () => {
  const types = ['created', 'completed', 'failed'].map((each) => `account-updater.job.${each}`)
  const { vault, takeEvents } = await openWithWebhook(types)
  const { client, id: by } = await createUpdater(vault)
  const createCard = async (number: string, data: object = expiry, containers = ['/pci/high/']) => {
    const input = { type: 'card', data: { number, ...data }, containers } as const
    return (await client.tokens.create(input)).id
  }
  const merchant = await vault.owner.merchants.create({ tenant_id: 'self', name: 'Shop' })
  const visa = await createCard('4111111111111111')
  const discover = await createCard('6011601160116611')
  const current = await createCard('4242424242424242')
  const bare = await createCard('5555555555554444', {})
  const text = await client.tokens.create({ type: 'token', data: 'x' })
  const job = await client.accountUpdaterJobs.create({ result_version: '1.2', merchant_id: merchant.id })
  expect(job).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenant_id: vault.engine.tenant_id,
    status: 'pending',
    upload_url: expect.stringMatching(/\/account-updater\/uploads\/[\w-]{43}$/),
    created_by: by,
    created_at: '2030-01-01T00:00:00.000+00:00',
    expires_at: '2030-01-01T01:00:00.000+00:00',
  })
  const lines = await runJob(vault, job, [
    'token,expiration_year,expiration_month,merchant_id\r',
    `${visa},30,02,\r`,
    `${discover},,,${merchant.id}`,
    `"${current}",2030,2`,
    bare,
    `${bare},30,1`,
    `${visa},30,13`,
    `${visa},,,nobody`,
    `${text.id},30,1`,
    'unknown,30,1',
    '',
  ])
  expect(lines).toEqual([
    'token,expiration_year,expiration_month,new_token,new_expiration_year,new_expiration_month,result_code,new_fingerprint,new_brand,new_last4',
    expect.stringMatching(new RegExp(`^${visa},30,02,[0-9a-f-]{36},30,02,UPD_PAN,\\w+,(visa)?,6746$`)),
    expect.stringMatching(new RegExp(`^${discover},,,[0-9a-f-]{36},26,12,UPD_PAN,\\w+,(discover)?,6445$`)),
    `${bare},,,,,,ERR_INVALID_EXP_DATE,,,`,
    expect.stringMatching(new RegExp(`^${bare},30,1,[0-9a-f-]{36},30,01,UPD_PAN,\\w+,(mastercard)?,5454$`)),
    `${visa},30,13,,,,ERR_INVALID_EXP_DATE,,,`,
    `${visa},,,,,,ERR_INVALID_CONFIG,,,`,
    `${text.id},30,1,,,,ERR_INVALID_TOKEN,,,`,
    'unknown,30,1,,,,ERR_INVALID_TOKEN,,,',
  ])
  const done = await client.accountUpdaterJobs.get({ id: job.id })
  expect(done).not.toHaveProperty('expires_at')
  expect(done).toMatchObject({
    status: 'completed',
    requests: 9,
    results: {
      UPD_PAN: 3,
      NO_UPDATE: 1,
      ERR_INVALID_EXP_DATE: 2,
      ERR_INVALID_CONFIG: 1,
      ERR_INVALID_TOKEN: 2,
    },
    download_url: expect.stringMatching(/\/account-updater\/downloads\/[\w-]{43}$/),
  })
  const created = await client.tokens.get({ id: lines[1]?.split(',')[3] ?? '' })
  expect(created).toMatchObject({
    created_by: by,
    data: { number: '4166676667666746', expiration_month: 2, expiration_year: 2030 },
  })
  expect(takeEvents().map(({ type, data }) => [type, data.job])).toEqual([
    ['account-updater.job.created', { id: job.id, status: 'pending' }],
    ['account-updater.job.completed', { id: job.id, status: 'completed' }],
  ])
  const again = vault.owner.accountUpdaterJobs.completeUpload({
    upload_key: takeKey(job.upload_url),
    parts: 1,
  })
  expect((await catchProblem(again)).status).toBe(409)
})

test('Z-03 X-15 a job reaches only the tokens of its application, and fails without it', async () => {
  const vault = openBriefVault()
  const { client } = await createUpdater(vault)
  const { id } = await client.tokens.create({ type: 'card', data: { number: '4111111111111111', ...expiry } })
  const elsewhere = await vault.application({
    rules: [{ priority: 1, container: '/else/', transform: 'reveal', permissions: [...may] }],
  })
  const job = await elsewhere.client.accountUpdaterJobs.create({})
  expect(await runJob(vault, job, ['token', id])).toEqual([
    expect.stringContaining('token,'),
    `${id},,,,,,ERR_INVALID_TOKEN`,
  ])
  const other = await elsewhere.client.accountUpdaterJobs.create({})
  await vault.owner.applications.remove({ id: elsewhere.id })
  expect(await runJob(vault, other, ['token', id])).toEqual([])
  const { status, errors } = await client.accountUpdaterJobs.get({ id: other.id })
  expect([status, errors]).toEqual(['failed', ['The application that created the job no longer exists.']])
  const nameless = await client.accountUpdaterJobs.create({})
  await runJob(vault, nameless, ['card', id])
  expect(await client.accountUpdaterJobs.get({ id: nameless.id })).toMatchObject({
    status: 'failed',
    errors: ['The first line must name the column token.'],
    requests: 0,
  })
})

test('Z-03 a job expires an hour after its creation, and its results after thirty days', async () => {
  const { vault, takeEvents } = await openWithWebhook(['account-updater.job.failed'])
  const { accountUpdaterJobs: jobs } = vault.owner
  const pending = await jobs.create({})
  const done = await jobs.create({ deduplicate_tokens: true })
  const stalled = await jobs.create({})
  await runJob(vault, done, ['token', 'a'])
  await jobs.putPart({ upload_key: takeKey(stalled.upload_url), number: 0, lines: ['token', 'a'] })
  await jobs.completeUpload({ upload_key: takeKey(stalled.upload_url), parts: 1 })
  const listIds = async (input = {}) => (await jobs.list(input)).data.map(({ id }) => id)
  expect(await listIds()).toEqual([stalled.id, done.id, pending.id])
  const first = await jobs.list({ size: 2 })
  expect(await listIds({ start: first.pagination.next })).toEqual([pending.id])
  vault.clock.advance(60 * minute)
  expect((await catchProblem(jobs.get({ id: pending.id }))).status).toBe(404)
  const late = jobs.putPart({ upload_key: takeKey(pending.upload_url), number: 0, lines: [] })
  expect((await catchProblem(late)).status).toBe(404)
  // Nobody has processed the rows, as after a vault was closed.
  await vault.engine.sweeper.sweep()
  expect(await jobs.get({ id: stalled.id })).toMatchObject({ status: 'failed', requests: 0 })
  expect(takeEvents().map(({ data }) => data.job)).toEqual([{ id: stalled.id, status: 'failed' }])
  expect(await listIds()).toEqual([stalled.id, done.id])
  for (let day = 0; day < 30; day += 5) {
    vault.clock.advance(5 * 24 * 60 * minute)
    await vault.engine.sweeper.sweep()
  }
  vault.clock.advance(60 * minute)
  await vault.engine.sweeper.sweep()
  expect(await listIds()).toEqual([])
  expect(countRows(vault).account_updater_part).toBe(0)
})

test('Z-03 a job that was interrupted continues when the vault is opened again, or fails after ten minutes', async () => {
  const vault = openVault()
  const startJob = async () => {
    const { id, upload_url } = await vault.owner.accountUpdaterJobs.create({})
    const upload_key = takeKey(upload_url)
    for (const [number, line] of ['token', 'a', 'b'].entries())
      await vault.owner.accountUpdaterJobs.putPart({ upload_key, number, lines: [line] })
    await vault.owner.accountUpdaterJobs.completeUpload({ upload_key, parts: 3 })
    return id
  }
  const readJob = (id: string) => vault.owner.accountUpdaterJobs.get({ id })
  const continued = await startJob()
  const stalled = await startJob()
  // The line with the columns, and one row.
  for (let step = 0; step < 2; step++) await vault.owner.accountUpdaterJobs.updateSome({ id: continued })
  vault.engine.close()
  vault.clock.advance(24 * 60 * minute)
  vault.reopen()
  await vault.engine.sweeper.sweep()
  expect(await vault.owner.accountUpdaterJobs.listInterrupted({})).toEqual({ ids: [continued, stalled] })
  await processJobs(() => vault.owner.accountUpdaterJobs, [continued])
  expect(await readJob(continued)).toMatchObject({ status: 'completed', requests: 2 })
  vault.clock.advance(11 * minute)
  await vault.engine.sweeper.sweep()
  expect(await readJob(stalled)).toMatchObject({
    status: 'failed',
    errors: [expect.stringContaining('Create')],
  })
  vault.engine.close()
  await processJobs(() => vault.owner.accountUpdaterJobs)
})

test('Z-03 a vault of the format before the account updater gets it', async () => {
  const vault = openVault()
  vault.engine.close()
  undoMigrations(
    vault,
    migrations.findIndex(({ name }) => name === 'account updater'),
  )
  vault.reopen()
  expect((await vault.owner.accountUpdaterJobs.create({})).status).toBe('pending')
})
