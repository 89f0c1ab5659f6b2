import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../vault.ts'
import { startCoffer } from './run-coffer.ts'

test('backup of a vault that is served, verify, and restore elsewhere by the recovery key alone', async () => {
  const folder = tempFolder()
  const dataDir = path.join(folder, 'data')
  const COFFER_PASSPHRASE = 'correct horse'
  const serve = startCoffer(['serve', '--data-dir', dataDir, '--port', '0', '--json'], { COFFER_PASSPHRASE })
  const { url, keys, recovery_key } = await serve.json()
  const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ type: 'token', data: 'kept' })
  const token = (await (await fetch(`${url}/tokens`, { method: 'POST', headers, body })).json()) as {
    id: string
  }

  const file = path.join(folder, 'out.coffer-backup')
  const backup = startCoffer(['backup', '--data-dir', dataDir, '--out', file, '--json'], {
    COFFER_PASSPHRASE,
  })
  expect(await backup.json()).toMatchObject({ file, name: 'default', reason: 'asked' })
  expect(await backup.ended).toBe(0)
  expect((await fetch(`${url}/tokens/${token.id}`, { headers })).status).toBe(200)
  serve.stop()

  const verify = startCoffer(['verify', file])
  expect(await verify.line(/checksum is correct/)).toContain(file)
  const elsewhere = path.join(folder, 'elsewhere')
  const secrets = { COFFER_PASSPHRASE: recovery_key, COFFER_NEW_PASSPHRASE: 'battery staple' }
  const restore = startCoffer(['restore', file, '--data-dir', elsewhere, '--json'], secrets)
  expect(await restore.json()).toMatchObject({ name: 'default', protection: 'passphrase' })
  expect(await restore.ended).toBe(0)
  const again = startCoffer(['serve', '--data-dir', elsewhere, '--port', '0', '--json'], {
    COFFER_PASSPHRASE: 'battery staple',
  })
  const there = await again.json()
  const found = await fetch(`${there.url}/tokens/${token.id}`, { headers })
  expect(await found.json()).toMatchObject({ id: token.id, data: 'kept' })

  fs.truncateSync(file, fs.statSync(file).size - 1)
  const damaged = startCoffer(['verify', file])
  expect(await damaged.line(/is a damaged backup: it is cut off/)).toMatch(/^coffer: /)
  expect(await damaged.ended).toBe(1)
})
