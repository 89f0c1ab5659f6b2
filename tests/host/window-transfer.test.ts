import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { MAX_EXPORT_LENGTH, MAX_IMPORT_BYTES, MAX_IMPORT_PART } from '../../shared/schemas/transfer.ts'
import { catchProblem } from '../vault.ts'
import { inMemoryVault, passphrase, startHost, storedVault } from './start-host.ts'

const pan = '4242424242424242'
const header = 'pan,who,until\n'
const mapping = {
  type: 'card',
  data: { number: '$pan' },
  metadata: { who: '$who' },
  containers: ['/shop/'],
  expires_at: '$until',
}

async function startTransfer() {
  const startTransfer = startHost()
  await startTransfer.window.host.createVault(inMemoryVault)
  const importCsv = (
    text: string,
    more: { dry_run?: boolean; import_id?: string; resume?: boolean; mapping?: object } = {},
  ) =>
    startTransfer.window.host.importTokens({
      format: 'csv',
      text,
      mapping,
      import_id: randomUUID(),
      ...more,
    } as never)
  return { ...startTransfer, importCsv }
}

test('a preview shows columns and first records, and whether they are tokens', async () => {
  const { window } = await startTransfer()
  const csv = await window.host.previewImport({
    format: 'csv',
    text: `\uFEFFpan, who\r\n${pan},"a, ""b"""\n"not whole,x\n`,
  })
  expect(csv).toEqual({ columns: ['pan', 'who'], rows: [[pan, 'a, "b"']], tokens: false })
  const nested = `{"ref":1,"person":{"name":"Ada","tags":["x"]}}\n{"more":null}\nnot json\n`
  expect(await window.host.previewImport({ format: 'ndjson', text: nested })).toEqual({
    columns: ['ref', 'person.name', 'person.tags', 'more'],
    rows: [
      ['1', 'Ada', '["x"]', ''],
      ['', '', '', 'null'],
    ],
    tokens: false,
  })
  const exported = `{"id":"a","type":"token","data":1}\n`
  expect((await window.host.previewImport({ format: 'ndjson', text: exported })).tokens).toBe(true)
})

test('a file with semicolons or tabs is previewed and imported like one with commas', async () => {
  const { window, importCsv } = await startTransfer()
  for (const mark of [';', '\t']) {
    const text = `\uFEFFpan${mark}who${mark}until\r\n${pan}${mark}"ada, or not"${mark}\r\n`
    expect(await window.host.previewImport({ format: 'csv', text })).toMatchObject({
      columns: ['pan', 'who', 'until'],
      rows: [[pan, 'ada, or not', '']],
    })
    expect(await importCsv(text, { dry_run: true })).toMatchObject({ created: 1, refused: 0 })
    expect(await importCsv(text)).toMatchObject({ created: 1, refused: 0 })
  }
})

test('A-05 a file without a readable record is reported without its content', async () => {
  const { window } = await startTransfer()
  for (const format of ['csv', 'ndjson'] as const) {
    const problem = await catchProblem(window.host.previewImport({ format, text: `${pan}\n` }))
    expect(problem).toMatchObject({ status: 400 })
    expect(JSON.stringify(problem)).not.toContain(pan)
  }
})

test('a dry run reports created tokens and rejected lines, and writes nothing', async () => {
  const { window, importCsv } = await startTransfer()
  const text = `${header}${pan},ada,\n4242424242424241,bob,\n${pan},eve,yesterday\n`
  const dry = await importCsv(text, { dry_run: true })
  expect(dry).toMatchObject({ dry_run: true, records: 3, created: 1, refused: 2 })
  expect(dry.lines.map(({ line }) => line)).toEqual([3, 4])
  expect((await window.tokens.list()).data).toEqual([])
  const done = await importCsv(text)
  expect(done).toMatchObject({ dry_run: false, created: 1, lines: dry.lines })
  const { data } = await window.tokens.list()
  expect(data).toMatchObject([
    { type: 'card', data: { number: 'XXXXXXXXXXXX4242' }, metadata: { who: 'ada' }, containers: ['/shop/'] },
  ])
})

test('parts of a file are imported with its rest, and are dropped by a lock, another file or their size', async () => {
  const { window, importCsv } = await startTransfer()
  const rest = `${pan.slice(8)},ada,\n`
  const addPart = (import_id: string, text: string) => window.host.addImportPart({ import_id, text })
  const import_id = randomUUID()
  await addPart(import_id, header)
  await addPart(import_id, pan.slice(0, 8))
  expect(await importCsv(rest, { import_id, dry_run: true })).toMatchObject({ created: 1, refused: 0 })
  // The parts were used.
  expect((await catchProblem(importCsv(rest, { import_id }))).status).toBe(400)
  await addPart(import_id, header)
  await addPart(randomUUID(), header)
  expect((await catchProblem(importCsv(rest, { import_id }))).status).toBe(400)
  const part = 'x'.repeat(MAX_IMPORT_PART)
  for (let at = 0; at < MAX_IMPORT_BYTES / MAX_IMPORT_PART; at++) await addPart(import_id, part)
  expect(await catchProblem(addPart(import_id, 'x'))).toMatchObject({ status: 413 })
})

test('X-16 no report, error, event or log record of an import contains a value', async () => {
  const { window, events, importCsv } = await startTransfer()
  const secret = '5200731948265043'
  const text = `${header}${secret}0,${secret},${secret}\n${secret},a,,${secret}\n${secret},${secret},\n"${secret}\n`
  const report = await importCsv(text)
  expect(report).toMatchObject({ created: 0, refused: 4 })
  const missing = await catchProblem(importCsv(`${secret}\n${secret}\n`))
  expect(missing.detail).toContain('has no column')
  const { data } = await window.logs.list()
  expect(JSON.stringify([report, missing, events, data])).not.toContain(secret)
})

test('a cancelled import reports progress, leaves its tokens and resumes', async () => {
  const { window, events, host, importCsv } = await startTransfer()
  const text = header + Array.from({ length: 1300 }, (_, at) => `${pan},c${at},\n`).join('')
  const import_id = randomUUID()
  const stop = host.subscribe((event) => {
    if (event.type === 'progress' && event.job === 'import' && event.done < event.total) {
      window.host.cancel({ job: 'import' })
    }
  })
  const { code, detail } = await catchProblem(importCsv(text, { import_id }))
  stop()
  expect(code).toBe('cancelled')
  const created = (await window.tenants.getUsageReport()).total_tokens
  expect(created).toBeLessThan(1300)
  expect(detail).toBe(`Stopped. ${created.toLocaleString('en')} tokens were created and stay in the vault.`)
  expect(await importCsv(text, { import_id, resume: true })).toMatchObject({ created: 1300, refused: 0 })
  expect((await window.tenants.getUsageReport()).total_tokens).toBe(1300)
  expect(events.findLast(({ type }) => type === 'progress')).toMatchObject({ job: 'import' })
})

test('the created tokens of an import are listed, even if it is resumed or others write', async () => {
  const { window, host, importCsv } = await startTransfer()
  await window.tokens.create({ type: 'token', data: 'before', id: 'before' })
  const text = header + Array.from({ length: 1300 }, (_, at) => `${pan},c${at},\n`).join('')
  const import_id = randomUUID()
  const stop = host.subscribe((event) => {
    if (event.type === 'progress' && event.job === 'import' && event.done < event.total) {
      window.host.cancel({ job: 'import' })
    }
  })
  await catchProblem(importCsv(text, { import_id }))
  stop()
  await window.tokens.create({ type: 'token', data: 'meanwhile', id: 'meanwhile' })
  expect((await importCsv(text, { dry_run: true })).together).toBeNull()
  const { together, created } = await importCsv(text, { import_id, resume: true })
  expect(created).toBe(1300)
  await window.tokens.create({ type: 'token', data: 'after', id: 'after' })
  const find = { created: together ?? [] }
  expect(await window.tokens.findCount({ find })).toMatchObject({ total: 1300, isExact: true })
  for (const sort of ['newest', 'oldest', 'container'] as const) {
    const { data } = await window.tokens.find({ find, sort, size: 100 })
    expect(new Set(data.map(({ type }) => type))).toEqual(new Set(['card']))
  }
  expect(
    (await window.tokens.find({ find: { ...find, id: 'meanwhile' }, sort: 'newest', size: 1 })).data,
  ).toEqual([])
  expect((await window.tokens.find({ find: { created: [] }, sort: 'newest', size: 1 })).data).toEqual([])
})

test('a lock ends an import, and the tokens created so far remain', async () => {
  const { window, host } = startHost()
  await window.host.createVault(storedVault)
  const stop = host.subscribe((event) => {
    if (event.type === 'progress' && event.job === 'import' && event.done < event.total) host.lock()
  })
  const text = header + Array.from({ length: 1300 }, (_, at) => `${pan},c${at},\n`).join('')
  const order = { format: 'csv', text, mapping, import_id: randomUUID() } as const
  await catchProblem(window.host.importTokens(order))
  stop()
  expect(await catchProblem(window.host.importTokens(order))).toMatchObject({ status: 423 })
  await window.host.unlock({ name: 'work', with: { passphrase } })
  const created = (await window.tenants.getUsageReport()).total_tokens
  expect(created).toBeGreaterThan(0)
  expect(created).toBeLessThan(1300)
  expect(await window.host.importTokens({ ...order, resume: true })).toMatchObject({ created: 1300 })
})

test('X-16 X-23 P-08 a masked export as CSV or NDJSON contains no plaintext', async () => {
  const { window, importCsv } = await startTransfer()
  await importCsv(`${header}${pan},ada,\n`)
  await window.tokens.create({ type: 'token', data: 'over there' })
  for (const format of ['csv', 'ndjson'] as const) {
    const { text, tokens } = await window.host.exportTokens({ format })
    expect(tokens).toBe(2)
    expect(text).toContain('XXXXXXXXXXXX4242')
    expect(text).not.toMatch(/4242424242424242|over there/)
  }
})

test("X-23 a plaintext export needs the vault's name and credential", async () => {
  const { window, dataDir } = startHost()
  const { recovery_key = '' } = await window.host.createVault(storedVault)
  await window.tokens.create({ type: 'card', data: { number: pan } })
  const exportPlaintext = (confirm: object) =>
    window.host.exportTokens({ format: 'ndjson', confirm: confirm as { vault: string } })
  const expectRejected = async (confirm: object, status: number) => {
    const problem = await catchProblem(exportPlaintext(confirm))
    expect(problem).toMatchObject({ status })
    expect(JSON.stringify(problem)).not.toContain(pan)
  }
  await expectRejected({ vault: 'work' }, 403)
  await expectRejected({ vault: 'other', with: { passphrase } }, 403)
  await expectRejected({ vault: 'work', with: { passphrase: 'wrong horse battery' } }, 401)
  await expectRejected({ vault: 'work', with: { keychain: true } }, 400)
  expect((await exportPlaintext({ vault: 'work', with: { passphrase } })).text).toContain(pan)
  expect((await exportPlaintext({ vault: 'work', with: { recovery_key } })).text).toContain(pan)
  const { data } = await window.logs.list({ entity_type: 'token' })
  expect(data.filter(({ action }) => action === 'tokens.exportMany')).toHaveLength(2)
  const entries = fs.readdirSync(dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name))
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => fs.readFileSync(file).includes(pan))).toEqual([])
})

test('a plaintext export of an in-memory vault needs the name of the vault', async () => {
  const { window, importCsv } = await startTransfer()
  await importCsv(`${header}${pan},ada,\n`)
  const exportAs = (vault: string) => window.host.exportTokens({ format: 'csv', confirm: { vault } })
  expect(await catchProblem(exportAs('demo'))).toMatchObject({ status: 403 })
  const { vault } = await window.host.status()
  expect((await exportAs(vault?.name ?? '')).text).toContain(pan)
})

test('no operation of the window exports plaintext without a confirmation', async () => {
  const { window, importCsv } = await startTransfer()
  await importCsv(`${header}${pan},ada,\n`)
  expect(await catchProblem(window.tokens.exportMany({ clear: true }))).toMatchObject({ status: 404 })
})

test('importing a plaintext export into another vault creates equal tokens', async () => {
  const { window, importCsv } = await startTransfer()
  await importCsv(`${header}${pan},ada,2031-01-01\n`)
  const { vault } = await window.host.status()
  const { text } = await window.host.exportTokens({ format: 'ndjson', confirm: { vault: vault?.name ?? '' } })
  const other = await startTransfer()
  const order = { format: 'ndjson', text, mapping: null, import_id: randomUUID() } as const
  expect(await other.window.host.importTokens(order)).toMatchObject({ created: 1 })
  const [token] = (await window.tokens.list()).data
  const id = token?.id ?? ''
  const { tenant_id, created_at, fingerprint, ...same } = await window.tokens.reveal({ id })
  expect(await other.window.tokens.reveal({ id })).toMatchObject(same)
})

test("an export beyond the window's limit is rejected and names the command for it", {
  tags: 'thorough',
}, async () => {
  const { window } = await startTransfer()
  const data = 'x'.repeat(300_000)
  const tokens = Array.from({ length: Math.ceil(MAX_EXPORT_LENGTH / data.length) }, () => ({
    type: 'token',
    data,
    mask: '{{ data }}',
  }))
  for (let at = 0; at < tokens.length; at += 20) {
    await window.tokens.createMany({ tokens: tokens.slice(at, at + 20) })
  }
  const problem = await catchProblem(window.host.exportTokens({ format: 'ndjson' }))
  expect(problem).toMatchObject({ status: 413 })
  expect(problem.detail).toContain('coffer export')
})
