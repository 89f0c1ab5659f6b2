import { nothing } from '../../../../../shared/schemas/common.ts'
import { role, roles } from '../../../../../shared/schemas/member.ts'
import { z } from '../../../../../shared/zod.ts'
import { defineOperation } from '../../../pipeline/operation.ts'

export const list = defineOperation({
  summary: 'List the roles of members',
  route: 'GET /roles',
  permission: 'any-key',
  entity: 'tenant',
  input: nothing,
  output: z.array(role),
  handler: () => roles.map((name) => ({ name })),
})
