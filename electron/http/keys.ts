import type { IncomingHttpHeaders } from 'node:http'
import { CofferError } from '../../shared/errors.ts'
import type { IdentifiedCaller } from '../engine/door/call.ts'
import { unlocked } from '../engine/door/locked.ts'
import type { Engine } from '../engine/engine.ts'

/** The key of a request and the dialect it speaks (rules ): `SVC-API-KEY` wins over `BT-API-KEY`. */
export function keyOf(headers: IncomingHttpHeaders): { key: string; dialect: 'own' | 'sdk' } | null {
  const own = headers['svc-api-key']
  if (typeof own === 'string') return { key: own, dialect: 'own' }
  const alias = headers['bt-api-key']
  return typeof alias === 'string' ? { key: alias, dialect: 'sdk' } : null
}

/**
 * Who sends a request, by the key in its headers. Throws `locked`, and `unauthenticated` where there is no key, asking
 * for one of `kind`, or it is not valid (rule A-04).
 */
export function callerOf(
  headers: IncomingHttpHeaders,
  engine: Engine | null,
  kind: 'application' | 'management',
): IdentifiedCaller {
  const open = unlocked(engine)
  const given = keyOf(headers)
  if (given) return open.identify(given.key)
  const article = kind === 'application' ? 'an' : 'a'
  throw new CofferError('unauthenticated', `Send ${article} ${kind} key in the SVC-API-KEY header.`)
}

/** A header the SDKs send under their own prefix, such as `trace-id` or `idempotency-key` (rules ). */
export function prefixedHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[`svc-${name}`] ?? headers[`bt-${name}`]
  return typeof value === 'string' && value !== '' ? value : undefined
}
