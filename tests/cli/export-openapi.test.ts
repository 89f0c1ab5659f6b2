import fs from 'node:fs'
import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { tempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'

async function exported(...args: string[]): Promise<string> {
  const out = path.join(tempFolder(), 'out')
  await buildProgram('1.2.3').parseAsync(['node', 'coffer', 'export-openapi', '--out', out, ...args])
  return fs.readFileSync(out, 'utf8')
}

test('the interface is written as a valid document, for the base URL asked for', async () => {
  const document = JSON.parse(await exported('--url', 'http://127.0.0.1:5000'))
  expect(document.servers).toEqual([{ url: 'http://127.0.0.1:5000' }])
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
})

test('A-16 without a base URL it is that of the port in the settings', async () => {
  const dataDir = tempFolder()
  vi.stubEnv('COFFER_DATA_DIR', dataDir)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(JSON.parse(await exported()).servers).toEqual([{ url: 'http://127.0.0.1:4747' }])
  fs.writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify({ settings: { port: 5001 } }))
  expect(JSON.parse(await exported()).servers).toEqual([{ url: 'http://127.0.0.1:5001' }])
  expect(JSON.parse(await exported('--url', 'http://127.0.0.1:5002')).servers[0].url).toContain('5002')
})

test('to a file named - it goes to standard output', async () => {
  const { out, code } = await runCommandLine('export-openapi', '--out', '-')
  expect(code).toBe(0)
  expect(JSON.parse(out).openapi).toMatch(/^3\./)
})

test('and as collections of requests', async () => {
  expect(await exported('--format', 'http')).toMatch(/^@url = http:\/\/127\.0\.0\.1:4747\n/)
  expect(JSON.parse(await exported('--format', 'postman')).info.schema).toContain('/v2.1.0/')
})
