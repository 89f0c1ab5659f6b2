import { invalid } from '../../shared/errors.ts'
import type { FaultReport, FaultRule } from '../../shared/schemas/fault.ts'
import { catalogue } from '../engine/operations.ts'

const MOST = 100

/** A fault that is set; `waits` ends the waiting of the calls that it delays. */
type Armed = { readonly rule: FaultRule; hits: number; waits: AbortController }

/** The faults of a listener: rules in the order they are tried, and how often each has hit. */
export class Faults {
  readonly #initial: readonly FaultRule[]
  readonly #changed: () => void
  #armed: Armed[] = []

  constructor(initial: readonly FaultRule[] = [], changed: () => void = () => {}) {
    this.#initial = initial
    this.#changed = changed
    this.#armed = armed(initial)
  }

  /** Replaces all faults. Throws `invalid` if one names an operation that does not exist. */
  set(rules: readonly FaultRule[]): void {
    const before = this.#armed
    this.#armed = armed(rules)
    endWaits(before)
    this.#changed()
  }

  /** Adds faults after those already set, replacing any of the same name. Throws `invalid` as `set` does. */
  add(rules: readonly FaultRule[]): void {
    const added = armed(rules)
    const names = new Set(rules.map(({ name }) => name))
    const kept = this.#armed.filter(({ rule }) => !names.has(rule.name))
    if (kept.length + added.length > MOST)
      throw invalid('rules', `must be at most ${MOST} with those that are set`)
    const replaced = this.#armed.filter((each) => !kept.includes(each))
    this.#armed = [...kept, ...added]
    endWaits(replaced)
    this.#changed()
  }

  /** Removes the fault of this name; says whether there was one. */
  remove(name: string): boolean {
    const removed = this.#armed.filter(({ rule }) => rule.name === name)
    if (removed.length === 0) return false
    this.#armed = this.#armed.filter((each) => !removed.includes(each))
    endWaits(removed)
    this.#changed()
    return true
  }

  /** Back to the faults it began with. */
  reset(): void {
    this.set(this.#initial)
  }

  /** Releases every call that a fault is delaying. */
  release(): void {
    endWaits(this.#armed)
  }

  /** Aborted when the calls that this fault delays are released: when it is removed or replaced, or all are released. */
  releasedOf(rule: FaultRule): AbortSignal {
    return this.#armed.find((each) => each.rule === rule)?.waits.signal ?? AbortSignal.abort()
  }

  /** The faults that are set. */
  report(): FaultReport {
    return { rules: this.#armed.map(({ rule, hits }) => ({ ...rule, hits })) }
  }

  /** Names of the faults that can still hit. */
  active(): string[] {
    return this.#armed.filter(isLeft).map(({ rule }) => rule.name)
  }

  /** The fault that hits this call, or null: the first that matches and whose chance comes up. Counts the hit. */
  pick(operation: string): FaultRule | null {
    if (this.#armed.length === 0) return null
    const found = this.#armed.find(
      (each) =>
        isLeft(each) &&
        covers(each.rule, operation) &&
        (each.rule.share === 1 || Math.random() < each.rule.share),
    )
    if (!found) return null
    found.hits++
    if (!isLeft(found)) this.#changed()
    return found.rule
  }
}

function armed(rules: readonly FaultRule[]): Armed[] {
  for (const [index, { operations = [] }] of rules.entries()) {
    for (const [at, pattern] of operations.entries()) {
      if ([...catalogue.keys()].some((name) => matches(pattern, name))) continue
      throw invalid(
        `rules[${index}].operations[${at}]`,
        'must name an existing operation, such as tokens.create',
      )
    }
  }
  return rules.map((rule) => ({ rule, hits: 0, waits: new AbortController() }))
}

function endWaits(faults: readonly Armed[]): void {
  for (const each of faults) {
    each.waits.abort()
    each.waits = new AbortController()
  }
}

function isLeft({ rule, hits }: Armed): boolean {
  return rule.count === undefined || hits < rule.count
}

function covers({ operations }: FaultRule, operation: string): boolean {
  return !operations || operations.some((pattern) => matches(pattern, operation))
}

function matches(pattern: string, operation: string): boolean {
  return pattern.endsWith('.*') ? operation.startsWith(pattern.slice(0, -1)) : pattern === operation
}
