import { randomBytes, randomUUID } from 'node:crypto'
import { CofferError, createInvalidError } from '../../../../shared/errors.ts'
import { nothing } from '../../../../shared/schemas/common.ts'
import {
  type NetworkTokenStatus,
  networkToken,
  networkTokenAccount,
  networkTokenCryptogram,
  newNetworkToken,
} from '../../../../shared/schemas/network-token.ts'
import { z } from '../../../../shared/zod.ts'
import { getWeakerTransform, requireReading } from '../../access/access.ts'
import { getCreatorId } from '../../access/actor.ts'
import type { Context } from '../../pipeline/context.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { byId, defineLookup } from '../crud.ts'
import { linkNetworkToken, unlinkNetworkToken } from '../tokens/links.ts'
import { type NetworkTokenAction, requiredPermissions, requireGrant, toSubject } from './access.ts'
import { createAccount } from './account.ts'
import { findNetwork, makeNumbers } from './networks.ts'
import { type NetworkTokenContent, openContent, toEventData, toNetworkToken } from './present.ts'
import { createRefusal, findRefusal } from './scenarios.ts'
import { type CardContent, readSource } from './source.ts'
import {
  deleteNetworkToken,
  findNetworkToken,
  findNetworkTokenOfCard,
  insertNetworkToken,
  listNetworkTokenIds,
  type NetworkTokenRow,
  updateNetworkToken,
} from './store.ts'

const stored = defineLookup('network_token', findNetworkToken)
const CRYPTOGRAM_BYTES = 16
const MAX_YEAR = 9999

export const create = defineOperation({
  summary:
    'Create a network token of a card, or return the one that its number has; the number decides the result',
  route: 'POST /network-tokens',
  permission: requiredPermissions.create,
  entity: 'network_token',
  refusals: ['network_token_refused'],
  location: ({ id }) => `/network-tokens/${id}`,
  input: newNetworkToken,
  output: networkToken,
  handler(context, input) {
    const { card, source, fingerprint } = readSource(context, input)
    const existing = findNetworkTokenOfCard(context.db, fingerprint)
    const row = existing ?? storeNetworkToken(context, card, fingerprint)
    if (source) linkNetworkToken(context.db, row.id, source)
    if (!existing) context.queueEvent('network-token.created', () => toEventData(context, row))
    const created: Created = { id: row.id, deduplicated: existing !== undefined }
    context.storeReplay(created)
    return presentCreated(context, row, created)
  },
  replay: (context, created: Created) =>
    presentCreated(context, stored.requireAgain(context, created.id), created),
})

type Created = { readonly id: string; readonly deduplicated: boolean }

type Payment = z.output<typeof networkTokenCryptogram>
type CreatedCryptogram = { readonly id: string; readonly payment: Payment }

function showPayment(context: Context, payment: Payment): Payment {
  context.markPlaintextShown()
  context.recordPlaintextRead(payment.cryptogram)
  return payment
}

function presentCreated(context: Context, row: NetworkTokenRow, { deduplicated }: Created) {
  return { ...presentMasked(context, row, 'create'), _extras: { deduplicated } }
}

/** Stores the network token of a card. Throws the refusal of its scenario. */
function storeNetworkToken(context: Context, card: CardContent, fingerprint: Buffer): NetworkTokenRow {
  const refusal = card.number.length > 16 ? 'CARD_NUMBER_LENGTH_INVALID' : findRefusal(card.number)
  const network = findNetwork(card.number)
  if (refusal || !network) throw createRefusal(refusal ?? 'CARD_NOT_ELIGIBLE')
  const { number, ...expiry } = card
  const { par, ...made } = makeNumbers(context.keyring, network, number)
  const content: NetworkTokenContent = {
    data: { ...made, expiration_month: 12, expiration_year: Math.min(card.expiration_year + 4, MAX_YEAR) },
    card: { last4: number.slice(-4), ...expiry },
    par,
  }
  const id = randomUUID()
  const row: NetworkTokenRow = {
    id,
    fingerprint,
    content: context.keyring.sealValue(JSON.stringify(content), id, 'network_token'),
    status: 'active',
    created_by: getCreatorId(context.actor),
    created_at: context.now,
    modified_by: null,
    modified_at: null,
  }
  insertNetworkToken(context.db, row)
  return row
}

export const get = defineOperation({
  summary: 'Get a network token; its number is masked without network-token:reveal',
  route: 'GET /network-tokens/{id}',
  permission: ['network-token:read', 'network-token:reveal'],
  entity: 'network_token',
  input: byId,
  output: networkToken,
  handler(context, { id }) {
    const row = stored.requireRow(context, id)
    return toNetworkToken(context, row, requireReading(context.actor, 'network-token', toSubject(row.id)))
  },
})

export const listIds = defineOperation({
  summary: 'List the ids of all network tokens',
  entity: 'network_token',
  input: nothing,
  output: z.array(z.string()),
  handler: ({ db }) => listNetworkTokenIds(db),
})

export const remove = defineOperation({
  summary: 'Delete a network token; the card that it was created from stays',
  route: 'DELETE /network-tokens/{id}',
  permission: requiredPermissions.delete,
  entity: 'network_token',
  input: byId,
  output: nothing,
  handler(context, { id }) {
    const row = requireRow(context, id, 'delete')
    context.queueEvent('network-token.deleted', () => toEventData(context, row))
    unlinkNetworkToken(context.db, row.id)
    deleteNetworkToken(context.db, row.id)
    return {}
  },
})

export const createCryptogram = defineOperation({
  summary: 'Create the cryptogram of one payment with a network token; each call creates another one',
  route: 'POST /network-tokens/{id}/cryptogram',
  permission: requiredPermissions.cryptogram,
  entity: 'network_token',
  bodyless: true,
  input: byId,
  output: networkTokenCryptogram,
  handler(context, { id }) {
    const row = requireRow(context, id, 'cryptogram')
    if (row.status !== 'active')
      throw createInvalidError('id', 'must name an active network token; resume it first')
    context.queueEvent('network-token.cryptogram.created', () => toEventData(context, row))
    const { eci = '' } = findNetwork(openContent(context, row).data.number) ?? {}
    const payment = { cryptogram: randomBytes(CRYPTOGRAM_BYTES).toString('base64'), eci }
    // SECURITY: sealed, and only if the request has an idempotency key.
    context.storeReplay({ id: row.id, payment })
    return showPayment(context, payment)
  },
  replay(context, { id, payment }: CreatedCryptogram) {
    requireGrant(context, 'cryptogram', toSubject(stored.requireAgain(context, id).id))
    return showPayment(context, payment)
  },
})

export const suspend = defineOperation({
  summary: 'Suspend a network token',
  route: 'PUT /network-tokens/{id}/suspend',
  permission: requiredPermissions.suspend,
  entity: 'network_token',
  bodyless: true,
  input: byId,
  output: networkToken,
  handler: (context, { id }) => changeStatus(context, id, 'suspend'),
  replay: (context, id) => presentMasked(context, stored.requireAgain(context, id), 'suspend'),
})

export const resume = defineOperation({
  summary: 'Resume a suspended network token',
  route: 'PUT /network-tokens/{id}/resume',
  permission: requiredPermissions.resume,
  entity: 'network_token',
  bodyless: true,
  input: byId,
  output: networkToken,
  handler: (context, { id }) => changeStatus(context, id, 'resume'),
  replay: (context, id) => presentMasked(context, stored.requireAgain(context, id), 'resume'),
})

export const getAccount = defineOperation({
  summary: 'Get what a program shows of the account of a network token',
  route: 'GET /network-tokens/{id}/account',
  permission: requiredPermissions.read,
  entity: 'network_token',
  input: byId,
  output: networkTokenAccount,
  handler: (context, { id }) => createAccount(openContent(context, requireRow(context, id, 'read'))),
})

/** Returns a network token on which the actor may do this. Throws `not_found` and `forbidden`. */
function requireRow(context: Context, id: string, action: NetworkTokenAction): NetworkTokenRow {
  const row = stored.requireRow(context, id)
  requireGrant(context, action, toSubject(row.id))
  return row
}

const transitions = {
  suspend: { from: 'active', to: 'suspended' },
  resume: { from: 'suspended', to: 'active' },
} as const satisfies Readonly<Record<string, Readonly<Record<'from' | 'to', NetworkTokenStatus>>>>

/** Changes the status of a network token. Throws `not_found`, `forbidden`, and `conflict` in any other status. */
function changeStatus(context: Context, id: string, action: keyof typeof transitions) {
  const before = requireRow(context, id, action)
  const { from, to } = transitions[action]
  if (before.status !== from)
    throw new CofferError(
      'conflict',
      `This network token is ${before.status}, and only one that is ${from} can change to ${to}.`,
    )
  const change = { status: to, modified_by: getCreatorId(context.actor), modified_at: context.now }
  const row = { ...before, ...change }
  updateNetworkToken(context.db, row)
  context.queueEvent('network-token.updated', () => toEventData(context, row))
  context.storeReplay(row.id)
  return presentMasked(context, row, action)
}

/** Presents a network token after a change: its number is never clear. Throws `forbidden`. */
function presentMasked(context: Context, row: NetworkTokenRow, action: NetworkTokenAction) {
  const { transform } = requireGrant(context, action, toSubject(row.id))
  return toNetworkToken(context, row, getWeakerTransform(transform, 'mask'))
}
