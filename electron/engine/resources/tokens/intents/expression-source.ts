import { createPermissionError, hasPermission } from '../../../access/access.ts'
import type { ExpressionSource } from '../../expression-source.ts'
import { applyTransform } from '../read/present.ts'
import { getDefaultMask, requireType, typeRules } from '../types/types.ts'
import { openIntentData, toTokenIntent } from './present.ts'
import { findTokenIntent } from './store.ts'

/** `{{ token_intent: <id> }}`. SECURITY: the access rules apply as to the token that it would become by default. */
export const tokenIntentSource: ExpressionSource = (context, id) => {
  const row = findTokenIntent(context.db, id.toLowerCase(), context.now)
  if (!row) return undefined
  const type = requireType(row.type)
  const subject = { id: row.id, containers: [typeRules[type].container] }
  return {
    id: row.id,
    subject,
    size: row.data.length,
    openData: () => openIntentData(context, row),
    presentValue(data, transform, work) {
      const visibleData = applyTransform(context, work, transform, data, getDefaultMask(type, data))
      return {
        ...toTokenIntent(context, row),
        ...(visibleData !== undefined && { data: visibleData }),
      }
    },
    requireReading() {
      if (!hasPermission(context.actor, 'token-intent:read'))
        throw createPermissionError(['token-intent:read'])
      return context.requireAccess('token:read', subject, 'any').transform
    },
  }
}
