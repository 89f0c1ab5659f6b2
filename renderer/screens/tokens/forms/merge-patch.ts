import { isObject, type Json, type JsonObject } from '../../../../shared/json.ts'

/** What a merge patch does to a value (RFC 7386). */
export function applyPatch(before: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(before) ? { ...before } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = applyPatch(result[name], value)
  }
  return result
}

/** The merge patch that leads from one value to another; undefined where they are equal. */
export function patchBetween(before: Json | undefined, after: Json): Json | undefined {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : after
  }
  const patch: JsonObject = {}
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null
  for (const [name, value] of Object.entries(after)) {
    const change = patchBetween(before[name], value)
    if (change !== undefined) patch[name] = change
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

export type Change = {
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Every member a patch changes, with what it was and what it will be. */
export function changesOf(before: Json | undefined, patch: Json, path = ''): Change[] {
  if (isObject(patch)) {
    const below = isObject(before) ? before : {}
    return Object.entries(patch).flatMap(([name, value]) =>
      changesOf(below[name], value, path === '' ? name : `${path}.${name}`),
    )
  }
  if (JSON.stringify(before) === JSON.stringify(patch)) return []
  return [{ path, before, after: patch === null ? undefined : patch }]
}
