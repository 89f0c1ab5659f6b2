import { randomUUID } from 'node:crypto'
import { CofferError } from '../../../shared/errors.ts'
import { type Actor, actorId } from '../access/actor.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Event } from '../events/event.ts'
import type { Call, Caller, Outcome } from './call.ts'
import { type Detail, detailOf, entityInPath, keyHintOf, pathIdsOf, requestOf, thrownNote } from './detail.ts'
import { httpOf } from './http-facts.ts'
import type { LogRecord } from './records.ts'

/** How a call was answered before it reached the door, if not with a CofferError. */
export type EarlyAnswer = {
  readonly status: number
  readonly note: string
  /** What it was about, if the path does not say. */
  readonly entity_id?: string | null
  /** An application that it concerns beside that. */
  readonly concerns?: string | null
  readonly duration_us?: number
  /** Another record counts the request. */
  readonly isCountedElsewhere?: true
}

/** What a call's record says besides who called and how it ended. The handler adds to it through its context. */
export class CallNotes {
  readonly at: number
  readonly trace_id: string
  /** The ids in the call's path. */
  readonly ids: readonly string[]
  entity_id: string | null
  entity_ids: readonly string[] = []
  /** How access to the token was decided, and what else there is to say of a success. */
  note: string | null = null
  /** The containers for which access was denied. */
  denied: string | null = null
  /** A success is part of something that has a record of its own. */
  isPart = false
  /** A success is part of a request that another record counts. */
  isCountedElsewhere = false
  showsPlaintext = false
  isDryRun = false
  /** The first and the last place of the tokens that it created. */
  created: Detail['created']
  /** What webhooks are told if the call succeeds. */
  readonly events: Event[] = []
  readonly #started = performance.now()

  constructor({ operation, input, info }: Call, at: number) {
    this.at = at
    this.trace_id = info.trace_id ?? randomUUID()
    this.ids = pathIdsOf(operation, input)
    this.entity_id = entityInPath(operation, this.ids)
  }

  /** Appends a text to the note. */
  add(text: string): void {
    this.note = this.note ? `${this.note}; ${text}` : text
  }

  /** How long the call has taken so far. */
  get duration_us(): number {
    return Math.round((performance.now() - this.#started) * 1000)
  }
}

/** Returns the record of a call that reached the door (rule O-05), or null if the log keeps none. */
export function recordOf(
  call: Call,
  actor: Actor | null,
  outcome: Outcome,
  notes: CallNotes,
  keyring: Keyring,
): LogRecord | null {
  const { operation, name, caller, info } = call
  // The owner's own reads are not recorded. SECURITY: an application may see plaintext, so reads through its key are
  // recorded, with the owner as the actor.
  if (caller.kind === 'owner' && operation.effect === 'read') return null
  const error = 'error' in outcome ? outcome.error : null
  // SECURITY: plaintext is never answered without a record.
  if (!error && notes.isPart && !notes.showsPlaintext) return null
  const looked_as = caller.kind === 'as' ? caller.application_id : undefined
  const detail = {
    ...(error && detailOf(error)),
    ...(looked_as !== undefined && { looked_as }),
    ...(!error && notes.isCountedElsewhere && { requests: 0 }),
    ...(!error && notes.created && { created: notes.created }),
  }
  const lent = actor?.kind === 'application' ? actor.lent?.note : undefined
  const looked = looked_as && `the owner looked as application ${looked_as}`
  const said = [info.note, lent, looked, error ? refusalOf(error, notes) : notes.note]
  return {
    at: notes.at,
    ...(isOwner(caller) ? { actor_type: 'owner', actor_id: null } : actorOf(actor)),
    operation: notes.isDryRun ? `${name} (dry run)` : name,
    entity_type: operation.entity,
    entity_id: notes.entity_id,
    entity_ids: notes.entity_ids,
    status: 'answer' in outcome ? outcome.answer.status : outcome.error.status,
    note: said.filter(Boolean).join('; ') || null,
    trace_id: notes.trace_id,
    duration_us: notes.duration_us,
    request: info.request ?? (caller.kind === 'key' ? requestOf(operation, notes.ids, keyring) : null),
    key_hint: keyHintOf(caller),
    detail: Object.keys(detail).length > 0 ? detail : null,
    http: httpOf(info, outcome),
    ...(!error && notes.events.length > 0 && { events: notes.events }),
  }
}

/** Returns the record of a call that was answered before it reached the door (rules A-04, O-05). */
export function recordOfEarly(
  { operation, name, caller, info, input }: Call,
  actor: Actor | null,
  answer: CofferError | EarlyAnswer,
  { now, keyring }: { readonly now: number; readonly keyring: Keyring },
): LogRecord {
  const ids = pathIdsOf(operation, input)
  const concerns = 'concerns' in answer ? answer.concerns : null
  return {
    at: now,
    ...actorOf(actor),
    operation: name,
    entity_type: operation.entity,
    entity_id: 'entity_id' in answer ? (answer.entity_id ?? null) : entityInPath(operation, ids),
    entity_ids: concerns ? [concerns] : [],
    status: answer.status,
    note: answer instanceof CofferError ? noteOf(answer) : answer.note,
    trace_id: info.trace_id ?? randomUUID(),
    duration_us: 'duration_us' in answer ? (answer.duration_us ?? 0) : 0,
    request: info.request ?? requestOf(operation, ids, keyring),
    key_hint: keyHintOf(caller),
    detail:
      answer instanceof CofferError ? detailOf(answer) : answer.isCountedElsewhere ? { requests: 0 } : null,
    http: httpOf(info, answer instanceof CofferError ? { error: answer } : null),
  }
}

function isOwner({ kind }: Caller): boolean {
  return kind === 'owner' || kind === 'as'
}

function actorOf(actor: Actor | null): Pick<LogRecord, 'actor_type' | 'actor_id'> {
  return { actor_type: actor?.kind ?? 'unknown', actor_id: actor && actorId(actor) }
}

function refusalOf(error: CofferError, { denied }: CallNotes): string | null {
  return (error.code === 'forbidden' && denied) || noteOf(error)
}

/** The reason as the log states it: the names of the refused members, or the message the caller received. */
function noteOf(error: CofferError): string | null {
  if (error.thrown_status !== undefined) return thrownNote
  if (error.errors) return Object.keys(error.errors).slice(0, 5).join(', ')
  return error.status < 500 ? error.message : null
}
