import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { readCsv } from '../../electron/engine/csv.ts'
import { exportTokens, exportToStream } from '../../electron/host/transfer/export-tokens.ts'
import { importTokens } from '../../electron/host/transfer/import-tokens.ts'
import { catchProblem, createTempFolder, openVault } from '../vault.ts'

const pan = '4242424242424242'

async function createFilled() {
  const vault = openVault()
  const { owner } = vault
  await owner.tokens.create({
    id: 'card',
    type: 'card',
    data: { number: pan, cvc: '123' },
    metadata: { a: 'b' },
  })
  await owner.tokens.create({
    id: 'own',
    type: 'token',
    data: { secret: 'over there', list: [1, null] },
    mask: '{{ data.secret | reveal_last: 2 }}',
    containers: ['/a/', '/b/c/'],
    search_indexes: ['{{ data.secret }}'],
    fingerprint_expression: '{{ data.list }}',
    expires_at: '2031-01-01T00:00:00+02:00',
  })
  await owner.tokens.create({ id: 'gone', type: 'token', data: 'x', expires_at: '2030-01-01T00:00:01Z' })
  vault.clock.advance(2000)
  return { ...vault, file: path.join(createTempFolder(), 'out.ndjson') }
}

const readLines = (file: string) =>
  fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('P-08 T-14 an export masks data by default and omits expired tokens', async () => {
  const { engine, file } = await createFilled()
  expect(await exportTokens(engine, { file, format: 'ndjson', clear: false })).toBe(2)
  const [card, own] = readLines(file)
  expect(card).toEqual({
    id: 'card',
    type: 'card',
    data: { number: 'XXXXXXXXXXXX4242' },
    containers: ['/pci/high/'],
    metadata: { a: 'b' },
  })
  expect(own.data).toBe('XXXXXXXXre')
  expect(fs.readFileSync(file, 'utf8')).not.toMatch(/4242424242424242|over there|123/)
  if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

test('importing a plaintext export into another vault creates equal tokens', async () => {
  const { engine, file, owner } = await createFilled()
  await exportTokens(engine, { file, format: 'ndjson', clear: true })
  const other = openVault()
  const job = { file, format: 'ndjson', mapping: null, dry_run: false, again: false } as const
  expect(await importTokens(other.engine, job)).toMatchObject({ created: 2, refused: 0 })
  for (const id of ['card', 'own']) {
    const { tenant_id, created_at, fingerprint, ...token } = await owner.tokens.reveal({ id })
    expect(await other.owner.tokens.reveal({ id })).toMatchObject(token)
  }
})

test.each(['csv', 'ndjson'] as const)(
  'T-07 a mask that is a number or a boolean survives %s',
  async (format) => {
    const { engine, owner } = openVault()
    const masks = { five: 5, none: false }
    for (const [id, mask] of Object.entries(masks))
      await owner.tokens.create({ id, type: 'token', data: 'x', mask })
    const file = path.join(createTempFolder(), `out.${format}`)
    await exportTokens(engine, { file, format, clear: true })
    const other = openVault()
    const mapping = format === 'csv' ? { id: '$id', type: 'token', data: '$data', mask: 5 } : null
    await importTokens(other.engine, { file, format, mapping, dry_run: false, again: false })
    const readMasks = async () => {
      const tokens = await Promise.all(Object.keys(masks).map((id) => other.owner.tokens.get({ id })))
      return Object.fromEntries(tokens.map(({ id, mask }) => [id, mask]))
    }
    expect(await readMasks()).toEqual(format === 'csv' ? { five: 5, none: 5 } : masks)
    if (format === 'csv')
      expect(fs.readFileSync(file, 'utf8')).toMatch(/five,token,x,"?5"?,.*\r\nnone,token,x,"?false"?,/)
  },
)

test('T-15 an export contains no cvc whose retention time has passed', async () => {
  const { engine, file, clock } = await createFilled()
  clock.advance(3_601_000)
  await exportTokens(engine, { file, format: 'ndjson', clear: true })
  expect(readLines(file)[0].data).toEqual({ number: pan })
})

test('O-05 the log records an export', async () => {
  const { engine, file, owner } = await createFilled()
  await exportTokens(engine, { file, format: 'ndjson', clear: true })
  const { data } = await owner.logs.list({ entity_type: 'token' })
  expect(data.some(({ action }) => action === 'tokens.exportMany')).toBe(true)
})

test('only the owner can export', async () => {
  const { application } = await createFilled()
  const { client } = await application({ permissions: ['token:read', 'token:use', 'token:search'] })
  expect(await catchProblem(client.tokens.exportMany({ clear: false }))).toMatchObject({ status: 403 })
})

test('an exported CSV cell that starts like a formula gets a leading apostrophe', async () => {
  const { engine, owner, file } = await createFilled()
  await owner.tokens.create({ id: 'formula', type: 'token', data: '=1+"1",\n2', mask: '{{ data }}' })
  await exportTokens(engine, { file, format: 'csv', clear: false })
  const [header, card, , formula] = readCsv(fs.readFileSync(file, 'utf8'), ',', false).records.map(
    ({ fields }) => fields,
  )
  expect(header?.slice(0, 3)).toEqual(['id', 'type', 'data'])
  expect(card?.[2]).toBe('{"number":"XXXXXXXXXXXX4242"}')
  expect(formula?.[2]).toBe(`'=1+"1",\n2`)
})

test('text that CSV cannot represent is rejected as CSV and exported as NDJSON', async () => {
  const { engine, owner, file } = await createFilled()
  const inside = { id: 'inside', type: 'token', data: { text: 'a\ud800' } } as const
  await owner.tokens.create(inside)
  expect(await exportTokens(engine, { file: `${file}.csv`, format: 'csv', clear: true })).toBe(3)
  expect(fs.readFileSync(`${file}.csv`, 'utf8')).toContain('a\\ud800')
  await owner.tokens.create({ id: 'half', type: 'token', data: 'a\ud800' })
  const csv = `${file}.half.csv`
  expect(await catchProblem(exportTokens(engine, { file: csv, format: 'csv', clear: true }))).toMatchObject({
    status: 422,
    detail: 'The data of a token has half a surrogate pair, which CSV cannot hold. Export as NDJSON.',
  })
  expect([fs.existsSync(csv), fs.existsSync(`${csv}.part`)]).toEqual([false, false])
  await exportTokens(engine, { file, format: 'ndjson', clear: true })
  expect(readLines(file).at(-1).data).toBe('a\ud800')
})

test('an export overwrites no existing file and leaves none if it is stopped', async () => {
  const { engine, file } = await createFilled()
  fs.writeFileSync(file, 'mine')
  const job = { file, format: 'ndjson', clear: false } as const
  expect(await catchProblem(exportTokens(engine, job))).toMatchObject({ status: 409 })
  expect(fs.readFileSync(file, 'utf8')).toBe('mine')
  fs.rmSync(file)
  expect(await catchProblem(exportTokens(engine, job, { signal: AbortSignal.abort() }))).toMatchObject({
    status: 409,
  })
  expect(fs.readdirSync(path.dirname(file))).toEqual([])
})

test('X-26 an export to a path with a file in place of a folder is rejected', async () => {
  const { engine, file } = await createFilled()
  fs.writeFileSync(file, 'mine')
  const below = path.join(file, 'tokens.ndjson')
  expect(
    await catchProblem(exportTokens(engine, { file: below, format: 'ndjson', clear: false })),
  ).toMatchObject({
    detail: `${below} cannot be reached: part of its path is a file, not a folder. Choose another path.`,
  })
})

test('an export to a slow stream waits for its reader, and can be stopped', async () => {
  const { engine, owner } = openVault()
  for (let at = 0; at < 40; at++) {
    await owner.tokens.create({ type: 'token', data: 'x'.repeat(1000), mask: '{{ data }}' })
  }
  const taken: Buffer[] = []
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      taken.push(chunk)
      setImmediate(done)
    },
  })
  expect(await exportToStream(engine, { format: 'ndjson', clear: false }, slow)).toBe(40)
  expect(Buffer.concat(taken).toString().trim().split('\n')).toHaveLength(40)

  const stuck = new Writable({ highWaterMark: 1, write() {} })
  const stop = new AbortController()
  const stopped = catchProblem(
    exportToStream(engine, { format: 'csv', clear: false }, stuck, { signal: stop.signal }),
  )
  setImmediate(() => stop.abort())
  expect(await stopped).toMatchObject({
    status: 409,
    detail: expect.stringContaining('The output is incomplete'),
  })
})

test.runIf(process.platform !== 'win32')(
  'an export writes into an existing pipe, without replacing it',
  async () => {
    const { engine, file } = await createFilled()
    execFileSync('mkfifo', [file])
    const [text, tokens] = await Promise.all([
      fs.promises.readFile(file, 'utf8'),
      exportTokens(engine, { file, format: 'ndjson', clear: false }),
    ])
    expect(tokens).toBe(2)
    expect(text.trim().split('\n')).toHaveLength(2)
    expect(fs.statSync(file).isFIFO()).toBe(true)
  },
)

test.runIf(process.platform === 'linux')(
  'X-25 an export to a full device is rejected, and Coffer continues to run',
  async () => {
    const { engine } = await createFilled()
    const unheard: unknown[] = []
    const recordError = (error: unknown) => unheard.push(error)
    process.on('uncaughtException', recordError)
    try {
      const full = exportTokens(engine, { file: '/dev/full', format: 'ndjson', clear: false })
      await expect(full).rejects.toMatchObject({ code: 'storage_full' })
      await new Promise((resolve) => setImmediate(resolve))
      expect(unheard).toEqual([])
    } finally {
      process.off('uncaughtException', recordError)
    }
  },
)

test('X-24 leftovers of a killed export are replaced by the next export to that file', async () => {
  const { engine, file } = await createFilled()
  fs.writeFileSync(`${file}.part`, 'half')
  await exportTokens(engine, { file, format: 'ndjson', clear: false })
  expect(fs.readdirSync(path.dirname(file))).toEqual(['out.ndjson'])
  expect(readLines(file)).toHaveLength(2)
})
