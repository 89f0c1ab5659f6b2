import type { KeyObject } from 'node:crypto'
import { CofferError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import type { EventType } from '../../../../shared/webhook-events.ts'
import type { Database } from '../../db/open.ts'
import { toCofferError } from '../../db/storage-error.ts'
import type { Event, RecordEvents } from '../../events/event.ts'
import { getSubscribedWebhooks, hasSubscribers, storeAllEvents } from '../../events/subscriptions.ts'
import { MAX_STORED_EVENTS, writeEvents } from '../../events/write.ts'
import type { Caller } from '../../pipeline/call.ts'
import { toEventActor } from '../../pipeline/event-actor.ts'
import { toLogId } from '../../pipeline/log-id.ts'
import { insertLog, type LogRecord } from '../../pipeline/records.ts'
import { createMaintenanceRecord } from '../../pipeline/system-records.ts'
import { type DeliverCommit, runInTransaction } from '../../pipeline/transaction.ts'
import type { VaultFile } from '../../pipeline/vault-file.ts'
import { type AttemptResult, isAhead, isDelivered, storeAttempt } from './deliveries/attempt.ts'
import { toWebhookEvent } from './deliveries/body.ts'
import {
  countDropped,
  type DeliveryTarget,
  findDelivery,
  findDeliveryTarget,
  findFirstRetry,
  findLastEvents,
  findNextInOrder,
  listWebhooksWithPending,
} from './deliveries/store.ts'
import {
  deleteSigningKey,
  findSigningKeys,
  insertSigningKey,
  type KeyPair,
  newKeyPair,
  openSigningKey,
} from './signing-keys.ts'

/** A delivery to send now. */
export type DueDelivery = {
  readonly delivery_id: string
  readonly webhook_id: string
  readonly url: string
  /** The member `event` of the request body. */
  readonly event: Json
}

const PAUSED_WRITES_DELAY_MS = 1000
/** How long successful attempts wait to be written, so that many share one commit. */
const FLUSH_DELAY_MS = 200
const MAX_BATCHED_ATTEMPTS = 200

/**
 * The maximum number of events that wait to be written after their call was answered, and their maximum total size in
 * bytes. Further events are dropped and counted.
 */
const MAX_PENDING_EVENTS = 10_000
const MAX_PENDING_BYTES = 16 * 1024 * 1024
/**
 * The maximum number of pending events, and of their bytes, that one transaction writes, so that no transaction takes
 * long when many events were queued while the disk was full.
 */
const FLUSH_CHUNK_EVENTS = 1000
const FLUSH_CHUNK_BYTES = 2 * 1024 * 1024

/** An event to be written, with the length of its data. */
type PendingEvent = { readonly draft: RecordEvents; readonly bytes: number }

/** The attempts, events and numbers of dropped events that were not written because writes were paused. */
export type OutboxHandover = {
  readonly attempts: readonly AttemptedDelivery[]
  readonly events: readonly PendingEvent[]
  readonly droppedCounts: ReadonlyMap<EventType, number>
}

type AttemptedDelivery = { readonly delivery: number; readonly attempt: AttemptResult }

/**
 * Hands out the pending deliveries of the vault, one at a time per webhook, in order (rule W-02). Successful attempts
 * are written in batches. An attempt that was not written before the process is killed is repeated.
 */
export class Outbox {
  readonly #file: VaultFile
  readonly #deliver: DeliverCommit
  /** The row numbers of deliveries that were handed out, each with the row number of its webhook. */
  readonly #inFlight = new Map<number, number>()
  #attempts: AttemptedDelivery[] = []
  /** Events that were not written in the transaction of their call. */
  #events: PendingEvent[] = []
  #event_bytes = 0
  #droppedCounts = new Map<EventType, number>()
  /** The last delivery per webhook that was sent but not yet recorded. */
  readonly #after = new Map<number, number>()
  /** Webhooks without deliveries for now: the outcome of an unrecorded attempt decides which one is next. */
  readonly #undecided = new Set<number>()
  #timer: NodeJS.Timeout | null = null
  #signing: KeyObject | null = null
  #pendingKey: Promise<void> | null = null

  constructor(file: VaultFile, deliver: DeliverCommit) {
    this.#file = file
    this.#deliver = deliver
  }

  /**
   * Hands out up to `limit` due deliveries, at most one per webhook. The next delivery of a webhook is handed out after
   * `recordAttempt`. Deliveries that the owner requested come first, and are also sent to a disabled webhook. Throws
   * `locked`.
   */
  takeDueDeliveries(limit: number): readonly DueDelivery[] {
    this.#file.assertOpen()
    // A delivery that cannot be recorded would be sent twice.
    if (!this.#file.isFree) return []
    const { db, keyring, tenant_id } = this.#file
    const busy = new Set([...this.#inFlight.values(), ...this.#undecided])
    const due: DueDelivery[] = []
    for (const webhook of listWebhooksWithPending(db)) {
      if (due.length === limit) break
      if (busy.has(webhook.seq)) continue
      const seq = this.#findNext(webhook)
      const row = seq === null ? undefined : findDelivery(db, seq)
      if (!row) continue
      // Send nothing yet: a change that is not confirmed on disk may still be lost.
      if (due.length === 0 && !this.#file.isOnDisk()) break
      this.#inFlight.set(row.seq, webhook.seq)
      const event = toWebhookEvent(keyring, tenant_id, row)
      due.push({ delivery_id: String(row.seq), webhook_id: row.webhook_id, url: row.url, event })
    }
    return due
  }

  #findNext(webhook: DeliveryTarget): number | null {
    const { db } = this.#file
    const now = this.#file.now()
    const ownersRetry = findFirstRetry(db, webhook.seq, 1)
    if (ownersRetry) return ownersRetry.seq
    if (webhook.status === 'disabled' || isAhead(webhook.paused_until ?? 0, now)) return null
    const retry = findFirstRetry(db, webhook.seq, 0)
    if (retry && !isAhead(retry.next_at, now)) return retry.seq
    return findNextInOrder(db, webhook.seq, this.#after.get(webhook.seq) ?? 0) ?? null
  }

  /**
   * Returns the due time of the next delivery that is not handed out yet, in epoch ms; null if none is pending. The
   * time may be in the past.
   */
  nextAt(): number | null {
    if (this.#file.isClosed) return null
    if (!this.#file.isFree) return this.#file.now() + PAUSED_WRITES_DELAY_MS
    const busy = new Set([...this.#inFlight.values(), ...this.#undecided])
    const times = listWebhooksWithPending(this.#file.db)
      .filter(({ seq }) => !busy.has(seq))
      .flatMap((webhook) => this.#findNextTime(webhook) ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  #findNextTime(webhook: DeliveryTarget): number | null {
    const { db } = this.#file
    const ownersRetry = findFirstRetry(db, webhook.seq, 1)
    if (ownersRetry) return ownersRetry.next_at
    if (webhook.status === 'disabled') return null
    const isNow = findNextInOrder(db, webhook.seq, this.#after.get(webhook.seq) ?? 0) !== undefined
    const at = isNow ? 0 : findFirstRetry(db, webhook.seq, 0)?.next_at
    return at === undefined ? null : Math.max(at, webhook.paused_until ?? 0)
  }

  /** Stores every event from now on, for tests with an in-memory vault. Throws `locked`. */
  keepEvents(): void {
    this.#file.assertOpen()
    storeAllEvents(this.#file.db)
  }

  /** Lists the last 5,000 events, oldest first. Throws `locked`. */
  listStoredEvents(): Json[] {
    this.#file.assertOpen()
    this.flush()
    const { db, keyring, tenant_id } = this.#file
    return findLastEvents(db, MAX_STORED_EVENTS).map((row) => toWebhookEvent(keyring, tenant_id, row))
  }

  /** Records how an attempt ended. Does nothing if the vault is locked, so the event is delivered again later. */
  recordAttempt(delivery_id: string, attempt: AttemptResult): void {
    const delivery = Number(delivery_id)
    const webhook = this.#inFlight.get(delivery)
    this.#inFlight.delete(delivery)
    if (this.#file.isClosed) return
    this.#attempts.push({ delivery, attempt })
    const row = findDelivery(this.#file.db, delivery)
    const target = row && findDeliveryTarget(this.#file.db, row.webhook)
    const isSimple = isDelivered(attempt) && row?.next_at === null && target?.failures === 0
    if (webhook !== undefined) {
      if (isSimple) this.#after.set(webhook, delivery)
      else this.#undecided.add(webhook)
    }
    if (isSimple && this.#attempts.length < MAX_BATCHED_ATTEMPTS) this.#scheduleFlush(FLUSH_DELAY_MS)
    else if (this.#flushChunk()) this.#scheduleFlush(0)
  }

  /** Whether a webhook subscribes to events of a type. False once the file is closed. */
  hasSubscribers(type: EventType): boolean {
    return !this.#file.isClosed && hasSubscribers(this.#file.db, type)
  }

  /**
   * Queues an event that is not a change of the vault: a request, or a proxy call (rule W-01). Like the log record of
   * that call, the event is written later, together with others. Does nothing if no webhook subscribes to it.
   * SECURITY: `data` must never contain a token's data, or anything that is not masked (rule W-05).
   */
  publishEvent(caller: Caller, type: EventType, data: Event['data'], trace_id: string): void {
    if (!this.hasSubscribers(type)) return
    const { callers, keyring, tenant_id } = this.#file
    const at = this.#file.now()
    const resolved = callers.findActor(caller, at)
    const actor = resolved && toEventActor(resolved, tenant_id)
    this.#enqueueEvent(at, toLogId(trace_id, keyring), { type, data: { ...data, ...(actor && { actor }) } })
  }

  #enqueueEvent(at: number, trace_id: string, event: Event): void {
    const bytes = JSON.stringify(event.data).length
    if (this.#events.length < MAX_PENDING_EVENTS && this.#event_bytes + bytes <= MAX_PENDING_BYTES) {
      const to = getSubscribedWebhooks(this.#file.db, event.type)
      this.#events.push({ draft: { at, trace_id, events: [{ ...event, to }] }, bytes })
      this.#event_bytes += bytes
    } else this.#droppedCounts.set(event.type, (this.#droppedCounts.get(event.type) ?? 0) + 1)
    this.#scheduleFlush(FLUSH_DELAY_MS)
  }

  /** Writes pending attempts and events. After a failure they stay queued, and no delivery is handed out twice. */
  flush(): void {
    while (this.#flushChunk()) {}
  }

  /** Writes one chunk. Returns whether there is more to write now. */
  #flushChunk(): boolean {
    this.stop()
    if (this.#attempts.length === 0 && this.#events.length === 0 && this.#droppedCounts.size === 0)
      return false
    if (!this.#file.isFree) {
      if (!this.#file.isClosed) this.#scheduleFlush(FLUSH_DELAY_MS)
      return false
    }
    const now = this.#file.now()
    const chunk = this.#selectChunk()
    try {
      this.#runTransaction((db) => {
        for (const { delivery, attempt } of this.#attempts)
          storeAttempt(db, this.#file.keyring, delivery, attempt, now)
        writeEvents(
          db,
          this.#file.keyring,
          chunk.map(({ draft }) => draft),
        )
        for (const [type, count] of this.#droppedCounts) {
          for (const webhook of getSubscribedWebhooks(db, type))
            countDropped(db, webhook, 'too many events were waiting to be stored', now, count)
        }
      })
      this.#attempts = []
      this.#events.splice(0, chunk.length)
      for (const { bytes } of chunk) this.#event_bytes -= bytes
      this.#droppedCounts.clear()
      this.#after.clear()
      this.#undecided.clear()
    } catch (error) {
      this.#file.reportIncident(error, 'deliveries')
      this.#scheduleFlush(5 * FLUSH_DELAY_MS)
      return false
    }
    return this.#events.length > 0
  }

  /** Selects the events that one transaction writes. */
  #selectChunk(): readonly PendingEvent[] {
    let bytes = 0
    const chunk: PendingEvent[] = []
    for (const each of this.#events) {
      bytes += each.bytes
      if (chunk.length > 0 && (chunk.length === FLUSH_CHUNK_EVENTS || bytes > FLUSH_CHUNK_BYTES)) break
      chunk.push(each)
    }
    return chunk
  }

  /** Returns what could not be written because writes are paused, and forgets it: the next engine writes it. */
  handOver(): OutboxHandover {
    this.stop()
    const left = { attempts: this.#attempts, events: this.#events, droppedCounts: this.#droppedCounts }
    this.takeOver({ attempts: [], events: [], droppedCounts: new Map() })
    return left
  }

  /** Queues and writes what another engine returned from `handOver`. */
  takeOver({ attempts, events, droppedCounts }: OutboxHandover): void {
    this.#attempts = [...attempts]
    this.#events = [...events]
    this.#event_bytes = events.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#droppedCounts = new Map(droppedCounts)
    this.flush()
  }

  #scheduleFlush(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#flushChunk()) this.#scheduleFlush(0)
    }, ms)
  }

  /** Cancels the scheduled write. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** The key that signs deliveries, created on first use (W-03). Rejects: `locked`, `storage_full`, `unavailable`. */
  async getSigningKey(): Promise<KeyObject> {
    this.#file.assertOpen()
    if (this.#signing) return this.#signing
    await this.#ensureSigningKey()
    this.#file.assertOpen()
    const { db, keyring } = this.#file
    const [first] = findSigningKeys(db)
    if (first) this.#signing = openSigningKey(keyring, first)
    return this.#signing as KeyObject
  }

  async #ensureSigningKey(): Promise<void> {
    this.#file.assertOpen()
    if (findSigningKeys(this.#file.db).length > 0) return
    this.#pendingKey ??= this.#addKey([]).finally(() => {
      this.#pendingKey = null
    })
    await this.#pendingKey
  }

  /**
   * Starts a rotation: creates the next signing key and publishes it together with the current one. Rejects with
   * `conflict` if a rotation has started, and with the errors of `getSigningKey`.
   */
  async startKeyRotation(): Promise<void> {
    await this.#ensureSigningKey()
    if (findSigningKeys(this.#file.db).length > 1) {
      throw new CofferError(
        'conflict',
        'A new signing key is already published. Start signing with it first.',
      )
    }
    await this.#addKey([this.#createRecord('vault.addSigningKey')])
  }

  /**
   * Finishes a rotation: the new key signs, and the old one is deleted. Throws `locked`, `storage_full`, `unavailable`,
   * and `conflict` if no rotation has started.
   */
  finishKeyRotation(): void {
    this.#file.assertOpen()
    const [old, next] = findSigningKeys(this.#file.db)
    if (!old || !next) throw new CofferError('conflict', 'There is no new signing key. Create one first.')
    this.#runTransaction((db) => deleteSigningKey(db, old), [this.#createRecord('vault.rotateSigningKey')])
    this.#signing = null
  }

  /** Creates the log record of a rotation step by the owner (rule O-05). */
  #createRecord(operation: `vault.${string}`): LogRecord {
    return createMaintenanceRecord(operation, 'owner', { now: this.#file.now(), error: undefined, ms: 0 })
  }

  async #addKey(records: readonly LogRecord[]): Promise<void> {
    const pair: KeyPair = await newKeyPair()
    this.#file.assertOpen()
    this.#runTransaction((db) => insertSigningKey(db, this.#file.keyring, pair, this.#file.now()), records)
  }

  #runTransaction(write: (db: Database) => void, records: readonly LogRecord[] = []): void {
    const { db, keyring } = this.#file
    try {
      this.#file.assertPresent()
      const written = runInTransaction(this.#file, () => {
        write(db)
        keyring.countSeals(db)
        return { records: insertLog(db, keyring, records) }
      })
      this.#deliver(written)
    } catch (error) {
      throw toCofferError(error)
    }
  }

  /**
   * Returns the public keys as PEM, the signing key first. During a rotation, the second key is the one that will
   * replace it (rule W-03). Rejects with the errors of `getSigningKey`.
   */
  async getPublicKeys(): Promise<string> {
    await this.#ensureSigningKey()
    this.#file.assertOpen()
    return findSigningKeys(this.#file.db)
      .map(({ public_key }) => public_key)
      .join('')
  }
}
