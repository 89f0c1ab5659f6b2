import type { Json } from '../../../shared/json.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { z } from '../../../shared/zod.ts'
import { listThere } from './list-there.ts'
import { missingPermission } from './missing-permission.ts'
import type { PushJournal } from './push-journal.ts'
import { type PushTarget, push, unlessAllForbidden } from './push-request.ts'

/** Something with a name that was not copied, and why. */
export type Left = {
  readonly what: 'proxy' | 'reactor' | 'webhook'
  readonly id: string
  readonly name: string
  /** `other_destination`, `other_code`, `other_url`: the server has one of this name that differs so. */
  readonly why: 'other_destination' | 'other_code' | 'other_url' | 'no_application' | 'disabled'
}

type Named = { readonly id: string; readonly name: string }

type Kind<Item extends Named, There extends { readonly name: string }> = {
  readonly what: Left['what']
  readonly path: '/proxies' | '/reactors' | '/webhooks'
  readonly read: Permission
  readonly create: Permission
  /** The members that are compared. */
  readonly compared: z.ZodType<There>
  /** What tells two of one name apart. */
  textOf(each: There): string
  readonly differs: Left['why']
  /** The application here that it belongs to. */
  applicationOf(item: Item): string | undefined
  /** Why this one is not copied. */
  leftOut?(item: Item): Left['why'] | undefined
  copyOf(item: Item, application: string | undefined): Json
}

function kind<Item extends Named & There, There extends { readonly name: string }>(
  given: Kind<Item, There>,
): Kind<Item, There> {
  return given
}

/** SECURITY: with its configuration, which the owner has confirmed to send. */
export const proxies = kind<ProxyObject, { name: string; destination_url: string }>({
  what: 'proxy',
  path: '/proxies',
  read: 'proxy:read',
  create: 'proxy:create',
  compared: z.object({ name: z.string(), destination_url: z.string() }),
  textOf: ({ destination_url }) => destination_url.replace(/\/+$/, ''),
  differs: 'other_destination',
  applicationOf: ({ application_id }) => application_id,
  copyOf({ name, destination_url, configuration, require_auth, disable_detokenization, ...proxy }, id) {
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

/** SECURITY: with its configuration, as a proxy. */
export const reactors = kind<ReactorObject, { name: string; code: string }>({
  what: 'reactor',
  path: '/reactors',
  read: 'reactor:read',
  create: 'reactor:create',
  compared: z.object({ name: z.string(), code: z.string() }),
  textOf: ({ code }) => code,
  differs: 'other_code',
  applicationOf: ({ application }) => application?.id,
  copyOf: ({ name, code, configuration, runtime }, id) => ({
    name,
    code,
    ...(id !== undefined && { application: { id } }),
    configuration,
    ...(runtime !== undefined && { runtime }),
  }),
})

export const webhooks = kind<Webhook, { name: string; url: string }>({
  what: 'webhook',
  path: '/webhooks',
  read: 'webhooks:read',
  create: 'webhooks:create',
  compared: z.object({ name: z.string(), url: z.string() }),
  textOf: ({ url }) => url,
  differs: 'other_url',
  applicationOf: () => undefined,
  // A server enables what it creates.
  leftOut: ({ status }) => (status === 'disabled' ? 'disabled' : undefined),
  copyOf: ({ name, url, events, notify_email }) => ({
    name,
    url,
    events,
    ...(notify_email !== undefined && { notify_email }),
  }),
})

/**
 * Creates what a server lacks of one kind; `idThere` gives the ids of applications there. One of the same name is left
 * as it is. Returns those that could not be copied. Throws `forbidden` where the key lacks a permission, and what `push`
 * throws.
 */
export async function pushConfigured<Item extends Named & There, There extends { readonly name: string }>(
  all: readonly Item[],
  journal: PushJournal,
  target: PushTarget,
  idThere: ReadonlyMap<string, string>,
  { what, path, read, create, compared, textOf, differs, applicationOf, leftOut, copyOf }: Kind<Item, There>,
): Promise<Left[]> {
  if (all.length === 0) return []
  // A server that has no such list refuses each of them.
  const found = (await listThere(target, { path, item: compared, permission: read })) ?? []
  const check = unlessAllForbidden(1, missingPermission(target.url, create))
  const progress = journal.state[what]
  const take = (isLike: (there: There) => boolean) => {
    const at = found.findIndex(isLike)
    if (at >= 0) found.splice(at, 1)
    return at >= 0
  }
  const taken = all.filter((item) =>
    take((there) => there.name === item.name && textOf(there) === textOf(item)),
  )
  const left: Left[] = []
  for (const item of all) {
    const { id, name } = item
    if (progress.done.includes(id)) continue
    const leave = (why: Left['why']) => left.push({ what, id, name, why })
    const applicationHere = applicationOf(item)
    const application = applicationHere === undefined ? undefined : idThere.get(applicationHere)
    const reason = leftOut?.(item)
    if (taken.includes(item)) progress.existing++
    else if (reason !== undefined) {
      leave(reason)
      continue
    } else if (take((there) => there.name === name)) {
      leave(differs)
      continue
    } else if (applicationHere !== undefined && application === undefined) {
      leave('no_application')
      continue
    } else {
      const outcome = await push(target, path, journal.onceFor(what, id), copyOf(item, application))
      check(outcome)
      if (outcome.as === 'created') progress.created++
      journal.noteRefusal(what, id, outcome)
    }
    progress.done.push(id)
    journal.save()
  }
  return left
}
