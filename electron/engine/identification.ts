import { getActorId } from './access/actor.ts'
import type { EngineParts } from './parts.ts'
import type { Caller, CallInfo, IdentifiedCaller } from './pipeline/call.ts'
import { computeIdempotencyScope } from './pipeline/idempotency.ts'
import type { RunKey, RunSubject } from './pipeline/run-keys.ts'
import { findJob } from './resources/account-updater/jobs/store.ts'
import { createClosedPageError } from './resources/agentic/errors.ts'
import { findRedirect } from './resources/agentic/store.ts'
import { findClientKey } from './resources/client-keys/store.ts'
import { createMissingError } from './resources/crud.ts'
import { createMissingSessionError } from './resources/three-ds/authenticate.ts'
import { isThreeDs } from './resources/three-ds/store.ts'

/** Identifies callers before they make a call. */
export class Identification {
  readonly #parts: EngineParts

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /**
   * Returns the caller that a key identifies, so that a listener can reject a request before it reads the body
   * (rule A-04). Throws `unauthenticated`, `locked`.
   */
  identifyKey(key: string): IdentifiedCaller {
    const { callers, now } = this.#parts.file
    return this.#withReadErrors(() => callers.identifyKey(key, now()))
  }

  /**
   * Returns the caller of a pre-configured proxy that requires no key (rule G-04). Throws `locked`, and
   * `unauthenticated` if there is no such proxy or if it requires a key.
   */
  identifyProxy(proxy_key: string): Caller {
    const { callers, now } = this.#parts.file
    const caller = { kind: 'proxy', proxy_key } as const
    this.#withReadErrors(() => callers.requireActor(caller, now()))
    return caller
  }

  /**
   * Returns the caller of the 3D Secure page for the session or challenge with this id (rule S-01). Throws `locked`,
   * and `not_found` if there is none. SECURITY: any web page can make a browser send such a request, so an unknown id
   * leaves no record.
   */
  identifyCardholder(id: string): Caller {
    const { db, now } = this.#parts.file
    if (!this.#withReadErrors(() => isThreeDs(db, id.toLowerCase(), now()))) throw createMissingSessionError()
    return { kind: 'cardholder' }
  }

  /**
   * Returns the caller of the page for the enrollment with this random part of a URL (rule Z-03). Throws `locked`, and
   * `not_found` if there is none. SECURITY: an unknown one leaves no record.
   */
  identifyEnrolledCardholder(key: string): Caller {
    if (!this.#withReadErrors(() => findRedirect(this.#parts.file.db, key))) throw createClosedPageError()
    return { kind: 'cardholder' }
  }

  /**
   * Requires an account updater job with this random part of a URL (rule Z-03). Throws `locked`, and `not_found` if
   * there is none. SECURITY: anyone can send such a request, so an unknown URL leaves no record.
   */
  requireJobFile(key: string, by: 'upload_key' | 'download_key'): void {
    const { db, now } = this.#parts.file
    if (!this.#withReadErrors(() => findJob(db, key, now(), by))) throw createMissingError('file')
  }

  /** Whether `x`, 32 bytes in base64url, is the public part of a client encryption key. Throws `locked`. */
  hasClientKey(id: string, x: string): boolean {
    const { db, now } = this.#parts.file
    return this.#withReadErrors(() => findClientKey(db, id, now())?.public.toString('base64url') === x)
  }

  /** Runs a function that only reads. Throws `locked`, and `unavailable` if the disk fails. */
  #withReadErrors<T>(read: () => T): T {
    const { file } = this.#parts
    file.assertOpen()
    try {
      return read()
    } catch (error) {
      throw file.toReadError(error)
    }
  }

  /** Returns an id of a caller; null if the caller could not be recognized later, for example without a key. */
  getCallerId(caller: Caller): string | null {
    const { isClosed, callers, now } = this.#parts.file
    if (isClosed) return null
    const actor = callers.findActor(caller, now())
    if (actor?.kind === 'owner') return 'owner'
    return actor?.kind === 'application' || actor?.kind === 'session' ? actor.id : null
  }

  /** Returns the scope of an idempotency key (rule A-12); null without one, and for a caller without a valid key. */
  getIdempotencyScope(caller: Caller, { idempotency }: CallInfo): Buffer | null {
    const { isClosed, callers, now } = this.#parts.file
    if (!idempotency || isClosed) return null
    const actor = callers.findActor(caller, now())
    return actor && computeIdempotencyScope(getActorId(actor) ?? 'owner', idempotency)
  }

  /** Issues a key with the rights of an application or a runtime, for one run (rule F-03). Throws `locked`. */
  issueRunKey(subject: RunSubject, note: string): RunKey {
    const { file } = this.#parts
    file.assertOpen()
    return file.callers.runKeys.issueKey(subject, note)
  }

  /** Records that a page's elements made a call. */
  recordElementUse(caller: Caller, origin: string): void {
    const { file, log } = this.#parts
    if (!file.isClosed && file.callers.recordElementUse(caller, origin, file.now())) log.scheduleFlush()
  }
}
