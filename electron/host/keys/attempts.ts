import { CofferError } from '../../../shared/errors.ts'

type Failures = { count: number; until: number }

/**
 * Wrong passphrases by vault. They are not stored on disk, because a new process costs an attacker another Argon2id
 * derivation anyway.
 */
const failures = new Map<string, Failures>()

/** Returns the delay, in ms, after this many wrong passphrases in a row: 1 s after the third, doubling up to 60 s. */
export function getAttemptDelay(count: number): number {
  return count < 3 ? 0 : Math.min(1000 * 2 ** (count - 3), 60_000)
}

const running = new Map<string, Promise<unknown>>()

/**
 * Tries a passphrase of a vault. `unlock` returns undefined for a wrong one. Throws `rate_limited`. SECURITY:
 * one attempt at a time, because parallel attempts would all start before the first is counted.
 */
export async function tryPassphrase(
  vault_id: string,
  unlock: () => Promise<Buffer | undefined>,
): Promise<Buffer | undefined> {
  const before = running.get(vault_id) ?? Promise.resolve()
  const current = before.then(async () => {
    assertAttemptAllowed(vault_id)
    const master = await unlock()
    recordAttempt(vault_id, master ? 'right' : 'wrong')
    return master
  })
  const ended = current.then(
    () => {},
    () => {},
  )
  running.set(vault_id, ended)
  try {
    return await current
  } finally {
    if (running.get(vault_id) === ended) running.delete(vault_id)
  }
}

/** Rejects a premature attempt with `rate_limited` and the seconds to wait. */
function assertAttemptAllowed(vault_id: string): void {
  // Not the wall clock: changing it must not shorten the delay.
  const seconds = Math.ceil(((failures.get(vault_id)?.until ?? 0) - performance.now()) / 1000)
  if (seconds <= 0) return
  throw new CofferError(
    'rate_limited',
    `Too many wrong passphrases. Try again in ${seconds} s. Nothing was changed.`,
    { retry_after: seconds },
  )
}

function recordAttempt(vault_id: string, outcome: 'right' | 'wrong'): void {
  if (outcome === 'right') {
    failures.delete(vault_id)
    return
  }
  const count = (failures.get(vault_id)?.count ?? 0) + 1
  failures.set(vault_id, { count, until: performance.now() + getAttemptDelay(count) })
}
