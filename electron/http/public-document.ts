import { toReferences } from './error-responses.ts'
import type { JsonSchema } from './json-schema.ts'

/** The webhook routes that need no key and respond with text, for the OpenAPI document (rules A-16, W-01, W-03). */
export const publicDocument: Readonly<Record<string, { readonly get: JsonSchema }>> = {
  '/ping': {
    get: {
      operationId: 'webhooks.ping',
      summary: 'Check that the service responds',
      description: 'Needs no key, and works while the vault is locked.',
      tags: ['webhooks'],
      security: [],
      parameters: [],
      responses: {
        200: { description: 'The service responds, without a body' },
        ...toReferences(['forbidden']),
      },
    },
  },
  '/.well-known/webhooks.v1.key': {
    get: {
      operationId: 'webhooks.publicKeys',
      summary: 'Get the public keys that verify webhook signatures',
      description:
        'The keys in PEM. The current signing key comes first; if there is a second key, it will replace the first. Needs no API key.',
      tags: ['webhooks'],
      security: [],
      parameters: [],
      responses: {
        200: {
          description: 'The keys',
          content: { 'application/x-pem-file': { schema: { type: 'string' } } },
        },
        ...toReferences(['forbidden', 'locked', 'internal', 'unavailable', 'storage_full']),
      },
    },
  },
}
