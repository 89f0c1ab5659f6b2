import { toReferences } from '../error-responses.ts'
import type { JsonSchema } from '../json-schema.ts'

const bytes = { type: 'string', format: 'binary' }

const example = { document: 'Hello World', request: { metadata: { customer: 'ada' } } }

/**
 * Returns the OpenAPI description of a streamed operation, which replaces the description generated from its JSON
 * schema (rules A-16, D-01).
 */
export function describeStream(name: string, request: JsonSchema): JsonSchema {
  if (name !== 'documents.create') {
    return {
      responses: {
        200: {
          description: 'The content, with the Content-Type of its upload',
          headers: {
            'Content-Disposition': { description: 'Always attachment', schema: { type: 'string' } },
          },
          // Lists several content types, because client generators skip a response if they know none of them.
          content: { 'application/octet-stream': { schema: bytes }, '*/*': { schema: bytes } },
        },
        ...toReferences(['not_found']),
      },
    }
  }
  return {
    requestBody: {
      required: true,
      description: 'The parts may come in any order.',
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: {
              document: {
                ...bytes,
                description: 'The file, of at most 50 MiB. Its Content-Type becomes `content_type`',
              },
              request,
            },
            required: ['document'],
            additionalProperties: false,
          },
          example,
        },
      },
    },
    responses: {
      202: {
        description: 'Stored',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Document' } } },
      },
      ...toReferences(['timeout']),
    },
  }
}
