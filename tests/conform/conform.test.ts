import { expect, test } from 'vitest'
import { statements } from '../../electron/conform/statements/index.ts'
import { checkLocalServer, serveForConform } from './serve-for-conform.ts'

test('every statement holds for Coffer', { timeout: 180_000 }, async () => {
  const server = await serveForConform()
  const report = await checkLocalServer(server, statements)
  expect(report.outcomes.filter(({ result }) => result === 'differs' || result === 'unanswered')).toEqual([])
  expect(report.left).toBe(0)
})

test('no two statements of a rule are the same sentence, and each has steps or a reason', () => {
  const all = Object.values(statements).flat()
  const sentences = all.map(({ rule, says }) => `${rule} ${says}`)
  expect(sentences).toEqual([...new Set(sentences)])
  for (const { says, steps, skipped } of all) {
    expect(says).not.toMatch(/\.$/)
    expect(steps.length > 0, says).toBe(skipped === undefined)
  }
})

test('a report can be printed: every statement is plain data', () => {
  expect(JSON.parse(JSON.stringify(statements))).toEqual(statements)
})
