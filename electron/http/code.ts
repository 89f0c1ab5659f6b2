import { CofferError } from '../../shared/errors.ts'
import type { RunOutcome } from '../code-runner/run.ts'
import type { Engine } from '../engine/engine.ts'
import type { Caller, CallInfo } from '../engine/pipeline/call.ts'
import type { RunResponse } from '../engine/reactors/run-response.ts'

/** A call of an operation that runs code, as the listener received it. */
export type RunCall = {
  readonly engine: Engine
  /** `reactors.react`, `reactors.reactAsync` or `reactors.results`. */
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
  readonly info: CallInfo
  /** Ends the run when the caller hangs up. */
  readonly signal: AbortSignal
  /** Runs what reads the body in a turn of its own, if it is large (rule R-03). */
  readonly first: <T>(prepare: () => Promise<T>) => Promise<T>
}

/** A code transform of a proxy. */
export type CodeTransform = {
  readonly engine: Engine
  readonly caller: Caller
  readonly prepared: {
    readonly proxy: { readonly id: string; readonly application_id: string | null }
    readonly configuration: Readonly<Record<string, string>>
    readonly token_ids: readonly string[]
  }
  readonly side: 'request' | 'response'
  readonly code: string
  /** JSON text. */
  readonly args: string
  readonly secrets: readonly string[]
  readonly trace_id: string
  readonly signal: AbortSignal
}

/** What code gave: a value, or an answer in place of everything else. */
export type CodeResult = Extract<RunOutcome, { kind: 'returned' | 'response' }>

/** A call that succeeded, and may have stored code. */
export type StoredCall = Pick<RunCall, 'engine' | 'name' | 'input' | 'caller' | 'info'> & {
  readonly status: number
  /** The reactor or proxy that has the code. */
  readonly entity_id: string
}

/** Runs the owner's code; the host's, so that the listener knows no processes. */
export type CodeRunner = {
  /** Rejects with CofferErrors. Every end of a run has its record. */
  handleCall(call: RunCall): Promise<RunResponse>
  /** Rejects with CofferErrors, for what the code did wrong too; resolves to what it gave. */
  runTransform(transform: CodeTransform): Promise<CodeResult>
  /** Records, after the answer, where code that was stored cannot be compiled (rule F-01). Throws nothing. */
  checkStoredCode(call: StoredCall): void
}

/** The refusal while the owner has not turned running on (rule F-02). */
export function codeDisabledError(): CofferError {
  return new CofferError(
    'forbidden',
    'Running code is off, because a reactor is a program with network access. The owner turns it on: Settings → Reactors in the window, coffer serve --reactors, or startCoffer({ reactors: true }) in tests.',
  )
}

/** Where nothing runs code. */
export const noCode: CodeRunner = {
  handleCall: () => Promise.reject(codeDisabledError()),
  runTransform: () => Promise.reject(codeDisabledError()),
  checkStoredCode() {},
}
