import { useEffect } from 'react'
import type { Checkout } from '../../../shared/schemas/checkout.ts'
import type { OwnerLog } from '../../../shared/schemas/log.ts'
import { useApplications } from '../access/application-names.ts'
import { useProxies, useWebhooks } from '../access/resource-lists.ts'
import { followChanges, followRecords, joinStops } from '../connection/change-subscription.ts'
import { useLoaded } from '../connection/use-loaded.tsx'
import { vault } from '../connection/vault.ts'

export const lightNames = ['page', 'origin', 'server', 'proxy', 'webhook'] as const
export type LightName = (typeof lightNames)[number]

/** Whether a program has used a part of a checkout, as the log and the deliveries tell. */
export type Light = {
  /** When a program last used it with success; null if never. */
  readonly used_at: string | null
  /** The newest call, if it was refused or failed. */
  readonly refused?: OwnerLog | null
  /** Why the newest delivery has failed so far. */
  readonly failure?: string | null
}

export type Lights = Readonly<Record<LightName, Light>> & {
  /** The newest request with no valid key since the checkout was made. */
  readonly unknown: OwnerLog | null
}

const PAUSE_MS = 1500
/** How long the lights of many checkouts stay, because each reads much of a long log. */
const MANY_PAUSE_MS = 15_000
/** How many responses of a search through a long log are read. Each searches a bounded part of it. */
const MAX_PARTS = 5

type CallQuery = Partial<Readonly<Record<'actor_id' | 'entity_id' | 'action' | 'status', string>>>

/** Returns the newest call of a program since a checkout was made. */
async function findNewestCall(since: string, query: CallQuery): Promise<OwnerLog | null> {
  let start: string | undefined
  for (let part = 0; part < MAX_PARTS; part++) {
    const { data, pagination } = await vault.logs.find({
      ...query,
      // A call of the owner, who views as an application, is not one of a program.
      where: [{ field: 'app', value: 'owner', not: true }],
      start_date: since,
      size: 1,
      ...(start !== undefined && { start }),
    })
    if (data[0]) return data[0]
    start = pagination.next
    if (start === undefined) return null
  }
  return null
}

async function readCalls(since: string, query: CallQuery): Promise<Light> {
  const newest = await findNewestCall(since, query)
  if (!newest || newest.status < 400) return { used_at: newest?.created_at ?? null }
  const done = await findNewestCall(since, { ...query, status: '2xx' })
  return { used_at: done?.created_at ?? null, refused: newest }
}

async function readOrigin({ page_id, origin }: Checkout): Promise<Light> {
  const uses = await vault.stats.elements({ application_id: page_id })
  return { used_at: uses.find((use) => use.origin === origin)?.last_used_at ?? null }
}

async function readDeliveries(webhook_id: string): Promise<Light> {
  // A test event of the owner is not a use.
  const byVault = { field: 'by', value: 'vault' } as const
  const findDelivery = async (...more: { field: 'state' | 'attempts'; value: string }[]) =>
    (await vault.deliveries.list({ webhook_id, size: 1, where: [byVault, ...more] })).data[0]
  const newest = await findDelivery({ field: 'attempts', value: '>0' })
  if (!newest || newest.state === 'delivered') return { used_at: newest?.ended_at ?? null }
  const [done, { tried }] = await Promise.all([
    findDelivery({ field: 'state', value: 'delivered' }),
    vault.deliveries.get({ id: newest.id }),
  ])
  const failures = tried.flatMap(({ failure }) => failure ?? [])
  return { used_at: done?.ended_at ?? null, failure: failures.at(-1) ?? null }
}

const unused: Light = { used_at: null }

async function readLights(checkout: Checkout, isGone: (name: LightName) => boolean): Promise<Lights> {
  const { created_at: since, page_id, server_id, proxy_id, webhook_id } = checkout
  const [page, origin, server, proxy, webhook, unknown] = await Promise.all([
    readCalls(since, { actor_id: page_id }),
    readOrigin(checkout),
    readCalls(since, { actor_id: server_id }),
    readCalls(since, { entity_id: proxy_id, action: 'proxies.invoke' }),
    isGone('webhook') ? unused : readDeliveries(webhook_id),
    findNewestCall(since, { actor_id: 'unknown' }),
  ])
  return { page, origin, server, proxy, webhook, unknown }
}

export function useGoneParts(checkout: Checkout): (name: LightName) => boolean {
  const applications = useApplications()
  const proxies = useProxies()
  const webhooks = useWebhooks()
  const { page_id, server_id, proxy_id, webhook_id } = checkout
  const parts = {
    page: { list: applications, id: page_id },
    origin: { list: applications, id: page_id },
    server: { list: applications, id: server_id },
    proxy: { list: proxies, id: proxy_id },
    webhook: { list: webhooks, id: webhook_id },
  } as const
  return (name) => {
    const { list, id } = parts[name]
    return list.loaded && !list.rows.some((row) => row.id === id)
  }
}

/** What programs have used of a checkout, kept current, more slowly if it is one of many; null until loaded. */
export function useLights(checkout: Checkout, isOneOfMany: boolean): Lights | null {
  const pause_ms = isOneOfMany ? MANY_PAUSE_MS : PAUSE_MS
  const isGone = useGoneParts(checkout)
  const { value, load } = useLoaded(() => readLights(checkout, isGone), { about: checkout.id })
  useEffect(
    () =>
      joinStops(
        followRecords(load, pause_ms),
        followChanges(['delivery', 'key_use', 'application', 'proxy', 'webhook'], load, pause_ms),
      ),
    [load, pause_ms],
  )
  return value
}
