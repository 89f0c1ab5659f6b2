import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { owner } from '../../engine/index.ts'
import { listAllApplications } from '../all-applications.ts'
import { listAllReactors } from '../reactors/all-reactors.ts'
import type { OwnersEngine } from './owner-client.ts'

const WEBHOOK_PAGE_SIZE = 100

/** The resources that a management key creates, as the owner of a vault sees them, newest first. */
export type PushList = {
  readonly applications: readonly Application[]
  readonly proxies: readonly ProxyObject[]
  readonly reactors: readonly ReactorObject[]
  readonly webhooks: readonly Webhook[]
}

/** Reads the resources that a management key creates from a vault, as its owner. */
export async function readPushList(engine: OwnersEngine): Promise<PushList> {
  return {
    applications: await listAllApplications(engine),
    proxies: await listAllProxies(engine),
    reactors: await listAllReactors(engine),
    // One page is enough, because a tenant has at most five webhooks.
    webhooks: (await engine.as(owner).webhooks.list({ size: WEBHOOK_PAGE_SIZE })).data,
  }
}

async function listAllProxies(engine: OwnersEngine): Promise<ProxyObject[]> {
  const { items } = await fetchEveryItem((page) => engine.as(owner).proxies.list(page))
  return items
}
