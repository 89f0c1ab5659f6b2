import { fetchEveryItem } from '../../../shared/every-item.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { type Merchant, type MerchantDetails, merchantDetails } from '../../../shared/schemas/merchant.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { z } from '../../../shared/zod.ts'
import { owner } from '../../engine/index.ts'
import { listAllReactors } from '../reactors/all-reactors.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { OwnersEngine } from './owner-client.ts'
import { type ManagedEntity, managedPlurals, type PushJournal } from './push-journal.ts'
import { createForbiddenCheck, type PushTarget, pushItem } from './push-request.ts'
import { fetchRemoteTenant } from './push-settings.ts'
import { fetchRemoteList } from './remote-list.ts'

/** A named resource that was not copied, and why. */
export type SkippedResource = {
  readonly what: ManagedEntity
  readonly id: string
  readonly name: string
  /**
   * `other_destination`, `other_code`, `other_url`, `other_details`: the server has a resource of this name with
   * another destination, other code, another URL or other details. `services`: a merchant was copied without its
   * registration for services.
   */
  readonly why:
    | 'other_destination'
    | 'other_code'
    | 'other_url'
    | 'other_details'
    | 'no_application'
    | 'disabled'
    | 'services'
}

const WEBHOOK_PAGE_SIZE = 100

type NamedEntity = { readonly id: string; readonly name: string }

type PushedResource<Item extends NamedEntity, Remote extends { readonly name: string }> = {
  readonly what: ManagedEntity
  /** Returns the path of these resources on the server; by default, their plural. */
  findPath?(target: PushTarget): Promise<`/${string}`>
  listAll(engine: OwnersEngine): Promise<readonly Item[]>
  readonly read: Permission
  readonly create: Permission
  readonly compared: z.ZodType<Remote>
  /** Returns the text by which resources of the same name are compared, such as a URL. */
  getComparedText(each: Remote): string
  readonly differs: SkippedResource['why']
  getApplicationId(item: Item): string | undefined
  /** Returns why this resource is not copied; undefined if it is. */
  getSkipReason?(item: Item): SkippedResource['why'] | undefined
  /** Returns which part of this resource is not copied; undefined if all of it is. */
  getLeftPart?(item: Item): SkippedResource['why'] | undefined
  toBody(item: Item, application: string | undefined): object
}

/** The resources of one kind in a vault, as its owner sees them, newest first. */
export type ReadResources = {
  readonly items: readonly NamedEntity[]
  /** Creates those that a server lacks, as `pushResources` does. */
  push(
    journal: PushJournal,
    target: PushTarget,
    remoteIds: ReadonlyMap<string, string>,
  ): Promise<SkippedResource[]>
}

/** Returns the function that reads the resources of this kind from a vault. */
function definePushedResource<Item extends NamedEntity & Remote, Remote extends { readonly name: string }>(
  definition: PushedResource<Item, Remote>,
): (engine: OwnersEngine) => Promise<ReadResources> {
  return async (engine) => {
    const items = await definition.listAll(engine)
    return { items, push: (...at) => pushResources(items, definition, ...at) }
  }
}

/** SECURITY: a proxy is copied with its configuration, which the owner has agreed to send. */
const readProxies = definePushedResource<ProxyObject, { name: string; destination_url: string }>({
  what: 'proxy',
  listAll: listAllProxies,
  read: 'proxy:read',
  create: 'proxy:create',
  compared: z.object({ name: z.string(), destination_url: z.string() }),
  getComparedText: ({ destination_url }) => destination_url.replace(/\/+$/, ''),
  differs: 'other_destination',
  getApplicationId: ({ application_id }) => application_id,
  toBody({ name, destination_url, configuration, require_auth, disable_detokenization, ...proxy }, id) {
    const { request_transform, response_transform, request_transforms, response_transforms } = proxy
    const transforms = { request_transform, response_transform, request_transforms, response_transforms }
    return {
      name,
      destination_url,
      ...transforms,
      ...(id !== undefined && { application: { id } }),
      configuration,
      require_auth,
      disable_detokenization,
    }
  },
})

/** SECURITY: a reactor is copied with its configuration, which the owner has agreed to send. */
const readReactors = definePushedResource<ReactorObject, { name: string; code: string }>({
  what: 'reactor',
  listAll: listAllReactors,
  read: 'reactor:read',
  create: 'reactor:create',
  compared: z.object({ name: z.string(), code: z.string() }),
  getComparedText: ({ code }) => code,
  differs: 'other_code',
  getApplicationId: ({ application }) => application?.id,
  toBody: ({ name, code, configuration, runtime }, id) => ({
    name,
    code,
    ...(id !== undefined && { application: { id } }),
    configuration,
    ...(runtime !== undefined && { runtime }),
  }),
})

const readWebhooks = definePushedResource<Webhook, { name: string; url: string }>({
  what: 'webhook',
  // One page is enough, because a tenant has at most five webhooks.
  listAll: async (engine) => (await engine.as(owner).webhooks.list({ size: WEBHOOK_PAGE_SIZE })).data,
  read: 'webhooks:read',
  create: 'webhooks:create',
  compared: z.object({ name: z.string(), url: z.string() }),
  getComparedText: ({ url }) => url,
  differs: 'other_url',
  getApplicationId: () => undefined,
  // A server enables every webhook that it creates, so disabled ones are not copied.
  getSkipReason: ({ status }) => (status === 'disabled' ? 'disabled' : undefined),
  toBody: ({ name, url, events, notify_email }) => ({
    name,
    url,
    events,
    ...(notify_email !== undefined && { notify_email }),
  }),
})

/** The services that merchants are registered for are not copied: that is for the owner of the server to ask for. */
const readMerchants = definePushedResource<Merchant, { name: string; details: MerchantDetails }>({
  what: 'merchant',
  // The hosted service does not document `self` in this path.
  findPath: async (target) => `/tenants/${(await fetchRemoteTenant(target)).id}/merchants`,
  listAll: async (engine) => {
    const listPage = (page: { page: number; size: number }) =>
      engine.as(owner).merchants.list({ tenant_id: 'self', ...page })
    return (await fetchEveryItem(listPage)).items
  },
  read: 'tenant:merchant:read',
  create: 'tenant:merchant:create',
  compared: z.object({
    name: z.string(),
    details: merchantDetails.catch({ merchant: undefined, card_network_info: undefined }),
  }),
  getComparedText: ({ details }) => JSON.stringify(details),
  differs: 'other_details',
  getApplicationId: () => undefined,
  getLeftPart: ({ services }) =>
    Object.values(services).some(({ status }) => status !== 'not_requested') ? 'services' : undefined,
  toBody: ({ name, details }) => ({ name, details }),
})

async function listAllProxies(engine: OwnersEngine): Promise<ProxyObject[]> {
  const { items } = await fetchEveryItem((page) => engine.as(owner).proxies.list(page))
  return items
}

/** Reads the resources that a management key creates from a vault, besides applications. */
export async function readManaged(engine: OwnersEngine): Promise<Record<ManagedEntity, ReadResources>> {
  return {
    proxy: await readProxies(engine),
    reactor: await readReactors(engine),
    merchant: await readMerchants(engine),
    webhook: await readWebhooks(engine),
  }
}

/**
 * Creates the resources of one kind that a server lacks. `remoteIds` maps local application ids to those of the
 * server. A resource of the same name is not changed. Returns those that could not be copied, or not wholly. Throws
 * `forbidden` if the key lacks a permission, and what `pushItem` throws.
 */
async function pushResources<Item extends NamedEntity & Remote, Remote extends { readonly name: string }>(
  all: readonly Item[],
  {
    what,
    findPath,
    read,
    create,
    compared,
    getComparedText,
    differs,
    getApplicationId,
    getSkipReason,
    getLeftPart,
    toBody,
  }: PushedResource<Item, Remote>,
  journal: PushJournal,
  target: PushTarget,
  remoteIds: ReadonlyMap<string, string>,
): Promise<SkippedResource[]> {
  if (all.length === 0) return []
  const path = (await findPath?.(target)) ?? (`/${managedPlurals[what]}` as const)
  // If the server has no such list, it rejects each of these resources when it is created.
  const existing = (await fetchRemoteList(target, { path, item: compared, permission: read })) ?? []
  const check = createForbiddenCheck(1, createMissingPermissionError(target.url, create))
  const progress = journal.state[what]
  const takeMatch = (isLike: (remote: Remote) => boolean) => {
    const at = existing.findIndex(isLike)
    if (at >= 0) existing.splice(at, 1)
    return at >= 0
  }
  const taken = all.filter((item) =>
    takeMatch((remote) => remote.name === item.name && getComparedText(remote) === getComparedText(item)),
  )
  const getRemoteApplication = (item: Item) => {
    const id = getApplicationId(item)
    return id === undefined ? undefined : (remoteIds.get(id) ?? null)
  }
  const findSkipReason = (item: Item): SkippedResource['why'] | undefined => {
    const reason = getSkipReason?.(item)
    if (reason !== undefined) return reason
    if (takeMatch(({ name }) => name === item.name)) return differs
    return getRemoteApplication(item) === null ? 'no_application' : undefined
  }
  const skipped: SkippedResource[] = []
  const pushNew = async (item: Item) => {
    const body = toBody(item, getRemoteApplication(item) ?? undefined)
    const outcome = await pushItem(target, path, journal.getIdempotencyKey(what, item.id), body)
    check(outcome)
    journal.recordRefusal(what, item.id, outcome)
    if (outcome.as !== 'created') return
    progress.created++
    const why = getLeftPart?.(item)
    if (why !== undefined) skipped.push({ what, id: item.id, name: item.name, why })
  }
  for (const item of all) {
    const { id, name } = item
    if (progress.done.includes(id)) continue
    const isTaken = taken.includes(item)
    const why = isTaken ? undefined : findSkipReason(item)
    if (why !== undefined) {
      skipped.push({ what, id, name, why })
      continue
    }
    if (isTaken) progress.existing++
    else await pushNew(item)
    progress.done.push(id)
    journal.save()
  }
  return skipped
}
