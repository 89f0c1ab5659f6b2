import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import type { Json, JsonObject } from '../../../../shared/json.ts'
import { parseExpiresAt } from '../../../../shared/moment.ts'
import type { RuleTransform } from '../../../../shared/schemas/rule.ts'
import { formatEventTime, formatIsoTime } from '../../../../shared/time.ts'
import { requireReading, type Subject } from '../../access/access.ts'
import { getCreatorId } from '../../access/actor.ts'
import { encodeBase58 } from '../../crypto/base58.ts'
import type { WorkBudget } from '../../expressions/work-budget.ts'
import type { Context } from '../../pipeline/context.ts'
import { toCardDetails } from '../cards/card-details.ts'
import { findBin } from '../cards/store.ts'
import { defineLookup } from '../crud.ts'
import { applyTransform } from '../tokens/read/present.ts'
import { computeDefaultFingerprint } from '../tokens/types/content.ts'
import { getDefaultMask, typeRules } from '../tokens/types/types.ts'
import { openContent, sealContent, type WalletContent, type WalletData } from './content.ts'
import { findWalletToken, tokenTables, type WalletTokenRow } from './store.ts'
import { type Wallet, type WalletEntity, wallets } from './wallet.ts'

const TYPE = 'card'

/** Returns the error for payment data that cannot be used. SECURITY: the message is the same for every cause. */
export function createRefusal(wallet: Wallet): CofferError {
  const { name, refusal } = wallets[wallet]
  return new CofferError(
    refusal,
    `Failed to process the ${name} token; the token payload is invalid or malformed.`,
  )
}

/** The subject of access rules: a payment is in the container in which its card would be stored as a token. */
export function toSubject(id: string): Subject {
  return { id, containers: [typeRules[TYPE].container] }
}

/** The content of a payment before it is stored. */
export type NewPayment = Omit<WalletContent, 'shown'> & {
  readonly shown: Omit<WalletContent['shown'], 'fingerprint'>
}

/** The payments of one wallet (rule Z-02): stored, presented and announced. */
export class Payments {
  readonly #wallet: Wallet
  readonly #lookup: ReturnType<typeof defineLookup<WalletTokenRow>>

  constructor(wallet: Wallet) {
    const { entity } = wallets[wallet]
    this.#wallet = wallet
    this.#lookup = defineLookup(entity, (db, id, now) => findWalletToken(db, entity, id, now))
  }

  get #entity(): WalletEntity {
    return wallets[this.#wallet].entity
  }

  /** Stores a payment, and queues its event. Throws the refusal for a card that is not valid. */
  insertPayment(context: Context, content: NewPayment, expires_at: number | null): WalletTokenRow {
    const id = randomUUID()
    const fingerprint = computeFingerprint(context, this.#wallet, content.data)
    const whole = { ...content, shown: { fingerprint, ...content.shown } }
    const row: WalletTokenRow = {
      id,
      content: sealContent(context, this.#entity, id, whole),
      created_by: getCreatorId(context.actor),
      created_at: context.now,
      expires_at,
    }
    tokenTables[this.#entity].insertRow(context.db, row)
    this.#queueEvent(context, row, 'created')
    context.setRecordEntity(id)
    return row
  }

  findPayment(context: Context, id: string): WalletTokenRow | undefined {
    return findWalletToken(context.db, this.#entity, id, context.now)
  }

  /** Presents a payment as the actor may see it. Throws `not_found` and `forbidden`. */
  readPayment(context: Context, id: string) {
    const row = this.#lookup.requireRow(context, id)
    const payment = this.toPayment(context, row, this.requireReading(context, row.id), context.work)
    this.#queueEvent(context, row, 'retrieved')
    return payment
  }

  /** Deletes a payment and returns it as it was, without its data. Throws `not_found`. */
  removePayment(context: Context, id: string) {
    const row = this.#lookup.requireRow(context, id)
    const payment = this.toCreated(context, row)
    tokenTables[this.#entity].deleteRow(context.db, row.id)
    this.#queueEvent(context, row, 'deleted')
    return payment
  }

  /** Presents the payment of a repeated request. */
  repeatCreation(context: Context, id: unknown) {
    return this.toCreated(context, this.#lookup.requireAgain(context, id))
  }

  /** Decrypts what is secret of a payment. SECURITY: the result is plaintext. */
  openData(context: Context, row: WalletTokenRow): Json {
    const { data, authentication } = openContent(context, this.#entity, row)
    return { data: { ...data }, authentication }
  }

  /** Presents a payment without its data, as the response to its creation. */
  toCreated(context: Context, row: WalletTokenRow) {
    return toCommon(context, row, openContent(context, this.#entity, row))
  }

  /** Presents a payment. SECURITY: `transform` alone decides how much of the data is shown. */
  toPayment(context: Context, row: WalletTokenRow, transform: RuleTransform, work: WorkBudget) {
    const content = openContent(context, this.#entity, row)
    const showSecret = (secret: JsonObject, mask: Json) =>
      applyTransform(context, work, transform, secret, mask)
    const data = showSecret({ ...content.data }, getDefaultMask(TYPE, { ...content.data }))
    const authentication = showSecret(content.authentication, maskAuthentication(content.authentication))
    return {
      ...toCommon(context, row, content),
      ...(data !== undefined && { data }),
      ...(authentication !== undefined && { authentication }),
    }
  }

  /** Returns how the actor may see a payment. Throws `forbidden`. */
  requireReading({ actor }: Context, id: string): RuleTransform {
    return requireReading(actor, wallets[this.#wallet].prefix, toSubject(id))
  }

  #queueEvent(context: Context, row: WalletTokenRow, what: 'created' | 'deleted' | 'retrieved'): void {
    const { id, created_by, created_at, expires_at } = row
    context.queueEvent(`${wallets[this.#wallet].prefix}.${what}`, () => ({
      [this.#entity]: {
        id,
        ...(what !== 'retrieved' && {
          status: what === 'deleted' ? 'deleted' : 'active',
          created_by,
          created_at: formatEventTime(created_at),
          expires_at: expires_at === null ? null : formatEventTime(expires_at),
        }),
        ...(what === 'deleted' && {
          modified_by: getCreatorId(context.actor),
          modified_at: formatEventTime(context.now),
        }),
      },
    }))
  }
}

function toCommon(context: Context, row: WalletTokenRow, { type, data, shown }: WalletContent) {
  return {
    id: row.id,
    type,
    tenant_id: context.tenant_id,
    status: 'active',
    ...shown,
    ...(row.expires_at !== null && { expires_at: formatIsoTime(row.expires_at) }),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    card: toCardDetails({ ...data }, (number) => findBin(context.db, number)),
  }
}

/** Parses `expires_at` of a request; undefined without one. Throws `invalid`. */
export function parseExpiry(expires_at: string | undefined, now: number): number | undefined {
  return expires_at === undefined ? undefined : parseExpiresAt(expires_at, now, 'expires_at').at
}

/** Checks the card of decrypted payment data, and returns its fingerprint. Throws the refusal. */
function computeFingerprint(context: Context, wallet: Wallet, data: WalletData): string {
  try {
    return encodeBase58(computeDefaultFingerprint(context, TYPE, { ...data }))
  } catch {
    throw createRefusal(wallet)
  }
}

/** The mask of what proves that the cardholder authenticated: a cryptogram is as secret as the number. */
function maskAuthentication({ threeds_cryptogram, eci_indicator }: JsonObject): Json {
  return {
    ...(threeds_cryptogram !== undefined && {
      threeds_cryptogram: '{{ data.threeds_cryptogram | reveal_last: 4 }}',
    }),
    ...(eci_indicator !== undefined && { eci_indicator: '{{ data.eci_indicator }}' }),
  }
}
