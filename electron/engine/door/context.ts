import { CofferError } from '../../../shared/errors.ts'
import type { Permission } from '../../../shared/permissions.ts'
import type { Settings } from '../../../shared/settings.ts'
import { decide, explain, type Grant, type Subject } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Call } from './call.ts'
import type { CallNotes } from './call-record.ts'
import type { LogBuffer } from './log-buffer.ts'
import type { VaultFile } from './vault-file.ts'

/** What a handler keeps so that `replay` can answer the same request again. */
type Kept = { readonly value: unknown; readonly token_ids: readonly string[] }

/**
 * What a handler may touch. It runs inside one transaction, with permission and input already checked. Its methods
 * name their `this`, so that taking one out of its context does not compile.
 */
export class Context {
  readonly db: Database
  readonly keyring: Keyring
  readonly tenant_id: string
  readonly actor: Actor
  readonly settings: Settings
  /** Epoch ms; the only clock handlers read. */
  readonly now: number
  readonly trace_id: string
  /** `sdk` when the request came with the SDKs' key header (rule A-02). */
  readonly dialect: 'own' | 'sdk'
  /** The vault lives in memory. */
  readonly ephemeral: boolean
  /** The response headers so far. */
  readonly headers: Record<string, string> = {}
  /** What `keep` was given last. */
  kept: Kept | null = null
  readonly #file: VaultFile
  readonly #log: LogBuffer
  readonly #notes: CallNotes

  constructor(file: VaultFile, log: LogBuffer, { info }: Call, actor: Actor, notes: CallNotes) {
    this.db = file.db
    this.keyring = file.keyring
    this.tenant_id = file.tenant_id
    this.actor = actor
    this.settings = file.settings
    this.now = notes.at
    this.trace_id = notes.trace_id
    this.dialect = info.dialect ?? 'own'
    this.ephemeral = file.ephemeral
    this.#file = file
    this.#log = log
    this.#notes = notes
  }

  /** May the actor do this to the token, and how is it shown? Throws 403; notes the decision in the log. */
  require(this: Context, permission: Permission, subject: Subject, which: 'any' | 'all'): Grant {
    const grant = decide(this.actor, permission, subject, which)
    this.#notes.entity_id = subject.id
    if (!grant) {
      this.#notes.note = `${permission} is not granted on ${subject.containers.join(' ')}`
      throw new CofferError('forbidden', `${permission} is not granted on the containers of this token.`, {
        missing: { permissions: [permission], containers: subject.containers },
      })
    }
    this.#notes.note = explain(grant, permission)
    return grant
  }

  /** Names what the log record is about, if it is one thing, with a note that outlives it (rule T-11). Never data. */
  about(this: Context, entity_id: string | null, note?: string): void {
    this.#notes.entity_id = entity_id
    if (note !== undefined) this.#notes.add(note)
  }

  /** Names all that the log record is about, where that is more than one. */
  aboutAll(this: Context, entity_ids: readonly string[]): void {
    const ids = [...new Set(entity_ids)]
    const isOne = ids.length <= 1
    this.#notes.entity_id = isOne ? (ids[0] ?? null) : null
    this.#notes.entity_ids = isOne ? [] : ids
    if (!isOne) this.#notes.note = `${ids.length} tokens`
  }

  /**
   * Keeps what `replay` needs to answer the same request again (rule A-12), with the ids of the tokens that it needs.
   * SECURITY: ids and places, never what a token holds.
   */
  keep(this: Context, value: unknown, token_ids: readonly string[] = []): void {
    this.kept = { value, token_ids }
  }

  /** Adds a response header. */
  header(this: Context, name: string, value: string): void {
    this.headers[name] = value
  }

  /** Drops what is cached of applications, keys, sessions and settings, because one of them changed. */
  forget(this: Context): void {
    this.#file.forget()
  }

  /** Writes the log records that wait in memory. */
  flushLog(this: Context): void {
    this.#log.flush()
  }
}
