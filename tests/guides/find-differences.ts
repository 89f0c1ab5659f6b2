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
  if (typeof expected === 'string' && typeof actual === 'string') {
    if (path === '$.id' && /^[0-9a-f]{8}-/.test(expected)) return uuid.test(actual) ? [] : [path]
    if (path === '$.key' && proxyKey.test(expected)) return proxyKey.test(actual) ? [] : [path]
    if (path === '$.fingerprint') return base58.test(actual) ? [] : [path]
    const pattern = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${pattern.join('[^]*')}$`).test(actual) ? [] : [path]
  }
  if (isObject(expected) && isObject(actual)) {
    const { '…': others, ...members } = expected
    const names = Object.keys(members)
    const more = others === undefined ? Object.keys(actual).filter((name) => !names.includes(name)) : []
    return [
      ...names.flatMap((name) => findDifferences(expected[name] ?? null, actual[name], `${path}.${name}`)),
      ...more.map((name) => `${path}.${name} is not shown`),
    ]
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, at) => findDifferences(item, actual[at], `${path}[${at}]`))
  }
  return expected === actual ? [] : [path]
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
