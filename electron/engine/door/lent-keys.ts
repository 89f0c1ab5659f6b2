import { randomBytes } from 'node:crypto'
import type { Json } from '../../../shared/json.ts'
import { keyDigest } from '../crypto/keyring.ts'

/** More values than can be looked for in what code printed. */
const MOST_SEEN = 200

/** What an application's code may do while it runs, and what it has read and written in clear. */
export type Lent = {
  readonly application_id: string
  /** Whose code it is, for the log. */
  readonly note: string
  readonly seen: Json[]
}

/** A key for one run of code. */
export type LentKey = Lent & {
  readonly key: string
  /** The key is worth nothing from now on. Safe to repeat. */
  giveBack(): void
}

/** Keys of one run each, with the rights of an application (rule F-03). SECURITY: in memory alone, never listed. */
export class LentKeys {
  readonly #byDigest = new Map<string, Lent>()

  lend(application_id: string, note: string): LentKey {
    // Of another shape than the keys of applications, so that records keep no part of it.
    const key = `run-${randomBytes(32).toString('base64url')}`
    const digest = digestOf(key)
    const lent: Lent = { application_id, note, seen: [] }
    this.#byDigest.set(digest, lent)
    return { ...lent, key, giveBack: () => void this.#byDigest.delete(digest) }
  }

  /** Whether a key has the shape of a lent one. */
  isLent(key: string): boolean {
    return key.startsWith('run-')
  }

  find(key: string): Lent | undefined {
    return this.#byDigest.get(digestOf(key))
  }

  forget(): void {
    this.#byDigest.clear()
  }
}

/** Notes a value that the code of a run has in clear. */
export function sawInClear({ seen }: Pick<Lent, 'seen'>, data: Json): void {
  if (seen.length < MOST_SEEN) seen.push(data)
}

function digestOf(key: string): string {
  return keyDigest(key).toString('base64')
}
