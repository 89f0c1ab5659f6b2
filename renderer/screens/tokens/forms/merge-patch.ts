import { isObject, type Json, type JsonObject } from '../../../../shared/json.ts'

/** Creates the merge patch that turns one value into another; undefined if they are equal (rule T-12). */
export function createPatch(before: JsonObject, after: JsonObject): JsonObject | undefined
export function createPatch(before: Json | undefined, after: Json): Json | undefined
export function createPatch(before: Json | undefined, after: Json): Json | undefined {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : after
  }
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const changed = Object.entries(after).flatMap(([name, value]): [string, Json][] => {
    const change = createPatch(getMember(before, name), value)
    return change === undefined ? [] : [[name, change]]
  })
  const patch = [...removed.map((name): [string, Json] => [name, null]), ...changed]
  // fromEntries defines members; assigning one named __proto__ would change the prototype.
  return patch.length === 0 ? undefined : Object.fromEntries(patch)
}

/** Creates the merge patch that undoes another one without undoing later changes to other members. */
export function invertPatch(before: JsonObject, patch: JsonObject): JsonObject
export function invertPatch(before: Json | undefined, patch: Json): Json
export function invertPatch(before: Json | undefined, patch: Json): Json {
  if (!isObject(before) || !isObject(patch)) return before ?? null
  const taken = Object.entries(patch).map(([name, change]): [string, Json] => [
    name,
    invertPatch(getMember(before, name), change),
  ])
  return Object.fromEntries(taken)
}

function getMember(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export type JsonChange = {
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Lists every member that a patch changes, with its old and new value. */
export function listChanges(before: Json | undefined, patch: Json, path = ''): JsonChange[] {
  if (isObject(patch)) {
    const below = isObject(before) ? before : {}
    return Object.entries(patch).flatMap(([name, value]) =>
      listChanges(getMember(below, name), value, path === '' ? name : `${path}.${name}`),
    )
  }
  if (JSON.stringify(before) === JSON.stringify(patch)) return []
  return [{ path, before, after: patch === null ? undefined : patch }]
}
