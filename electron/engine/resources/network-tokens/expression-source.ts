import { requireReading } from '../../access/access.ts'
import type { ExpressionSource } from '../expression-source.ts'
import { toSubject } from './access.ts'
import { openContent, toNetworkToken } from './present.ts'
import { findNetworkToken } from './store.ts'

/** `{{ network_token: <id> }}` (rule Z-03). */
export const networkTokenSource: ExpressionSource = (context, id) => {
  const row = findNetworkToken(context.db, id.toLowerCase())
  if (!row) return undefined
  const subject = toSubject(row.id)
  return {
    id: row.id,
    subject,
    size: row.content.length,
    openData: () => ({ ...openContent(context, row).data }),
    presentValue: (_data, transform, work) => toNetworkToken(context, row, transform, work),
    requireReading: () => requireReading(context.actor, 'network-token', subject),
  }
}
