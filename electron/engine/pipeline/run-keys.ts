import { randomBytes } from 'node:crypto'
import type { Json } from '../../../shared/json.ts'
import type { Permission } from '../../../shared/permissions.ts'
import { computeKeyDigest } from '../crypto/keyring.ts'

/** The maximum number of values that are searched for in the output of one run. */
const MAX_SEEN_VALUES = 200

/** Who running code acts as: an application, or its own runtime with some permissions (rule F-03). */
export type RunSubject =
  | { readonly application_id: string }
  | { readonly runtime_id: string; readonly permissions: readonly Permission[] }

/** The rights of code while it runs, and the plaintext that it has read and written. */
export type RunGrant = {
  readonly subject: RunSubject
  /** The note in the log records of the run, which names the reactor or proxy. */
  readonly note: string
  readonly seen: Json[]
}

/** The key of one run of code. */
export type RunKey = RunGrant & {
  readonly key: string
  /** Makes the key invalid. May be called repeatedly. */
  revoke(): void
}

/**
 * Keys that are valid for one run of code, with the rights of an application or a runtime (rule F-03). SECURITY: the
 * keys are only in memory and never listed.
 */
export class RunKeys {
  readonly #byDigest = new Map<string, RunGrant>()

  issueKey(subject: RunSubject, note: string): RunKey {
    // The key does not have the form of an application's key, so records store no part of it.
    const key = `run-${randomBytes(32).toString('base64url')}`
    const digest = digestKey(key)
    const grant: RunGrant = { subject, note, seen: [] }
    this.#byDigest.set(digest, grant)
    return { ...grant, key, revoke: () => void this.#byDigest.delete(digest) }
  }

  /** Whether a key has the form of a run key. */
  isRunKey(key: string): boolean {
    return key.startsWith('run-')
  }

  findGrant(key: string): RunGrant | undefined {
    return this.#byDigest.get(digestKey(key))
  }

  revokeAll(): void {
    this.#byDigest.clear()
  }
}

/** Records a value that the code of a run has in plaintext. Ignores values beyond the maximum. */
export function addSeenValue({ seen }: Pick<RunGrant, 'seen'>, data: Json): void {
  if (seen.length < MAX_SEEN_VALUES) seen.push(data)
}

function digestKey(key: string): string {
  return computeKeyDigest(key).toString('base64')
}
