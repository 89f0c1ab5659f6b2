import type { Json } from '../../shared/json.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const proxyKey = /^[0-9a-f]{12}$/
const base58 = /^[1-9A-HJ-NP-Za-km-z]{40,44}$/

/**
 * Returns the paths at which a response differs from the one in a guide. `…` matches any part of a string, and the
 * member `"…": "…"` matches any omitted members. Any id or fingerprint matches another one, because they differ for
 * each vault.
 */
export function findDifferences(shown: Json, given: Json | undefined, path = '$'): string[] {
  if (typeof shown === 'string' && typeof given === 'string') {
    if (path === '$.id' && /^[0-9a-f]{8}-/.test(shown)) return uuid.test(given) ? [] : [path]
    if (path === '$.key' && proxyKey.test(shown)) return proxyKey.test(given) ? [] : [path]
    if (path === '$.fingerprint') return base58.test(given) ? [] : [path]
    const pattern = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${pattern.join('[^]*')}$`).test(given) ? [] : [path]
  }
  if (isObject(shown) && isObject(given)) {
    const { '…': others, ...members } = shown
    const names = Object.keys(members)
    const more = others === undefined ? Object.keys(given).filter((name) => !names.includes(name)) : []
    return [
      ...names.flatMap((name) => findDifferences(shown[name] ?? null, given[name], `${path}.${name}`)),
      ...more.map((name) => `${path}.${name} is not shown`),
    ]
  }
  if (Array.isArray(shown) && Array.isArray(given) && shown.length === given.length) {
    return shown.flatMap((item, at) => findDifferences(item, given[at], `${path}[${at}]`))
  }
  return shown === given ? [] : [path]
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
