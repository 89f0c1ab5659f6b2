import { findMetadataProblems } from '../metadata.ts'
import { z } from '../zod.ts'
import { withJsonSchema } from './common.ts'

/** The metadata of a request, checked like that of tokens (T-06). */
export const metadata = withJsonSchema(
  z.custom<Record<string, string>>().superRefine((value, context) => {
    for (const [key, message] of findMetadataProblems(value)) {
      context.addIssue({ code: 'custom', message, path: key === null ? [] : [key] })
    }
  }),
  {
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 200 },
    maxProperties: 50,
    additionalProperties: { type: 'string', maxLength: 2000 },
  },
)
