import type { FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { type Engine, toCofferError } from '../engine/index.ts'
import { identifyCaller } from './keys.ts'
import { getRequestMetadata } from './request-metadata.ts'

/** Areas of the hosted service that this version does not implement, by the first segment of a path (rule O-07). */
const areas: ReadonlyMap<string, string> = new Map([
  ['reactor-formulas', 'Reactor formulas'],
  ['connections', 'Wallet connections'],
])

/** The other fixed words in the paths of these areas. */
const words = 'stripe-forward tokenize'
/** The fixed segments of these paths. SECURITY: everything else in a path may be data, and is not logged. */
export const unbuiltWords: ReadonlySet<string> = new Set(['', ...areas.keys(), ...words.split(' ')])

/** Returns the name of the area of a path that is not implemented; null for any other path. */
export function findUnbuiltArea(path: string): string | null {
  return areas.get(path.split('/')[1] ?? '') ?? null
}

/** Returns the error for a request of such an area, and records the request if its key is valid (rule O-07). */
export function rejectUnbuilt(request: FastifyRequest, engine: Engine | null, area: string): CofferError {
  const rejection = new CofferError(
    'not_found',
    `This operation is not part of this version of Coffer: ${area}.`,
  )
  request.caller = findCaller(request, engine)
  if (!request.caller) return rejection
  const [path = ''] = request.url.split('?', 1)
  const pattern = path.split('/', 20).map((word) => (unbuiltWords.has(word) ? word : '…'))
  const line = `${request.method} ${pattern.join('/')}`
  const info = { trace_id: request.trace_id, request: line, http: getRequestMetadata(request) }
  try {
    engine?.outcomes.recordUnbuilt(request.caller, rejection, info)
    return rejection
  } catch (error) {
    return toCofferError(error)
  }
}

/** The caller of a request; null without a valid key, and while the vault is locked. */
function findCaller({ headers }: FastifyRequest, engine: Engine | null) {
  try {
    return identifyCaller(headers, engine, 'application')
  } catch {
    // The response is the same for everybody.
    return null
  }
}
