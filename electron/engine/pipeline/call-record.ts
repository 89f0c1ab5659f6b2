import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import { type Actor, getActorId } from '../access/actor.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Caller, CallOutcome } from './call.ts'
import type { CallAnnotations } from './call-annotations.ts'
import {
  describeIgnored,
  formatRequestLine,
  getKeyHint,
  getPathEntity,
  getPathIds,
  type LogDetail,
  THROWN_NOTE,
  toErrorDetail,
} from './detail.ts'
import type { EngineCall } from './operation.ts'
import type { LogRecord } from './records.ts'
import { toHttpRecord } from './request-metadata.ts'

/** The result of a call that ended before it reached the pipeline, but not with a CofferError. */
export type EarlyResult = {
  readonly status: number
  readonly note: string
  /** The entity that the call is about, if its path does not name one. */
  readonly entity_id?: string | null
  /** An application that the call also concerns. */
  readonly concerns?: string | null
  readonly duration_us?: number
  /** Set if another record already counts this request. */
  readonly isExcludedFromCount?: true
}

/** Returns the record of a call that reached the pipeline (rule O-05), or null if the call is not recorded. */
export function buildCallRecord(
  call: EngineCall,
  actor: Actor | null,
  outcome: CallOutcome,
  annotations: CallAnnotations,
  keyring: Keyring,
): LogRecord | null {
  const { operation, name, caller, info } = call
  // The owner's own reads are not recorded. SECURITY: reads by the owner viewing as an application are recorded,
  // because an application may see plaintext.
  if (caller.kind === 'owner' && operation.effect === 'read') return null
  const error = 'error' in outcome ? outcome.error : null
  // SECURITY: a response never shows plaintext without a record.
  if (!error && annotations.shouldSkipRecord && !annotations.showsPlaintext) return null
  const looked_as = caller.kind === 'as' ? caller.application_id : undefined
  const detail = {
    ...(error ? toErrorDetail(error) : toSuccessDetail(annotations)),
    ...(looked_as !== undefined && { looked_as }),
    ...(info.ignored?.length && { ignored: describeIgnored(info.ignored) }),
  }
  return {
    at: annotations.at,
    ...(isOwner(caller) ? { actor_type: 'owner', actor_id: null } : toRecordActor(actor)),
    operation: annotations.isDryRun ? `${name} (dry run)` : name,
    entity_type: operation.entity,
    entity_id: annotations.entity_id,
    entity_ids: annotations.entity_ids,
    status: 'answer' in outcome ? outcome.answer.status : outcome.error.status,
    note: buildNote(call, actor, error ? describeRejection(error, annotations) : annotations.note),
    trace_id: annotations.trace_id,
    duration_us: annotations.duration_us,
    request: buildRequestLine(call, annotations, keyring),
    key_hint: getKeyHint(caller),
    detail: Object.keys(detail).length > 0 ? detail : null,
    http: toHttpRecord(info, outcome),
    ...(!error && annotations.events.length > 0 && { events: annotations.events }),
  }
}

function buildNote({ caller, info }: EngineCall, actor: Actor | null, outcome: string | null): string | null {
  const runNote = actor?.kind === 'application' && actor.runGrant?.note
  const viewAsNote = caller.kind === 'as' && `the owner viewed as application ${caller.application_id}`
  return [info.note, runNote, viewAsNote, outcome].filter(Boolean).join('; ') || null
}

function buildRequestLine(
  { info, caller, operation }: EngineCall,
  { ids }: CallAnnotations,
  keyring: Keyring,
): string | null {
  return info.request ?? (caller.kind === 'key' ? formatRequestLine(operation, ids, keyring) : null)
}

function toSuccessDetail({ isExcludedFromCount, created }: CallAnnotations): LogDetail {
  return { ...(isExcludedFromCount && { requests: 0 }), ...(created && { created }) }
}

/** Returns the record of a call that ended before it reached the pipeline (rules A-04, O-05). */
export function buildEarlyRecord(
  { operation, name, caller, info, input }: EngineCall,
  actor: Actor | null,
  result: CofferError | EarlyResult,
  { now, keyring }: { readonly now: number; readonly keyring: Keyring },
): LogRecord {
  const ids = getPathIds(operation, input)
  const concerns = 'concerns' in result ? result.concerns : null
  return {
    at: now,
    ...toRecordActor(actor),
    operation: name,
    entity_type: operation.entity,
    entity_id: 'entity_id' in result ? (result.entity_id ?? null) : getPathEntity(operation, ids),
    entity_ids: concerns ? [concerns] : [],
    status: result.status,
    note: result instanceof CofferError ? describeError(result) : result.note,
    trace_id: info.trace_id ?? randomUUID(),
    duration_us: 'duration_us' in result ? (result.duration_us ?? 0) : 0,
    request: info.request ?? formatRequestLine(operation, ids, keyring),
    key_hint: getKeyHint(caller),
    detail:
      result instanceof CofferError
        ? toErrorDetail(result)
        : result.isExcludedFromCount
          ? { requests: 0 }
          : null,
    http: toHttpRecord(info, result instanceof CofferError ? { error: result } : null),
  }
}

function isOwner({ kind }: Caller): boolean {
  return kind === 'owner' || kind === 'as'
}

function toRecordActor(actor: Actor | null): Pick<LogRecord, 'actor_type' | 'actor_id'> {
  return { actor_type: actor?.kind ?? 'unknown', actor_id: actor && getActorId(actor) }
}

function describeRejection(error: CofferError, { denied }: CallAnnotations): string | null {
  return (error.code === 'forbidden' && denied) || describeError(error)
}

/** Describes an error for the log: the names of the rejected fields, or the message that the caller received. */
function describeError(error: CofferError): string | null {
  if (error.thrown_status !== undefined) return THROWN_NOTE
  if (error.errors) return Object.keys(error.errors).slice(0, 5).join(', ')
  return error.status < 500 ? error.message : null
}
