import type { Database } from '../open.ts'

/** Webhooks, their events, the deliveries and attempts, and the keys that sign them (rules W-01 to W-04). */
export function addWebhooks(db: Database): void {
  db.exec(`
-- events: JSON list of types. waiting: how many of its deliveries have not ended. failures, unreached: attempts in a row
-- that failed, and that found nobody to answer. paused_until: no delivery before.
CREATE TABLE webhook (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  notify_email TEXT,
  events TEXT NOT NULL,
  status TEXT NOT NULL,
  disabled_reason TEXT,
  waiting INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  unreached INTEGER NOT NULL DEFAULT 0,
  paused_until INTEGER,
  last_success_at INTEGER,
  last_failure_at INTEGER,
  last_failure TEXT,
  dropped INTEGER NOT NULL DEFAULT 0,
  dropped_at INTEGER,
  dropped_reason TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;

-- data: JSON of the member of that name, or sealed_data where texts of programs are in it.
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data TEXT,
  sealed_data BLOB
) STRICT;

-- webhook, event: their seq. next_at: when it is tried again; null while it has its place in the order.
CREATE TABLE delivery (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook INTEGER NOT NULL,
  event INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  by_owner INTEGER NOT NULL DEFAULT 0,
  refusals INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE INDEX delivery_by_webhook ON delivery (webhook, seq);
CREATE INDEX delivery_by_event ON delivery (event);
CREATE INDEX delivery_in_order ON delivery (webhook, seq) WHERE state = 'waiting' AND next_at IS NULL;
CREATE INDEX delivery_again ON delivery (webhook, by_owner, next_at)
  WHERE state = 'waiting' AND next_at IS NOT NULL;
CREATE INDEX delivery_ended ON delivery (seq) WHERE state <> 'waiting';

-- answer: sealed, the first 4 KiB.
CREATE TABLE delivery_attempt (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  delivery INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  failure TEXT,
  answer BLOB
) STRICT;
CREATE INDEX delivery_attempt_by_delivery ON delivery_attempt (delivery);

-- private_key: sealed PKCS #8 PEM. The first key signs; a second one follows it at the end of a rotation.
CREATE TABLE signing_key (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  private_key BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`)
}
