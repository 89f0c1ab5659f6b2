import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { startServe } from './run-coffer.ts'

const ROWS = 60_000

test('Z-03 X-24 kill -9 during a job of the account updater: it continues after the restart, with every row once', async () => {
  const dataDir = createTempFolder()
  const startCoffer = async () => {
    const coffer = startServe(dataDir, { COFFER_PASSPHRASE: 'correct horse battery staple' }, '--no-console')
    return { coffer, ...(await coffer.json()) }
  }
  const { coffer, url, keys } = await startCoffer()
  const headers = { 'SVC-API-KEY': keys.private }
  const created = await fetch(`${url}/account-updater/jobs`, { method: 'POST', headers })
  const { id, upload_url } = await created.json()
  const readJob = async (base: string) =>
    (await fetch(`${base}/account-updater/jobs/${id}`, { headers })).json()
  const rows = Array.from({ length: ROWS }, (_, at) => `row-${at}`)
  await fetch(upload_url, { method: 'PUT', body: ['token', ...rows].join('\n') })
  let seen = { status: 'pending', requests: 0 }
  while (seen.requests === 0) seen = await readJob(url)
  coffer.signal('SIGKILL')
  expect(seen).toMatchObject({ status: 'processing', requests: expect.toSatisfy((count) => count < ROWS) })
  await coffer.ended

  const again = await startCoffer()
  await expect
    .poll(() => readJob(again.url))
    .toMatchObject({
      status: 'completed',
      requests: ROWS,
      results: { ERR_INVALID_TOKEN: ROWS },
    })
  const { download_url } = await readJob(again.url)
  const [, ...lines] = (await (await fetch(download_url)).text()).trimEnd().split('\n')
  expect(lines.map((line) => line.split(',')[0])).toEqual(rows)
}, 120_000)
