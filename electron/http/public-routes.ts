import type { FastifyInstance, FastifyReply } from 'fastify'
import { CofferError } from '../../shared/errors.ts'
import { z } from '../../shared/zod.ts'
import { type Engine, requireUnlocked, toCofferError } from '../engine/index.ts'
import { sendError, type ToResponseError } from './failures.ts'
import type { OwnRoute } from './own-route.ts'

type PublicRoute = OwnRoute & {
  readonly method: 'GET'
  handler(engine: Engine | null, reply: FastifyReply): unknown
  /** A health check: it responds with 503 and the reason to every failure (case X-71). */
  readonly isCheck?: true
}

const checkRefusals = ['forbidden', 'unavailable'] as const

/** The documented routes that need no key (rules A-16, W-01, W-03). */
export const publicRoutes: readonly PublicRoute[] = [
  {
    method: 'GET',
    path: '/ping',
    name: 'webhooks.ping',
    tag: 'webhooks',
    summary: 'Check that the service responds',
    description: 'Needs no key, and works while the vault is locked.',
    response: { description: 'The service responds, without a body' },
    refusals: ['forbidden'],
    handler: (_engine, reply) => reply.send(),
  },
  {
    method: 'GET',
    path: '/.well-known/webhooks.v1.key',
    name: 'webhooks.publicKeys',
    tag: 'webhooks',
    summary: 'Get the public keys that verify webhook signatures',
    description:
      'The keys in PEM. The current signing key comes first; if there is a second key, it will replace the first. Needs no API key.',
    response: {
      description: 'The keys',
      content: { 'application/x-pem-file': { schema: { type: 'string' } } },
    },
    refusals: ['forbidden', 'locked', 'internal', 'unavailable', 'storage_full'],
    async handler(engine, reply) {
      const keys = await requireUnlocked(engine).outbox.getPublicKeys()
      return reply.type('application/x-pem-file').send(keys)
    },
  },
  {
    method: 'GET',
    path: '/_coffer/health',
    name: 'health.get',
    summary: 'Check that the listener responds and the disk accepts writes',
    description:
      'Needs no key. Responds 200 even while the vault is locked, and 503 with the reason while its files are missing or its disk rejects writes.',
    output: z.object({ status: z.literal('ok') }),
    refusals: checkRefusals,
    isCheck: true,
    handler(engine) {
      try {
        engine?.assertResponsive()
      } catch (error) {
        if (toCofferError(error).code !== 'locked') throw error
      }
      return { status: 'ok' }
    },
  },
  {
    method: 'GET',
    path: '/_coffer/ready',
    name: 'health.ready',
    summary: 'Check that the vault is open and can be read and written',
    description:
      'Needs no key. Responds 503 with the reason while the vault is locked, its file cannot be read, or its disk rejects writes.',
    output: z.object({ status: z.literal('ready') }),
    refusals: checkRefusals,
    isCheck: true,
    handler(engine) {
      requireUnlocked(engine).assertResponsive()
      return { status: 'ready' }
    },
  },
]

/** Adds the documented routes that need no key. */
export function addPublicRoutes(
  app: FastifyInstance,
  engine: () => Engine | null,
  toResponseError: ToResponseError,
): void {
  for (const { path, handler, isCheck } of publicRoutes) {
    app.get(path, async (request, reply) => {
      try {
        return await handler(engine(), reply)
      } catch (error) {
        if (!isCheck) throw error
        const { message } = toResponseError(error, request)
        return sendError(reply, new CofferError('unavailable', message, { cause: error }))
      }
    })
  }
}
