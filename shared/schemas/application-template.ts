import { applicationTypes } from '../permissions.ts'
import { z } from '../zod.ts'
import { nameObject } from './common.ts'
import { permission, rule } from './rule.ts'

/** A template for applications, such as a new vault's starter applications (rule M-01). */
export const applicationTemplate = nameObject('ApplicationTemplate', {
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  application_type: z.enum(applicationTypes),
  template_type: z.string(),
  is_starter: z.boolean(),
  permissions: z.array(permission),
  rules: z.array(rule),
})
export type ApplicationTemplate = z.output<typeof applicationTemplate>
