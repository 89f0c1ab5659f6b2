import type { Json } from '../../../shared/json.ts'
import { eventTime } from '../../../shared/time.ts'
import type { Context } from '../door/context.ts'
import { brandName } from './brands.ts'
import type { Opened } from './present.ts'
import { outcomeOf } from './status.ts'

/** What webhooks are told of a session (rule W-01). SECURITY: never more of a card than its brand (rule W-05). */
export function toldOf(
  context: Pick<Context, 'tenant_id' | 'now'>,
  { row, content }: Opened,
  what: 'whole' | 'authenticated',
): Record<string, Json> {
  const { type, device, token_id, token_intent_id, brand, authenticated } = content
  return {
    id: row.id,
    type,
    ...(what === 'authenticated' && authenticated
      ? { authentication_status: outcomeOf(content, authenticated, context.now).status }
      : { tenant_id: context.tenant_id }),
    created_at: eventTime(row.created_at),
    created_by: row.created_by,
    device,
    expires_at: eventTime(row.expires_at),
    ...(token_id === null ? { token_intent_id } : { token_id }),
    card_brand: brandName(brand),
  }
}

/** The same for what happens on the pages. */
export function toldShort({ tenant_id }: Pick<Context, 'tenant_id'>, { row, content }: Opened) {
  return { id: row.id, type: content.type, tenant_id }
}
