import type { Json } from '../../../../shared/json.ts'
import { formatEventTime } from '../../../../shared/time.ts'
import type { Context } from '../../pipeline/context.ts'
import { getBrandName } from './brands.ts'
import type { OpenedThreeDsSession } from './present.ts'
import { computeOutcome } from './status.ts'

/** Returns the event data of a session (rule W-01). SECURITY: of the card, only its brand (rule W-05). */
export function toSessionEventData(
  context: Pick<Context, 'tenant_id' | 'now'>,
  { row, content }: OpenedThreeDsSession,
  form: 'whole' | 'authenticated',
): Record<string, Json> {
  const { type, device, token_id, token_intent_id, brand, authenticated } = content
  return {
    id: row.id,
    type,
    ...(form === 'authenticated' && authenticated
      ? { authentication_status: computeOutcome(content, authenticated, context.now).status }
      : { tenant_id: context.tenant_id }),
    created_at: formatEventTime(row.created_at),
    created_by: row.created_by,
    device,
    expires_at: formatEventTime(row.expires_at),
    ...(token_id === null ? { token_intent_id } : { token_id }),
    card_brand: getBrandName(brand),
  }
}

/** Returns the shorter event data for events that the pages cause. */
export function toShortSessionEventData(
  { tenant_id }: Pick<Context, 'tenant_id'>,
  { row, content }: OpenedThreeDsSession,
) {
  return { id: row.id, type: content.type, tenant_id }
}
