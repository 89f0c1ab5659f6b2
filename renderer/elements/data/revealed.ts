import { createServiceError } from './errors.ts'
import { isBranch } from './payload.ts'

const exposedTokenFields = new Set([
  'id',
  'tenantId',
  'tenant_id',
  'type',
  'containers',
  'metadata',
  'createdBy',
  'created_by',
  'createdAt',
  'created_at',
  'modifiedBy',
  'modified_by',
  'modifiedAt',
  'modified_at',
  'expiresAt',
  'expires_at',
  '_debug',
])

/**
 * Rejects a payload with expressions, for payloads that also contain a value revealed to an element.
 * SECURITY: an expression in an id or a mask could show that value to the page in the response.
 */
export function checkNoExpressions(payload: unknown): void {
  if (hasExpression(payload)) {
    throw createServiceError('A payload with a value set by reference cannot contain expressions')
  }
}

function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return /\{[{%]/.test(value)
  return isBranch(value) && Object.values(value).some(hasExpression)
}

/**
 * Removes from a response everything that is derived from the data of tokens, because that data may contain a value
 * revealed to an element. SECURITY: a mask shows short values in full, and a fingerprint confirms guesses.
 */
export function withoutData(response: unknown): unknown {
  if (Array.isArray(response)) return response.map(withoutData)
  if (!isBranch(response)) return response
  const isToken = typeof response.id === 'string' && typeof response.type === 'string'
  return Object.fromEntries(
    Object.entries(response).flatMap(([name, each]) => {
      if (!isToken) return [[name, withoutData(each)]]
      return exposedTokenFields.has(name) ? [[name, each]] : []
    }),
  )
}
