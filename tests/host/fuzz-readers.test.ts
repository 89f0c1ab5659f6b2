import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseYaml } from '../../electron/host/files/yaml-file.ts'
import { seed } from '../../electron/host/initial-data/seed/seed.ts'
import { csvHeader, formatCsvLine } from '../../electron/host/transfer/csv-lines.ts'
import { createPreview } from '../../electron/host/transfer/preview.ts'
import { type Format, parseRecords, type SourceRecord } from '../../electron/host/transfer/source-records.ts'
import { CofferError } from '../../shared/errors.ts'
import { catchRejection, fuzzTimeout, getFuzzParameters, mutatedTexts } from '../fuzz.ts'

/** The canary consists of digits, because an error may repeat the name of a member, but no digits in it. */
const canary = '4929000000006'
const csv = [
  `number,name,more\r\n4242424242424242,"Ann ""A"" Lee",x\r\n5555555555554444,,"two\nlines"\r\n`,
  `\uFEFFid;data\nid-1,${canary}\n`,
]
const ndjson = [
  `{"type":"token","data":{"a":"${canary}"},"metadata":{"k":"v"}}\n\n{"type":"card_number","data":"4242424242424242"}\n`,
  '{"a":{"b":{"c":[1,2]}},"__proto__":{"d":1}}',
]
const marks = [
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  '\uFEFF',
  ';',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\\',
  '\\u',
  'null',
  '\0',
  '\ud800',
  canary,
]

async function readChunks(chunks: readonly Buffer[], format: Format) {
  const columns: string[] = []
  const records: SourceRecord[] = []
  for await (const batch of parseRecords(chunks, format, 'The file', (each) => columns.push(...each))) {
    records.push(...batch.records)
  }
  return records.map((record) =>
    'problem' in record
      ? { line: record.line, problem: record.problem }
      : { line: record.line, whole: record.json, cells: columns.map((name) => record.row(name)) },
  )
}

/** Yields the same bytes in chunks. */
function splitAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
}

const bytes = fc.oneof(
  { weight: 4, arbitrary: mutatedTexts([...csv, ...ndjson], marks).map((text) => Buffer.from(text)) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom(...marks, 'a', '1'), { maxLength: 60 })
      .map((each) => Buffer.from(each.join(''))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)) },
)

test.each<Format>(['csv', 'ndjson'])(
  'a %s file without line ends is rejected before it is read completely',
  async (format) => {
    // A pipe delivers bytes in chunks like these.
    const chunkBytes = 64 * 1024
    let taken = 0
    function* yieldChunks() {
      for (; ; taken++) yield Buffer.alloc(chunkBytes, 'a')
    }
    const reading = parseRecords(yieldChunks(), format, 'The file').next()
    await expect(reading).rejects.toMatchObject({
      code: 'invalid',
      message: 'Line 1 of The file is longer than 8 million characters, so it is not a record.',
    })
    expect(taken * chunkBytes).toBeLessThan(16 * 1024 * 1024)
  },
)

test('lines that end with a single carriage return are read as they arrive', async () => {
  const chunks = [Buffer.from('a,b\r1,2\r3,'), Buffer.from('4\r5,6')]
  const lines: number[][] = []
  for await (const { records } of parseRecords(chunks, 'csv', 'The file')) {
    lines.push(records.map(({ line }) => line))
  }
  expect(lines).toEqual([[2], [3], [4]])
})

test('a stray quotation mark in a CSV field moves no record boundary, for any chunks', async () => {
  const text = 'number,name,more\r\n42,"Ann" Lee",x\r\n55,,"two\nlines"\r\n66,s",\r\n'
  const whole = await readChunks([Buffer.from(text)], 'csv')
  expect(whole.map(({ line }) => line)).toEqual([2, 3, 5])
  for (let cut = 0; cut < text.length; cut++) {
    expect(await readChunks(splitAt(Buffer.from(text), [cut]), 'csv')).toEqual(whole)
  }
})

test(
  'an import reads the same from any bytes in any chunks, and errors quote none of them',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.constantFrom<Format>('csv', 'ndjson'),
        fc.array(fc.nat(500), { maxLength: 5 }),
        async (bytes, format, cuts) => {
          const readOutcome = async (chunks: Buffer[]) => {
            try {
              return await readChunks(chunks, format)
            } catch (error) {
              if (error instanceof CofferError && error.status === 400) return error.message
              throw error
            }
          }
          const whole = await readOutcome([bytes])
          expect(await readOutcome(splitAt(bytes, cuts))).toEqual(whole)
          const problems = typeof whole === 'string' ? [whole] : whole.flatMap(({ problem }) => problem ?? [])
          for (const each of problems) expect(each).not.toContain(canary)
        },
      ),
      getFuzzParameters(800),
    )
  },
  fuzzTimeout,
)

test(
  'the start of any file is previewed or rejected with a reason',
  async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom<Format>('csv', 'ndjson'), async (bytes, format) => {
        try {
          const { columns, rows } = await createPreview(bytes.toString(), format)
          for (const row of rows) expect(row).toHaveLength(columns.length)
        } catch (error) {
          if (!(error instanceof CofferError) || error.status !== 400) throw error
          expect(error.message).not.toContain(canary)
        }
      }),
      getFuzzParameters(400),
    )
  },
  fuzzTimeout,
)

test(
  'an exported CSV is read back unchanged',
  async () => {
    const cell = fc
      .oneof(fc.string(), fc.constantFrom(...marks, ' x ', '"quoted"', 'a,b'))
      .map((text) => text.toWellFormed())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (tokens) => {
        // Cells that a spreadsheet would run are written with a leading quotation mark.
        const plain = tokens.map((texts) =>
          texts.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)),
        )
        const text =
          csvHeader +
          tokens
            .map(([id, data]) => formatCsvLine({ id, type: 'token', data, containers: ['/'] } as never))
            .join('')
        const records = await readChunks([Buffer.from(text)], 'csv')
        expect(records.map((record) => [record.cells?.[0] ?? '', record.cells?.[2] ?? ''])).toEqual(plain)
      }),
      getFuzzParameters(300),
    )
  },
  fuzzTimeout,
)

const seeds = [
  `tenant:\n  name: Shop\n  settings: { deduplicate_tokens: true }\napplications:\n  - name: backend\n    type: private\n    rules:\n      - { priority: 1, container: /pci/, transform: mask, permissions: ["token:read"] }\ntokens:\n  - type: token\n    data: ${canary}\n    metadata: { a: b }\ngenerate:\n  - { type: card, count: 3, id: "card-{n}" }\nrandom: 7\n`,
  `{"tokens":[{"type":"token","data":{"a":"${canary}"}}],"random":1}`,
  `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n`,
]
test('a seed file with a node inside itself is rejected with its line', () => {
  const rejection = catchRejection(() =>
    parseYaml('tokens:\n  - type: token\n    data: &b [*b, *b]\n', 'seed.yaml', seed),
  )
  expect(rejection?.message).toBe('seed.yaml:3 refers to a part of the file that contains it.')
})

const yaml = [
  '  ',
  '\n',
  ': ',
  '- ',
  '&a ',
  '*a',
  '<<: *a',
  '!!js/function ',
  '!!binary ',
  '|',
  '>',
  '"',
  "'",
  '{',
  '}',
  '[',
  '#',
  '---\n',
  '%YAML 1.1\n',
  '? ',
  '\t',
  '__proto__: ',
  '.inf',
  '0x1f',
]

test(
  'any seed file is accepted or rejected with its line, and errors repeat no value',
  () => {
    fc.assert(
      fc.property(
        fc.oneof(mutatedTexts(seeds, yaml), fc.string({ unit: 'binary', maxLength: 80 })),
        (text) => {
          const rejection = catchRejection(() => parseYaml(text, 'seed.yaml', seed))
          if (!rejection) return
          expect(rejection.message).toMatch(/^seed\.yaml/)
          expect(rejection.message).not.toContain(canary)
        },
      ),
      getFuzzParameters(500),
    )
  },
  fuzzTimeout,
)
