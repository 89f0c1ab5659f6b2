import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CofferError, createInvalidError, type ErrorCode } from '../../shared/errors.ts'
import { isObject } from '../../shared/json.ts'
import { faultReport, faultRule, faultRules } from '../../shared/schemas/fault.ts'
import { newWalletPayload, walletPayload } from '../../shared/schemas/wallet.ts'
import { formatIsoTime } from '../../shared/time.ts'
import { parseInput } from '../../shared/validation.ts'
import { type EventType, eventTypes } from '../../shared/webhook-events.ts'
import { z } from '../../shared/zod.ts'
import { type Engine, hasPermission, owner, requireUnlocked } from '../engine/index.ts'
import { readBody } from './body.ts'
import type { Faults } from './faults.ts'
import { identifyCaller } from './keys.ts'
import { type OwnRoute, toFastifyPath } from './own-route.ts'
import { LAST_MS, type TestControls, type VaultControls } from './test-controls.ts'

type ControlDeps = { readonly controls: TestControls; readonly engine: () => Engine | null }

/** What a group of controls acts on, and the sentence about it in the description of each. */
type ControlTarget<Target> = {
  readonly note: string
  /** Returns the target. Throws `not_found` or `locked` if there is none. */
  requireTarget(deps: ControlDeps): Target
}

type ControlInput<Body> = { readonly name: string; readonly body: Body; readonly controls: TestControls }

type ControlDefinition<Target, Body extends z.ZodType> = Partial<OwnRoute> &
  Pick<OwnRoute, 'method' | 'path' | 'name' | 'summary'> & {
    readonly body?: Body
    /** Parses the body, if the schema alone would give worse messages. */
    parseBody?(body: unknown): z.output<Body>
    handler(target: Target, input: ControlInput<z.output<Body>>): unknown
  }

type TestControlRoute = OwnRoute & {
  readonly permission: NonNullable<OwnRoute['permission']>
  handler(deps: ControlDeps, request: FastifyRequest): unknown
}

const sharedRefusals: readonly ErrorCode[] = [
  'unauthenticated',
  'forbidden',
  'not_found',
  'locked',
  'internal',
  'unavailable',
  'storage_full',
]
const bodyRefusals: readonly ErrorCode[] = ['invalid', 'too_large', 'unsupported_media_type']

/** Defines a control. Unless it names a permission, it needs that to read or update the tenant. */
function defineControl<Target, Body extends z.ZodType>(
  target: ControlTarget<Target>,
  { handler, parseBody, ...route }: ControlDefinition<Target, Body>,
): TestControlRoute {
  const { method, body, description, refusals = [] } = route
  const parse = parseBody ?? ((input: unknown) => parseInput(body ?? z.unknown(), input) as z.output<Body>)
  return {
    permission: method === 'GET' ? 'tenant:read' : 'tenant:update',
    ...route,
    description: [description, target.note].filter((each) => each).join(' '),
    refusals: [...sharedRefusals, ...(body ? bodyRefusals : []), ...refusals],
    handler(deps, request) {
      const { name } = request.params as { name: string }
      const found = target.requireTarget(deps)
      return handler(found, { name, body: parse(body && readControlBody(request)), controls: deps.controls })
    },
  }
}

function readControlBody({ headers, body }: FastifyRequest): unknown {
  return readBody({}, 'POST', {
    contentType: headers['content-type'],
    encoding: headers['content-encoding'],
    bytes: body as Buffer | undefined,
  })
}

// SECURITY: null unless the vault is in memory, so that a vault on disk is never reset over HTTP.
const inMemoryVault: ControlTarget<VaultControls> = {
  note: 'Only for an in-memory vault; otherwise 404.',
  requireTarget({ controls }) {
    const vault = controls.vault()
    if (!vault) throw createNotInMemoryError()
    return vault
  },
}

const faults: ControlTarget<Faults> = {
  note: 'Only for an in-memory vault, or if the settings allow faults; otherwise 404.',
  requireTarget({ controls }) {
    if (!controls.vault() && !controls.faultsAllowed()) throw createNotInMemoryError()
    return controls.faults
  },
}

const anyVault: ControlTarget<Engine> = { note: '', requireTarget: ({ engine }) => requireUnlocked(engine()) }

const clock = z.object({ now: z.string() })
const fault = { name: 'slow', operations: ['tokens.create'], delay_ms: 2000 }

/**
 * The test controls: reset, snapshots, clock, events, faults. SECURITY: they need a management key. The routes of
 * webhooks and test events need permission for webhooks; the others need permission to read or update the tenant.
 */
export const testControlRoutes: readonly TestControlRoute[] = [
  defineControl(inMemoryVault, {
    method: 'POST',
    path: '/_coffer/reset',
    name: 'sandbox.reset',
    summary: 'Reset the vault to its initial state',
    refusals: ['conflict'],
    handler(vault, { controls }) {
      vault.reset()
      controls.faults.resetRules()
    },
  }),
  defineControl(inMemoryVault, {
    method: 'GET',
    path: '/_coffer/clock',
    name: 'sandbox.getClock',
    summary: 'Read the clock of the vault',
    output: clock,
    handler: (vault) => ({ now: formatIsoTime(vault.now()) }),
  }),
  defineControl(inMemoryVault, {
    method: 'POST',
    path: '/_coffer/clock',
    name: 'sandbox.setClock',
    summary: 'Set the clock of the vault, or advance it by a number of seconds',
    description: 'Anything that has expired by then is removed immediately.',
    body: z
      .strictObject({
        now: z.iso.datetime({ offset: true }).optional(),
        advance: z.number().min(-1e10).max(1e10).optional(),
      })
      .refine(
        ({ now, advance }) => (now === undefined) !== (advance === undefined),
        'needs either now or advance',
      )
      .meta({ minProperties: 1, maxProperties: 1 }),
    example: { advance: 3600 },
    output: clock,
    async handler(vault, { body: { now, advance } }) {
      const at = now === undefined ? vault.now() + (advance ?? 0) * 1000 : Date.parse(now)
      if (at < 0 || at > LAST_MS)
        throw createInvalidError(
          now === undefined ? 'advance' : 'now',
          'must keep the clock between 1970 and 9999',
        )
      await vault.setNow(Math.round(at))
      return { now: formatIsoTime(vault.now()) }
    },
  }),
  defineControl(inMemoryVault, {
    method: 'GET',
    path: '/_coffer/snapshots',
    name: 'sandbox.listSnapshots',
    summary: 'List the snapshots',
    output: z.object({ data: z.array(z.object({ name: z.string(), created_at: z.string() })) }),
    handler: (vault) => ({ data: vault.listSnapshots() }),
  }),
  defineControl(inMemoryVault, {
    method: 'PUT',
    path: '/_coffer/snapshots/{name}',
    name: 'sandbox.saveSnapshot',
    summary: 'Save a snapshot under a name',
    description: 'Replaces a snapshot with the same name.',
    refusals: ['invalid', 'unprocessable'],
    handler: (vault, { name }) => vault.saveSnapshot(name),
  }),
  defineControl(inMemoryVault, {
    method: 'POST',
    path: '/_coffer/snapshots/{name}/restore',
    name: 'sandbox.restoreSnapshot',
    summary: 'Restore a snapshot',
    handler: (vault, { name }) => vault.restoreSnapshot(name),
  }),
  defineControl(inMemoryVault, {
    method: 'GET',
    path: '/_coffer/events',
    name: 'sandbox.listEvents',
    summary: 'List up to 5,000 of the newest events since recording started or was last reset',
    description: 'The first call starts recording events, even without a webhook.',
    output: z.object({ data: z.array(z.looseObject({ id: z.string(), type: z.string() })) }),
    handler: (vault) => ({ data: vault.listEvents() }),
  }),
  defineControl(anyVault, {
    method: 'GET',
    path: '/_coffer/webhooks',
    name: 'sandbox.listWebhooks',
    summary: 'List the ids of the webhooks',
    description: 'Calls are not logged, so that programs can poll this route.',
    permission: 'webhooks:read',
    output: z.object({ data: z.array(z.object({ id: z.string() })) }),
    async handler(engine) {
      const { data } = await engine.as(owner).webhooks.list({ size: 100 })
      return { data: data.map(({ id }) => ({ id })) }
    },
  }),
  defineControl(anyVault, {
    method: 'POST',
    path: '/_coffer/webhooks/trigger',
    name: 'sandbox.triggerEvent',
    summary: 'Send a test event to every webhook subscribed to its type',
    description: 'The ids in the event do not exist in the vault.',
    permission: 'webhooks:update',
    body: z.strictObject({ type: z.enum(eventTypes) }),
    example: { type: 'token.created' },
    output: z.object({ webhooks: z.int() }),
    handler: async (engine, { body }) => ({ webhooks: await triggerEvent(engine, body.type) }),
  }),
  defineControl(anyVault, {
    method: 'POST',
    path: '/_coffer/wallet-payload',
    name: 'sandbox.createWalletPayload',
    summary: 'Encrypt a test card as Apple Pay or Google Pay does, for POST /apple-pay or POST /google-pay',
    description: 'Without a registration, for a key pair of the vault, which the first call creates.',
    body: newWalletPayload,
    example: { wallet: 'apple', number: '4242424242424242' },
    output: walletPayload,
    handler: (engine, { body }) => engine.as(owner).wallets.createPayload(body),
  }),
  defineControl(faults, {
    method: 'GET',
    path: '/_coffer/faults',
    name: 'sandbox.listFaults',
    summary: 'List the faults with their hit counts',
    output: faultReport,
    handler: (faults) => faults.getReport(),
  }),
  defineControl(faults, {
    method: 'PUT',
    path: '/_coffer/faults',
    name: 'sandbox.setFaults',
    summary: 'Replace all faults',
    body: faultRules,
    example: { rules: [fault] },
    output: faultReport,
    handler(faults, { body }) {
      faults.setRules(body.rules)
      return faults.getReport()
    },
  }),
  defineControl(faults, {
    method: 'POST',
    path: '/_coffer/faults',
    name: 'sandbox.addFault',
    summary: 'Add a fault, or several as `rules`',
    description: 'Replaces a fault with the same name.',
    body: z.union([faultRule, faultRules]),
    parseBody: (body) =>
      parseInput<typeof faultRule | typeof faultRules>(
        isObject(body) && 'rules' in body ? faultRules : faultRule,
        body,
      ),
    example: fault,
    output: faultReport,
    handler(faults, { body }) {
      faults.addRules('rules' in body ? body.rules : [body])
      return faults.getReport()
    },
  }),
  defineControl(faults, {
    method: 'DELETE',
    path: '/_coffer/faults/{name}',
    name: 'sandbox.removeFault',
    summary: 'Remove a fault',
    handler(faults, { name }) {
      if (!faults.removeRule(name)) throw new CofferError('not_found', 'There is no fault with this name.')
    },
  }),
  defineControl(faults, {
    method: 'DELETE',
    path: '/_coffer/faults',
    name: 'sandbox.removeFaults',
    summary: 'Remove every fault',
    handler: (faults) => faults.setRules([]),
  }),
]

/** Adds the test controls. Like all requests, these pass the guard first. */
export function addTestControlRoutes(app: FastifyInstance, deps: ControlDeps): void {
  const identifyManager = ({ headers }: FastifyRequest) =>
    identifyCaller(headers, deps.engine(), 'management')
  for (const { method, path, permission, output, handler } of testControlRoutes) {
    app.route({
      method,
      url: toFastifyPath(path),
      // The key is checked before the body is read.
      onRequest(request, _reply, done) {
        try {
          request.caller = identifyManager(request)
          done()
        } catch (error) {
          done(error as Error)
        }
      },
      async handler(request, reply) {
        // The key may have been deleted while the body was read.
        if (!hasPermission(identifyManager(request).actor, permission))
          throw new CofferError('forbidden', `This needs a management key with ${permission}.`)
        const result = await handler(deps, request)
        return output ? result : reply.code(204).send()
      },
    })
  }
}

/** Sends a test event to every webhook subscribed to its type, and returns their number. */
async function triggerEvent(engine: Engine, type: EventType): Promise<number> {
  const { webhooks, deliveries } = engine.as(owner)
  const { data } = await webhooks.list({ size: 100 })
  const receiving = data.filter(({ status, events }) => status === 'enabled' && events.includes(type))
  for (const { id } of receiving) await deliveries.sendTest({ webhook_id: id, type })
  return receiving.length
}

function createNotInMemoryError(): CofferError {
  return new CofferError(
    'not_found',
    'Reset, snapshots, clock, events and faults need an in-memory vault. Start one with: coffer serve --ephemeral, or --seed.',
  )
}
