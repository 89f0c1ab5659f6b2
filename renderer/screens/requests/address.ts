import type { ApiOperation } from '../../parts/api/api-document.ts'
import { type Address, matchOperations, readParams } from './import-curl.ts'

/**
 * The operations that a typed address may mean, with its parameters: `/tokens/abc`, `GET /v2/tokens?type=card`, or a
 * whole URL. Empty if the text is no address, or has no parameters.
 */
export function findAddresses(operations: readonly ApiOperation[], text: string): Address[] {
  const [, method, path, search = ''] =
    /^(?:(GET|POST|PUT|PATCH|DELETE)\s+)?(?:https?:\/\/[^/\s]+)?(\/[^\s?{}]*)(\?\S*)?$/i.exec(text.trim()) ??
    []
  if (path === undefined) return []
  return matchOperations(operations, method?.toUpperCase(), path).flatMap(({ operation, params: ids }) => {
    const params = { ...readParams(operation, new URLSearchParams(search)).params, ...ids }
    return Object.keys(params).length === 0 ? [] : [{ operation, params }]
  })
}
