import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CofferError, createInvalidError } from '../../shared/errors.ts'
import { isObject } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import { faultRule, faultRules } from '../../shared/schemas/fault.ts'
import { formatIsoTime } from '../../shared/time.ts'
import { parseInput } from '../../shared/validation.ts'
import { type EventType, eventTypes } from '../../shared/webhook-events.ts'
import { z } from '../../shared/zod.ts'
import { type Engine, type HttpMethod, hasPermission, owner, requireUnlocked } from '../engine/index.ts'
import { readBody } from './body.ts'
import { identifyCaller } from './keys.ts'
import { LAST_MS, type TestControls, type VaultControls } from './test-controls.ts'

export const clockChange = z
  .strictObject({
    now: z.iso.datetime({ offset: true }).optional(),
    advance: z.number().min(-1e10).max(1e10).optional(),
  })
  .refine(
    ({ now, advance }) => (now === undefined) !== (advance === undefined),
    'needs either now or advance',
  )
  .meta({ minProperties: 1, maxProperties: 1 })

export const trigger = z.strictObject({ type: z.enum(eventTypes) })

/**
 * Adds the test controls: reset, snapshots, clock, events, faults. SECURITY: like all requests, these pass the guard
 * first. They need a management key. The routes of webhooks and test events need permission for webhooks; the others
 * need permission to read or update the tenant. Reset, snapshots, clock and recorded events also need an in-memory
 * vault. Faults need one too, unless the owner allows them for vaults on disk.
 */
export function addTestControlRoutes(
  app: FastifyInstance,
  engine: () => Engine | null,
  controls: TestControls,
): void {
  app.register(async (scope) => {
    // The key is checked before the body is read.
    scope.addHook('onRequest', (request, _reply, done) => {
      try {
        request.caller = identifyCaller(request.headers, engine(), 'management')
        done()
      } catch (error) {
        done(error as Error)
      }
    })
    addRoutes(scope, engine, controls)
  })
}

function addRoutes(app: FastifyInstance, engine: () => Engine | null, controls: TestControls): void {
  const checkPermission = (request: FastifyRequest, permission: Permission) => {
    const caller = identifyCaller(request.headers, engine(), 'management')
    if (!hasPermission(caller.actor, permission)) {
      throw new CofferError('forbidden', `This needs a management key with ${permission}.`)
    }
  }
  const requireControls = (request: FastifyRequest, permission: Permission): VaultControls => {
    checkPermission(request, permission)
    const vault = controls.vault()
    if (!vault) throw createNotInMemoryError()
    return vault
  }
  const requireFaults = (request: FastifyRequest, permission: Permission) => {
    checkPermission(request, permission)
    if (!controls.vault() && !controls.faultsAllowed()) throw createNotInMemoryError()
    return controls.faults
  }

  app.post('/_coffer/reset', (request, reply) => {
    requireControls(request, 'tenant:update').reset()
    controls.faults.resetRules()
    return reply.code(204).send()
  })

  app.get('/_coffer/clock', (request) => ({
    now: formatIsoTime(requireControls(request, 'tenant:read').now()),
  }))
  app.post('/_coffer/clock', async (request) => {
    const vault = requireControls(request, 'tenant:update')
    const { now, advance } = parseInput(clockChange, parseBody(request))
    const at = now === undefined ? vault.now() + (advance ?? 0) * 1000 : Date.parse(now)
    if (at < 0 || at > LAST_MS)
      throw createInvalidError(
        now === undefined ? 'advance' : 'now',
        'must keep the clock between 1970 and 9999',
      )
    await vault.setNow(Math.round(at))
    return { now: formatIsoTime(vault.now()) }
  })

  app.get('/_coffer/snapshots', (request) => ({
    data: requireControls(request, 'tenant:read').listSnapshots(),
  }))
  app.put('/_coffer/snapshots/:name', (request, reply) => {
    requireControls(request, 'tenant:update').saveSnapshot(parseName(request))
    return reply.code(204).send()
  })
  app.post('/_coffer/snapshots/:name/restore', (request, reply) => {
    requireControls(request, 'tenant:update').restoreSnapshot(parseName(request))
    return reply.code(204).send()
  })

  app.get('/_coffer/events', (request) => ({ data: requireControls(request, 'tenant:read').listEvents() }))
  app.get('/_coffer/webhooks', async (request) => {
    checkPermission(request, 'webhooks:read')
    const { data } = await requireUnlocked(engine()).as(owner).webhooks.list({ size: 100 })
    return { data: data.map(({ id }) => ({ id })) }
  })
  app.post('/_coffer/webhooks/trigger', async (request) => {
    checkPermission(request, 'webhooks:update')
    return { webhooks: await triggerEvent(engine(), parseInput(trigger, parseBody(request)).type) }
  })

  app.get('/_coffer/faults', (request) => requireFaults(request, 'tenant:read').getReport())
  app.put('/_coffer/faults', (request) => {
    const faults = requireFaults(request, 'tenant:update')
    faults.setRules(parseInput(faultRules, parseBody(request)).rules)
    return faults.getReport()
  })
  app.post('/_coffer/faults', (request) => {
    const faults = requireFaults(request, 'tenant:update')
    const input = parseBody(request)
    const many = isObject(input) && 'rules' in input
    faults.addRules(many ? parseInput(faultRules, input).rules : [parseInput(faultRule, input)])
    return faults.getReport()
  })
  app.delete('/_coffer/faults/:name', (request, reply) => {
    if (requireFaults(request, 'tenant:update').removeRule(parseName(request))) return reply.code(204).send()
    throw new CofferError('not_found', 'There is no fault with this name.')
  })
  app.delete('/_coffer/faults', (request, reply) => {
    requireFaults(request, 'tenant:update').setRules([])
    return reply.code(204).send()
  })
}

/** Sends a test event to every webhook subscribed to its type, and returns their number. */
async function triggerEvent(engine: Engine | null, type: EventType): Promise<number> {
  const { webhooks, deliveries } = requireUnlocked(engine).as(owner)
  const { data } = await webhooks.list({ size: 100 })
  const receiving = data.filter(({ status, events }) => status === 'enabled' && events.includes(type))
  for (const { id } of receiving) await deliveries.sendTest({ webhook_id: id, type })
  return receiving.length
}

function parseBody({ method, headers, body }: FastifyRequest): unknown {
  return readBody({}, method as HttpMethod, {
    contentType: headers['content-type'],
    encoding: headers['content-encoding'],
    bytes: body as Buffer | undefined,
  })
}

function parseName({ params }: FastifyRequest): string {
  return (params as { name: string }).name
}

function createNotInMemoryError(): CofferError {
  return new CofferError(
    'not_found',
    'Reset, snapshots, clock, events and faults need an in-memory vault. Start one with: coffer serve --ephemeral, or --seed.',
  )
}
