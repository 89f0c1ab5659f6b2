import type { Database } from '../open.ts'

/**
 * Adds the time when a token intent's cvc was stored. Older intents may have a cvc without a time, so the
 * sweeper checks them too.
 */
export function addIntentCvcs(db: Database): void {
  db.exec(`
ALTER TABLE token_intent ADD COLUMN cvc_stored_at INTEGER;
UPDATE token_intent SET cvc_stored_at = created_at WHERE type = 'card';
CREATE INDEX token_intent_by_cvc ON token_intent (cvc_stored_at) WHERE cvc_stored_at IS NOT NULL;
`)
}
