import { mayHold, type Permission, permissionNames } from '../permissions.ts'
import { keepStrict } from '../validation.ts'
import { z } from '../zod.ts'
import { nameObject, optionalField } from './common.ts'
import { container } from './container.ts'

export const transforms = ['redact', 'mask', 'reveal'] as const
export type RuleTransform = (typeof transforms)[number]

const olderSpelling: Permission = 'network_token:create'
/** Generators of clients give the two spellings of one permission the same name, of which the last in the list wins. */
const documentedNames: Permission[] = [
  olderSpelling,
  ...permissionNames.filter((name) => name !== olderSpelling),
]

export const permission = z
  .enum(permissionNames, {
    error: ({ input }) =>
      typeof input === 'string' ? 'is not a permission; GET /permissions lists them' : undefined,
  })
  .meta({ id: 'Permission', documented: { type: 'string', enum: documentedNames } })

/** A permission that access rules and sessions may grant: one that a management application alone may hold is an error. */
const grantedPermission = permission.meta({
  id: 'GrantedPermission',
  documented: {
    type: 'string',
    enum: documentedNames.filter((name) => mayHold('private', name) || mayHold('public', name)),
  },
})

/** Permissions of a session or of code. */
export const grantedPermissions = z.array(grantedPermission).max(permissionNames.length)

/** Permissions of an application. */
export const permissionList = z.array(permission).max(permissionNames.length)

const condition = keepStrict(
  z.strictObject({
    attribute: z.enum(['id', 'container']),
    operator: z.enum(['starts_with', 'equals']),
    value: z.string().min(1).max(400),
  }),
)
export type RuleCondition = z.output<typeof condition>

const priorityBounds = ({ input }: { input: unknown }) =>
  input === undefined ? undefined : 'must be an integer from 1 to 1,000,000'
const priority = z
  .int({ error: priorityBounds })
  .min(1, { error: priorityBounds })
  .max(1_000_000, { error: priorityBounds })

/**
 * An access rule in a request (rules P-03, P-05, P-06). SECURITY: its unknown members are errors, because without them
 * the rule might grant more.
 */
export const newRule = keepStrict(
  z
    .strictObject({
      description: optionalField(z.string().max(1000)),
      priority,
      container: optionalField(container),
      conditions: optionalField(z.array(condition).max(20)),
      transform: z.enum(transforms),
      permissions: z.array(grantedPermission).min(1).max(permissionNames.length),
    })
    .meta({
      id: 'NewAccessRule',
      not: {
        required: ['container', 'conditions'],
        properties: { container: { type: 'string' }, conditions: { type: 'array', minItems: 1 } },
      },
    }),
)

/** For the OpenAPI document, which says that permissions or rules are required and must not be empty (rule P-03). */
export const requiredGrants = {
  not: { properties: { permissions: { maxItems: 0 }, rules: { maxItems: 0 } } },
}

/** An access rule in a response. */
export const rule = nameObject('AccessRule', {
  description: z.string().optional(),
  priority: z.int(),
  container: z.string().optional(),
  conditions: z.array(condition).optional(),
  transform: z.enum(transforms),
  permissions: z.array(permission),
})
export type AccessRule = z.output<typeof rule>
