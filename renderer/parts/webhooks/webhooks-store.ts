import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { createFollowedList } from '../access/followed-list.ts'
import { getReadClient } from '../access/view-as.ts'

/** The vault's webhooks. One page holds them all, because a vault has at most five. */
export const webhookList = createFollowedList<Webhook>(
  'webhook',
  ['webhooks:read', 'webhook:read'],
  async () => {
    const { data } = await getReadClient().webhooks.list({ size: 100 })
    return { data, pagination: { total_items: data.length, total_pages: 1 } }
  },
)
export const { useList: useWebhooks, load: loadWebhooks, read: readWebhooks } = webhookList
