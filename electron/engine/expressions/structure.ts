import { invalid } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import { safeName } from '../validation.ts'
import { MAX_DEPTH, MAX_LEAVES, MAX_VALUE, newBudget, sizeOf, spend, tooMuch } from './bounds.ts'
import { at, compile, evaluateWithin, type Scope } from './template.ts'

/**
 * Compiles every string in a mask (rule T-07). Throws `invalid` with the path of the string at fault, or when the
 * mask is deeper or holds more expressions than a mask may.
 */
export function checkStructure(mask: Json, path: string): void {
  let leaves = 0
  mapLeaves(mask, path, (leaf, leafPath) => {
    compile(leaf, leafPath)
    if (leaf.includes('{{')) leaves++
    if (leaves > MAX_LEAVES) throw invalid(path, 'must hold at most 1,000 expressions')
    return leaf
  })
}

/**
 * Gives a mask with every string in it evaluated (rule E-08); everything else is kept. All of it shares one bound
 * (case X-21). Throws `invalid` with the path of the string at fault.
 */
export function evaluateStructure(mask: Json, scope: Scope, path = 'mask'): Json {
  const budget = newBudget()
  let size = 0
  return mapLeaves(mask, path, (leaf, leafPath) => {
    const template = compile(leaf, leafPath)
    return at(leafPath, () => {
      spend(budget, 16)
      const value = evaluateWithin(budget, template, scope)
      size += sizeOf(value, MAX_VALUE)
      if (size > MAX_VALUE) throw tooMuch()
      return value
    })
  })
}

type MapLeaf = (leaf: string, path: string) => Json

function mapLeaves(value: Json, path: string, map: MapLeaf, depth = 0): Json {
  if (typeof value === 'string') return map(value, path)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) throw invalid(path, 'is nested too deeply')
  if (Array.isArray(value)) {
    return value.map((item, index) => mapLeaves(item, `${path}[${index}]`, map, depth + 1))
  }
  // SECURITY: fromEntries defines members, so that `__proto__` stays a member and sets no prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      mapLeaves(item, `${path}.${safeName(key)}`, map, depth + 1),
    ]),
  )
}
