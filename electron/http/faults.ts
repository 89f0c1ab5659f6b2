import { isDeepStrictEqual } from 'node:util'
import { createInvalidError } from '../../shared/errors.ts'
import type { FaultReport, FaultRule } from '../../shared/schemas/fault.ts'
import { catalogue } from '../engine/index.ts'

const MAX_FAULTS = 100

/** A fault with its hit count. Aborting `waits` releases the calls that the fault delays. */
type ArmedFault = { readonly rule: FaultRule; hits: number; waits: AbortController }

/** The faults of a listener: rules in the order in which they are tried, each with its hit count. */
export class Faults {
  readonly #initial: readonly FaultRule[]
  readonly #onChange: () => void
  #armed: ArmedFault[] = []

  constructor(initial: readonly FaultRule[] = [], onChange: () => void = () => {}) {
    this.#initial = initial
    this.#onChange = onChange
    this.#armed = armFaults(initial)
  }

  /**
   * Replaces all faults, and starts their hit counts anew. Calls that an unchanged fault delays stay delayed. Throws
   * `invalid` if a fault names an operation that does not exist.
   */
  setRules(rules: readonly FaultRule[]): void {
    const before = this.#armed
    this.#armed = armFaults(rules).map((fault) => {
      const same = before.find(({ rule }) => isDeepStrictEqual(rule, fault.rule))
      return same ? { ...same, hits: 0 } : fault
    })
    endWaits(before.filter(({ rule }) => !this.#armed.some((each) => each.rule === rule)))
    this.#onChange()
  }

  /**
   * Adds faults after those already set, replacing any of the same name. Throws `invalid` if one names an operation
   * that does not exist, or if there would be more than 100.
   */
  addRules(rules: readonly FaultRule[]): void {
    const newFaults = armFaults(rules)
    const names = new Set(rules.map(({ name }) => name))
    const remaining = this.#armed.filter(({ rule }) => !names.has(rule.name))
    if (remaining.length + newFaults.length > MAX_FAULTS)
      throw createInvalidError('rules', `must be at most ${MAX_FAULTS} faults, including those already set`)
    const replaced = this.#armed.filter((each) => !remaining.includes(each))
    this.#armed = [...remaining, ...newFaults]
    endWaits(replaced)
    this.#onChange()
  }

  /** Removes the fault with this name; returns whether there was one. */
  removeRule(name: string): boolean {
    const removed = this.#armed.filter(({ rule }) => rule.name === name)
    if (removed.length === 0) return false
    this.#armed = this.#armed.filter((each) => !removed.includes(each))
    endWaits(removed)
    this.#onChange()
    return true
  }

  resetRules(): void {
    this.setRules(this.#initial)
    this.releaseCalls()
  }

  releaseCalls(): void {
    endWaits(this.#armed)
  }

  /**
   * Returns a signal that ends the delays of this fault. It aborts when the fault is removed or replaced, or when
   * `releaseCalls` is called.
   */
  getReleaseSignal(rule: FaultRule): AbortSignal {
    return this.#armed.find((each) => each.rule === rule)?.waits.signal ?? AbortSignal.abort()
  }

  getReport(): FaultReport {
    return { rules: this.#armed.map(({ rule, hits }) => ({ ...rule, hits })) }
  }

  /** Returns the names of the faults that can still hit. */
  listActive(): string[] {
    return this.#armed.filter(canHit).map(({ rule }) => rule.name)
  }

  /**
   * Picks the first fault that matches this call and can still hit, and counts the hit. `share` is the probability that
   * a matching fault hits; otherwise it is skipped.
   */
  pickFault(operation: string): FaultRule | null {
    if (this.#armed.length === 0) return null
    const hit = this.#armed.find(
      (each) =>
        canHit(each) &&
        matchesOperation(each.rule, operation) &&
        (each.rule.share === 1 || Math.random() < each.rule.share),
    )
    if (!hit) return null
    hit.hits++
    if (!canHit(hit)) this.#onChange()
    return hit.rule
  }
}

function armFaults(rules: readonly FaultRule[]): ArmedFault[] {
  for (const [index, { operations = [] }] of rules.entries()) {
    for (const [at, pattern] of operations.entries()) {
      if ([...catalogue.keys()].some((name) => matchesPattern(pattern, name))) continue
      throw createInvalidError(
        `rules[${index}].operations[${at}]`,
        'must name an existing operation, such as tokens.create',
      )
    }
  }
  return rules.map((rule) => ({ rule, hits: 0, waits: new AbortController() }))
}

function endWaits(faults: readonly ArmedFault[]): void {
  for (const each of faults) {
    each.waits.abort()
    each.waits = new AbortController()
  }
}

function canHit({ rule, hits }: ArmedFault): boolean {
  return rule.count === undefined || hits < rule.count
}

function matchesOperation({ operations }: FaultRule, operation: string): boolean {
  return !operations || operations.some((pattern) => matchesPattern(pattern, operation))
}

function matchesPattern(pattern: string, operation: string): boolean {
  return pattern.endsWith('.*') ? operation.startsWith(pattern.slice(0, -1)) : pattern === operation
}
