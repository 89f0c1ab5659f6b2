import { toReferences } from '../error-responses.ts'
import type { JsonSchema } from '../json-schema.ts'

const bytes = { type: 'string', format: 'binary' }

const example = { document: 'Hello World', request: { metadata: { customer: 'ada' } } }

type StreamDescription = {
  readonly requestBody?: JsonSchema
  readonly success: JsonSchema & { readonly headers?: JsonSchema }
  readonly refusals: JsonSchema
}

/**
 * Returns the OpenAPI description of a streamed operation, which replaces the description generated from its JSON
 * schema (rules A-16, D-01).
 */
export function describeStream(name: string, request: JsonSchema): StreamDescription {
  if (name !== 'documents.create') {
    return {
      success: {
        description: 'The content, with the Content-Type of its upload',
        headers: {
          'Content-Disposition': { description: 'Always attachment', schema: { type: 'string' } },
        },
        // Lists several content types, because client generators skip a response if they know none of them.
        content: { 'application/octet-stream': { schema: bytes }, '*/*': { schema: bytes } },
      },
      refusals: toReferences(['not_found']),
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
    success: {
      description: 'Stored',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Document' } } },
    },
    refusals: toReferences(['timeout']),
  }
}
