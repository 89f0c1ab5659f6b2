import { randomUUID } from 'node:crypto'
import { newApplication } from '../../../../shared/schemas/application.ts'
import {
  checkout,
  createdCheckout,
  type NewCheckout,
  newCheckout,
  storedCheckout,
} from '../../../../shared/schemas/checkout.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import { newProxy } from '../../../../shared/schemas/proxy.ts'
import { newWebhook } from '../../../../shared/schemas/webhook.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import { z } from '../../../../shared/zod.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import * as applications from '../applications/operations.ts'
import { findApplication } from '../applications/store.ts'
import { assertBelow, byId, createMissingError } from '../crud.ts'
import { countDrafts, type DraftRow, deleteDraft, insertDraft, listDrafts } from '../drafts/store.ts'
import * as proxies from '../proxies/operations.ts'
import { findProxy } from '../proxies/store.ts'
import { typeRules } from '../tokens/types/types.ts'
import * as webhooks from '../webhooks/operations.ts'
import { findWebhook } from '../webhooks/store.ts'

const KIND = 'checkout'
const LABEL = 'draft'
/** The maximum number of checkouts, because all of them are listed in one response (rule R-03). */
const MAX_CHECKOUTS = 50

export const create = defineOperation({
  summary:
    'Create what a checkout needs: an application each for its page and its server, a proxy and a webhook',
  entity: 'application',
  effect: 'write',
  input: newCheckout,
  output: createdCheckout,
  handler(context, input) {
    const { db, keyring, now } = context
    assertBelow(countDrafts(db, KIND), MAX_CHECKOUTS, 'checkouts')
    const { page, server } = createApplications(context, input)
    const proxy = proxies.create.handler(
      context,
      newProxy.parse({ name: input.proxy_name, destination_url: input.destination_url }),
    )
    // Last, so that it receives no events about what was made before.
    const webhook = webhooks.create.handler(
      context,
      newWebhook.parse({
        name: input.webhook_name,
        url: input.webhook_url,
        events: ['proxy.invoked'],
      }),
    )
    const { name, origin, added_origin } = input
    const parts = { page_id: page.id, server_id: server.id, proxy_id: proxy.id, webhook_id: webhook.id }
    const stored = { name, origin, added_origin, ...parts }
    const id = randomUUID()
    const content = keyring.sealValue(JSON.stringify(stored), id, LABEL)
    insertDraft(db, { id, kind: KIND, created_at: now, content })
    recordParts(context, parts)
    return {
      ...stored,
      id,
      created_at: formatIsoTime(now),
      page_key: page.key ?? '',
      server_key: server.key ?? '',
    }
  },
})

/** Creates the applications with the rights that a checkout needs, and no more. */
function createApplications(context: Context, { page_name, server_name }: NewCheckout) {
  // Where the cards of the page are created.
  const { container } = typeRules.card
  const rule = { container, transform: 'mask' } as const
  const createApplication = (application: z.input<typeof newApplication>) =>
    applications.create.handler(context, newApplication.parse(application))
  return {
    page: createApplication({
      name: page_name,
      type: 'public',
      rules: [{ ...rule, priority: 1, permissions: ['token:create', 'token-intent:create'] }],
    }),
    server: createApplication({
      name: server_name,
      type: 'private',
      rules: [
        { ...rule, priority: 1, permissions: ['token:read'] },
        // The proxy inserts the whole card. The server itself sees it masked.
        { ...rule, priority: 2, transform: 'reveal', permissions: ['proxy:invoke'] },
      ],
    }),
  }
}

type Parts = Pick<z.output<typeof storedCheckout>, 'page_id' | 'server_id' | 'proxy_id' | 'webhook_id'>

/** Makes the record of the call part of the history of everything that was made or deleted. */
function recordParts(context: Context, { page_id, server_id, proxy_id, webhook_id }: Parts): void {
  context.setRecordEntity(server_id)
  context.setConcernedEntities(page_id, proxy_id, webhook_id)
}

export const list = defineOperation({
  summary: 'List the checkouts, newest first',
  entity: 'application',
  input: nothing,
  output: z.object({ data: z.array(checkout) }),
  handler: (context) => ({ data: listDrafts(context.db, KIND).map((row) => toCheckout(context, row)) }),
})

function toCheckout({ keyring }: Context, { id, created_at, content }: DraftRow): z.output<typeof checkout> {
  const stored = storedCheckout.parse(JSON.parse(keyring.openValue(content, id, LABEL).toString()))
  return { ...stored, id, created_at: formatIsoTime(created_at) }
}

export const remove = defineOperation({
  summary: 'Delete a checkout with everything that was made for it',
  entity: 'application',
  effect: 'write',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    const { db, now } = context
    const row = listDrafts(db, KIND).find((each) => each.id === id)
    if (!row) throw createMissingError('checkout')
    const parts = toCheckout(context, row)
    for (const application_id of [parts.page_id, parts.server_id])
      if (findApplication(db, application_id, now))
        applications.remove.handler(context, { id: application_id })
    if (findProxy(db, parts.proxy_id)) proxies.remove.handler(context, { id: parts.proxy_id })
    if (findWebhook(db, parts.webhook_id)) webhooks.remove.handler(context, { id: parts.webhook_id })
    deleteDraft(db, id)
    recordParts(context, parts)
    return {}
  },
})
