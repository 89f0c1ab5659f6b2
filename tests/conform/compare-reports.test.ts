import { expect, test } from 'vitest'
import { compareReports } from '../../electron/conform/compare-reports.ts'
import { formatReportTemplate } from '../../electron/conform/report-text.ts'
import type { ConformReport, StatementOutcome } from '../../shared/schemas/conform.ts'

const toReport = (server: string, outcome: Partial<StatementOutcome>): ConformReport => ({
  server,
  sides: { expected: 'expected', received: 'received' },
  started_at: '2030-01-01T00:00:00.000Z',
  seconds: 1,
  requests: 1,
  left: 0,
  outcomes: [
    {
      area: 'tokens',
      rule: 'Q-01',
      says: 'A',
      source: 'B',
      decision: false,
      result: 'holds',
      differences: [],
      ...outcome,
    },
  ],
})

const unanswered = { result: 'unanswered', reason: 'It did not respond in time.' } as const
const skipped = { result: 'skipped', reason: 'a management key is missing' } as const

test('Q-01 compare names the server that did not answer, or for which it skips', () => {
  const findReason = (one: Partial<StatementOutcome>, other: Partial<StatementOutcome>) =>
    compareReports(toReport('one.test', one), toReport('other.test', other)).outcomes[0]?.reason
  expect(findReason({}, unanswered)).toBe('other.test: It did not respond in time.')
  expect(findReason(unanswered, {})).toBe('one.test: It did not respond in time.')
  expect(findReason(unanswered, unanswered)).toBe(
    'one.test: It did not respond in time. other.test: It did not respond in time.',
  )
  expect(findReason(skipped, unanswered)).toBe('other.test: It did not respond in time.')
  expect(findReason({}, skipped)).toBe('at other.test, a management key is missing')
  expect(findReason(skipped, skipped)).toBe('a management key is missing')
})

test('Q-01 compare tells two tenants of one server apart', () => {
  const report = compareReports(toReport('same.test', {}), toReport('same.test', {}))
  expect(report.sides).toEqual({ expected: 'same.test (first)', received: 'same.test (second)' })
})

test('Q-01 a report of two servers does not speak of Coffer or the documents', () => {
  const differences = [{ at: 'status', expected: '400', received: '422' }]
  const text = formatReportTemplate(
    compareReports(toReport('one.test', {}), toReport('other.test', { result: 'differs', differences })),
  )
  expect(text).toContain('# one.test compared with other.test')
  expect(text).toContain('## The servers differ')
})
