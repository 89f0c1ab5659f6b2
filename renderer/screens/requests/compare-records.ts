import { isObject } from '../../../shared/json.ts'
import type { FullLog } from '../../../shared/schemas/log.ts'

/** One fact of two records. A fact that a record does not hold is undefined. */
export type ComparedFact = {
  readonly name: string
  readonly values: readonly [string | undefined, string | undefined]
  readonly isDifferent: boolean
}

/** Compares all facts of two records, in the order in which the records list them. */
export function compareRecords(one: FullLog, other: FullLog): readonly ComparedFact[] {
  const [first, second] = [flattenFacts(one), flattenFacts(other)]
  const names = new Set([...first.keys(), ...second.keys()])
  return [...names].map((name) => {
    const values = [first.get(name), second.get(name)] as const
    return { name, values, isDifferent: values[0] !== values[1] }
  })
}

/** Returns the facts of a value by their path, such as `headers.accept`. */
function flattenFacts(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (isObject(value)) {
    const members = Object.entries(value)
    return new Map(
      members.flatMap(([name, each]) => [...flattenFacts(each, path === '' ? name : `${path}.${name}`)]),
    )
  }
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return new Map([[path, text]])
}
