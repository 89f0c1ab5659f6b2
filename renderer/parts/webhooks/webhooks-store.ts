import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { createFollowedList } from '../access/followed-list.ts'
import { getReadClient } from '../access/view-as.ts'

/** The webhooks of the vault, of which there are five at most: one page. */
export const webhookList = createFollowedList<Webhook>(
  'webhook',
  ['webhooks:read', 'webhook:read'],
  async () => {
    const { data } = await getReadClient().webhooks.list({ size: 100 })
    return { data, pagination: { total_items: data.length, total_pages: 1 } }
  },
)
export const { useList: useWebhooks, load: loadWebhooks, read: readWebhooks } = webhookList
