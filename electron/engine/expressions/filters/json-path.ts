import { exec, type JsonValue, query } from 'jsonpath-rfc9535'
import parse from 'jsonpath-rfc9535/parser'
import { lengthOf } from '../../../../shared/characters.ts'
import { type CofferError, invalid } from '../../../../shared/errors.ts'
import { computableWithin, isObject, type Json } from '../../../../shared/json.ts'
import { type Budget, MAX_STEP, refuseStep, sizeOf, spend } from '../bounds.ts'

type Segment = ReturnType<typeof parse>['segments'][number]
type Bracketed = Extract<Segment['node'], { type: 'BracketedSelection' }>
type Selector = Exclude<Segment['node'], Bracketed> | Bracketed['selectors'][number]
type Logical = Extract<Selector, { type: 'FilterSelector' }>['value']

/** Compiles a JSONPath into a function that finds its one value (rule E-07). Throws `invalid` for a refused path. */
export function single(given: string): (value: Json, budget: Budget) => Json {
  // SECURITY: the parser's work grows faster than the length of the path.
  if (lengthOf(given) > 500) throw refused()
  const path = bracketed(given)
  const segments = parsed(path)
  const selectors = segments.map(onlySelector)
  const descents = segments.filter((segment) => segment.type === 'DescendantSegment').length
  const keys = selectors.map(keyOf).filter((key) => key !== undefined)
  if (descents === 0 && keys.length === selectors.length) return (value) => keys.reduce(member, value)
  const compares = selectors.some((selector) => selector.type === 'FilterSelector')
  // SECURITY: the allowed paths visit a node at most once per segment; others cost a power of the size of the data.
  if (descents > 1 || !selectors.every(isBounded)) throw refused()
  return (value, budget) => {
    const size = sizeOf(value, MAX_STEP)
    if (size > MAX_STEP) refuseStep(budget)
    spend(budget, size * (1 + path.length / 16))
    const found = compares ? foundByComparing(value, path) : query(value as JsonValue, path)
    if (found.length !== 1) throw notOne()
    return (found[0] ?? null) as Json
  }
}

/** Compares numbers as doubles, and returns the result with its numbers as written (rule A-14). */
function foundByComparing(value: Json, path: string): Json[] {
  const found: Json[] = []
  exec(computableWithin(value) as JsonValue, path, (_, keys) => {
    found.push(keys.map(unescaped).reduce(member, value))
  })
  return found
}

/** A key without the escapes of a normalized path, which is how the library reports it. */
function unescaped(key: string | number): string | number {
  return typeof key === 'number' ? key : JSON.parse(`"${key.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`)
}

/** Puts names with dashes into brackets: the interface writes `$.headers.X-Date`, which RFC 9535 does not allow. */
function bracketed(path: string): string {
  return path.replace(/\[[^\]]*\]|(?<!\.)\.([A-Za-z_][\w-]*-[\w-]*)/g, (match, name?: string) =>
    name === undefined ? match : `['${name}']`,
  )
}

function parsed(path: string): readonly Segment[] {
  try {
    return parse(path).segments
  } catch {
    throw invalid('', 'must give the filter json a JSONPath (RFC 9535)')
  }
}

function onlySelector({ node }: Segment): Selector {
  if (node.type !== 'BracketedSelection') return node
  const [selector] = node.selectors
  if (!selector || node.selectors.length > 1) throw refused()
  return selector
}

function keyOf(selector: Selector): string | number | undefined {
  const named = selector.type === 'MemberNameShorthand' || selector.type === 'NameSelector'
  return named || selector.type === 'IndexSelector' ? selector.value : undefined
}

function member(value: Json, key: string | number): Json {
  if (typeof key === 'string' && isObject(value) && Object.hasOwn(value, key)) return value[key] ?? null
  const item = typeof key === 'number' && Array.isArray(value) ? value.at(key) : undefined
  if (item === undefined) throw notOne()
  return item
}

function isBounded(selector: Selector): boolean {
  return selector.type !== 'FilterSelector' || isSimple(selector.value)
}

/** Whether a condition only compares or tests paths of names and indexes: no functions, no nested queries. */
function isSimple(condition: Logical): boolean {
  switch (condition.type) {
    case 'LogicalAndExpr':
    case 'LogicalOrExpr':
      return isSimple(condition.left) && isSimple(condition.right)
    case 'LogicalNotExpr':
      return isSimple(condition.expression)
    case 'ComparisonExpr':
      return condition.left.type !== 'FunctionExpr' && condition.right.type !== 'FunctionExpr'
    case 'TestExpr':
      return (
        condition.expression.type === 'FilterQuery' &&
        condition.expression.value.segments.every(
          (segment) => segment.type === 'ChildSegment' && keyOf(onlySelector(segment)) !== undefined,
        )
      )
  }
}

function refused(): CofferError {
  return invalid(
    '',
    'must give the filter json a path of at most 500 characters without functions, lists of selectors or nested queries',
  )
}

function notOne(): CofferError {
  return invalid('', 'must give the filter json a path that finds exactly one value')
}
