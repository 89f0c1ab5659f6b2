import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import { cursorPage, nothing, size, start } from '../../../../shared/schemas/common.ts'
import {
  newWebhook,
  signingKey,
  webhook,
  webhookHealth,
  webhookUpdate,
} from '../../../../shared/schemas/webhook.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { eventTypes } from '../../../../shared/webhook-events.ts'
import { z } from '../../../../shared/zod.ts'
import { getActorId } from '../../access/actor.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, defineLookup, defineResource, readCursorPage } from '../crud.ts'
import { toHealth, toWebhook } from './present.ts'
import { findSigningKeys } from './signing-keys.ts'
import {
  countWebhooks,
  deleteWebhook,
  findHealth,
  findWebhook,
  insertWebhook,
  listWebhooks,
  MAX_WEBHOOKS,
  updateWebhook,
  type WebhookRow,
} from './store.ts'

const stored = defineResource('webhook', findWebhook, toWebhook)
const health = defineLookup('webhook', findHealth)
const CURSOR = 'webhooks'

export const create = defineOperation({
  summary: 'Create a webhook',
  route: 'POST /webhooks',
  permission: ['webhooks:create', 'webhook:create'],
  entity: 'webhook',
  refusals: ['unprocessable'],
  location: ({ id }) => `/webhooks/${id}`,
  input: newWebhook,
  output: webhook,
  handler(context, input) {
    const { db, actor, now } = context
    if (countWebhooks(db) >= MAX_WEBHOOKS) {
      throw new CofferError(
        'unprocessable',
        `A tenant has at most ${MAX_WEBHOOKS} webhooks. Delete one that is no longer used, then try again.`,
      )
    }
    const row = {
      id: randomUUID(),
      name: input.name,
      url: input.url,
      notify_email: input.notify_email ?? null,
      events: JSON.stringify([...new Set(input.events)]),
      status: 'enabled',
      created_by: getActorId(actor),
      created_at: now,
      modified_by: null,
      modified_at: null,
    } as const
    insertWebhook(db, row)
    context.invalidateCaches()
    context.setRecordEntity(row.id)
    context.storeReplay(row.id)
    return toWebhook(context, row)
  },
  replay: stored.replay,
})

export const list = defineOperation({
  summary: 'List webhooks, newest first',
  route: 'GET /webhooks',
  permission: ['webhooks:read', 'webhook:read'],
  entity: 'webhook',
  input: z.strictObject({ start, size }),
  output: cursorPage(webhook),
  handler(context, at) {
    return readCursorPage(
      context,
      at,
      CURSOR,
      (limit, before) => listWebhooks(context.db, limit, before),
      (row) => toWebhook(context, row),
    )
  },
})

export const listEventTypes = defineOperation({
  summary: 'List the event types that a webhook can subscribe to',
  route: 'GET /webhooks/event-types',
  permission: ['webhooks:read', 'webhook:read'],
  entity: 'webhook',
  input: nothing,
  output: z.array(z.string()),
  handler: () => [...eventTypes],
})

export const get = defineOperation({
  summary: 'Get a webhook',
  route: 'GET /webhooks/{id}',
  permission: ['webhooks:read', 'webhook:read'],
  entity: 'webhook',
  input: byId,
  output: webhook,
  handler: stored.get,
})

export const update = defineOperation({
  summary: 'Replace a webhook; its status stays the same if the body has none',
  route: 'PUT /webhooks/{id}',
  permission: ['webhooks:update', 'webhook:update'],
  entity: 'webhook',
  input: webhookUpdate,
  output: webhook,
  handler(context, { id, ...input }) {
    const before = stored.requireRow(context, id)
    const row: WebhookRow = {
      ...before,
      name: input.name,
      url: input.url,
      notify_email: input.notify_email ?? null,
      events: JSON.stringify([...new Set(input.events)]),
      status: input.status ?? before.status,
      modified_by: getActorId(context.actor),
      modified_at: context.now,
    }
    updateWebhook(context.db, row)
    context.invalidateCaches()
    context.storeReplay(id)
    return toWebhook(context, row)
  },
  replay: stored.replay,
})

export const remove = defineOperation({
  summary: 'Delete a webhook and its pending deliveries',
  route: 'DELETE /webhooks/{id}',
  permission: ['webhooks:delete', 'webhook:delete'],
  entity: 'webhook',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    deleteWebhook(context.db, stored.requireRow(context, id))
    context.invalidateCaches()
    return {}
  },
})

export const getHealth = defineOperation({
  summary: 'Get the health of a webhook: pending, failed and dropped deliveries',
  entity: 'webhook',
  input: byId,
  output: webhookHealth,
  handler(context, { id }) {
    return toHealth(health.requireRow(context, id))
  },
})

export const listSigningKeys = defineOperation({
  summary: 'List the public keys that verify event signatures; the first is the signing key',
  entity: 'webhook',
  input: nothing,
  output: z.array(signingKey),
  handler: ({ db }) =>
    findSigningKeys(db).map(({ id, public_key, created_at }) => ({
      id,
      public_key,
      created_at: formatIsoTime(created_at),
    })),
})
