import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv } from './in-process.ts'
import { startServe } from './run-coffer.ts'

const unix = test.runIf(process.platform !== 'win32')

unix('a context selects a server for the next commands, or for one', async () => {
  const dataDir = createTempFolder()
  const runCoffer = (env: Record<string, string>, ...args: string[]) =>
    runWithEnv({ COFFER_DATA_DIR: dataDir, ...env }, ...args)
  const addServer = async (name: string) => {
    const served = await startServe(createTempFolder(), {}, '--ephemeral').json()
    const file = path.join(dataDir, `${name}.env`)
    const lines = [`COFFER_BASE_URL=${served.url}`, `COFFER_API_KEY=${served.keys.private}`, 'COFFER_PORT=1']
    fs.writeFileSync(file, lines.join('\n'))
    expect((await runCoffer({}, 'context', 'add', name, '--env-file', file)).code).toBe(0)
    return served
  }
  const servers = [await addServer('one'), await addServer('staging')]
  const getTenant = async (env: Record<string, string> = {}) => {
    const { out } = await runCoffer(env, 'api', '/tokens', '-f', 'type=token', '-f', 'data=1', '--json')
    return JSON.parse(out).body?.tenant_id
  }
  expect(await getTenant()).toBeUndefined()
  await runCoffer({}, 'context', 'use', 'one')
  expect(await getTenant()).toBe(servers[0].tenant_id)
  expect(await getTenant({ COFFER_CONTEXT: 'staging' })).toBe(servers[1].tenant_id)
  expect((await runCoffer({}, 'context', 'list')).out).toMatch(
    /^one {6}current {2}.*one\.env\nstaging {11}.*staging\.env\n$/,
  )
  expect((await runCoffer({}, 'context', 'use', 'stagin')).error).toMatch(
    /no such context.*Did you mean staging\?$/,
  )
  expect((await runCoffer({ COFFER_CONTEXT: 'three' }, 'status')).error).toMatch(/no such context/)
  // Nothing of a context is copied.
  expect(fs.readFileSync(path.join(dataDir, 'contexts.json'), 'utf8')).not.toContain('key_local')
  await runCoffer({}, 'context', 'remove', 'one')
  expect(await getTenant()).toBeUndefined()
})

test('a context needs a file with variables, and a damaged list is reported', async () => {
  const dataDir = createTempFolder()
  const env = { COFFER_DATA_DIR: dataDir }
  const file = path.join(dataDir, 'empty.env')
  fs.writeFileSync(file, 'COFFER_PASSPHRASE=x\n')
  expect((await runWithEnv(env, 'context', 'add', 'x', '--env-file', file)).error).toMatch(
    /sets none of COFFER_BASE_URL/,
  )
  expect((await runWithEnv(env, 'context', 'add', 'x', '--env-file', `${file}.no`)).error).toMatch(
    /cannot be read/,
  )
  expect((await runWithEnv(env, 'context', 'add', 'a b', '--env-file', file)).code).toBe(2)
  fs.writeFileSync(path.join(dataDir, 'contexts.json'), '{')
  expect((await runWithEnv(env, 'status')).error).toMatch(/contexts\.json cannot be read\. Delete it/)
})
