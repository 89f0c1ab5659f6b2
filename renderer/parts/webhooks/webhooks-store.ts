import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { followedList } from '../access/followed-list.ts'
import { reader } from '../access/looking.ts'

/** The webhooks of the vault, of which there are five at most: one page. */
export const webhookList = followedList<Webhook>('webhook', ['webhooks:read', 'webhook:read'], async () => {
  const { data } = await reader().webhooks.list({ size: 100 })
  return { data, pagination: { total_items: data.length, total_pages: 1 } }
})
export const { useList: useWebhooks, load: loadWebhooks, read: readWebhooks } = webhookList
