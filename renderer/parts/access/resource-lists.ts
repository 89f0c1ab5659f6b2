import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { useApplications } from './application-names.ts'
import { createFollowedList } from './followed-list.ts'
import { getReadClient } from './view-as.ts'

export const proxyList = createFollowedList<ProxyObject>('proxy', ['proxy:read'], (page) =>
  getReadClient().proxies.list(page),
)
export const { useList: useProxies, load: loadProxies } = proxyList

export const reactorList = createFollowedList<ReactorObject>('reactor', ['reactor:read'], (page) =>
  getReadClient().reactors.list(page),
)
export const { load: loadReactors } = reactorList

/** One page holds them all, because a vault has at most five. */
export const webhookList = createFollowedList<Webhook>(
  'webhook',
  ['webhooks:read', 'webhook:read'],
  async () => {
    const { data } = await getReadClient().webhooks.list({ size: 100 })
    return { data, pagination: { total_items: data.length, total_pages: 1 } }
  },
)
export const { useList: useWebhooks, load: loadWebhooks } = webhookList

/** The lists that several screens and the palette need, which the frame keeps current. */
export const sharedLists = [proxyList, reactorList, webhookList] as const

/** The rows that the palette opens, by their screen. */
export function useSharedRows() {
  return {
    applications: useApplications().rows,
    proxies: useProxies().rows,
    reactors: reactorList.useList().rows,
    webhooks: useWebhooks().rows,
  }
}
