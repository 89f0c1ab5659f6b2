import { z } from '../zod.ts'
import { checkAddress, findBaseProblem } from './address-problem.ts'
import {
  createdId,
  forbidTogether,
  nameObject,
  optionalField,
  removedField,
  withJsonSchema,
} from './common.ts'
import { application, configuration, configurationPatch } from './configured.ts'
import { callableState, requestedError } from './runtime.ts'
import {
  requestTransform,
  requestTransforms,
  responseTransform,
  responseTransforms,
  transform,
} from './transform.ts'

const name = z.string().min(1).max(200)
const address = /^\d+(\.\d+){3}$|^\[/

/** The base URL of a proxy: `https:` with a host name; on this machine, `http:` and IP addresses too (G-01, G-03). */
const destinationUrl = withJsonSchema(
  z
    .string()
    .max(400)
    .superRefine((text, context) => {
      const problem = findDestinationProblem(text)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
  { type: 'string', maxLength: 400, format: 'uri' },
)

function findDestinationProblem(text: string): string | undefined {
  const { problem = findBaseProblem(text), isLoopback } = checkAddress(text)
  if (problem !== undefined) return problem
  return !isLoopback && address.test(new URL(text).hostname)
    ? 'must name a host, not an IP address'
    : undefined
}

/** Removed members: reactors in proxies were shut down on 2023-03-31. */
const reactorIds = {
  request_reactor_id: removedField('is no longer supported; use request_transform'),
  response_reactor_id: removedField('is no longer supported; use response_transform'),
}

const members = {
  request_transform: optionalField(requestTransform),
  response_transform: optionalField(responseTransform),
  request_transforms: optionalField(requestTransforms),
  response_transforms: optionalField(responseTransforms),
  application: optionalField(application),
  configuration: optionalField(configuration),
  require_auth: optionalField(z.boolean()),
  disable_detokenization: optionalField(z.boolean()),
  ...reactorIds,
}

/** For the OpenAPI document: the transforms of a side come as a list or as one object, not both. */
const oneFormOfTransforms = {
  not: {
    anyOf: forbidTogether(
      ['request_transform', 'request_transforms'],
      ['response_transform', 'response_transforms'],
    ),
  },
}

export const newProxy = z
  .strictObject({ name, destination_url: destinationUrl, ...members })
  .meta(oneFormOfTransforms)
export type NewProxy = z.output<typeof newProxy>

export const proxyUpdate = newProxy.extend({ id: createdId }).meta(oneFormOfTransforms)

/** A merge patch of a proxy: null resets a member. */
export const proxyPatch = z
  .strictObject({
    id: createdId,
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
  .meta(oneFormOfTransforms)

const storedTransforms = {
  request_transform: transform.optional(),
  response_transform: transform.optional(),
  request_transforms: z.array(transform).optional(),
  response_transforms: z.array(transform).optional(),
}

/** What a proxy was asked to be, while packages of a transform's runtime are not installed (rule F-03). */
const requestedProxy = nameObject('RequestedProxy', {
  proxy: z.object({
    destination_url: z.string(),
    configuration: z.record(z.string(), z.string()),
    require_auth: z.boolean(),
    ...storedTransforms,
  }),
  ...requestedError,
})

/** A pre-configured proxy (rule G-01). */
export const proxy = nameObject('Proxy', {
  id: z.uuid(),
  key: z.string(),
  tenant_id: z.uuid(),
  name: z.string(),
  destination_url: z.string(),
  state: callableState,
  ...storedTransforms,
  requested: requestedProxy.optional(),
  application_id: z.string().optional(),
  configuration: z.record(z.string(), z.string()),
  require_auth: z.boolean(),
  disable_detokenization: z.boolean(),
  created_by: z.string().optional(),
  created_at: z.string(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
})
export type ProxyObject = z.output<typeof proxy>
