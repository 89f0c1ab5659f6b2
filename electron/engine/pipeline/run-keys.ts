import { randomBytes } from 'node:crypto'
import type { Json } from '../../../shared/json.ts'
import { computeKeyDigest } from '../crypto/keyring.ts'

/** More values than can be looked for in what code printed. */
const MAX_SEEN_VALUES = 200

/** What an application's code may do while it runs, and what it has read and written in clear. */
export type RunGrant = {
  readonly application_id: string
  /** Whose code it is, for the log. */
  readonly note: string
  readonly seen: Json[]
}

/** A key for one run of code. */
export type RunKey = RunGrant & {
  readonly key: string
  /** The key is worth nothing from now on. Safe to repeat. */
  revoke(): void
}

/** Keys of one run each, with the rights of an application (rule F-03). SECURITY: in memory alone, never listed. */
export class RunKeys {
  readonly #byDigest = new Map<string, RunGrant>()

  issueKey(application_id: string, note: string): RunKey {
    // Of another shape than the keys of applications, so that records keep no part of it.
    const key = `run-${randomBytes(32).toString('base64url')}`
    const digest = digestKey(key)
    const grant: RunGrant = { application_id, note, seen: [] }
    this.#byDigest.set(digest, grant)
    return { ...grant, key, revoke: () => void this.#byDigest.delete(digest) }
  }

  /** Whether a key has the shape of a lent one. */
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

/** Notes a value that the code of a run has in clear. */
export function addSeenValue({ seen }: Pick<RunGrant, 'seen'>, data: Json): void {
  if (seen.length < MAX_SEEN_VALUES) seen.push(data)
}

function digestKey(key: string): string {
  return computeKeyDigest(key).toString('base64')
}
