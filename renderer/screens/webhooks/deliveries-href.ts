import { toHref } from '../../parts/navigation/route-text.ts'

type DeliveriesQuery = { readonly delivery?: string | undefined; readonly start?: string | undefined }

/** Link to a webhook's deliveries: a page of them, and an open one. */
export function getDeliveriesHref(webhook_id: string, { delivery, start }: DeliveriesQuery = {}): string {
  return toHref('webhooks', webhook_id, { view: 'deliveries', start, delivery })
}
