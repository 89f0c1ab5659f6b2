import type { Context } from '../../../pipeline/context.ts'
import { openIntentData } from './present.ts'
import { dropTokenIntentCvc, findTokenIntentsWithOldCvc } from './store.ts'

/**
 * Deletes the cvc of up to `limit` token intents whose cvc is past its retention time, while `hasTime` returns
 * true. Returns the number of changed intents (rules T-15, R-03).
 */
export function expireIntentCvcs(
  context: Pick<Context, 'db' | 'keyring' | 'settings' | 'now'>,
  limit: number,
  hasTime: () => boolean,
): number {
  const { db, keyring, now, settings } = context
  const rows = findTokenIntentsWithOldCvc(db, now, settings.cvc_retention_seconds * 1000, limit)
  let done = 0
  for (const row of rows) {
    if (!hasTime()) break
    const data = JSON.stringify(openIntentData(context, row))
    dropTokenIntentCvc(db, row.id, keyring.sealValue(data, row.id, 'intent'))
    done++
  }
  return done
}
