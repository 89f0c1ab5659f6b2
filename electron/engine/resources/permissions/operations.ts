import {
  applicationTypes,
  describePermission,
  getPermissionNote,
  permissionNames,
  permissions,
} from '../../../../shared/permissions.ts'
import { z } from '../../../../shared/zod.ts'
import { defineOperation } from '../../pipeline/operation.ts'

export const list = defineOperation({
  summary: 'List the permissions and who may hold them',
  route: 'GET /permissions',
  permission: 'any-key',
  entity: 'tenant',
  input: z.strictObject({ application_type: z.enum(applicationTypes).optional() }),
  output: z.array(
    z.object({
      type: z.string(),
      description: z.string(),
      note: z.string().optional(),
      application_types: z.array(z.enum(applicationTypes)),
    }),
  ),
  handler(_context, { application_type }) {
    const all = permissionNames.map((type) => {
      const note = getPermissionNote(type)
      return {
        type,
        description: describePermission(type),
        ...(note !== undefined && { note }),
        application_types: [...permissions[type].application_types],
      }
    })
    return all.filter(
      (each) =>
        application_type === undefined || each.application_types.some((type) => type === application_type),
    )
  },
})
