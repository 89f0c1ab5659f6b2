import { expect, test } from 'vitest'
import { expectShortTurns } from '../longest-block.ts'
import { inMemoryVault, startHost } from './start-host.ts'

/** The maximum processor time of the main thread per turn of the event loop, in ms. */
const MAX_BLOCK_MS = 50
const BYTES = 512 * 1024
const repeatLine = (line: string) => line.repeat(BYTES / line.length)

async function startVault() {
  const { window } = startHost()
  await window.host.createVault(inMemoryVault)
  return window
}

const banks = 'routing_number,account_number,status\n'
const bins = 'from,to,brand\n'

const hostile: readonly (readonly [what: string, text: string, refused_lines: number])[] = [
  ['very short lines', repeatLine('a\n'), BYTES / 2],
  ['one line', repeatLine('a,'), 1],
  ['emoji', repeatLine('😀'), 1],
  ['unclosed quotes', repeatLine(`"\n${'a\n'.repeat(20_001)}`), expect.any(Number)],
  ['quotes', repeatLine('""\n'), expect.any(Number)],
]

test.each(hostile)(
  'X-65 R-03 directory files of %s, half a MiB, do not keep the main thread busy',
  async (_, text, refused_lines) => {
    const { host } = await startVault()
    const none = { entries: 0, refused_lines }
    const order = { dry_run: false }
    const importBanks = () => host.importBanks({ ...order, csv: banks + text })
    expect(await expectShortTurns(importBanks, MAX_BLOCK_MS)).toMatchObject(none)
    const importBins = () => host.importBins({ ...order, csv: bins + text })
    expect(await expectShortTurns(importBins, MAX_BLOCK_MS)).toMatchObject(none)
  },
)

test('X-65 R-03 a long bank directory is imported in short turns', async () => {
  const { host, banks: directory } = await startVault()
  const csv = banks + Array.from({ length: 30_000 }, (_, at) => `021000021,${at},enabled\n`).join('')
  const order = { csv, dry_run: false }
  const report = await expectShortTurns(() => host.importBanks(order), MAX_BLOCK_MS)
  expect(report).toMatchObject({ entries: 30_000, refused_lines: 0 })
  expect((await directory.list({})).pagination.total_items).toBe(30_000)

  let exported = await expectShortTurns(() => directory.exportCsv({}), MAX_BLOCK_MS)
  let text = exported.csv
  for (; exported.next; text += exported.csv) exported = await directory.exportCsv({ after: exported.next })
  const [, ...lines] = csv.trim().split('\n')
  expect(text).toBe([banks.trim(), ...lines.sort(), ''].join('\r\n'))
})

test('X-65 R-03 a long BIN file is imported, and replaced by another, in short turns', async () => {
  const { host, bins: imported } = await startVault()
  const createFile = (step: number) =>
    bins +
    Array.from(
      { length: 30_000 },
      (_, at) => `${10_000_000 + at * step},${10_000_005 + at * step},visa\n`,
    ).join('')
  for (const step of [3, 7]) {
    const order = { csv: createFile(step), dry_run: false }
    const report = await expectShortTurns(() => host.importBins(order), MAX_BLOCK_MS)
    expect(report).toMatchObject({ entries: 30_000, refused_lines: 0 })
    expect((await imported.list({})).pagination.total_items).toBe(30_000)
  }
  const one = await expectShortTurns(
    () => host.importBins({ csv: `${bins}4,4,visa`, dry_run: false }),
    MAX_BLOCK_MS,
  )
  expect(one).toMatchObject({ entries: 1 })
  expect((await imported.list({})).data).toMatchObject([{ from: '4', to: '4' }])
})

test('T-16 a BIN that is on very many lines is imported with the first hundred', async () => {
  const { host, bins: imported } = await startVault()
  const report = await host.importBins({ csv: `${bins}${'4,4,visa\n'.repeat(5_000)}`, dry_run: false })
  expect(report).toMatchObject({ entries: 1, refused_lines: 4_900, refused: { length: 1_000 } })
  expect((await imported.list({})).data[0]?.additional).toHaveLength(99)
})
