import { lengthOf } from '../../../../shared/characters.ts'
import { computable, isNumber, isObject, type Json, WrittenNumber } from '../../../../shared/json.ts'
import { type Budget, spend } from '../bounds.ts'
import { type Pattern, patternOf } from './i-regexp.ts'
import type { Condition, Operand, Query, Segment, Selector } from './parse.ts'

/** The work of applying a selector or a condition to a node, of visiting an item, and of visiting a member. */
const LOOK = 4
const ITEM = 12
const MEMBER = 24

/**
 * The nodes that a query finds in a JSON value, in the order of RFC 9535, with their numbers as written (rule A-14);
 * comparisons are between doubles. Spends work for each node that is looked at, character compared and step of a
 * pattern; throws `invalid` where that is too much (case X-21).
 */
export function findNodes(query: Query, value: Json, budget: Budget): Json[] {
  return new Search(value, budget).find(query, value)
}

class Search {
  readonly #root: Json
  readonly #budget: Budget
  readonly #patterns = new Map<string, Pattern | null>()

  constructor(root: Json, budget: Budget) {
    this.#root = root
    this.#budget = budget
  }

  find({ from, segments }: Query, current: Json): Json[] {
    let nodes = [from === 'root' ? this.#root : current]
    for (const segment of segments) nodes = this.#inSegment(segment, nodes)
    return nodes
  }

  #inSegment({ descends, selectors }: Segment, nodes: readonly Json[]): Json[] {
    const found: Json[] = []
    for (const node of descends ? this.#descendants(nodes) : nodes) {
      for (const selector of selectors) this.#select(selector, node, found)
    }
    return found
  }

  /** The nodes and everything in them, parents before children. */
  *#descendants(nodes: readonly Json[]): Generator<Json> {
    for (const node of nodes) {
      const open = [node]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        yield next
        const children = this.#children(next)
        for (let at = children.length - 1; at >= 0; at--) open.push(children[at] ?? null)
      }
    }
  }

  #children(node: Json): readonly Json[] {
    if (Array.isArray(node)) {
      spend(this.#budget, ITEM * node.length)
      return node
    }
    const children = isObject(node) ? Object.values(node) : []
    spend(this.#budget, LOOK + MEMBER * children.length)
    return children
  }

  #select(selector: Selector, node: Json, found: Json[]): void {
    spend(this.#budget, LOOK)
    switch (selector.is) {
      case 'name':
        // SECURITY: own members only, so that no path reaches a prototype.
        if (isObject(node) && Object.hasOwn(node, selector.name)) found.push(node[selector.name] ?? null)
        return
      case 'index': {
        const item = Array.isArray(node) ? node.at(selector.index) : undefined
        if (item !== undefined) found.push(item)
        return
      }
      case 'slice':
        if (Array.isArray(node)) this.#slice(selector, node, found)
        return
      default:
        for (const child of this.#children(node)) {
          if (selector.is === 'wildcard' || this.#holds(selector.condition, child)) found.push(child)
        }
    }
  }

  #slice({ start, end, step }: Selector & { is: 'slice' }, list: readonly Json[], found: Json[]): void {
    const { length } = list
    const place = (given: number, least: number) =>
      Math.min(Math.max(given < 0 ? length + given : given, least), length + least)
    if (step > 0) {
      const last = place(end ?? length, 0)
      for (let at = place(start ?? 0, 0); at < last; at += step) this.#add(list, at, found)
    } else if (step < 0) {
      const last = end === undefined ? -1 : place(end, -1)
      for (let at = place(start ?? length - 1, -1); at > last; at += step) this.#add(list, at, found)
    }
  }

  #add(list: readonly Json[], at: number, found: Json[]): void {
    spend(this.#budget, LOOK)
    found.push(list[at] ?? null)
  }

  #holds(condition: Condition, node: Json): boolean {
    spend(this.#budget, LOOK)
    switch (condition.is) {
      case 'or':
        return condition.conditions.some((each) => this.#holds(each, node))
      case 'and':
        return condition.conditions.every((each) => this.#holds(each, node))
      case 'not':
        return !this.#holds(condition.condition, node)
      case 'exists':
        return this.find(condition.query, node).length > 0
      case 'comparison':
        return this.#compares(
          this.#valueOf(condition.left, node),
          condition.by,
          this.#valueOf(condition.right, node),
        )
      default:
        return this.#matches(condition, node)
    }
  }

  /** What an operand stands for; undefined for nothing. */
  #valueOf(operand: Operand, node: Json): Json | undefined {
    if (operand.is === 'literal') return operand.value
    if (operand.is === 'length') return this.#lengthOf(this.#valueOf(operand.of, node))
    const found = this.find(operand.query, node)
    if (operand.is === 'count') return found.length
    return found.length === 1 ? found[0] : undefined
  }

  #lengthOf(value: Json | undefined): number | undefined {
    if (typeof value === 'string') {
      spend(this.#budget, value.length / 4)
      return lengthOf(value)
    }
    return Array.isArray(value) || isObject(value) ? this.#children(value).length : undefined
  }

  #matches({ is, text, pattern }: Condition & { is: 'match' | 'search' }, node: Json): boolean {
    const [given, source] = [this.#valueOf(text, node), this.#valueOf(pattern, node)]
    if (typeof given !== 'string' || typeof source !== 'string') return false
    let compiled = this.#patterns.get(source)
    if (compiled === undefined) {
      compiled = patternOf(source, this.#budget)
      this.#patterns.set(source, compiled)
    }
    return compiled?.matches(given, is === 'match', this.#budget) ?? false
  }

  #compares(left: Json | undefined, by: string, right: Json | undefined): boolean {
    switch (by) {
      case '==':
        return this.#equals(left, right)
      case '!=':
        return !this.#equals(left, right)
      case '<':
        return this.#isLess(left, right)
      case '<=':
        return this.#isLess(left, right) || this.#equals(left, right)
      case '>':
        return this.#isLess(right, left)
      default:
        return this.#isLess(right, left) || this.#equals(left, right)
    }
  }

  #equals(left: Json | undefined, right: Json | undefined): boolean {
    spend(this.#budget, 1)
    if (isNumber(left) && isNumber(right)) return this.#doubleOf(left) === this.#doubleOf(right)
    if (typeof left === 'string' && typeof right === 'string') {
      if (left.length !== right.length) return false
      spend(this.#budget, left.length / 16)
      return left === right
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      return left.length === right.length && left.every((item, at) => this.#equals(item, right[at] ?? null))
    }
    if (!isObject(left) || !isObject(right)) return left === right
    const names = Object.keys(left)
    spend(this.#budget, MEMBER * names.length)
    return (
      names.length === this.#children(right).length &&
      names.every((name) => Object.hasOwn(right, name) && this.#equals(left[name], right[name]))
    )
  }

  #isLess(left: Json | undefined, right: Json | undefined): boolean {
    if (isNumber(left) && isNumber(right)) return this.#doubleOf(left) < this.#doubleOf(right)
    if (typeof left !== 'string' || typeof right !== 'string') return false
    spend(this.#budget, (left.length + right.length) / 4)
    // The bytes of UTF-8 are in the order of code points; UTF-16 units are not.
    return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0
  }

  #doubleOf(number: number | WrittenNumber): number {
    if (number instanceof WrittenNumber) spend(this.#budget, String(number).length / 4)
    return computable(number)
  }
}
