import type { CofferError } from '../../shared/errors.ts'
import { nothing } from '../../shared/schemas/common.ts'
import { findOperation } from './operations.ts'
import type { EngineParts } from './parts.ts'
import type { Caller, CallInfo } from './pipeline/call.ts'
import { buildEarlyRecord, type EarlyResult } from './pipeline/call-record.ts'
import { defineOperation, type EngineCall } from './pipeline/operation.ts'
import { createMaintenanceRecord } from './pipeline/system-records.ts'

/** Stands for every operation of an area that is not implemented. Nobody can call it. */
const unbuilt = defineOperation({
  summary: 'An operation that is not implemented',
  entity: 'vault',
  input: nothing,
  output: nothing,
  handler: () => ({}),
})

/** Records outcomes that no call of the pipeline records. */
export class Outcomes {
  readonly #parts: EngineParts

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /**
   * Records the outcome of an operation that ended before it reached the engine, because of a missing or invalid key,
   * an unreadable body or a fault (rules A-04, O-05). Many rejections of callers without a valid key share a record
   * (case X-50). Does nothing once the file is closed. Throws `storage_full` if the log has no space left.
   */
  recordOutcome(
    name: string,
    caller: Caller,
    result: CofferError | EarlyResult,
    info: CallInfo = {},
    input: unknown = {},
  ): void {
    const operation = findOperation(name)
    if (operation) this.recordEarlyEnd({ operation, name, input, caller, info }, result)
  }

  /** Records a call of an area that is not implemented (rule O-07). Throws like `recordOutcome`. */
  recordUnbuilt(caller: Caller, rejection: CofferError, info: CallInfo): void {
    const call = { operation: unbuilt, name: 'vault.refuseUnbuilt', input: {}, caller, info }
    this.recordEarlyEnd(call, rejection)
  }

  /** Like `recordOutcome`, for a call whose operation is known. */
  recordEarlyEnd(call: EngineCall, result: CofferError | EarlyResult): void {
    const { file, log } = this.#parts
    if (file.isClosed) return
    const { keyring, callers } = file
    const now = file.now()
    const record = buildEarlyRecord(call, callers.findActor(call.caller, now), result, { now, keyring })
    if (record.actor_type === 'unknown' && !log.unknownCallers.countRejection()) return
    log.assertSpace()
    log.add(record)
  }

  /**
   * Records an action on the whole vault other than an operation, such as a backup or a key rotation, by the owner or
   * by the vault on schedule (rule O-05). The record is on disk when this returns, unless the disk itself failed.
   */
  recordMaintenance(operation: `vault.${string}`, by: 'owner' | 'vault', error?: CofferError, ms = 0): void {
    const { file, log } = this.#parts
    if (file.isClosed) return
    log.add(createMaintenanceRecord(operation, by, { now: file.now(), error, ms }))
    this.flushLog()
  }

  /** Writes the pending log records and last uses. If that fails, the records wait for the next attempt. */
  flushLog(): void {
    this.#parts.log.flush()
  }
}
