CREATE INDEX account_updater_job_by_expiry ON account_updater_job (expires_at);
CREATE INDEX agent_enrollment_by_enrollment ON agent_enrollment (enrollment_id);
CREATE INDEX apple_pay_by_expiry ON apple_pay (expires_at);
CREATE INDEX application_by_expiry ON application (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX application_key_by_application ON application_key (application_id, created_at);
CREATE INDEX client_key_by_expiry ON client_key (expires_at);
CREATE INDEX delivery_again ON delivery (webhook, by_owner, next_at)
  WHERE state = 'waiting' AND next_at IS NOT NULL;
CREATE INDEX delivery_attempt_by_delivery ON delivery_attempt (delivery);
CREATE INDEX delivery_by_event ON delivery (event);
CREATE INDEX delivery_by_webhook ON delivery (webhook, seq);
CREATE INDEX delivery_ended ON delivery (seq) WHERE state <> 'waiting';
CREATE INDEX delivery_in_order ON delivery (webhook, seq) WHERE state = 'waiting' AND next_at IS NULL;
CREATE INDEX draft_by_kind ON draft (kind);
CREATE INDEX event_by_trace ON event (trace_id);
CREATE INDEX exchange_by_proxy ON exchange (proxy_id);
CREATE INDEX exchange_by_trace ON exchange (trace_id);
CREATE INDEX google_pay_by_expiry ON google_pay (expires_at);
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
CREATE INDEX idempotency_token_by_scope ON idempotency_token (scope);
CREATE INDEX instruction_by_agent ON instruction (agent_id);
CREATE INDEX log_block_gone ON log_block (first) WHERE gone;
CREATE INDEX log_by_type ON log (entity_type, at);
CREATE INDEX log_shown ON log (at) WHERE entity_type <> 'log' OR status >= 400;
CREATE INDEX network_token_source_by_network_token ON network_token_source (network_token_id, kind);
CREATE INDEX proxy_by_creation ON proxy (created_at);
CREATE INDEX reactor_by_creation ON reactor (created_at);
CREATE INDEX reactor_request_by_expiry ON reactor_request (expires_at);
CREATE INDEX reactor_run_by_proxy ON reactor_run (proxy_id);
CREATE INDEX reactor_run_by_reactor ON reactor_run (reactor_id);
CREATE INDEX reactor_run_by_trace ON reactor_run (trace_id);
CREATE INDEX session_by_expiry ON session (expires_at);
CREATE INDEX three_ds_session_by_expiry ON three_ds_session (expires_at);
CREATE INDEX token_by_container ON token (container, created_at, id);
CREATE INDEX token_by_created ON token (created_at, id, container);
CREATE INDEX token_by_cvc ON token (cvc_stored_at) WHERE cvc_stored_at IS NOT NULL;
CREATE INDEX token_by_expiry ON token (expires_at, type) WHERE expires_at IS NOT NULL;
CREATE INDEX token_by_fingerprint ON token (fingerprint, container, created_at, id)
  WHERE fingerprint IS NOT NULL;
CREATE INDEX token_by_type ON token (type, container, created_at, id);
CREATE INDEX token_intent_by_cvc ON token_intent (cvc_stored_at) WHERE cvc_stored_at IS NOT NULL;
CREATE INDEX token_intent_by_expiry ON token_intent (expires_at);
CREATE INDEX token_move_by_time ON token_move (moved_at);
CREATE INDEX token_move_by_token ON token_move (id, created_at, seq);
CREATE INDEX wallet_certificate_by_merchant ON wallet_certificate (merchant_id);
CREATE TABLE account_updater_job (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  upload_key TEXT NOT NULL UNIQUE,
  download_key TEXT NOT NULL UNIQUE,
  deduplicate INTEGER,
  merchant_id TEXT,
  result_version TEXT NOT NULL,
  columns TEXT,
  parts INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  results TEXT NOT NULL DEFAULT '{}',
  error TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  active_at INTEGER
) STRICT;
CREATE TABLE account_updater_part (
  job_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (job_id, kind, number)
) STRICT;
CREATE TABLE agent (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  instance_details TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE agent_enrollment (
  agent_id TEXT NOT NULL,
  enrollment_id TEXT NOT NULL,
  PRIMARY KEY (agent_id, enrollment_id)
) STRICT;
CREATE TABLE apple_pay (
  id TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE TABLE application (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  permissions TEXT NOT NULL,
  rules TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER,
  expires_at INTEGER,
  expires_text TEXT
, last_used_at INTEGER) STRICT;
CREATE TABLE application_key (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES application (id) ON DELETE CASCADE,
  digest BLOB NOT NULL UNIQUE,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
, hint TEXT, replaces TEXT) STRICT;
CREATE TABLE bank_account (
  routing_number TEXT NOT NULL,
  account_number TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (routing_number, account_number)
) STRICT, WITHOUT ROWID;
CREATE TABLE bin (
  digits INTEGER NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  brand TEXT,
  funding TEXT,
  authentication TEXT,
  additional TEXT, facts TEXT,
  PRIMARY KEY (digits, first)
) STRICT, WITHOUT ROWID;
CREATE TABLE client_key (
  id TEXT PRIMARY KEY,
  private BLOB NOT NULL,
  public BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE commit_count (
      id BLOB NOT NULL,
      total INTEGER NOT NULL,
      at_close INTEGER NOT NULL
    ) STRICT
  ;
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
CREATE TABLE document (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  metadata TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE document_chunk (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  key_version INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (document_id, number)
) STRICT;
CREATE TABLE draft (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE element_use (
  application_id TEXT NOT NULL REFERENCES application (id) ON DELETE CASCADE,
  origin TEXT NOT NULL,
  key_id TEXT,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (application_id, origin)
) STRICT, WITHOUT ROWID;
CREATE TABLE enrollment (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  token_id TEXT NOT NULL,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  wallet_name TEXT NOT NULL,
  state TEXT NOT NULL,
  stepped_at INTEGER NOT NULL,
  redirect_key TEXT UNIQUE,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data TEXT,
  sealed_data BLOB
) STRICT;
CREATE TABLE exchange (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  trace_id TEXT NOT NULL,
  proxy_id TEXT,
  method TEXT NOT NULL,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER,
  duration_us INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE google_pay (
  id TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE TABLE idempotency (
  scope BLOB PRIMARY KEY,
  kept BLOB,
  tokens INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_token (
  token_id TEXT NOT NULL,
  scope BLOB NOT NULL REFERENCES idempotency (scope) ON DELETE CASCADE,
  PRIMARY KEY (token_id, scope)
) STRICT, WITHOUT ROWID;
CREATE TABLE instruction (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  enrollment_id TEXT NOT NULL,
  credential_type TEXT NOT NULL,
  state TEXT NOT NULL,
  content BLOB NOT NULL,
  expires_at INTEGER,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE invitation (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE TABLE key (
  purpose TEXT NOT NULL,
  version INTEGER NOT NULL,
  wrapped BLOB NOT NULL,
  created_at INTEGER NOT NULL, seals INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (purpose, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  operation TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id TEXT,
  status INTEGER NOT NULL,
  note TEXT,
  trace_id TEXT NOT NULL,
  duration_us INTEGER NOT NULL
, request TEXT, key_hint TEXT, detail TEXT, agent TEXT, http TEXT) STRICT;
CREATE TABLE log_block (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- Some of its records were deleted: its terms hold no longer and are deleted too.
  gone INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE log_chain (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  digest BLOB NOT NULL
) STRICT;
CREATE TABLE log_count (
  entity_type TEXT NOT NULL,
  refused INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (entity_type, refused)
) STRICT, WITHOUT ROWID;
CREATE TABLE "log_entity" (
  seq INTEGER NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (seq, entity_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE log_id (
  block INTEGER NOT NULL,
  term TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (block, term, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE log_journal (written INTEGER NOT NULL) STRICT;
CREATE TABLE log_term (
  block INTEGER NOT NULL,
  term TEXT NOT NULL,
  places BLOB NOT NULL,
  PRIMARY KEY (block, term)
) STRICT, WITHOUT ROWID;
CREATE TABLE "log_unmasked" (
  seq INTEGER NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (seq, entity_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE loose_document (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE merchant (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  details TEXT NOT NULL,
  services TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE TABLE network_token (
  id TEXT PRIMARY KEY,
  fingerprint BLOB NOT NULL UNIQUE,
  content BLOB NOT NULL,
  status TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE TABLE network_token_source (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_token_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  UNIQUE (source_id, kind, network_token_id)
) STRICT;
CREATE TABLE proxy (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  destination_url TEXT NOT NULL,
  transforms TEXT NOT NULL,
  configuration BLOB NOT NULL,
  application_id TEXT,
  require_auth INTEGER NOT NULL,
  disable_detokenization INTEGER NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE TABLE reactor (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL,
  configuration BLOB NOT NULL,
  application_id TEXT,
  runtime TEXT,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE TABLE reactor_request (
  id TEXT PRIMARY KEY,
  reactor_id TEXT NOT NULL,
  creator_id TEXT,
  opening TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  status INTEGER,
  result BLOB
) STRICT;
CREATE TABLE reactor_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  trace_id TEXT NOT NULL,
  reactor_id TEXT,
  proxy_id TEXT,
  kind TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE saved_search (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  query TEXT NOT NULL
, screen TEXT NOT NULL DEFAULT 'tokens', pinned INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE seen_clock (at INTEGER NOT NULL) STRICT;
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  nonce BLOB NOT NULL UNIQUE,
  application_id TEXT NOT NULL REFERENCES application (id) ON DELETE CASCADE,
  authorized_by TEXT REFERENCES application (id) ON DELETE CASCADE,
  permissions TEXT NOT NULL,
  rules TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE signing_key (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  private_key BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE tenant (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER
, security_contact TEXT) STRICT;
CREATE TABLE tenant_connection (
  id TEXT PRIMARY KEY,
  strategy TEXT NOT NULL,
  options TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE three_ds_session (
  id TEXT PRIMARY KEY,
  acs_transaction_id TEXT NOT NULL UNIQUE,
  content BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  modified_by TEXT,
  modified_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE token (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data BLOB NOT NULL,
  containers TEXT,
  mask TEXT,
  metadata TEXT,
  search_indexes TEXT,
  index_digests BLOB,
  fingerprint_expression TEXT,
  fingerprint BLOB,
  expires_at INTEGER,
  expires_text TEXT,
  cvc_stored_at INTEGER,
  created_by TEXT,
  modified_by TEXT,
  modified_at INTEGER
) STRICT;
CREATE TABLE token_count (
  type TEXT NOT NULL,
  container TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  last_created_at INTEGER NOT NULL,
  PRIMARY KEY (container, type)
) STRICT, WITHOUT ROWID;
CREATE TABLE token_index (
  digest BLOB NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (digest, container, created_at, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE token_intent (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  data BLOB NOT NULL,
  fingerprint BLOB NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
, cvc_stored_at INTEGER, extras TEXT) STRICT;
CREATE TABLE token_membership (
  ancestor TEXT NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (ancestor, container, created_at, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE token_move (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  container TEXT NOT NULL,
  moved_at INTEGER NOT NULL
) STRICT;
CREATE TABLE token_pair (
  folded BLOB NOT NULL,
  exact BLOB NOT NULL,
  container TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (folded, exact, container, created_at, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE token_term (
  term BLOB NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (term, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE token_term_progress (upto INTEGER NOT NULL) STRICT;
CREATE TABLE token_type_count (
  type TEXT PRIMARY KEY,
  tokens INTEGER NOT NULL,
  last_created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE wallet_certificate (
  id TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  merchant_id TEXT,
  domain TEXT,
  key_hash TEXT NOT NULL,
  merchant_hash TEXT,
  private_key BLOB NOT NULL,
  shown TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE wallet_domain (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE wallet_merchant (
  id TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  merchant_identifier TEXT NOT NULL,
  created_by TEXT,
  created_at INTEGER NOT NULL
) STRICT;
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
CREATE TRIGGER log_removed AFTER DELETE ON log BEGIN
  UPDATE log_count SET records = records - 1
    WHERE entity_type = old.entity_type AND refused = (old.status >= 400);
  DELETE FROM log_entity WHERE seq = old.seq;
END;
CREATE TRIGGER token_moved AFTER UPDATE OF container ON token WHEN old.container <> new.container BEGIN
  UPDATE token_count SET tokens = tokens - 1 WHERE type = old.type AND container = old.container;
  INSERT INTO token_count VALUES (new.type, new.container, 1, new.created_at)
    ON CONFLICT DO UPDATE SET tokens = tokens + 1, last_created_at = max(last_created_at, new.created_at);
  INSERT INTO token_move (id, created_at, container, moved_at)
    VALUES (old.id, old.created_at, old.container, new.modified_at);
END;
CREATE TRIGGER token_removed AFTER DELETE ON token BEGIN
  UPDATE token_count SET tokens = tokens - 1 WHERE type = old.type AND container = old.container;
  UPDATE token_type_count SET tokens = tokens - 1 WHERE type = old.type;
END;
