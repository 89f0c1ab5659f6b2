import type { NewFaultRule } from '../../../../shared/schemas/fault.ts'

/** A number as a field has it; a text while it is empty or half typed. */
export type Typed = number | string

export type FaultDraft = {
  readonly name: string
  /** Empty for every operation. */
  readonly operations: readonly string[]
  readonly kind: 'status' | 'delay' | 'cut'
  readonly status: Typed
  readonly retry_after: Typed
  readonly delay_ms: Typed
  readonly when: 'before' | 'after'
  readonly count: Typed
  /** In percent. */
  readonly share: Typed
}

/** A fault to begin with, under a name that is free. */
export function newFault(taken: readonly string[]): FaultDraft {
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

/** The rule that a draft means; whether it is a good one is for the host to say. */
export function ruleOf(draft: FaultDraft): NewFaultRule {
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
