import type { IncomingHttpHeaders } from 'node:http'
import { CofferError } from '../../shared/errors.ts'
import { type Engine, type IdentifiedCaller, requireUnlocked } from '../engine/index.ts'

/**
 * Returns the key and the dialect of a request (rules ): `SVC-API-KEY` takes precedence over `BT-API-KEY`.
 */
export function findKey(headers: IncomingHttpHeaders): { key: string; dialect: 'own' | 'sdk' } | null {
  const own = headers['svc-api-key']
  if (typeof own === 'string') return { key: own, dialect: 'own' }
  const alias = headers['bt-api-key']
  return typeof alias === 'string' ? { key: alias, dialect: 'sdk' } : null
}

/**
 * Identifies the caller of a request by the key in its headers. Throws `locked`, or `unauthenticated` if the key is
 * missing or not valid; the message for a missing key asks for a key of this `kind` (rule A-04).
 */
export function identifyCaller(
  headers: IncomingHttpHeaders,
  engine: Engine | null,
  kind: 'application' | 'management',
): IdentifiedCaller {
  const open = requireUnlocked(engine)
  const sent = findKey(headers)
  if (sent) return open.identification.identifyKey(sent.key)
  const article = kind === 'application' ? 'an' : 'a'
  throw new CofferError('unauthenticated', `Send ${article} ${kind} key in the SVC-API-KEY header.`)
}

/**
 * Returns the header `svc-<name>`, or else the SDKs' `bt-<name>`; undefined if neither is set. `name` is, for
 * example, `trace-id` (rules A-11, A-12).
 */
export function findPrefixedHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[`svc-${name}`] ?? headers[`bt-${name}`]
  return typeof value === 'string' && value !== '' ? value : undefined
}
