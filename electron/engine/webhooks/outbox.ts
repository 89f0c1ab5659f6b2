import type { KeyObject } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/json.ts'
import type { EventType } from '../../../shared/webhook-events.ts'
import type { Database } from '../db/open.ts'
import { toCofferError } from '../db/storage-error.ts'
import { upkeepRecord } from '../door/by-the-vault.ts'
import { committed, type Deliver } from '../door/committed.ts'
import { insertLog, type LogRecord } from '../door/records.ts'
import type { VaultFile } from '../door/vault-file.ts'
import type { Event, Happened } from '../events/event.ts'
import { keepEvents, webhooksWanting } from '../events/wanted.ts'
import { MOST_KEPT, writeEvents } from '../events/write.ts'
import { type Attempt, isAhead, isDelivered, storeAttempt } from './deliveries/attempt.ts'
import { eventOf } from './deliveries/body.ts'
import {
  countDropped,
  findDelivery,
  findLastEvents,
  findTold,
  firstAgain,
  firstInOrder,
  type Told,
  webhooksWithWaiting,
} from './deliveries/store.ts'
import {
  deleteSigningKey,
  findSigningKeys,
  insertSigningKey,
  type KeyPair,
  newKeyPair,
  openSigningKey,
} from './signing-keys.ts'

/** A delivery to make now. */
export type Due = {
  readonly delivery_id: string
  readonly webhook_id: string
  readonly url: string
  /** The member `event` of its body. */
  readonly event: Json
}

/** How long to wait for writes that are held back. */
const HELD_MS = 1000
/** How long attempts that succeeded wait, so that many share one commit. */
const DELAY_MS = 200
const BATCH = 200

/** How many events of calls that have been answered may wait to be written, and their bytes; more are counted as dropped. */
const MOST_TOLD = 10_000
const MOST_TOLD_BYTES = 16 * 1024 * 1024
/** What one transaction writes of them, so that none takes long after a full disk. */
const PART = 1000
const PART_BYTES = 2 * 1024 * 1024

/** An event that is to be written, with the length of its data. */
type Waiting = { readonly happened: Happened; readonly bytes: number }

/** What was not written while writes were held back. */
export type LeftByOutbox = { readonly made: readonly Made[]; readonly told: readonly Waiting[] }

type Made = { readonly delivery: number; readonly attempt: Attempt }

/**
 * What the vault has to tell, for whoever delivers it: one delivery at a time for each webhook, in order (rule W-02).
 * Attempts that succeeded are written a little later, together: a kill before that repeats them.
 */
export class Outbox {
  readonly #file: VaultFile
  readonly #deliver: Deliver
  /** What was handed out, and for which webhook. */
  readonly #out = new Map<number, number>()
  #made: Made[] = []
  /** Events that no transaction wrote with what they tell. */
  #told: Waiting[] = []
  #told_bytes = 0
  #untold = new Map<EventType, number>()
  /** The last delivery of a webhook that was made and not yet written. */
  readonly #after = new Map<number, number>()
  /** Webhooks with an attempt that is not written and decides what follows. */
  readonly #undecided = new Set<number>()
  #timer: NodeJS.Timeout | null = null
  #signing: KeyObject | null = null
  #making: Promise<void> | null = null

  constructor(file: VaultFile, deliver: Deliver) {
    this.#file = file
    this.#deliver = deliver
  }

  /**
   * Hands out up to `limit` deliveries that are due, at most one for each webhook: the next one after `attempted` was
   * called for it. Those that the owner asked for come first, and go to a webhook that is disabled, too. Throws `locked`.
   */
  due(limit: number): readonly Due[] {
    this.#file.assertOpen()
    // What cannot be recorded would be delivered twice.
    if (!this.#file.isFree) return []
    const { db, keyring, tenant_id } = this.#file
    const busy = new Set([...this.#out.values(), ...this.#undecided])
    const due: Due[] = []
    for (const webhook of webhooksWithWaiting(db)) {
      if (due.length === limit) break
      if (busy.has(webhook.seq)) continue
      const seq = this.#next(webhook)
      const row = seq === null ? undefined : findDelivery(db, seq)
      if (!row) continue
      // What the disk has not confirmed may never have happened.
      if (due.length === 0 && !this.#file.isOnDisk()) break
      this.#out.set(row.seq, webhook.seq)
      const event = eventOf(keyring, tenant_id, row)
      due.push({ delivery_id: String(row.seq), webhook_id: row.webhook_id, url: row.url, event })
    }
    return due
  }

  #next(webhook: Told): number | null {
    const { db } = this.#file
    const now = this.#file.now()
    const own = firstAgain(db, webhook.seq, 1)
    if (own) return own.seq
    if (webhook.status === 'disabled' || isAhead(webhook.paused_until ?? 0, now)) return null
    const again = firstAgain(db, webhook.seq, 0)
    if (again && !isAhead(again.next_at, now)) return again.seq
    return firstInOrder(db, webhook.seq, this.#after.get(webhook.seq) ?? 0) ?? null
  }

  /** When something is next due that is not handed out, in epoch ms, perhaps in the past; null if nothing waits. */
  nextAt(): number | null {
    if (this.#file.isClosed) return null
    if (!this.#file.isFree) return this.#file.now() + HELD_MS
    const busy = new Set([...this.#out.values(), ...this.#undecided])
    const times = webhooksWithWaiting(this.#file.db)
      .filter(({ seq }) => !busy.has(seq))
      .flatMap((webhook) => this.#timeOf(webhook) ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  #timeOf(webhook: Told): number | null {
    const { db } = this.#file
    const own = firstAgain(db, webhook.seq, 1)
    if (own) return own.next_at
    if (webhook.status === 'disabled') return null
    const isNow = firstInOrder(db, webhook.seq, this.#after.get(webhook.seq) ?? 0) !== undefined
    const at = isNow ? 0 : firstAgain(db, webhook.seq, 0)?.next_at
    return at === undefined ? null : Math.max(at, webhook.paused_until ?? 0)
  }

  /** Keeps every event from now on, for the tests of a vault in memory. Throws `locked`. */
  keepEvents(): void {
    this.#file.assertOpen()
    keepEvents(this.#file.db)
  }

  /** The last 5,000 events, oldest first. Throws `locked`. */
  keptEvents(): Json[] {
    this.#file.assertOpen()
    this.flush()
    const { db, keyring, tenant_id } = this.#file
    return findLastEvents(db, MOST_KEPT).map((row) => eventOf(keyring, tenant_id, row))
  }

  /** Takes how an attempt at a delivery ended. Does nothing once the vault is locked: it is delivered again. */
  attempted(delivery_id: string, attempt: Attempt): void {
    const delivery = Number(delivery_id)
    const webhook = this.#out.get(delivery)
    this.#out.delete(delivery)
    if (this.#file.isClosed) return
    this.#made.push({ delivery, attempt })
    const row = findDelivery(this.#file.db, delivery)
    const told = row && findTold(this.#file.db, row.webhook)
    const isSimple = isDelivered(attempt) && row?.next_at === null && told?.failures === 0
    if (webhook !== undefined) {
      if (isSimple) this.#after.set(webhook, delivery)
      else this.#undecided.add(webhook)
    }
    if (isSimple && this.#made.length < BATCH) this.#wakeIn(DELAY_MS)
    else if (this.#flushPart()) this.#wakeIn(0)
  }

  /**
   * Takes an event of a call that no transaction belongs to: one that has been answered. It is written a little later,
   * like the record of that call. SECURITY: `trace_id` as the log stores it.
   */
  tell(at: number, trace_id: string, event: Event): void {
    const bytes = JSON.stringify(event.data).length
    if (this.#told.length < MOST_TOLD && this.#told_bytes + bytes <= MOST_TOLD_BYTES) {
      const to = webhooksWanting(this.#file.db, event.type)
      this.#told.push({ happened: { at, trace_id, events: [{ ...event, to }] }, bytes })
      this.#told_bytes += bytes
    } else this.#untold.set(event.type, (this.#untold.get(event.type) ?? 0) + 1)
    this.#wakeIn(DELAY_MS)
  }

  /** Writes the attempts and events that wait. If that fails, they wait for the next attempt to write, and nothing is handed out twice. */
  flush(): void {
    while (this.#flushPart()) {}
  }

  /** Writes some of it. Returns whether there is more to write now. */
  #flushPart(): boolean {
    this.stop()
    if (this.#made.length === 0 && this.#told.length === 0 && this.#untold.size === 0) return false
    if (!this.#file.isFree) {
      if (!this.#file.isClosed) this.#wakeIn(DELAY_MS)
      return false
    }
    const now = this.#file.now()
    const part = this.#firstTold()
    try {
      this.#write((db) => {
        for (const { delivery, attempt } of this.#made)
          storeAttempt(db, this.#file.keyring, delivery, attempt, now)
        writeEvents(
          db,
          this.#file.keyring,
          part.map(({ happened }) => happened),
        )
        for (const [type, count] of this.#untold) {
          for (const webhook of webhooksWanting(db, type))
            countDropped(db, webhook, 'could not be written in time', now, count)
        }
      })
      this.#made = []
      this.#told.splice(0, part.length)
      for (const { bytes } of part) this.#told_bytes -= bytes
      this.#untold.clear()
      this.#after.clear()
      this.#undecided.clear()
    } catch (error) {
      this.#file.report(error, 'deliveries')
      this.#wakeIn(5 * DELAY_MS)
      return false
    }
    return this.#told.length > 0
  }

  /** The events that one transaction writes. */
  #firstTold(): readonly Waiting[] {
    let bytes = 0
    const part: Waiting[] = []
    for (const each of this.#told) {
      bytes += each.bytes
      if (part.length > 0 && (part.length === PART || bytes > PART_BYTES)) break
      part.push(each)
    }
    return part
  }

  /** Writes what waits, or leaves it for an engine on a copy of this file if writes are held back. */
  leave(): LeftByOutbox {
    this.flush()
    this.stop()
    if (this.#file.isFree) return { made: [], told: [] }
    return { made: this.#made, told: this.#told }
  }

  /** Takes over what another engine left. */
  takeOver({ made, told }: LeftByOutbox): void {
    this.#made = [...made]
    this.#told = [...told]
    this.#told_bytes = told.reduce((sum, { bytes }) => sum + bytes, 0)
    this.flush()
  }

  #wakeIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#flushPart()) this.#wakeIn(0)
    }, ms)
  }

  /** Cancels the scheduled write. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  /**
   * The key that signs what is delivered, made on first use (rule W-03). Rejects with `locked`, `storage_full`,
   * `unavailable`.
   */
  async signingKey(): Promise<KeyObject> {
    await this.#haveKey()
    this.#file.assertOpen()
    const { db, keyring } = this.#file
    const [first] = findSigningKeys(db)
    if (!this.#signing && first) this.#signing = openSigningKey(keyring, first)
    return this.#signing as KeyObject
  }

  async #haveKey(): Promise<void> {
    this.#file.assertOpen()
    if (findSigningKeys(this.#file.db).length > 0) return
    this.#making ??= this.#add([]).finally(() => {
      this.#making = null
    })
    await this.#making
  }

  /**
   * Begins a rotation: makes the key that is to sign, and publishes it beside the one that signs. Rejects with
   * `conflict` if one has begun, and as `signingKey`.
   */
  async beginKeyRotation(): Promise<void> {
    await this.#haveKey()
    if (findSigningKeys(this.#file.db).length > 1) {
      throw new CofferError(
        'conflict',
        'A new signing key is published already. Begin to sign with it first.',
      )
    }
    await this.#add([this.#recordOf('vault.addSigningKey')])
  }

  /** Ends a rotation: the new key signs, and the old one is deleted. Throws `conflict` if none has begun, and as `signingKey`. */
  finishKeyRotation(): void {
    this.#file.assertOpen()
    const [old, next] = findSigningKeys(this.#file.db)
    if (!old || !next) throw new CofferError('conflict', 'There is no new signing key. Make one first.')
    this.#write((db) => deleteSigningKey(db, old), [this.#recordOf('vault.rotateSigningKey')])
    this.#signing = null
  }

  /** The record of a step of the owner (rule O-05). */
  #recordOf(operation: `vault.${string}`): LogRecord {
    return upkeepRecord(operation, 'owner', { now: this.#file.now(), error: undefined, ms: 0 })
  }

  async #add(records: readonly LogRecord[]): Promise<void> {
    const pair: KeyPair = await newKeyPair()
    this.#file.assertOpen()
    this.#write((db) => insertSigningKey(db, this.#file.keyring, pair, this.#file.now()), records)
  }

  #write(write: (db: Database) => void, records: readonly LogRecord[] = []): void {
    const { db, keyring } = this.#file
    try {
      this.#file.assertPresent()
      const written = committed(this.#file, () => {
        write(db)
        keyring.countSeals(db)
        return { records: insertLog(db, keyring, records) }
      })
      this.#deliver(written)
    } catch (error) {
      throw toCofferError(error)
    }
  }

  /** The public keys as PEM, the one that signs first: a second one is to replace it (rule W-03). Rejects as `signingKey`. */
  async publicKeys(): Promise<string> {
    await this.#haveKey()
    this.#file.assertOpen()
    return findSigningKeys(this.#file.db)
      .map(({ public_key }) => public_key)
      .join('')
  }
}
