import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { pickSome } from '../thorough.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'
import { builtCli, startCoffer } from './run-coffer.ts'

test('import maps columns, and export and push need a confirmation for plaintext', async () => {
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse battery staple')
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const folder = createTempFolder()
  const getPath = (name: string) => path.join(folder, name)
  const runCoffer = (...args: string[]) => runCommandLine(...args, '--data-dir', getPath('data'))
  fs.writeFileSync(getPath('cards.csv'), 'pan,who\n4242424242424242,ada\n4242424242424241,bob\n')
  fs.writeFileSync(getPath('map.yaml'), 'type: card_number\ndata: $pan\nmetadata: { who: $who }\n')
  await runCoffer('init', '--json')

  const nowhere = ['--report', getPath('none/refused')]
  expect(
    (await runCoffer('import', getPath('cards.csv'), '--map', getPath('map.yaml'), ...nowhere)).error,
  ).toContain('none/refused cannot be read or written')
  fs.linkSync(getPath('cards.csv'), getPath('link'))
  const onto = ['--map', getPath('map.yaml'), '--report', getPath('link')]
  expect((await runCoffer('import', getPath('cards.csv'), ...onto)).error).toMatch(
    /would replace .*cards\.csv/,
  )
  expect(fs.readFileSync(getPath('cards.csv'), 'utf8')).toContain('ada')
  const { error } = await runCommandLine('export-openapi', '--out', getPath('none/openapi.json'))
  expect(error).toContain('cannot be read or written')
  const imported = await runCoffer(
    'import',
    getPath('cards.csv'),
    '--map',
    getPath('map.yaml'),
    '--report',
    getPath('refused'),
  )
  expect(imported.out).toBe('1 token created, 1 line refused, of 2 records\n')
  expect(imported.code).toBe(1)
  expect(JSON.parse(fs.readFileSync(getPath('refused'), 'utf8'))).toMatchObject({ line: 3 })

  const soon = new Date(Date.now() + 86_400_000).toISOString()
  fs.writeFileSync(getPath('soon.ndjson'), `{"type":"token","data":1,"expires_at":"${soon}"}\n`)
  const dry = await runCoffer('import', getPath('soon.ndjson'), '--dry-run')
  expect(dry.out).toBe('1 token would be created, 0 lines refused, of 1 record\n')
  expect(dry.notes).toContain('1 of these tokens will be deleted within 30 days, on 20')
  const json = await runCoffer('import', getPath('soon.ndjson'), '--dry-run', '--json')
  expect(JSON.parse(json.out)).toEqual({
    ...{ dry_run: true, records: 1, created: 1, refused: 0, resumed: false, lines: [] },
    expiring: { total: 1, soon: 1, first: soon.replace('Z', '+00:00') },
  })

  await runCoffer('export', '--out', getPath('masked.ndjson'))
  expect(fs.readFileSync(getPath('masked.ndjson'), 'utf8')).toContain('XXXXXXXXXXXX4242')
  const clear = ['export', '--out', getPath('clear.ndjson'), '--clear']
  expect((await runCoffer(...clear)).error).toContain('--confirm default')
  expect((await runCoffer(...clear, '--confirm', 'other')).error).toContain('not the name of the vault')
  expect(fs.existsSync(getPath('clear.ndjson'))).toBe(false)
  await runCoffer(...clear, '--confirm', 'default')
  expect(fs.readFileSync(getPath('clear.ndjson'), 'utf8')).toContain('4242424242424242')

  expect((await runCoffer('export', '--out', '-', '--json')).code).toBe(2)
  const out = await runCoffer('export', '--out', '-', '--format', 'csv')
  expect(out.out).toMatch(/^id,type,data,.*\r\n.*XXXXXXXXXXXX4242/)
  expect(out.notes).toBe('Wrote 1 token to standard output, masked\n')

  const pushTo = (url: string, ...more: string[]) => runCoffer('push', '--to', url, '--key', 'key', ...more)
  expect((await pushTo('http://vault.example')).error).toContain('must be an https URL')
  expect((await pushTo('http://127.0.0.1:1')).error).toContain('--confirm default')
})

test.runIf(process.platform !== 'win32')(
  'a pipe from export to import copies tokens from one vault to another',
  async () => {
    const folder = createTempFolder()
    const COFFER_PASSPHRASE = 'correct horse battery staple'
    vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
    onTestFinished(() => void vi.unstubAllEnvs())
    const getPlaceArgs = (vault: string) => ['--data-dir', path.join(folder, 'data'), '--vault', vault]
    const cards = path.join(folder, 'tokens.ndjson')
    fs.writeFileSync(cards, '{"id":"one","type":"token","data":1}\n{"id":"two","type":"token","data":"x"}\n')
    await runCommandLine('init', '--json', ...getPlaceArgs('one'))
    await runCommandLine('init', '--json', ...getPlaceArgs('two'))
    await runCommandLine('import', cards, ...getPlaceArgs('one'))
    const quoteWords = (...each: string[]) => each.map((word) => `'${word}'`).join(' ')
    const coffer = quoteWords(process.execPath, '--disable-warning=ExperimentalWarning', builtCli)
    const out = quoteWords(
      'export',
      '--out',
      '/dev/stdout',
      '--clear',
      '--confirm',
      'one',
      ...getPlaceArgs('one'),
    )
    const importWords = quoteWords(
      'import',
      '/dev/stdin',
      '--format',
      'ndjson',
      '--json',
      ...getPlaceArgs('two'),
    )
    const { stdout, status } = spawnSync('sh', ['-c', `${coffer} ${out} | ${coffer} ${importWords}`], {
      env: { ...process.env, COFFER_PASSPHRASE },
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ created: 2, refused: 0 })
  },
)

test.runIf(process.platform !== 'win32')('Ctrl-C ends an import with 130, SIGTERM with 143', async () => {
  const dataDir = path.join(createTempFolder(), 'data')
  const COFFER_PASSPHRASE = 'correct horse battery staple'
  vi.stubEnv('COFFER_PASSPHRASE', COFFER_PASSPHRASE)
  onTestFinished(() => void vi.unstubAllEnvs())
  await runCommandLine('init', '--json', '--data-dir', dataDir)
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const
  for (const [signal, code] of pickSome(signals, 1)) {
    const fifo = path.join(dataDir, signal)
    execFileSync('mkfifo', [fifo])
    const run = startCoffer(['import', fifo, '--format', 'ndjson', '--json', '--data-dir', dataDir], {
      COFFER_PASSPHRASE,
    })
    const writer = await fs.promises.open(fifo, 'w')
    // More than the pipe buffers, so the write completes only once the import has begun to read.
    const line = `${JSON.stringify({ type: 'token', data: 'x'.repeat(4000) })}\n`
    await writer.write(line.repeat(100))
    run.signal(signal)
    expect(await run.ended).toBe(code)
    await writer.close()
    expect((await run.json()).error.message).toContain('A pipe cannot be resumed')
  }
})
