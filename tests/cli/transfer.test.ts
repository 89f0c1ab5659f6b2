import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'

test('import, export and push by command: mapped in, masked out, in clear only when confirmed', async () => {
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse battery staple')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    process.exitCode = undefined
  })
  const folder = tempFolder()
  const file = (name: string) => path.join(folder, name)
  const run = (...args: string[]) => runCommandLine(...args, '--data-dir', file('data'))
  fs.writeFileSync(file('cards.csv'), 'pan,who\n4242424242424242,ada\n4242424242424241,bob\n')
  fs.writeFileSync(file('map.yaml'), 'type: card_number\ndata: $pan\nmetadata: { who: $who }\n')
  await run('init', '--json')

  expect((await run('import', file('cards.csv'))).error).toBe('A CSV file needs --map.')
  const nowhere = ['--report', file('none/refused')]
  expect((await run('import', file('cards.csv'), '--map', file('map.yaml'), ...nowhere)).error).toContain(
    'none/refused cannot be read or written',
  )
  fs.linkSync(file('cards.csv'), file('link'))
  const onto = ['--map', file('map.yaml'), '--report', file('link')]
  expect((await run('import', file('cards.csv'), ...onto)).error).toMatch(/would replace .*cards\.csv/)
  expect(fs.readFileSync(file('cards.csv'), 'utf8')).toContain('ada')
  const { error } = await runCommandLine('export-openapi', '--out', file('none/openapi.json'))
  expect(error).toContain('cannot be read or written')
  const imported = await run(
    'import',
    file('cards.csv'),
    '--map',
    file('map.yaml'),
    '--report',
    file('refused'),
  )
  expect(imported.out).toBe('1 tokens made, 1 lines refused, of 2 records\n')
  expect(process.exitCode).toBe(1)
  expect(JSON.parse(fs.readFileSync(file('refused'), 'utf8'))).toMatchObject({ line: 3 })

  await run('export', '--out', file('masked.ndjson'))
  expect(fs.readFileSync(file('masked.ndjson'), 'utf8')).toContain('XXXXXXXXXXXX4242')
  const clear = ['export', '--out', file('clear.ndjson'), '--clear']
  expect((await run(...clear)).error).toContain('--confirm default')
  expect((await run(...clear, '--confirm', 'other')).error).toContain('not the name of the vault')
  expect(fs.existsSync(file('clear.ndjson'))).toBe(false)
  await run(...clear, '--confirm', 'default')
  expect(fs.readFileSync(file('clear.ndjson'), 'utf8')).toContain('4242424242424242')

  const to = (url: string, ...more: string[]) => run('push', '--to', url, '--key', 'key', ...more)
  expect((await to('http://vault.example')).error).toContain('must be an https address')
  expect((await to('http://127.0.0.1:1')).error).toContain('--confirm default')
})
