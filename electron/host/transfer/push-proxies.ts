import { z } from 'zod'
import type { Json } from '../../../shared/json.ts'
import type { ProxyObject } from '../../../shared/schemas/proxy.ts'
import { listThere } from './list-there.ts'
import { missingPermission } from './missing-permission.ts'
import type { PushJournal } from './push-journal.ts'
import { type PushTarget, push, unlessAllForbidden } from './push-request.ts'

/** A proxy that was not copied, and why. */
export type LeftProxy = {
  readonly id: string
  readonly name: string
  readonly why: 'other_destination' | 'no_application'
}

const compared = z.object({ name: z.string(), destination_url: z.string() })

/**
 * Creates the proxies that a server lacks, with their configuration and without their keys; `idThere` gives the ids of
 * their applications there. A proxy of the same name is left as it is. Returns those that could not be copied. Throws
 * `forbidden` where the key lacks a permission, and what `push` throws.
 */
export async function pushProxies(
  all: readonly ProxyObject[],
  journal: PushJournal,
  target: PushTarget,
  idThere: ReadonlyMap<string, string>,
): Promise<LeftProxy[]> {
  if (all.length === 0) return []
  // A server that knows no proxies refuses each of them.
  const found =
    (await listThere(target, { path: '/proxies', item: compared, permission: 'proxy:read' })) ?? []
  const check = unlessAllForbidden(1, missingPermission(target.url, 'proxy:create'))
  const { state } = journal
  const take = (isLike: (there: z.output<typeof compared>) => boolean) => {
    const at = found.findIndex(isLike)
    if (at >= 0) found.splice(at, 1)
    return at >= 0
  }
  const taken = all.filter((proxy) => take((there) => likeness(there) === likeness(proxy)))
  const left: LeftProxy[] = []
  for (const proxy of all) {
    const { id, name, application_id } = proxy
    if (state.proxies.includes(id)) continue
    const application = application_id === undefined ? undefined : idThere.get(application_id)
    if (taken.includes(proxy)) state.proxies_existing++
    else if (take((there) => there.name === name)) {
      left.push({ id, name, why: 'other_destination' })
      continue
    } else if (application_id !== undefined && application === undefined) {
      left.push({ id, name, why: 'no_application' })
      continue
    } else {
      const outcome = await push(target, '/proxies', journal.onceFor('proxy', id), copyOf(proxy, application))
      check(outcome)
      if (outcome.as === 'created') state.proxies_created++
      journal.noteRefusal('proxy', id, outcome)
    }
    state.proxies.push(id)
    journal.save()
  }
  return left
}

function likeness({ name, destination_url }: z.output<typeof compared>): string {
  return JSON.stringify([name, destination_url.replace(/\/+$/, '')])
}

/** SECURITY: with its configuration, which the owner has confirmed to send. */
function copyOf(proxy: ProxyObject, application: string | undefined): Json {
  const { name, destination_url, configuration, require_auth, disable_detokenization } = proxy
  const { request_transform, response_transform, request_transforms, response_transforms } = proxy
  const transforms = { request_transform, response_transform, request_transforms, response_transforms }
  return {
    name,
    destination_url,
    ...(transforms as Record<string, Json>),
    ...(application !== undefined && { application: { id: application } }),
    configuration,
    require_auth,
    disable_detokenization,
  }
}
