import type { Json } from '../../../shared/json.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { z } from '../../../shared/zod.ts'
import { createMissingPermissionError } from './missing-permission.ts'
import type { PushJournal } from './push-journal.ts'
import { createForbiddenCheck, type PushTarget, pushItem } from './push-request.ts'
import { fetchRemoteList } from './remote-list.ts'

/** A named resource that was not copied, and why. */
export type SkippedResource = {
  readonly what: 'proxy' | 'reactor' | 'webhook'
  readonly id: string
  readonly name: string
  /**
   * `other_destination`, `other_code`, `other_url`: the server has a resource of this name with another destination,
   * code or URL.
   */
  readonly why: 'other_destination' | 'other_code' | 'other_url' | 'no_application' | 'disabled'
}

type NamedEntity = { readonly id: string; readonly name: string }

type PushedResource<Item extends NamedEntity, Remote extends { readonly name: string }> = {
  readonly what: SkippedResource['what']
  readonly path: '/proxies' | '/reactors' | '/webhooks'
  readonly read: Permission
  readonly create: Permission
  /** The members that are compared. */
  readonly compared: z.ZodType<Remote>
  /** Returns the text by which resources of the same name are compared, such as a URL. */
  getComparedText(each: Remote): string
  readonly differs: SkippedResource['why']
  /** The local application that the resource belongs to. */
  getApplicationId(item: Item): string | undefined
  /** Returns why this resource is not copied; undefined if it is. */
  getSkipReason?(item: Item): SkippedResource['why'] | undefined
  toBody(item: Item, application: string | undefined): Json
}

function definePushedResource<Item extends NamedEntity & Remote, Remote extends { readonly name: string }>(
  definition: PushedResource<Item, Remote>,
): PushedResource<Item, Remote> {
  return definition
}

/** SECURITY: a proxy is copied with its configuration, which the owner has agreed to send. */
export const proxies = definePushedResource<ProxyObject, { name: string; destination_url: string }>({
  what: 'proxy',
  path: '/proxies',
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
      ...(transforms as Record<string, Json>),
      ...(id !== undefined && { application: { id } }),
      configuration,
      require_auth,
      disable_detokenization,
    }
  },
})

/** SECURITY: a reactor is copied with its configuration, which the owner has agreed to send. */
export const reactors = definePushedResource<ReactorObject, { name: string; code: string }>({
  what: 'reactor',
  path: '/reactors',
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

export const webhooks = definePushedResource<Webhook, { name: string; url: string }>({
  what: 'webhook',
  path: '/webhooks',
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

/**
 * Creates the resources of one kind that a server lacks. `remoteIds` maps local application ids to those of the
 * server. A resource of the same name is not changed. Returns those that could not be copied. Throws `forbidden` if
 * the key lacks a permission, and what `pushItem` throws.
 */
export async function pushResources<
  Item extends NamedEntity & Remote,
  Remote extends { readonly name: string },
>(
  all: readonly Item[],
  journal: PushJournal,
  target: PushTarget,
  remoteIds: ReadonlyMap<string, string>,
  {
    what,
    path,
    read,
    create,
    compared,
    getComparedText,
    differs,
    getApplicationId,
    getSkipReason,
    toBody,
  }: PushedResource<Item, Remote>,
): Promise<SkippedResource[]> {
  if (all.length === 0) return []
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
  const skipped: SkippedResource[] = []
  for (const item of all) {
    const { id, name } = item
    if (progress.done.includes(id)) continue
    const skip = (why: SkippedResource['why']) => skipped.push({ what, id, name, why })
    const localApplication = getApplicationId(item)
    const application = localApplication === undefined ? undefined : remoteIds.get(localApplication)
    const reason = getSkipReason?.(item)
    if (taken.includes(item)) progress.existing++
    else if (reason !== undefined) {
      skip(reason)
      continue
    } else if (takeMatch((remote) => remote.name === name)) {
      skip(differs)
      continue
    } else if (localApplication !== undefined && application === undefined) {
      skip('no_application')
      continue
    } else {
      const outcome = await pushItem(
        target,
        path,
        journal.getIdempotencyKey(what, id),
        toBody(item, application),
      )
      check(outcome)
      if (outcome.as === 'created') progress.created++
      journal.recordRefusal(what, id, outcome)
    }
    progress.done.push(id)
    journal.save()
  }
  return skipped
}
