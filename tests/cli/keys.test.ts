import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')

unix('K-03 keys of an application are created with permissions, replaced and deleted', async () => {
  const dataDir = createTempFolder()
  const { url } = await startServe(dataDir, {}, '--ephemeral').json()
  const runCoffer = (...args: string[]) =>
    runWithEnv({ COFFER_DATA_DIR: dataDir }, ...args, '--ephemeral', '--json')
  const getStatus = async (key: string) =>
    (await fetch(`${url}/applications/key`, { headers: { 'BT-API-KEY': key } })).status
  const rules = ['--rule', '/pci/ mask token:read,token:search', '/ redact token:read']
  const created = JSON.parse(
    (await runCoffer('keys', 'create', '--type', 'private', '--name', 'Reports', ...rules)).out,
  )
  const { out } = await runCoffer('api', `/applications/${created.id}`)
  expect(JSON.parse(out).body).toMatchObject({
    permissions: [],
    rules: [
      { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read', 'token:search'] },
      { priority: 2, container: '/', transform: 'redact' },
    ],
  })
  const kept = JSON.parse((await runCoffer('keys', 'replace', 'Reports', '--keep')).out)
  expect(await Promise.all([created.key, kept.key].map(getStatus))).toEqual([200, 200])
  const next = JSON.parse((await runCoffer('keys', 'replace', 'Reports')).out)
  expect(next).toMatchObject({ id: created.id, name: 'Reports', deleted: 2 })
  expect(await Promise.all([created.key, kept.key, next.key].map(getStatus))).toEqual([401, 401, 200])

  expect((await runCoffer('keys', 'delete', 'Reports')).error).toBe('Nothing was changed. Add --yes.')
  expect((await runCoffer('keys', 'delete', 'Report', '--yes')).error).toMatch(/Did you mean Reports\?$/)
  expect((await runCoffer('keys', 'delete', 'Reports', '--key-id', next.key_id, '--yes')).code).toBe(0)
  expect(await getStatus(next.key)).toBe(401)
  expect((await runCoffer('keys', 'delete', created.id, '--yes')).code).toBe(0)
  expect((await runCoffer('keys', 'delete', 'Reports', '--yes')).code).toBe(1)
  const last = await runWithEnv(
    { COFFER_DATA_DIR: dataDir },
    'keys',
    'delete',
    'Management',
    '--ephemeral',
    '--yes',
  )
  expect(last.notes).toMatch(/^No management key is left\. Create one with: /)
})

test.each([
  [['--permission', 'token:raed'], /--permission.* is not a permission; GET \/permissions lists them/],
  [['--rule', '/pci/ mask'], /^--rule is 'CONTAINER TRANSFORM PERMISSIONS'/],
  [['--rule', '/pci/ hide token:read'], /--rule.*transform/],
])('coffer keys create refuses %j', async (words, sentence) => {
  const env = { COFFER_DATA_DIR: createTempFolder() }
  expect((await runWithEnv(env, 'keys', 'create', '--type', 'private', ...words)).error).toMatch(sentence)
})
