import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type ImportOrder, importTokens } from '../../electron/host/transfer/import-tokens.ts'
import { formatOf } from '../../electron/host/transfer/source-records.ts'
import type { ImportMapping } from '../../shared/schemas/transfer.ts'
import { openVault, problemOf, tempFolder } from '../vault.ts'

const cards: ImportMapping = {
  type: 'card',
  data: { number: '$pan', expiration_month: '$month', expiration_year: '2035' },
  metadata: { customer: '$customer', source: 'import', price: '$$5' },
  containers: ['/pci/high/'],
  expires_at: '$until',
}

function fileOf(content: string | Buffer, name = 'cards.csv'): string {
  const file = path.join(tempFolder(), name)
  fs.writeFileSync(file, content)
  return file
}

function order(file: string, more: Partial<ImportOrder> = {}): ImportOrder {
  return { file, format: 'csv', mapping: cards, dry_run: false, again: false, ...more }
}

const header = 'pan,month,customer,until\n'
const lines = (count: number) =>
  header + Array.from({ length: count }, (_, at) => `4242424242424242,12,c${at},\n`).join('')

test('columns become type, data, metadata, container and expiry; empty cells are left out', async () => {
  const { engine, owner } = openVault()
  const file = fileOf(
    `\uFEFF${header}4242424242424242,12,ada,2031-01-01\r\n4111111111111111,,"grace, ""h""",\r\n`,
  )
  const report = await importTokens(engine, order(file))
  expect(report).toEqual({ dry_run: false, records: 2, created: 2, refused: 0, resumed: false, lines: [] })
  const { data } = await owner.tokens.list({ type: 'card' })
  const ada = data.find(({ metadata }) => metadata?.customer === 'ada')
  expect(ada).toMatchObject({
    data: { number: 'XXXXXXXXXXXX4242', expiration_month: '12', expiration_year: '2035' },
    containers: ['/pci/high/'],
    metadata: { customer: 'ada', source: 'import', price: '$5' },
    expires_at: '2031-01-01T00:00:00.000+00:00',
  })
  const grace = data.find(({ metadata }) => metadata?.customer === 'grace, "h"')
  expect(grace?.data).toEqual({ number: 'XXXXXXXXXXXX1111', expiration_year: '2035' })
  expect(grace?.expires_at).toBeUndefined()
})

test('A-05 refused lines are named by number and reason, never by value; the others are made', async () => {
  const { engine, owner } = openVault()
  const file = fileOf(
    `${header}4242424242424242,12,"over\ntwo lines",\n4242424242424241,12,b,\n4242"4242,12,c,\n4111111111111111,12,d,,5\n4111111111111111,13,e,yesterday\n4111111111111111,1,4111-1111-1111-1111,\n`,
  )
  const { created, refused, lines: named } = await importTokens(engine, order(file))
  expect([created, refused]).toEqual([1, 5])
  expect(named.map(({ line }) => line).sort((a, b) => a - b)).toEqual([4, 5, 6, 7, 8])
  const of = (line: number) => named.find((each) => each.line === line)?.message
  expect(of(4)).toMatch(/^data\.number must /)
  expect(of(5)).toBe('The quotes do not fit.')
  expect(of(6)).toBe('There are more than the 4 fields of the header.')
  expect(of(7)).toMatch(/expires_at must be /)
  expect(of(7)).toMatch(/data\.expiration_month must /)
  expect(of(8)).toMatch(/^metadata\.customer must not contain/)
  expect(JSON.stringify(named)).not.toMatch(/4242424242424241|1111|yesterday/)
  expect((await owner.tokens.list()).data).toHaveLength(1)
})

test('a dry run says the same and writes nothing, in the vault or beside the file', async () => {
  const { engine, owner } = openVault()
  const file = fileOf(`${lines(3)}1,12,x,\n`)
  const dry = await importTokens(engine, order(file, { dry_run: true }))
  expect(dry).toMatchObject({ dry_run: true, created: 3, refused: 1 })
  expect((await owner.tokens.list()).data).toEqual([])
  expect(fs.readdirSync(path.dirname(file))).toEqual(['cards.csv'])
  expect(await importTokens(engine, order(file))).toMatchObject({ created: 3, refused: 1, lines: dry.lines })
})

test('progress is told, a cancelled import goes on where it was, and nothing is made twice', async () => {
  const { engine, owner } = openVault()
  const file = fileOf(lines(2300))
  const stop = new AbortController()
  const told: number[] = []
  const watch = {
    signal: stop.signal,
    onProgress(done: number, total: number) {
      told.push(done / total)
      if (told.length === 2) stop.abort()
    },
  }
  expect(await problemOf(importTokens(engine, order(file), watch))).toMatchObject({ status: 409 })
  expect(told.every((share) => share > 0 && share <= 1)).toBe(true)
  const journal = fs.readFileSync(`${file}.coffer-import`, 'utf8')
  expect(JSON.parse(journal)).toMatchObject({ records: 1500, finished: false })
  expect(journal).not.toContain('4242')
  expect(await importTokens(engine, order(file))).toMatchObject({
    records: 2300,
    created: 2300,
    resumed: true,
  })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(2300)
})

test('nothing is made twice where it ended before anything was noted', async () => {
  const { engine, owner } = openVault()
  const file = fileOf(lines(1200))
  const killed = importTokens(engine, order(file), {
    onProgress() {
      throw new Error('as if the process had ended')
    },
  })
  await expect(killed).rejects.toThrow('ended')
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(500)
  expect(await importTokens(engine, order(file))).toMatchObject({ created: 1200, resumed: true })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(1200)
})

test('every refused line is named, in the order of the file', async () => {
  const { engine } = openVault()
  const refused = Array.from({ length: 700 }, () => '1,12,x,\n4242"4242,12,c,\n').join('')
  const report = await importTokens(engine, order(fileOf(header + refused)))
  expect(report.lines.map(({ line }) => line)).toEqual(Array.from({ length: 1400 }, (_, at) => at + 2))
})

test('X-08 NDJSON that cannot be kept as it came is refused', async () => {
  const { engine } = openVault()
  const records = ['1'.repeat(1001), '{', '{"__proto__":1}', `${'['.repeat(20_000)}${']'.repeat(20_000)}`]
  const file = fileOf(records.map((data) => `{"type":"token","data":${data}}\n`).join(''), 'tokens.ndjson')
  const report = await importTokens(engine, order(file, { format: 'ndjson', mapping: null }))
  expect(report.lines.map(({ message }) => message)).toEqual([
    'This has a number of more than 1,000 characters.',
    'This is not valid JSON.',
    'This must not have a member named __proto__.',
    'This must not be nested deeper than 64 levels.',
  ])
})

test('a name that stands twice in the first line, or another separator, is said', async () => {
  const { engine } = openVault()
  const of = async (text: string) => (await problemOf(importTokens(engine, order(fileOf(text))))).detail
  expect(await of('pan,pan,month,customer,until\n')).toContain('names the column pan twice')
  expect(await of('pan|month|customer|until\n4242424242424242|12|a|\n')).toContain(
    'separated by commas, semicolons or tabs',
  )
  expect(await importTokens(engine, order(fileOf('pan,month,customer,until,,\n')))).toMatchObject({
    records: 0,
  })
})

test.each([
  ['a semicolon', ';'],
  ['a tab', '\t'],
])('the first line says that %s separates the fields, behind a byte order mark too', async (_, mark) => {
  const { engine, owner } = openVault()
  const row = (...fields: string[]) => `${fields.join(mark)}\r\n`
  const file = fileOf(
    `\uFEFF${row('pan', '"customer, or ""who"""', 'month', 'until')}${row('4242424242424242', `"ada, ${mark} or not"`, '12', '2031-01-01')}${row('4111111111111111', 'a', '1', '', 'x')}`,
  )
  const mapping = { ...cards, metadata: { customer: '$customer, or "who"' } }
  const dry = await importTokens(engine, order(file, { mapping, dry_run: true }))
  expect(dry).toMatchObject({ created: 1, refused: 1 })
  expect(dry.lines[0]).toEqual({ line: 3, message: 'There are more than the 4 fields of the header.' })
  expect(await importTokens(engine, order(file, { mapping }))).toMatchObject({ created: 1, refused: 1 })
  const { data } = await owner.tokens.list()
  expect(data[0]).toMatchObject({ metadata: { customer: `ada, ${mark} or not` } })
})

test.each([
  ['cards.csv', 'csv'],
  ['Cards.TSV', 'csv'],
  ['tokens.jsonl', 'ndjson'],
  ['cards.txt', undefined],
])('the name %s says the format %s', (file, format) => {
  expect(formatOf(file)).toBe(format)
})

test('a file with semicolons that was stopped goes on where it was', async () => {
  const { engine, owner } = openVault()
  const text = lines(1200).replaceAll(',', ';')
  // Commas in the values, and more of them than of semicolons, are not what separates.
  const file = fileOf(text.replace(/;c(\d+)/g, ';c,$1,,,,'))
  const stop = new AbortController()
  const watch = { signal: stop.signal, onProgress: () => stop.abort() }
  expect(await problemOf(importTokens(engine, order(file), watch))).toMatchObject({ status: 409 })
  expect(await importTokens(engine, order(file))).toMatchObject({ created: 1200, refused: 0, resumed: true })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(1200)
})

test('what was made and not noted any more is recognised, with ids of the file too', async () => {
  for (const mapping of [cards, { ...cards, id: '$customer' }]) {
    const { engine, owner } = openVault()
    const file = fileOf(lines(1200).replace(/,c(\d)/g, ',customer-$1'))
    await importTokens(engine, order(file, { mapping }))
    const journal = JSON.parse(fs.readFileSync(`${file}.coffer-import`, 'utf8'))
    const behind = { ...journal, records: 0, created: 0, finished: false }
    fs.writeFileSync(`${file}.coffer-import`, JSON.stringify(behind))
    expect(await importTokens(engine, order(file, { mapping }))).toMatchObject({ created: 1200, refused: 0 })
    expect((await owner.tenants.getUsageReport()).total_tokens).toBe(1200)
  }
})

test('a finished or changed import is not begun again unasked', async () => {
  const { engine, owner } = openVault()
  const file = fileOf(lines(2))
  await importTokens(engine, order(file))
  expect((await problemOf(importTokens(engine, order(file)))).detail).toContain('was imported already')
  fs.appendFileSync(file, '4111111111111111,12,z,\n')
  expect((await problemOf(importTokens(engine, order(file)))).detail).toContain('changed since')
  expect(await importTokens(engine, order(file, { again: true }))).toMatchObject({ created: 3 })
  expect((await owner.tenants.getUsageReport()).total_tokens).toBe(5)
})

test('a column that the file does not have is named before anything is made; the file is not quoted', async () => {
  const { engine, owner } = openVault()
  const { detail } = await problemOf(importTokens(engine, order(fileOf('4242424242424242,12,a,\n'))))
  expect(detail).toBe('The first line of the file names no column pan, month, customer, until.')
  expect((await owner.tokens.list()).data).toEqual([])
})

test('NDJSON: members by path keep their JSON type; without a mapping each line is a token', async () => {
  const { engine, owner } = openVault()
  const mapping = { type: 'token', id: '$ref', data: { who: '$person.name', list: '$list', gone: '$none' } }
  const file = fileOf(
    '{"ref":"one","person":{"name":"Ada"},"list":[1,{"a":null}]}\n\nnot json\n[1]\n',
    'a.ndjson',
  )
  const report = await importTokens(engine, order(file, { format: 'ndjson', mapping }))
  expect(report).toMatchObject({ created: 1, refused: 2 })
  expect(report.lines.map(({ line }) => line)).toEqual([3, 4])
  expect((await owner.tokens.reveal({ id: 'one' })).data).toEqual({ who: 'Ada', list: [1, { a: null }] })
  const plain = fileOf(
    '{"id":"two","type":"token","data":{"a":1}}\n{"id":"three","type":"token","data":2,"x":1}',
    'b.ndjson',
  )
  const second = await importTokens(engine, order(plain, { format: 'ndjson', mapping: null }))
  expect(second).toMatchObject({ created: 1, refused: 1 })
  expect(second.lines[0]?.line).toBe(2)
})

test('a file that is not UTF-8 or not there is refused', async () => {
  const { engine } = openVault()
  const latin = fileOf(Buffer.from(`${header}4242424242424242,12,Jos\xe9,\n`, 'latin1'))
  expect((await problemOf(importTokens(engine, order(latin)))).detail).toContain('is not UTF-8')
  expect(await problemOf(importTokens(engine, order(`${latin}.none`)))).toMatchObject({ status: 404 })
})
