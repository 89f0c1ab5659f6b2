import { CofferError } from '../../../shared/errors.ts'
import { writeReadableJson } from '../../../shared/json.ts'
import { parsed } from '../../../shared/validation.ts'
import { holds } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import type { Answer, Call, Outcome } from './call.ts'
import { CallNotes, recordOf } from './call-record.ts'
import { Context } from './context.ts'
import { findKeptCall, saveKeptCall } from './idempotency.ts'
import type { LogBuffer } from './log-buffer.ts'
import type { Operation } from './operation.ts'
import type { LogRecord } from './records.ts'
import type { VaultFile } from './vault-file.ts'

/** How a call ended, its log record, and whether its answer shows plaintext. */
type Ran = {
  readonly outcome: Outcome
  readonly record: LogRecord | null
  readonly showsPlaintext: boolean
}

/** The one door: the same steps for every operation, from caller and permission to output and record. */
export class Door {
  readonly #file: VaultFile
  readonly #log: LogBuffer

  constructor(file: VaultFile, log: LogBuffer) {
    this.#file = file
    this.#log = log
  }

  /** Runs a call inside the open transaction, if there is one. `scope` is that of its idempotency key. Never throws. */
  run(call: Call, scope: Buffer | null): Ran {
    const notes = new CallNotes(call, this.#file.now())
    let actor: Actor | null = null
    let outcome: Outcome
    try {
      actor = this.#file.callers.actorOf(call.caller, notes.at)
      authorize(actor, call.operation)
      const context = new Context(this.#file, this.#log, call, actor, notes)
      outcome = { answer: withText(answer(context, call, scope, notes), call) }
    } catch (error) {
      outcome = { error: this.#file.refusalOf(error) }
      this.#file.report(outcome.error, call.name, notes.trace_id)
    }
    const record = recordOf(call, actor, outcome, notes, this.#file.keyring)
    return { outcome, record, showsPlaintext: notes.showsPlaintext && 'answer' in outcome }
  }
}

function authorize(actor: Actor, { permission }: Operation): void {
  if (actor.kind === 'owner') return
  // SECURITY: a page of 3D Secure has no key: it may do what is meant for it alone.
  if (actor.kind === 'cardholder' || permission === 'cardholder') {
    if (actor.kind === permission) return
    throw new CofferError('forbidden', 'Only a page of 3D Secure may do this.')
  }
  if (permission === 'any-key') return
  if (permission === 'owner') throw new CofferError('forbidden', 'Only the owner of the vault may do this.')
  const wanted = typeof permission === 'string' ? [permission] : permission
  if (!wanted.some((each) => holds(actor, each))) {
    throw new CofferError('forbidden', `This needs the permission ${wanted.join(' or ')}.`, {
      missing: { permissions: wanted },
    })
  }
}

/** The answer with its text, which is written once, for the log and for the listener. */
function withText(answer: Answer, { operation, info }: Call): Answer {
  if (!info.wants_text || operation.runs || answer.status === 204) return answer
  const write = info.wants_text === 'readable' ? writeReadableJson : JSON.stringify
  return { ...answer, text: write(answer.output) }
}

// SECURITY: the caller of a repeated request has been authorised again by this point, like any other.
function answer(context: Context, call: Call, scope: Buffer | null, notes: CallNotes): Answer {
  const again = scope && answerAgain(context, call, scope)
  if (!again) return answerFirst(context, call, scope)
  notes.add('answered again, for its idempotency key')
  return again
}

/** Answers a repeated request from what the first one kept (rule A-12), or returns null if nothing was kept. */
function answerAgain(context: Context, { operation }: Call, scope: Buffer): Answer | null {
  const { db, keyring, now } = context
  const before = findKeptCall(db, keyring, scope, now)
  if (!before || !operation.replay) return null
  const output = operation.output.parse(operation.replay(context, before.kept))
  return { status: operation.status, output, headers: before.headers }
}

function answerFirst(context: Context, { operation, input }: Call, scope: Buffer | null): Answer {
  const output = operation.output.parse(operation.handler(context, parsed(operation.input, input)))
  const { db, keyring, now, headers, kept } = context
  if (operation.location) headers.Location = operation.location(output)
  if (scope && kept) {
    const { value, token_ids } = kept
    saveKeptCall(db, keyring, scope, { kept: value, headers }, { now, token_ids })
  }
  return { status: operation.status, output, headers }
}
