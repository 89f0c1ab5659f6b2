import { setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import { recordCommit } from '../db/commit-count.ts'
import type { Database } from '../db/open.ts'
import type { Keyring } from './keyring.ts'
import { countSealed, type ResealPosition, resealBatch, resealStart } from './reseal.ts'

export type RotateOptions = {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

type RotationContext = {
  readonly db: Database
  readonly keyring: Keyring
  readonly master: Buffer
  readonly now: number
  assertOpen(): void
  emptyLog(): void
}

/** Implements `Engine.rotateDataKey`. */
export async function rotateDataKey(
  { db, keyring, master, now, assertOpen, emptyLog }: RotationContext,
  { signal, onProgress = () => {} }: RotateOptions,
): Promise<void> {
  assertOpen()
  // With more than one data key, an interrupted rotation resumes.
  if (keyring.dataKeyCount === 1) keyring.addDataKey(db, master, now)
  const total = countSealed(db)
  let resealedCount = 0
  for (let position: ResealPosition | null = resealStart; position; ) {
    await turn()
    assertOpen()
    if (signal?.aborted)
      throw new CofferError(
        'cancelled',
        'The key rotation was stopped. It resumes when the vault is next opened.',
      )
    const from: ResealPosition = position
    const reseal = db.transaction(() => {
      const resealed = resealBatch(db, keyring, from)
      keyring.countSeals(db)
      return resealed
    })
    const { done, next } = reseal.immediate()
    recordCommit(db)
    position = next
    resealedCount += done
    onProgress(Math.min(resealedCount, total), total)
  }
  keyring.dropOldDataKeys(db)
  // SECURITY: the write-ahead log still contains the old key.
  emptyLog()
}
