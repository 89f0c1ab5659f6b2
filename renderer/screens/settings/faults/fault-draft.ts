import type { FaultRule, NewFaultRule } from '../../../../shared/schemas/fault.ts'
import { strings } from './strings.ts'

/** The value of a number field; a string while it is empty or incomplete. */
type NumberInputValue = number | string

export type FaultDraft = {
  readonly name: string
  /** If empty, the fault affects every operation. */
  readonly operations: readonly string[]
  readonly kind: 'status' | 'delay' | 'cut'
  readonly status: NumberInputValue
  readonly retry_after: NumberInputValue
  readonly delay_ms: NumberInputValue
  readonly when: 'before' | 'after'
  readonly count: NumberInputValue
  /** In percent. */
  readonly share: NumberInputValue
}

/** A new fault under an unused name. */
export function createFaultDraft(taken: readonly string[]): FaultDraft {
  let number = 1
  while (taken.includes(`fault-${number}`)) number++
  return {
    name: `fault-${number}`,
    operations: [],
    kind: 'status',
    status: 503,
    retry_after: '',
    delay_ms: 2000,
    when: 'after',
    count: '',
    share: 100,
  }
}

/** Converts a draft to a rule; the host validates it. */
export function toFaultRule(draft: FaultDraft): NewFaultRule {
  const { name, operations, kind, status, retry_after, delay_ms, when, count, share } = draft
  return {
    name: name.trim(),
    ...(operations.length > 0 && { operations: [...operations] }),
    ...(kind === 'status' && { status: Number(status) }),
    ...(kind === 'status' && retry_after !== '' && { retry_after: Number(retry_after) }),
    ...(kind === 'delay' && { delay_ms: Number(delay_ms) }),
    ...(kind === 'cut' && { cut: true, when }),
    ...(count !== '' && { count: Number(count) }),
    share: Number(share) / 100,
  }
}

const { became, every } = strings

/** Describes a fault: which requests it affects, and how. */
export function formatFault({
  operations,
  status,
  retry_after,
  delay_ms,
  cut,
  when,
  share,
  count,
}: FaultRule): string {
  const parts = [
    operations?.join(', ') ?? every,
    status !== undefined && became.status(status),
    retry_after !== undefined && became.retry(retry_after),
    delay_ms !== undefined && became.delay(delay_ms),
    cut && became.cut[when],
    share < 1 && became.share(Math.round(share * 100)),
    count !== undefined && became.count(count),
  ]
  return parts.filter((part) => typeof part === 'string').join(' · ')
}
