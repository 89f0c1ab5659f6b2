// Everything of the engine that other areas may import (docs/layers.json). Tests may import inner files.

export { hasPermission } from './access/access.ts'
export { getActorId } from './access/actor.ts'
export { seal, unseal } from './crypto/envelope.ts'
export { deriveCountKey, deriveDatabaseKey } from './crypto/keyring.ts'
export { detectSeparator, findRecordError, readCsv, type Separator } from './csv.ts'
export { ChangeList } from './db/changes.ts'
export { addCommitCountSeal, getCountFile } from './db/commit-count.ts'
export { deleteCommitCount } from './db/commit-count-row.ts'
export { checkDatabase, copyDatabaseFile } from './db/copy-database.ts'
export { describeSystemError } from './db/describe-system-error.ts'
export type { PersistedTotal } from './db/lost-commits.ts'
export { migrations } from './db/migrations.ts'
export { assertEncrypted, openDatabase, openReadOnly, readSqliteVersion } from './db/open.ts'
export { resolveDamageError, toCofferError, toStorageError } from './db/storage-error.ts'
export { getThreadFile } from './db/thread-file.ts'
export { undoJournal } from './db/undo-journal.ts'
export { readWriteAheadLog } from './db/write-ahead-log.ts'
export { Engine } from './engine.ts'
export { copyUnderMaster } from './files/copy-under-master.ts'
export { countDeletedSince } from './files/deleted-since.ts'
export { createLossError, describeLoss, findLoss, restartCountAfterLoss } from './files/find-loss.ts'
export { inspectContents, inspectFile, type VaultFileContents } from './files/inspect-file.ts'
export { createIndexCleanup } from './files/open-checked.ts'
export type { EngineHandover } from './lifecycle.ts'
export { catalogue, findOperation, type Operations } from './operations.ts'
export type { EngineOptions } from './parts.ts'
export {
  type Caller,
  type CallInfo,
  type CallResult,
  type IdentifiedCaller,
  owner,
  type RequestMetadata,
} from './pipeline/call.ts'
export type { EarlyResult } from './pipeline/call-record.ts'
export { createInFlightError } from './pipeline/idempotency.ts'
export {
  createErrorFromTrace,
  type ErrorTrace,
  isIncident,
  isReported,
  parsePageFrames,
  type ReportIncident,
  toErrorTrace,
  toIncident,
} from './pipeline/incident.ts'
export { createLockedError, requireUnlocked } from './pipeline/locked.ts'
export { maskText } from './pipeline/log-id.ts'
export { type HttpMethod, type Operation, splitRoute } from './pipeline/operation.ts'
export type { WrittenLogRecord } from './pipeline/records.ts'
export { runAfterwards } from './pipeline/run-afterwards.ts'
export type { RunSubject } from './pipeline/run-keys.ts'
export { starters } from './resources/applications/templates/starters.ts'
export { isAbaValid } from './resources/banks/aba.ts'
export { parseDirectoryCsv } from './resources/banks/directory-csv.ts'
export { type CodeRuntime, readRuntime } from './resources/callables/runtime.ts'
export { parseBinCsv } from './resources/cards/bin-csv.ts'
export { removeOverlaps } from './resources/cards/remove-overlaps.ts'
export { toChunkCount } from './resources/documents/chunks.ts'
export { decodeBody, getBodyFormat, hasExpression } from './resources/proxies/body-text.ts'
export type { TransformStep } from './resources/proxies/call-operations.ts'
export {
  type BodyExcerpt,
  type ExchangeResult,
  MAX_SCANNED_BYTES,
  redactExchange,
  toMinimalExchange,
} from './resources/proxies/exchanges/content.ts'
export { toExchangeEventData } from './resources/proxies/exchanges/exchange-event.ts'
export { filterResponseHeaders, findHeader, type Headers, mayBeAdded } from './resources/proxies/headers.ts'
export { getMessageFormat, type ProxyMessage, type RedactedMessage } from './resources/proxies/message.ts'
export { mayCodeHoldTokens, type PreparedCall, type ProxyCall } from './resources/proxies/prepare.ts'
export { readProcessorTime } from './resources/proxies/processor-time.ts'
export { redactLines } from './resources/proxies/redact-lines.ts'
export { findSecrets, REDACTED, redact } from './resources/proxies/secrets.ts'
export type { TransformState } from './resources/proxies/transform.ts'
export { type PreparedRun, parseJsonInput } from './resources/reactors/prepare.ts'
export {
  createJsonResponse,
  createProblemResponse,
  createSuccessResponse,
  createThrownError,
  parseReturned,
  type RunResponse,
} from './resources/reactors/run-response.ts'
export type { AttemptResult } from './resources/webhooks/deliveries/attempt.ts'
export type { DueDelivery } from './resources/webhooks/outbox.ts'
