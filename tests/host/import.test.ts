import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type ImportJob, importTokens } from '../../electron/host/transfer/import-tokens.ts'
import { detectFormat } from '../../electron/host/transfer/source-records.ts'
import { formatExpiring } from '../../shared/expiring.ts'
import type { ImportMapping } from '../../shared/schemas/transfer.ts'
import { isThorough, pickSome } from '../thorough.ts'
import { catchProblem, createTempFolder, openVault, start } from '../vault.ts'

const cards: ImportMapping = {
  type: 'card',
  data: { number: '$pan', expiration_month: '$month', expiration_year: '2035' },
  metadata: { customer: '$customer', source: 'import', price: '$$5' },
  containers: ['/pci/high/'],
  expires_at: '$until',
}

function createFile(content: string | Buffer, name = 'cards.csv'): string {
  const file = path.join(createTempFolder(), name)
  fs.writeFileSync(file, content)
  return file
}

function toImportJob(file: string, more: Partial<ImportJob> = {}): ImportJob {
  return { file, format: 'csv', mapping: cards, dry_run: false, again: false, ...more }
}

/** Returns the path of the only journal in the folder of a file. */
function findJournal(file: string): string {
  const [name = ''] = fs.readdirSync(path.dirname(file)).filter((each) => each.endsWith('.coffer-import'))
  return path.join(path.dirname(file), name)
}

const header = 'pan,month,customer,until\n'
const createLines = (count: number) =>
  header + Array.from({ length: count }, (_, at) => `4242424242424242,12,c${at},\n`).join('')

test('CSV columns become members of a token, and empty cells are skipped', async () => {
  const { engine, owner } = openVault()
  const file = createFile(
    `\uFEFF${header}4242424242424242,12,ada,2031-01-01\r\n4111111111111111,,"grace, ""h""",\r\n`,
  )
  const report = await importTokens(engine, toImportJob(file))
  expect(report).toEqual({
    ...{ dry_run: false, records: 2, created: 2, refused: 0, resumed: false, lines: [] },
    expiring: { total: 1, soon: 0, first: '2031-01-01T00:00:00.000+00:00' },
    together: [{ first: 1, last: 2, at: Date.parse('2030-01-01T00:00:00Z') }],
  })
  const { data } = await owner.tokens.list({ type: 'card' })
  const ada = data.find(({ metadata }) => metadata?.customer === 'ada')
  expect(ada).toMatchObject({
    data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: '2035' },
    containers: ['/pci/high/'],
    metadata: { customer: 'ada', source: 'import', price: '$5' },
    expires_at: '2031-01-01T00:00:00.000+00:00',
  })
  const grace = data.find(({ metadata }) => metadata?.customer === 'grace, "h"')
  expect(grace?.data).toEqual({ number: 'XXXXXXXXXXXX1111', expiration_year: '2035' })
  expect(grace?.expires_at).toBeUndefined()
})

test("a card's month and year become numbers, from two columns or one expiry", async () => {
  const { engine, owner } = openVault()
  const written =
    `07/31,7/31,07/2031,7/2031,07-31,07-2031,0731,731,072031,07 / 31,07.2031,2031-07,2031/07,203107,
2031-07-31,2031-7-3,2031/07/31,2031-07-31T23:59:59Z,2031-07-31 23:59:59.000+00:00`.split(/,\s*/)
  const one = {
    type: 'card',
    data: { number: '$pan', expiration_month: '$exp | month', expiration_year: '$exp|year' },
  }
  const rows = written.map((each) => `4242424242424242,${each}\n`).join('')
  expect(
    await importTokens(engine, toImportJob(createFile(`pan,exp\n${rows}`), { mapping: one })),
  ).toMatchObject({
    ...{ created: written.length, refused: 0, expiring: null },
  })
  const two = { type: '$kind', data: { number: '$pan', expiration_month: '$m', expiration_year: '$y' } }
  const parts =
    'kind,pan,m,y\ncard,4242424242424242,7,2031\ncard,4242424242424242,07,31\ncard,4242424242424242,07,2031\n'
  expect(await importTokens(engine, toImportJob(createFile(parts), { mapping: two }))).toMatchObject({
    created: 3,
  })
  const { data } = await owner.tokens.list({ size: 100 })
  expect(data).toHaveLength(written.length + 3)
  for (const { id } of data) {
    const { expires_at, ...revealed } = await owner.tokens.reveal({ id })
    expect([revealed.data, expires_at]).toEqual([
      { number: '4242424242424242', expiration_month: 7, expiration_year: 2031 },
      undefined,
    ])
  }
})

test('A-05 an invalid value is reported by line and column, and never quoted', async () => {
  const { engine, owner } = openVault()
  const mapping = {
    type: 'token',
    data: { age: '$age | number', on: '$on | boolean', m: '$exp | month', y: '$exp | year', t: '$age' },
  }
  const bad = [
    '13/31',
    '00/31',
    '31/07/2031',
    '07/31/2031',
    '7/131',
    'Jul-31',
    '2031-13',
    '2031-07-32',
    '1331',
    '0',
  ]
  const text = `age,on,exp\n7,yes,07/31\n-0.50,FALSE,\n,,\n07,true,07/31\n1,perhaps,07/31\n1e999999,1,07/31\n${bad
    .map((each) => `1,0,${each}\n`)
    .join('')}`
  const report = await importTokens(engine, toImportJob(createFile(text), { mapping }))
  const expiry =
    'column exp must be the expiry of a card, such as 07/31, 07/2031, 0731, 2031-07 or 2031-07-31'
  expect(report.lines).toEqual([
    { line: 5, message: 'column age must be a number such as 12 or -0.5' },
    { line: 6, message: 'column on must be true or false, yes or no, 1 or 0' },
    ...bad.map((_, at) => ({ line: 8 + at, message: expiry })),
  ])
  const { data } = await owner.tokens.list()
  const revealed = await Promise.all(data.map(({ id }) => owner.tokens.reveal({ id })))
  expect(revealed.map((each) => JSON.stringify(each.data)).sort()).toEqual([
    '{"age":-0.50,"on":false,"t":"-0.50"}',
    '{"age":1e999999,"on":true,"m":7,"y":2031,"t":"1e999999"}',
    '{"age":7,"on":true,"m":7,"y":2031,"t":"7"}',
    '{}',
  ])
})

test('a mapping preserves JSON types or converts them on request', async () => {
  const { engine, owner } = openVault()
  const mapping = {
    type: 'card',
    data: { number: '$card.n', expiration_month: '$card.m', expiration_year: '$card.y | year' },
  }
  const file = createFile('{"card":{"n":"4242424242424242","m":"07","y":2031}}\n', 'a.ndjson')
  expect(await importTokens(engine, toImportJob(file, { format: 'ndjson', mapping }))).toMatchObject({
    created: 1,
  })
  const [token] = (await owner.tokens.list()).data
  expect(token?.data).toMatchObject({ expiration_month: '07', expiration_year: 2031 })
})

test('dry runs, complete and resumed imports report how many tokens expire soon', async () => {
  const createLine = (days: number | null) =>
    `4242424242424242,12,c,${days === null ? '' : new Date(start + days * 86_400_000).toISOString()}\n`
  const text = header + [null, 30, 31, 7, 400].map(createLine).join('')
  const expiring = { total: 4, soon: 2, first: '2030-01-08T00:00:00.000+00:00' }
  const { engine } = openVault()
  expect(await importTokens(engine, toImportJob(createFile(text), { dry_run: true }))).toMatchObject({
    created: 5,
    expiring,
  })
  expect(await importTokens(engine, toImportJob(createFile(text)))).toMatchObject({ created: 5, expiring })
  expect(formatExpiring(expiring)).toBe(
    '2 of these tokens will be deleted within 30 days, the first on 2030-01-08 00:00 UTC.',
  )
  expect(formatExpiring({ total: 1, soon: 0, first: '2031-02-03T04:05:06.000+00:00' })).toBe(
    '1 of these tokens will expire and be deleted, on 2031-02-03 04:05 UTC.',
  )
  expect(formatExpiring(null)).toBe('')
  const ndjson = createFile('{"type":"token","data":1,"expires_at":"2030-01-02T00:00:00Z"}\n', 'a.ndjson')
  expect(
    await importTokens(engine, toImportJob(ndjson, { format: 'ndjson', mapping: null, dry_run: true })),
  ).toMatchObject({ expiring: { total: 1, soon: 1, first: '2030-01-02T00:00:00.000+00:00' } })

  // A stopped import has saved its progress, and a killed one has not.
  for (const how of ['stopped', 'killed'] as const) {
    const file = createFile(header + createLine(7).repeat(1200))
    const vault = openVault()
    await expect(importTokens(vault.engine, toImportJob(file), stopAfter(1, how))).rejects.toThrow()
    expect(await importTokens(vault.engine, toImportJob(file))).toMatchObject({
      ...{ created: 1200, resumed: true, expiring: { ...expiring, total: 1200, soon: 1200 } },
    })
  }
})

test('A-05 rejected lines are listed by number and reason, without their values', async () => {
  const { engine, owner } = openVault()
  const file = createFile(
    `${header}4242424242424242,12,"over\ntwo lines",\n4242424242424241,12,b,\n4242"4242,12,c,\n4111111111111111,12,d,,5\n4111111111111111,13,e,yesterday\n4111111111111111,1,4111-1111-1111-1111,\n`,
  )
  const { created, refused, lines: named } = await importTokens(engine, toImportJob(file))
  expect([created, refused]).toEqual([1, 5])
  expect(named.map(({ line }) => line).sort((a, b) => a - b)).toEqual([4, 5, 6, 7, 8])
  const findMessage = (line: number) => named.find((each) => each.line === line)?.message
  expect(findMessage(4)).toMatch(/^data\.number must /)
  expect(findMessage(5)).toBe('A quotation mark is missing, or is inside an unquoted field.')
  expect(findMessage(6)).toBe('This line has 5 fields. The header has 4.')
  expect(findMessage(7)).toMatch(/expires_at must be /)
  expect(findMessage(7)).toMatch(/data\.expiration_month must .* \(column month\)/)
  expect(findMessage(4)).toMatch(/ \(column pan\)$/)
  expect(findMessage(8)).toMatch(/^metadata\.customer must not contain/)
  expect(JSON.stringify(named)).not.toMatch(/4242424242424241|1111|yesterday/)
  expect((await owner.tokens.list()).data).toHaveLength(1)
})

test('a line with too few or too many fields is rejected', async () => {
  const { engine, owner } = openVault()
  const file = createFile(
    `${header}4242424242424242,12,a\n4242424242424242\n\n4242424242424242,12,b,,\n4242424242424242,12,c,\n`,
  )
  const { created, lines: named } = await importTokens(engine, toImportJob(file))
  expect(created).toBe(1)
  expect(named).toEqual([
    { line: 2, message: 'This line has 3 fields. The header has 4.' },
    { line: 3, message: 'This line has 1 field. The header has 4.' },
    { line: 5, message: 'This line has 5 fields. The header has 4.' },
  ])
  expect((await owner.tokens.list()).data[0]?.metadata).toMatchObject({ customer: 'c' })
})

test('a dry run reports like an import, and writes neither to the vault nor next to the file', async () => {
  const { engine, owner } = openVault()
  const file = createFile(`${createLines(3)}1,12,x,\n`)
  const dry = await importTokens(engine, toImportJob(file, { dry_run: true }))
  expect(dry).toMatchObject({ dry_run: true, created: 3, refused: 1 })
  expect((await owner.tokens.list()).data).toEqual([])
  expect(fs.readdirSync(path.dirname(file))).toEqual(['cards.csv'])
  expect(await importTokens(engine, toImportJob(file))).toMatchObject({
    created: 3,
    refused: 1,
    lines: dry.lines,
  })
})

test('a cancelled import reports progress, resumes, and creates nothing twice', async () => {
  const { engine, owner } = openVault()
  const file = createFile(createLines(1700))
  const stop = new AbortController()
  const progress: number[] = []
  const watch = {
    signal: stop.signal,
    onProgress(done: number, total: number) {
      progress.push(done / total)
      if (progress.length === 2) stop.abort()
    },
  }
  expect(await catchProblem(importTokens(engine, toImportJob(file), watch))).toMatchObject({
    code: 'cancelled',
  })
  expect(progress.every((share) => share > 0 && share <= 1)).toBe(true)
  const journal = fs.readFileSync(findJournal(file), 'utf8')
  expect(JSON.parse(journal)).toMatchObject({ records: 1500, finished: false })
  expect(journal).not.toContain('42424242')
  expect(await importTokens(engine, toImportJob(file))).toMatchObject({
    records: 1700,
    created: 1700,
    resumed: true,
  })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(1700)
})

test('an import killed before its first save creates nothing twice when resumed', async () => {
  const { engine, owner } = openVault()
  const file = createFile(createLines(700))
  const importing = importTokens(engine, toImportJob(file), {
    onProgress() {
      throw new Error('as if the process had ended')
    },
  })
  await expect(importing).rejects.toThrow('ended')
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(500)
  expect(await importTokens(engine, toImportJob(file))).toMatchObject({ created: 700, resumed: true })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(700)
})

test('every rejected line is listed, in file order', async () => {
  const { engine } = openVault()
  const rejectedLines = Array.from({ length: 700 }, () => '1,12,x,\n4242"4242,12,c,\n').join('')
  const report = await importTokens(engine, toImportJob(createFile(header + rejectedLines)))
  expect(report.lines.map(({ line }) => line)).toEqual(Array.from({ length: 1400 }, (_, at) => at + 2))
})

test('X-08 an NDJSON line that cannot be stored exactly is rejected', async () => {
  const { engine } = openVault()
  const records = ['1'.repeat(1001), '{', '{"__proto__":1}', `${'['.repeat(20_000)}${']'.repeat(20_000)}`]
  const file = createFile(
    records.map((data) => `{"type":"token","data":${data}}\n`).join(''),
    'tokens.ndjson',
  )
  const report = await importTokens(engine, toImportJob(file, { format: 'ndjson', mapping: null }))
  expect(report.lines.map(({ message }) => message)).toEqual([
    'This has a number of more than 1,000 characters.',
    'This is not valid JSON.',
    'This must not have a member named __proto__.',
    'This must not be nested deeper than 64 levels.',
  ])
})

test('a duplicate column name or another separator is reported', async () => {
  const { engine } = openVault()
  const findMessage = async (text: string) =>
    (await catchProblem(importTokens(engine, toImportJob(createFile(text))))).detail
  expect(await findMessage('pan,pan,month,customer,until\n')).toContain('names the column pan twice')
  expect(await findMessage('pan|month|customer|until\n4242424242424242|12|a|\n')).toContain(
    'separated by commas, semicolons or tabs',
  )
  expect(await importTokens(engine, toImportJob(createFile('pan,month,customer,until,,\n')))).toMatchObject({
    records: 0,
  })
})

test.each([
  ['a semicolon', ';'],
  ['a tab', '\t'],
])('the separator %s is detected from the header row, even after a byte order mark', async (_, mark) => {
  const { engine, owner } = openVault()
  const formatRow = (...fields: string[]) => `${fields.join(mark)}\r\n`
  const file = createFile(
    `\uFEFF${formatRow('pan', '"customer, or ""who"""', 'month', 'until')}${formatRow('4242424242424242', `"ada, ${mark} or not"`, '12', '2031-01-01')}${formatRow('4111111111111111', 'a', '1', '', 'x')}`,
  )
  const mapping = { ...cards, metadata: { customer: '$customer, or "who"' } }
  const dry = await importTokens(engine, toImportJob(file, { mapping, dry_run: true }))
  expect(dry).toMatchObject({ created: 1, refused: 1 })
  expect(dry.lines[0]).toEqual({ line: 3, message: 'This line has 5 fields. The header has 4.' })
  expect(await importTokens(engine, toImportJob(file, { mapping }))).toMatchObject({ created: 1, refused: 1 })
  const { data } = await owner.tokens.list()
  expect(data[0]).toMatchObject({ metadata: { customer: `ada, ${mark} or not` } })
})

test.each([
  ['cards.csv', 'csv'],
  ['Cards.TSV', 'csv'],
  ['tokens.jsonl', 'ndjson'],
  ['cards.txt', undefined],
])('a file named %s has the format %s', (file, format) => {
  expect(detectFormat(file)).toBe(format)
})

test('a stopped import of a file with semicolons resumes where it stopped', {
  tags: 'thorough',
}, async () => {
  const { engine, owner } = openVault()
  const text = createLines(1200).replaceAll(',', ';')
  // Semicolons separate the fields, although the values contain more commas than there are semicolons.
  const file = createFile(text.replace(/;c(\d+)/g, ';c,$1,,,,'))
  const stop = new AbortController()
  const watch = { signal: stop.signal, onProgress: () => stop.abort() }
  expect(await catchProblem(importTokens(engine, toImportJob(file), watch))).toMatchObject({
    code: 'cancelled',
  })
  expect(await importTokens(engine, toImportJob(file))).toMatchObject({
    created: 1200,
    refused: 0,
    resumed: true,
  })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(1200)
})

test('a resumed import recognizes tokens created after its last save, for any ids', async () => {
  for (const mapping of pickSome([{ ...cards, id: '$customer' }, cards], 1)) {
    const { engine, owner } = openVault()
    const file = createFile(createLines(600).replace(/,c(\d)/g, ',customer-$1'))
    await importTokens(engine, toImportJob(file, { mapping }))
    const journal = JSON.parse(fs.readFileSync(findJournal(file), 'utf8'))
    const behind = { ...journal, records: 0, created: 0, finished: false }
    fs.writeFileSync(findJournal(file), JSON.stringify(behind))
    expect(await importTokens(engine, toImportJob(file, { mapping }))).toMatchObject({
      created: 600,
      refused: 0,
    })
    expect((await owner.tenants.getUsageReport()).total_tokens).toBe(600)
  }
})

test('tokens of consecutive records have distinct ids with a shared prefix', {
  tags: 'thorough',
}, async () => {
  const { engine, owner } = openVault()
  await importTokens(engine, toImportJob(createFile(createLines(600))))
  const { data } = await owner.tokens.list({ type: 'card', size: 100 })
  const ids = data.map(({ id }) => id)
  expect(new Set(ids).size).toBe(100)
  expect(new Set(ids.map((id) => id.slice(0, 4))).size).toBeLessThanOrEqual(2)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a resumed import of an older version recognizes the tokens already created', async () => {
  const { engine, owner } = openVault()
  const file = createFile(createLines(1))
  await importTokens(engine, toImportJob(file))
  const { grouped_ids: _, ...journal } = JSON.parse(fs.readFileSync(findJournal(file), 'utf8'))
  const [created] = (await owner.tokens.list({})).data
  await owner.tokens.remove({ id: created?.id ?? '' })
  const before = { ...journal, import_id: '00'.repeat(16), records: 0, created: 0, finished: false }
  fs.writeFileSync(findJournal(file), JSON.stringify(before))
  const id = 'bbfb09b9-96f7-4b0a-9a3b-59c5805f5bbd'
  await owner.tokens.create({ id, type: 'token', data: 'made before' })
  expect(await importTokens(engine, toImportJob(file))).toMatchObject({
    created: 1,
    refused: 0,
    resumed: true,
  })
  expect((await owner.tokens.list({})).data.map((each) => each.id)).toEqual([id])
})

test('a finished import, or one of a changed file, is not repeated without --again', async () => {
  const { engine, owner } = openVault()
  const file = createFile(createLines(2))
  await importTokens(engine, toImportJob(file))
  expect((await catchProblem(importTokens(engine, toImportJob(file)))).detail).toContain(
    'was already imported into this vault',
  )
  fs.appendFileSync(file, '4111111111111111,12,z,\n')
  expect((await catchProblem(importTokens(engine, toImportJob(file)))).detail).toContain('has changed since')
  expect(await importTokens(engine, toImportJob(file, { again: true }))).toMatchObject({ created: 3 })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(5)
})

test('a missing column is reported before anything is created, without quoting the file', async () => {
  const { engine, owner } = openVault()
  const { detail } = await catchProblem(
    importTokens(engine, toImportJob(createFile('4242424242424242,12,a,\n'))),
  )
  expect(detail).toBe('The first line of the file has no column pan, month, customer, until.')
  expect((await owner.tokens.list()).data).toEqual([])
})

test('NDJSON members retain their JSON type, and without a mapping each line is a token', async () => {
  const { engine, owner } = openVault()
  const mapping = { type: 'token', id: '$ref', data: { who: '$person.name', list: '$list', gone: '$none' } }
  const file = createFile(
    '{"ref":"one","person":{"name":"Ada"},"list":[1,{"a":null}]}\n\nnot json\n[1]\n',
    'a.ndjson',
  )
  const report = await importTokens(engine, toImportJob(file, { format: 'ndjson', mapping }))
  expect(report).toMatchObject({ created: 1, refused: 2 })
  expect(report.lines.map(({ line }) => line)).toEqual([3, 4])
  expect((await owner.tokens.reveal({ id: 'one' })).data).toEqual({ who: 'Ada', list: [1, { a: null }] })
  const plain = createFile(
    '{"id":"two","type":"token","data":{"a":1}}\n{"id":"three","type":"token","data":2,"x":1}',
    'b.ndjson',
  )
  const second = await importTokens(engine, toImportJob(plain, { format: 'ndjson', mapping: null }))
  expect(second).toMatchObject({ created: 1, refused: 1 })
  expect(second.lines[0]?.line).toBe(2)
})

test('a file that is missing or not UTF-8 is rejected', async () => {
  const { engine } = openVault()
  const latin = createFile(Buffer.from(`${header}4242424242424242,12,Jos\xe9,\n`, 'latin1'))
  expect((await catchProblem(importTokens(engine, toImportJob(latin)))).detail).toContain('is not UTF-8')
  expect(await catchProblem(importTokens(engine, toImportJob(`${latin}.none`)))).toMatchObject({
    status: 404,
  })
})

/**
 * Ends an import after this many chunks, either like Ctrl-C, which saves the progress, or like a kill, which does not.
 */
function stopAfter(after: number, how: 'stopped' | 'killed') {
  const stop = new AbortController()
  let progress = 0
  return {
    signal: stop.signal,
    onProgress() {
      if (++progress < after) return
      if (how === 'killed') throw new Error('as if the process had ended')
      stop.abort()
    },
  }
}

describe('an import report', () => {
  // A stopped import handles more lines than a killed one, so testing both needs a longer file.
  const count = isThorough ? 4000 : 2500
  const bad =
    header +
    Array.from({ length: count }, (_, at) => `${at % 3 ? '4242424242424242' : '1'},12,c${at},\n`).join('')
  const expected = Array.from({ length: count }, (_, at) => at).filter((at) => at % 3 === 0)
  const readReport = (report: string) =>
    fs
      .readFileSync(report, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { line: number }).line - 2)

  test.each(pickSome(['killed', 'stopped'] as const, 1))(
    'lists each rejected line once over all runs of an import that was %s',
    async (how) => {
      const { engine, owner } = openVault()
      const file = createFile(bad)
      const report = path.join(path.dirname(file), 'refused.ndjson')
      const withReport = toImportJob(file, { report })
      await expect(importTokens(engine, withReport, stopAfter(1, how))).rejects.toThrow()
      await expect(importTokens(engine, toImportJob(file), stopAfter(2, how))).rejects.toThrow()
      await expect(importTokens(engine, withReport, stopAfter(1, how))).rejects.toThrow()
      const last = await importTokens(engine, withReport)
      expect(last).toMatchObject({ resumed: true, records: count, refused: expected.length })
      expect(last.lines).toHaveLength(expected.length)
      expect(readReport(report)).toEqual(expected)
      expect((await owner.tenants.getUsageReport()).total_tokens).toBe(count - expected.length)
      expect(fs.readdirSync(path.dirname(file)).filter((each) => each.endsWith('-refused'))).toEqual([])
      expect(fs.readFileSync(report, 'utf8')).not.toContain('4242')
    },
  )

  test('contains the lines rejected before a stop', async () => {
    const { engine } = openVault()
    const file = createFile(bad)
    const report = path.join(path.dirname(file), 'refused.ndjson')
    await catchProblem(importTokens(engine, toImportJob(file, { report }), stopAfter(1, 'stopped')))
    expect(readReport(report).length).toBeGreaterThan(100)
    expect(readReport(report)).toEqual(expected.slice(0, readReport(report).length))
  })

  test('is not written over another file, and then nothing is imported', async () => {
    const { engine, owner } = openVault()
    const file = createFile(createLines(2))
    const report = path.join(path.dirname(file), 'refused.ndjson')
    fs.writeFileSync(report, '{"line":2,"message":"of another import"}\n')
    for (const more of [{}, { dry_run: true }, { again: true }]) {
      const { status, detail } = await catchProblem(
        importTokens(engine, toImportJob(file, { report, ...more })),
      )
      expect([status, detail]).toEqual([409, expect.stringContaining('was not changed')])
    }
    expect(fs.readFileSync(report, 'utf8')).toContain('of another import')
    expect((await owner.tokens.list()).data).toEqual([])
    // An empty file, as mktemp creates it, is accepted.
    fs.truncateSync(report)
    expect(await importTokens(engine, toImportJob(file, { report }))).toMatchObject({ created: 2 })
  })

  test('is stored next to the imported file if no path is given, and errors name it', async () => {
    const { engine } = openVault()
    const file = createFile(bad)
    const { refusals = '' } = await importTokens(engine, toImportJob(file))
    expect(readReport(refusals)).toEqual(expected)
    expect((await catchProblem(importTokens(engine, toImportJob(file)))).detail).toContain(refusals)
    expect(fs.statSync(refusals).mode & 0o077).toBe(0)
  })
})

test('a file imported into one vault can be imported into another', async () => {
  const [one, other] = [openVault(), openVault()]
  const file = createFile(createLines(1200))
  await importTokens(one.engine, toImportJob(file))
  await catchProblem(importTokens(other.engine, toImportJob(file), stopAfter(1, 'stopped')))
  expect((await catchProblem(importTokens(one.engine, toImportJob(file)))).detail).toContain(
    'was already imported',
  )
  expect(await importTokens(other.engine, toImportJob(file))).toMatchObject({ created: 1200, resumed: true })
  expect((await other.owner.tenants.getUsageReport()).total_tokens).toBe(1200)
})

test('an import whose progress is unknown is not repeated without --again', async () => {
  const { engine, owner } = openVault()
  const file = createFile(`${createLines(2)}1,12,x,\n`)
  await importTokens(engine, toImportJob(file))
  const journal = findJournal(file)
  const savedJournal = fs.readFileSync(journal, 'utf8')
  fs.writeFileSync(journal, '{')
  expect((await catchProblem(importTokens(engine, toImportJob(file)))).detail).toMatch(/progress .*--again/)
  fs.writeFileSync(journal, JSON.stringify({ ...JSON.parse(savedJournal), finished: false }))
  fs.truncateSync(journal.replace('.coffer-import', '.coffer-refused'), 3)
  expect((await catchProblem(importTokens(engine, toImportJob(file)))).detail).toMatch(
    /does not list all lines/,
  )
  fs.rmSync(journal)
  fs.writeFileSync(`${file}.coffer-import`, JSON.stringify({ tenant_id: engine.tenant_id }))
  expect((await catchProblem(importTokens(engine, toImportJob(file)))).detail).toContain(
    'by an older version of Coffer',
  )
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(2)
})

describe('an import from a pipe', () => {
  test('reads the pipe as it arrives, without a journal', async () => {
    const { engine } = openVault()
    const stream = Readable.from([
      Buffer.from(header),
      Buffer.from(createLines(3).slice(header.length)),
      Buffer.from('1,1,x,\n'),
    ])
    const report = path.join(createTempFolder(), 'refused.ndjson')
    const done = await importTokens(engine, toImportJob('standard input', { stream, report }))
    expect(done).toMatchObject({ created: 3, refused: 1, resumed: false })
    expect(fs.readdirSync(path.dirname(report))).toEqual(['refused.ndjson'])
    expect(JSON.parse(fs.readFileSync(report, 'utf8'))).toMatchObject({ line: 5 })
  })

  test('can be stopped while no data arrives, and says that it cannot be resumed', async () => {
    const { engine } = openVault()
    const stream = new PassThrough()
    stream.write(createLines(600))
    const { detail } = await catchProblem(
      importTokens(engine, toImportJob('standard input', { stream }), stopAfter(1, 'stopped')),
    )
    expect(detail).toBe(
      'Stopped. 500 tokens were created and stay in the vault. A pipe cannot be resumed: the same command would create them again.',
    )
  })

  test.runIf(process.platform !== 'win32')(
    'can be stopped while no other process opens the pipe',
    async () => {
      const { engine } = openVault()
      const fifo = path.join(createTempFolder(), 'cards.csv')
      execFileSync('mkfifo', [fifo])
      const stop = new AbortController()
      const stopped = catchProblem(importTokens(engine, toImportJob(fifo), { signal: stop.signal }))
      stop.abort()
      expect((await stopped).detail).toBe('Stopped. Nothing was imported.')
    },
  )

  test.runIf(process.platform !== 'win32')('accepts a named pipe', async () => {
    const { engine } = openVault()
    const fifo = path.join(createTempFolder(), 'cards.csv')
    execFileSync('mkfifo', [fifo])
    const done = importTokens(engine, toImportJob(fifo))
    fs.promises.writeFile(fifo, createLines(2))
    expect(await done).toMatchObject({ created: 2 })
    expect(fs.readdirSync(path.dirname(fifo))).toEqual(['cards.csv'])
  })
})
