import { isObject, type Json, type JsonObject } from './json.ts'

/**
 * Returns the target with a merge patch applied (RFC 7386, T-12). Neither argument is changed; the result shares the
 * members that the patch does not touch.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name) ?? null, value))
  }
  // SECURITY: fromEntries defines members; assigning one named __proto__ would change the prototype.
  return Object.fromEntries(merged) satisfies JsonObject
}
