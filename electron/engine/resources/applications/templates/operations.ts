import { applicationTemplate } from '../../../../../shared/schemas/application-template.ts'
import { createdId, nothing } from '../../../../../shared/schemas/common.ts'
import { z } from '../../../../../shared/zod.ts'
import { defineOperation } from '../../../pipeline/operation.ts'
import { createMissingError } from '../../crud.ts'
import { starters } from './starters.ts'

export const list = defineOperation({
  summary: 'List application templates: the applications of a new vault',
  route: 'GET /application-templates',
  permission: 'any-key',
  entity: 'tenant',
  input: nothing,
  output: z.array(applicationTemplate),
  handler: () => Object.values(starters),
})

export const get = defineOperation({
  summary: 'Get an application template',
  route: 'GET /application-templates/{id}',
  permission: 'any-key',
  entity: 'tenant',
  input: z.strictObject({ id: createdId }),
  output: applicationTemplate,
  handler(_context, { id }) {
    const template = Object.values(starters).find((each) => each.id === id)
    if (!template) throw createMissingError('application template')
    return template
  },
})
