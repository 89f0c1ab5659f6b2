import fs from 'node:fs'
import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { startCoffer } from './run-coffer.ts'

async function exportDocument(...args: string[]): Promise<string> {
  const out = path.join(createTempFolder(), 'out')
  await buildProgram('1.2.3').parseAsync(['node', 'coffer', 'export-openapi', '--out', out, ...args])
  return fs.readFileSync(out, 'utf8')
}

test('the OpenAPI document is valid and has the requested base URL', async () => {
  const document = JSON.parse(await exportDocument('--url', 'http://127.0.0.1:5000'))
  expect(document.servers).toEqual([{ url: 'http://127.0.0.1:5000' }])
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
})

test('A-16 the document’s default base URL has the port from the settings', async () => {
  const dataDir = createTempFolder()
  vi.stubEnv('COFFER_DATA_DIR', dataDir)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(JSON.parse(await exportDocument()).servers).toEqual([{ url: 'http://127.0.0.1:4747' }])
  fs.writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify({ settings: { port: 5001 } }))
  expect(JSON.parse(await exportDocument()).servers).toEqual([{ url: 'http://127.0.0.1:5001' }])
  expect(JSON.parse(await exportDocument('--url', 'http://127.0.0.1:5002')).servers[0].url).toContain('5002')
})

test('export-openapi --out - writes to standard output', async () => {
  const { out, code } = await runCommandLine('export-openapi', '--out', '-')
  expect(code).toBe(0)
  expect(JSON.parse(out).openapi).toMatch(/^3\./)
})

test('export-openapi writes collections for HTTP clients and Postman', async () => {
  expect(await exportDocument('--format', 'http')).toMatch(/^@url = http:\/\/127\.0\.0\.1:4747\n/)
  expect(JSON.parse(await exportDocument('--format', 'postman')).info.schema).toContain('/v2.1.0/')
})

test.runIf(process.platform !== 'win32')(
  'a collection contains an in-memory vault’s keys only for that vault’s URL',
  async () => {
    const dataDir = path.join(createTempFolder(), 'data')
    vi.stubEnv('COFFER_DATA_DIR', dataDir)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { url, keys } = await startCoffer([
      'serve',
      '--ephemeral',
      '--port',
      '0',
      '--json',
      '--data-dir',
      dataDir,
    ]).json()
    const http = await runCommandLine('export-openapi', '--format', 'http', '--url', url)
    expect(http.out).toContain(`@private_key = ${keys.private}\n@management_key = ${keys.management}\n`)
    expect(http.notes).toContain('include the keys of the in-memory vault')
    const postman = await runCommandLine('export-openapi', '--format', 'postman', '--url', url)
    expect(JSON.parse(postman.out).variable).toContainEqual({ key: 'public_key', value: keys.public })
    const openapi = await runCommandLine('export-openapi', '--url', url)
    const elsewhere = await runCommandLine(
      'export-openapi',
      '--format',
      'http',
      '--url',
      'http://127.0.0.1:1',
    )
    for (const { out, notes } of [openapi, elsewhere]) {
      for (const key of Object.values(keys)) expect(out).not.toContain(key)
      expect(notes).toBe('')
    }
  },
)
