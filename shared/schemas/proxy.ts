import { z } from '../zod.ts'
import { addressProblem, baseProblem } from './address-problem.ts'
import { documented, madeId, optional, removed } from './common.ts'
import { application, configuration, configurationPatch } from './configured.ts'
import {
  requestTransform,
  requestTransforms,
  responseTransform,
  responseTransforms,
  transform,
} from './transform.ts'

const name = z.string().min(1).max(200)
const address = /^\d+(\.\d+){3}$|^\[/

/** A base address that proxies may have: `https:` and a name, or this machine by either scheme (rules G-01, G-03). */
const destinationUrl = documented(
  z
    .string()
    .max(400)
    .superRefine((text, context) => {
      const problem = problemOf(text)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
  { type: 'string', maxLength: 400, format: 'uri' },
)

function problemOf(text: string): string | undefined {
  const { problem = baseProblem(text), isLoopback } = addressProblem(text)
  if (problem !== undefined) return problem
  return !isLoopback && address.test(new URL(text).hostname)
    ? 'must name a host, not an IP address'
    : undefined
}

/** Shut down on 2023-03-31. */
const reactorIds = {
  request_reactor_id: removed('is no longer supported; use request_transform'),
  response_reactor_id: removed('is no longer supported; use response_transform'),
}

const members = {
  request_transform: optional(requestTransform),
  response_transform: optional(responseTransform),
  request_transforms: optional(requestTransforms),
  response_transforms: optional(responseTransforms),
  application: optional(application),
  configuration: optional(configuration),
  require_auth: optional(z.boolean()),
  disable_detokenization: optional(z.boolean()),
  ...reactorIds,
}

export const newProxy = z.strictObject({ name, destination_url: destinationUrl, ...members })
export type NewProxy = z.output<typeof newProxy>

export const proxyUpdate = newProxy.extend({ id: madeId })

/** A merge patch of a proxy: a member that is null is reset. */
export const proxyPatch = z.strictObject({
  id: madeId,
  name: name.optional(),
  destination_url: destinationUrl.optional(),
  request_transform: requestTransform.nullable().optional(),
  response_transform: responseTransform.nullable().optional(),
  request_transforms: requestTransforms.nullable().optional(),
  response_transforms: responseTransforms.nullable().optional(),
  application: application.nullable().optional(),
  configuration: configurationPatch.nullable().optional(),
  require_auth: z.boolean().nullable().optional(),
  disable_detokenization: z.boolean().nullable().optional(),
  ...reactorIds,
})

/** A pre-configured proxy (rule G-01). `state` is `active` at once. */
export const proxy = z
  .object({
    id: z.uuid(),
    key: z.string(),
    tenant_id: z.uuid(),
    name: z.string(),
    destination_url: z.string(),
    state: z.literal('active'),
    request_transform: transform.optional(),
    response_transform: transform.optional(),
    request_transforms: z.array(transform).optional(),
    response_transforms: z.array(transform).optional(),
    application_id: z.string().optional(),
    configuration: z.record(z.string(), z.string()),
    require_auth: z.boolean(),
    disable_detokenization: z.boolean(),
    created_by: z.string().optional(),
    created_at: z.string(),
    modified_by: z.string().optional(),
    modified_at: z.string().optional(),
  })
  .meta({ id: 'Proxy' })
export type ProxyObject = z.output<typeof proxy>
