import type { Permission } from '../../../shared/permissions.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { Grant, Subject } from '../access/access.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Database } from '../db/open.ts'
import type { Actor } from './actor.ts'

/** What a handler may touch. It runs inside one transaction, with permission and input already checked. */
export type Context = {
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
  /** May the actor do this to the token, and how is it shown? Throws 403; notes the decision in the log. */
  require(permission: Permission, subject: Subject, which: 'any' | 'all'): Grant
  /** Names what the log record is about, if it is one thing, with a note that outlives it (rule T-11). Never data. */
  about(entity_id: string | null, note?: string): void
  /** Names all that the log record is about, where that is more than one. */
  aboutAll(entity_ids: readonly string[]): void
  /**
   * Keeps what `replay` needs to answer the same request again (rule A-12), with the ids of the tokens that it needs.
   * SECURITY: ids and places, never what a token holds.
   */
  keep(kept: unknown, token_ids?: readonly string[]): void
  /** Adds a response header. */
  header(name: string, value: string): void
  /** Applications, keys, sessions or settings changed: look all of them up anew. */
  forget(): void
  /** Writes the log records that wait in memory. */
  flushLog(): void
}
