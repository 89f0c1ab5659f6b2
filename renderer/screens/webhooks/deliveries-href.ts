import { toHref } from '../../parts/navigation/route-text.ts'

type DeliveriesQuery = {
  readonly delivery?: string | undefined
  readonly start?: string | undefined
  readonly q?: string | undefined
}

/** Link to a page of a webhook's deliveries, with one of them open if `delivery` is set. */
export function getDeliveriesHref(webhook_id: string, { delivery, start, q }: DeliveriesQuery = {}): string {
  return toHref('webhooks', webhook_id, { view: 'deliveries', start, q, delivery })
}
