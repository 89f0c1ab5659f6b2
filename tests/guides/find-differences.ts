import type { Json } from '../../shared/json.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const proxyKey = /^[0-9a-f]{12}$/
const base58 = /^[1-9A-HJ-NP-Za-km-z]{40,44}$/

/**
 * Returns the paths at which a response differs from the one in a guide. `…` matches any part of a string, and the
 * member `"…": "…"` matches any omitted members. An id or fingerprint matches any other, because every vault has
 * different ones.
 */
export function findDifferences(expected: Json, actual: Json | undefined, path = '$'): string[] {
  if (typeof expected === 'string' && typeof actual === 'string')
    return createPattern(expected, path).test(actual) ? [] : [path]
  if (isObject(expected) && isObject(actual)) return findDifferentMembers(expected, actual, path)
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, at) => findDifferences(item, actual[at], `${path}[${at}]`))
  }
  return expected === actual ? [] : [path]
}

/** Returns the pattern of the strings that a string in a guide stands for. */
function createPattern(expected: string, path: string): RegExp {
  if (path === '$.id' && /^[0-9a-f]{8}-/.test(expected)) return uuid
  if (path === '$.key' && proxyKey.test(expected)) return proxyKey
  if (path === '$.fingerprint') return base58
  const parts = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`)
}

function findDifferentMembers(
  expected: Record<string, Json>,
  actual: Record<string, Json>,
  path: string,
): string[] {
  const { '…': others, ...members } = expected
  const names = Object.keys(members)
  const more = others === undefined ? Object.keys(actual).filter((name) => !names.includes(name)) : []
  return [
    ...names.flatMap((name) => findDifferences(expected[name] ?? null, actual[name], `${path}.${name}`)),
    ...more.map((name) => `${path}.${name} is not shown`),
  ]
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
