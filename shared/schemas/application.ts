import { applicationTypes } from '../permissions.ts'
import { z } from '../zod.ts'
import {
  createdId,
  nameObject,
  optionalField,
  page,
  repeatable,
  size,
  unusedStart,
  withJsonSchema,
} from './common.ts'
import { moment } from './moment.ts'
import { newRule, permission, permissionList, requiredGrants, rule } from './rule.ts'

const name = z.string().min(1).max(200)

/** An application key (rules K-01, K-03); only the response to its creation has `key`. */
export const applicationKey = nameObject('ApplicationKey', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  key: z.string().optional(),
  version: z.string(),
  created_by: z.string().optional(),
  created_at: z.string().optional(),
})

/** An application key in every response after its creation: without its secret (rule K-01). */
export const keySummary = applicationKey.omit({ key: true })

/** An application (rule K-01); only the response to its creation has `key`. */
export const application = nameObject('Application', {
  id: z.uuid(),
  tenant_id: z.uuid(),
  name: z.string(),
  key: z.string().optional(),
  keys: z.array(keySummary),
  type: z.enum(applicationTypes),
  permissions: z.array(permission),
  rules: z.array(rule),
  created_by: z.string().optional(),
  created_at: z.string().optional(),
  modified_by: z.string().optional(),
  modified_at: z.string().optional(),
  expires_at: z.string().optional(),
})
export type Application = z.output<typeof application>

const ids = repeatable.pipe(z.array(createdId).optional())
const types = withJsonSchema(repeatable.pipe(z.array(z.enum(applicationTypes)).optional()), {
  type: 'array',
  items: { type: 'string', enum: applicationTypes },
})

export const applicationsQuery = z.strictObject({ id: ids, type: types, page, size, start: unusedStart })

/** `key_id` is the parameter `id` of the query. The keys of an application have its type. */
export const applicationKeysQuery = z.strictObject({ id: createdId, key_id: ids, type: types, page, size })

export const newApplication = z
  .strictObject({
    name,
    type: z.enum(applicationTypes),
    permissions: optionalField(permissionList),
    rules: optionalField(z.array(newRule).max(100)),
    expires_at: optionalField(moment),
    create_key: optionalField(z.boolean()),
  })
  .meta(requiredGrants)

export const applicationUpdate = z
  .strictObject({
    id: createdId,
    name,
    permissions: optionalField(permissionList.min(1)),
    rules: optionalField(z.array(newRule).max(100)),
  })
  .meta(requiredGrants)
export type NewApplication = z.input<typeof newApplication>
