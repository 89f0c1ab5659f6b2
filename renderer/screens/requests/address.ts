import type { ApiOperation } from '../../parts/api/api-document.ts'
import { matchPath, readParams } from './import-curl.ts'

export type Address = {
  readonly operation: ApiOperation
  readonly params: Readonly<Record<string, string>>
}

/**
 * The operations that a typed address may mean, with its parameters: `/tokens/abc`, `GET /v2/tokens?type=card`, or a
 * whole URL. Literal segments take precedence. Empty if the text is no address, or has no parameters.
 */
export function findAddresses(operations: readonly ApiOperation[], text: string): Address[] {
  const [, method, path, search = ''] =
    /^(?:(GET|POST|PUT|PATCH|DELETE)\s+)?(?:https?:\/\/[^/\s]+)?(\/[^\s?{}]*)(\?\S*)?$/i.exec(text.trim()) ??
    []
  if (path === undefined) return []
  const segments = path.replace(/(?<=.)\/$/, '').split('/')
  return operations
    .filter((operation) => method === undefined || operation.method === method.toUpperCase())
    .flatMap((operation) => {
      const ids = matchPath(operation.path.split('/'), segments)
      if (!ids) return []
      const params = { ...readParams(operation, new URLSearchParams(search)).params, ...ids }
      return Object.keys(params).length === 0 ? [] : [{ operation, params, ids: Object.keys(ids).length }]
    })
    .sort((a, b) => a.ids - b.ids)
}
