import type { IncomingHttpHeaders } from 'node:http'

/** The key of a request and the dialect it speaks (rules ): `SVC-API-KEY` wins over `BT-API-KEY`. */
export function keyOf(headers: IncomingHttpHeaders): { key: string; dialect: 'own' | 'sdk' } | null {
  const own = headers['svc-api-key']
  if (typeof own === 'string') return { key: own, dialect: 'own' }
  const alias = headers['bt-api-key']
  return typeof alias === 'string' ? { key: alias, dialect: 'sdk' } : null
}

/** A header the SDKs send under their own prefix, such as `trace-id` or `idempotency-key` (rules ). */
export function prefixedHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[`svc-${name}`] ?? headers[`bt-${name}`]
  return typeof value === 'string' && value !== '' ? value : undefined
}
