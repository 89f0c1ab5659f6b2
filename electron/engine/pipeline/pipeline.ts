import { CofferError, nameInvalid } from '../../../shared/errors.ts'
import { writeReadableJson } from '../../../shared/json.ts'
import { createPermissionError, hasPermission } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { CallOutcome, CallResult } from './call.ts'
import { CallAnnotations } from './call-annotations.ts'
import { buildCallRecord } from './call-record.ts'
import { Context } from './context.ts'
import { findCallReplay, saveCallReplay } from './idempotency.ts'
import type { LogBuffer } from './log-buffer.ts'
import type { EngineCall, Operation } from './operation.ts'
import type { LogRecord } from './records.ts'
import type { VaultFile } from './vault-file.ts'

/** The outcome of a call, its log record, and whether its response shows plaintext. */
type PipelineResult = {
  readonly outcome: CallOutcome
  readonly record: LogRecord | null
  readonly showsPlaintext: boolean
}

/** Runs the steps of every call: caller, permission, input, handler, output and record. */
export class Pipeline {
  readonly #file: VaultFile
  readonly #log: LogBuffer

  constructor(file: VaultFile, log: LogBuffer) {
    this.#file = file
    this.#log = log
  }

  /** Runs a call inside the open transaction, if any. `scope` is that of its idempotency key. Never throws. */
  run(call: EngineCall, scope: Buffer | null): PipelineResult {
    const annotations = new CallAnnotations(call, this.#file.now())
    let actor: Actor | null = null
    let outcome: CallOutcome
    try {
      actor = this.#file.callers.requireActor(call.caller, annotations.at)
      authorizeCall(actor, call.operation)
      const context = new Context(this.#file, this.#log, call, actor, annotations)
      outcome = { answer: addText(runOrReplay(context, call, scope, annotations), call) }
    } catch (error) {
      outcome = { error: nameInvalid(this.#file.toReadError(error), call.operation.invalidAs) }
      this.#file.reportIncident(outcome.error, call.name, annotations.trace_id)
    }
    const record = buildCallRecord(call, actor, outcome, annotations, this.#file.keyring)
    return { outcome, record, showsPlaintext: annotations.showsPlaintext && 'answer' in outcome }
  }
}

function authorizeCall(actor: Actor, { permission }: Operation): void {
  if (actor.kind === 'owner') return
  // SECURITY: a page for cardholders has no key, so it may call only the operations meant for it.
  if (actor.kind === 'cardholder' || permission === 'cardholder') {
    if (actor.kind === permission) return
    throw new CofferError('forbidden', 'Only a page for cardholders may do this.')
  }
  if (permission === 'any-key') return
  if (permission === 'owner') throw new CofferError('forbidden', 'Only the owner of the vault may do this.')
  const required = typeof permission === 'string' ? [permission] : permission
  if (!required.some((each) => hasPermission(actor, each))) throw createPermissionError(required)
}

/** Adds the JSON text to a result, so that the output is serialized only once, for both the log and the listener. */
function addText(answer: CallResult, { operation, info }: EngineCall): CallResult {
  if (!info.wants_text || operation.runs || answer.status === 204) return answer
  const write = info.wants_text === 'readable' ? writeReadableJson : JSON.stringify
  return { ...answer, text: write(answer.output) }
}

// SECURITY: the caller of a repeated request has been authorized again before this, like any other caller.
function runOrReplay(
  context: Context,
  call: EngineCall,
  scope: Buffer | null,
  annotations: CallAnnotations,
): CallResult {
  const replayed = scope && replayCall(context, call, scope)
  if (!replayed) return runHandler(context, call, scope)
  annotations.addNote('replayed, because its idempotency key was used before')
  return replayed
}

/** Answers a repeated request from the first one's replay data (rule A-12), or returns null if none is stored. */
function replayCall(context: Context, { operation }: EngineCall, scope: Buffer): CallResult | null {
  const { db, keyring, now } = context
  const before = findCallReplay(db, keyring, scope, now)
  if (!before || !operation.replay) return null
  const output = operation.output.parse(operation.replay(context, before.kept))
  return { status: operation.status, output, headers: before.headers }
}

function runHandler(context: Context, { operation, input }: EngineCall, scope: Buffer | null): CallResult {
  const parsed = context.parsePart({ schema: operation.input, part: input }, (trial, sound) => {
    // Only the owner calls an operation without a route. Running code and streams have more steps than the handler.
    const { route, runs, streamed } = operation
    if (route !== null && !runs && !streamed) operation.handler(trial, sound)
  })
  const output = operation.output.parse(operation.handler(context, parsed))
  const { db, keyring, now, headers, replayData } = context
  if (operation.location) headers.Location = operation.location(output)
  if (scope && replayData) {
    const { value, token_ids } = replayData
    saveCallReplay(db, keyring, scope, { kept: value, headers }, { now, token_ids })
  }
  return { status: operation.status, output, headers }
}
