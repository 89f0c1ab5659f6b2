import type { ProxyObject } from '../../../../shared/schemas/proxy.ts'
import type { ProxyTransform } from '../../../../shared/schemas/transform.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import type { Context } from '../../pipeline/context.ts'
import { openConfiguration } from '../callables/configuration.ts'
import { findPackageProblem } from '../callables/packages.ts'
import type { ProxyRow } from './store.ts'

/** The transforms of a proxy as the caller sent them: for each side, a single one or a list. */
export type Transforms = {
  readonly request_transform?: ProxyTransform | undefined
  readonly response_transform?: ProxyTransform | undefined
  readonly request_transforms?: readonly ProxyTransform[] | undefined
  readonly response_transforms?: readonly ProxyTransform[] | undefined
}

export function parseTransforms(row: ProxyRow): Transforms {
  return JSON.parse(row.transforms) as Transforms
}

/** Returns a proxy as the API presents it (rule G-01). */
export function toProxy(context: Context, row: ProxyRow): ProxyObject {
  const { request_transform, response_transform, request_transforms, response_transforms } =
    parseTransforms(row)
  const transforms = {
    ...(request_transform && { request_transform }),
    ...(response_transform && { response_transform }),
    ...(request_transforms && { request_transforms: [...request_transforms] }),
    ...(response_transforms && { response_transforms: [...response_transforms] }),
  }
  const { destination_url } = row
  const content = {
    configuration: openConfiguration(context, row),
    require_auth: row.require_auth === 1,
  }
  const all = Object.values(transforms).flat()
  const problem = findPackageProblem(
    context,
    all.map(({ options }) => options?.runtime),
  )
  return {
    id: row.id,
    key: row.key,
    tenant_id: context.tenant_id,
    name: row.name,
    destination_url,
    state: problem?.state ?? 'active',
    ...transforms,
    ...(problem && {
      requested: { proxy: { destination_url, ...content, ...transforms }, ...problem.error },
    }),
    ...(row.application_id !== null && { application_id: row.application_id }),
    ...content,
    disable_detokenization: row.disable_detokenization === 1,
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}
