import { invalid } from '../../../shared/errors.ts'
import { isObject, type Json } from '../../../shared/json.ts'
import { safeName } from '../../../shared/problems.ts'
import { MAX_DEPTH, MAX_LEAVES, MAX_VALUE, MAX_VALUES, newBudget, sizeOf, spend, tooMuch } from './bounds.ts'
import { at, compile, evaluateWithin, type Scope } from './template.ts'
import type { Work } from './work.ts'

/**
 * Compiles every string in a mask (rule T-07). Throws `invalid` with the path of the string at fault, or if the mask
 * is too deep or holds too many expressions.
 */
export function checkStructure(work: Work, mask: Json, path: string): void {
  let values = 0
  let expressions = 0
  const count = (leaf: string): string => {
    if (leaf.includes('{{')) expressions++
    return leaf
  }
  // SECURITY: counted before they are visited, so that a large mask is refused early (case X-48).
  mapLeaves(mask, { name: path }, count, (more) => {
    values += more
    if (values > MAX_VALUES) throw invalid(path, 'must hold at most 10,000 values')
  })
  if (expressions > MAX_LEAVES) throw invalid(path, 'must hold at most 1,000 expressions')
  mapLeaves(mask, { name: path }, (leaf) => {
    compile(work, leaf, '')
    return leaf
  })
}

/**
 * Evaluates every string in a mask (rule E-08) and keeps everything else. All strings share one budget (case X-21).
 * Throws `invalid` with the path of the string at fault.
 */
export function evaluateStructure(work: Work, mask: Json, scope: Scope, path = 'mask'): Json {
  const budget = newBudget(work)
  let size = 0
  const evaluated = (leaf: string): Json => {
    const value = evaluateWithin(budget, compile(work, leaf, ''), scope)
    const more = sizeOf(value, MAX_VALUE)
    size += more
    if (size > MAX_VALUE) throw tooMuch()
    // What a mask yields has to be written out too, even if it took no work to find.
    work.spend(more / 8)
    return value
  }
  return mapLeaves(mask, { name: path }, evaluated, (more) => spend(budget, 32 * more))
}

/** The position of a value; turned into text only for an error. */
type Place = { readonly name: string | number; readonly above?: Place }

function textOfPlace({ name, above }: Place): string {
  if (!above) return String(name)
  return typeof name === 'number'
    ? `${textOfPlace(above)}[${name}]`
    : `${textOfPlace(above)}.${safeName(name)}`
}

function mapLeaves(
  value: Json,
  place: Place,
  map: (leaf: string) => Json,
  /** Told how many values a list or an object holds, before they are visited. */
  found: (values: number) => void = () => {},
  depth = 0,
): Json {
  if (typeof value === 'string')
    return at(
      () => textOfPlace(place),
      () => map(value),
    )
  if (!Array.isArray(value) && !isObject(value)) return value
  if (depth >= MAX_DEPTH) throw invalid(textOfPlace(place), 'is nested too deeply')
  const mapItem = (name: string | number, item: Json): Json =>
    mapLeaves(item, { name, above: place }, map, found, depth + 1)
  if (Array.isArray(value)) {
    found(value.length)
    return value.map((item, index) => mapItem(index, item))
  }
  const entries = Object.entries(value)
  found(entries.length)
  // SECURITY: fromEntries defines members, so that `__proto__` stays a member and sets no prototype.
  return Object.fromEntries(entries.map(([key, item]) => [key, mapItem(key, item)]))
}
