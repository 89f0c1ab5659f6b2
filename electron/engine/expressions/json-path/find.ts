import { countCodePoints } from '../../../../shared/characters.ts'
import { isNumber, isObject, type Json, toComputable, WrittenNumber } from '../../../../shared/json.ts'
import { consumeWork, type EvaluationBudget } from '../bounds.ts'
import { compileIRegexp, type IRegexp } from './i-regexp.ts'
import type { JsonPathQuery, PathCondition, PathOperand, PathSegment, PathSelector } from './parse.ts'

/** The work of applying a selector or a condition to a node, and of visiting an item or a member. */
const SELECTOR_WORK = 4
const ITEM_WORK = 12
const MEMBER_WORK = 24

/**
 * Finds the nodes that a query matches, in the order of RFC 9535, with their numbers as written (rule A-14); numbers
 * are compared as doubles. Consumes work for each visited node, each compared character and each step of a pattern;
 * throws `invalid` if the work exceeds the budget (case X-21).
 */
export function findNodes(query: JsonPathQuery, value: Json, budget: EvaluationBudget): Json[] {
  return new NodeSearch(value, budget).runQuery(query, value)
}

class NodeSearch {
  readonly #root: Json
  readonly #budget: EvaluationBudget
  readonly #patterns = new Map<string, IRegexp | null>()

  constructor(root: Json, budget: EvaluationBudget) {
    this.#root = root
    this.#budget = budget
  }

  runQuery({ from, segments }: JsonPathQuery, current: Json): Json[] {
    let nodes = [from === 'root' ? this.#root : current]
    for (const segment of segments) nodes = this.#applySegment(segment, nodes)
    return nodes
  }

  #applySegment({ descends, selectors }: PathSegment, nodes: readonly Json[]): Json[] {
    const results: Json[] = []
    for (const node of descends ? this.#walkDescendants(nodes) : nodes) {
      for (const selector of selectors) this.#applySelector(selector, node, results)
    }
    return results
  }

  /** Yields the nodes and all their descendants, parents before children. */
  *#walkDescendants(nodes: readonly Json[]): Generator<Json> {
    for (const node of nodes) {
      const open = [node]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        yield next
        const children = this.#getChildren(next)
        for (let at = children.length - 1; at >= 0; at--) open.push(children[at] ?? null)
      }
    }
  }

  #getChildren(node: Json): readonly Json[] {
    if (Array.isArray(node)) {
      consumeWork(this.#budget, ITEM_WORK * node.length)
      return node
    }
    const children = isObject(node) ? Object.values(node) : []
    consumeWork(this.#budget, SELECTOR_WORK + MEMBER_WORK * children.length)
    return children
  }

  #applySelector(selector: PathSelector, node: Json, results: Json[]): void {
    consumeWork(this.#budget, SELECTOR_WORK)
    switch (selector.is) {
      case 'name':
        // SECURITY: reads own properties only, so that no path reaches a prototype.
        if (isObject(node) && Object.hasOwn(node, selector.name)) results.push(node[selector.name] ?? null)
        return
      case 'index': {
        const item = Array.isArray(node) ? node.at(selector.index) : undefined
        if (item !== undefined) results.push(item)
        return
      }
      case 'slice':
        if (Array.isArray(node)) this.#applySlice(selector, node, results)
        return
      default:
        this.#addChildren(selector, node, results)
    }
  }

  #addChildren(
    selector: Exclude<PathSelector, { readonly is: 'name' | 'index' | 'slice' }>,
    node: Json,
    results: Json[],
  ): void {
    for (const child of this.#getChildren(node)) {
      if (selector.is === 'wildcard' || this.#evaluateCondition(selector.condition, child))
        results.push(child)
    }
  }

  #applySlice(
    { start, end, step }: PathSelector & { is: 'slice' },
    list: readonly Json[],
    results: Json[],
  ): void {
    const { length } = list
    const clampIndex = (index: number, min: number) =>
      Math.min(Math.max(index < 0 ? length + index : index, min), length + min)
    if (step > 0) {
      const last = clampIndex(end ?? length, 0)
      for (let at = clampIndex(start ?? 0, 0); at < last; at += step) this.#addItem(list, at, results)
    } else if (step < 0) {
      const last = end === undefined ? -1 : clampIndex(end, -1)
      for (let at = clampIndex(start ?? length - 1, -1); at > last; at += step)
        this.#addItem(list, at, results)
    }
  }

  #addItem(list: readonly Json[], at: number, results: Json[]): void {
    consumeWork(this.#budget, SELECTOR_WORK)
    results.push(list[at] ?? null)
  }

  #evaluateCondition(condition: PathCondition, node: Json): boolean {
    consumeWork(this.#budget, SELECTOR_WORK)
    switch (condition.is) {
      case 'or':
        return condition.conditions.some((each) => this.#evaluateCondition(each, node))
      case 'and':
        return condition.conditions.every((each) => this.#evaluateCondition(each, node))
      case 'not':
        return !this.#evaluateCondition(condition.condition, node)
      case 'exists':
        return this.runQuery(condition.query, node).length > 0
      case 'comparison':
        return this.#compareValues(
          this.#resolveOperand(condition.left, node),
          condition.by,
          this.#resolveOperand(condition.right, node),
        )
      default:
        return this.#matchesPattern(condition, node)
    }
  }

  /** Returns the value of an operand; undefined if the operand has none. */
  #resolveOperand(operand: PathOperand, node: Json): Json | undefined {
    if (operand.is === 'literal') return operand.value
    if (operand.is === 'length') return this.#measureLength(this.#resolveOperand(operand.of, node))
    const nodes = this.runQuery(operand.query, node)
    if (operand.is === 'count') return nodes.length
    return nodes.length === 1 ? nodes[0] : undefined
  }

  #measureLength(value: Json | undefined): number | undefined {
    if (typeof value === 'string') {
      consumeWork(this.#budget, value.length / 4)
      return countCodePoints(value)
    }
    return Array.isArray(value) || isObject(value) ? this.#getChildren(value).length : undefined
  }

  #matchesPattern({ is, text, pattern }: PathCondition & { is: 'match' | 'search' }, node: Json): boolean {
    const [subject, source] = [this.#resolveOperand(text, node), this.#resolveOperand(pattern, node)]
    if (typeof subject !== 'string' || typeof source !== 'string') return false
    let compiled = this.#patterns.get(source)
    if (compiled === undefined) {
      compiled = compileIRegexp(source, this.#budget)
      this.#patterns.set(source, compiled)
    }
    return compiled?.matchesText(subject, is === 'match', this.#budget) ?? false
  }

  #compareValues(left: Json | undefined, by: string, right: Json | undefined): boolean {
    switch (by) {
      case '==':
        return this.#areEqual(left, right)
      case '!=':
        return !this.#areEqual(left, right)
      case '<':
        return this.#isLess(left, right)
      case '<=':
        return this.#isLess(left, right) || this.#areEqual(left, right)
      case '>':
        return this.#isLess(right, left)
      default:
        return this.#isLess(right, left) || this.#areEqual(left, right)
    }
  }

  #areEqual(left: Json | undefined, right: Json | undefined): boolean {
    consumeWork(this.#budget, 1)
    if (isNumber(left) && isNumber(right)) return this.#toDouble(left) === this.#toDouble(right)
    if (typeof left === 'string' && typeof right === 'string') {
      if (left.length !== right.length) return false
      consumeWork(this.#budget, left.length / 16)
      return left === right
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      return left.length === right.length && left.every((item, at) => this.#areEqual(item, right[at] ?? null))
    }
    if (!isObject(left) || !isObject(right)) return left === right
    const names = Object.keys(left)
    consumeWork(this.#budget, MEMBER_WORK * names.length)
    return (
      names.length === this.#getChildren(right).length &&
      names.every((name) => Object.hasOwn(right, name) && this.#areEqual(left[name], right[name]))
    )
  }

  #isLess(left: Json | undefined, right: Json | undefined): boolean {
    if (isNumber(left) && isNumber(right)) return this.#toDouble(left) < this.#toDouble(right)
    if (typeof left !== 'string' || typeof right !== 'string') return false
    consumeWork(this.#budget, (left.length + right.length) / 4)
    // Compares UTF-8 bytes, because they sort in the order of code points and UTF-16 code units do not.
    return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0
  }

  #toDouble(number: number | WrittenNumber): number {
    if (number instanceof WrittenNumber) consumeWork(this.#budget, String(number).length / 4)
    return toComputable(number)
  }
}
