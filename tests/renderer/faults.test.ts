import { expect, test } from 'vitest'
import {
  createFaultDraft,
  formatFault,
  toFaultRule,
} from '../../renderer/screens/settings/faults/fault-draft.ts'
import { faultRule } from '../../shared/schemas/fault.ts'

const draft = createFaultDraft(['fault-1'])

test('the form of a fault becomes a rule with only the fields of its kind', () => {
  expect(toFaultRule(draft)).toEqual({ name: 'fault-2', status: 503, share: 1 })
  expect(toFaultRule({ ...draft, kind: 'delay', retry_after: 2, share: 20, count: 3 })).toEqual({
    name: 'fault-2',
    delay_ms: 2000,
    share: 0.2,
    count: 3,
  })
  expect(
    faultRule.parse(toFaultRule({ ...draft, kind: 'cut', operations: ['tokens.create'] })),
  ).toMatchObject({
    operations: ['tokens.create'],
    cut: true,
    when: 'after',
  })
  expect(faultRule.safeParse(toFaultRule({ ...draft, status: '' })).success).toBe(false)
})

test('a fault has a short description', () => {
  const formatRule = (rule: object) => formatFault(faultRule.parse({ name: 'busy', ...rule }))
  expect(formatRule({ operations: ['tokens.create'], status: 503, retry_after: 2, count: 3 })).toBe(
    'tokens.create · 503 · Retry-After 2 · 3 times',
  )
  expect(formatRule({ delay_ms: 500, share: 0.2 })).toBe(
    'every operation · delayed by 500 ms · 20% of requests',
  )
  expect(formatRule({ cut: true, when: 'after', count: 1 })).toBe(
    'every operation · cut off after processing · once',
  )
})
