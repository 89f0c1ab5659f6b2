import { isObject, type Json, type JsonObject } from './json.ts'

const defined = { writable: true, enumerable: true, configurable: true }

/**
 * Returns the target with a merge patch applied (RFC 7386, T-12). Neither argument is changed; the result shares the
 * members that the patch does not touch.
 */
export function mergePatch(target: Json | object, patch: JsonObject): JsonObject
export function mergePatch(target: Json | object, patch: Json | object): Json
export function mergePatch(target: Json | object, patch: Json | object): Json {
  if (!isObject(patch)) return patch as Json
  // SECURITY: a spread defines members, even one named __proto__, whereas an assignment to __proto__ would change the
  // prototype.
  const merged: JsonObject = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      delete merged[name]
      continue
    }
    const before = Object.hasOwn(merged, name) ? (merged[name] as Json) : null
    const after = mergePatch(before, value)
    if (name === '__proto__') Object.defineProperty(merged, name, { ...defined, value: after })
    else merged[name] = after
  }
  return merged
}
