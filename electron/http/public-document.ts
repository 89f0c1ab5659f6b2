import { toReferences } from './error-responses.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** The routes of webhooks that need no key and answer with text, for the OpenAPI document (rules A-16, W-01, W-03). */
export const publicDocument: Readonly<Record<string, { readonly get: JsonSchema }>> = {
  '/ping': {
    get: {
      operationId: 'webhooks.ping',
      summary: 'Check that the service answers',
      description: 'Needs no key, and answers while the vault is locked too.',
      tags: ['webhooks'],
      security: [],
      parameters: [],
      responses: { 200: { description: 'It answers; no body' }, ...toReferences(['forbidden']) },
    },
  },
  '/.well-known/webhooks.v1.key': {
    get: {
      operationId: 'webhooks.publicKeys',
      summary: 'Get the public keys that verify the signatures of events',
      description: 'PEM, the key that signs first; a second one is to replace it. Needs no key.',
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
