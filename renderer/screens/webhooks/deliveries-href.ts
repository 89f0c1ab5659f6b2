import { hrefOf } from '../../parts/navigation/route-text.ts'

type Place = { readonly delivery?: string | undefined; readonly start?: string | undefined }

/** The place of a webhook's deliveries: a page of them, and one that is open. */
export function deliveriesHref(webhook_id: string, { delivery, start }: Place = {}): string {
  return hrefOf('webhooks', webhook_id, { view: 'deliveries', start, delivery })
}
