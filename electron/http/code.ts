import { CofferError } from '../../shared/errors.ts'
import type { RunOutcome } from '../code-runner/run.ts'
import type { Caller, CallInfo, CodeRuntime, Engine, RunResponse } from '../engine/index.ts'

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
  /** Runs the preparation of the call. Calls with a large body are prepared one at a time (rule R-03). */
  readonly first: <T>(prepare: () => Promise<T>) => Promise<T>
}

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
  readonly runtime: CodeRuntime
  readonly args: string
  readonly secrets: readonly string[]
  readonly trace_id: string
  readonly signal: AbortSignal
}

/** The result of code: the returned value, or the complete response that the caller gets instead. */
export type CodeResult = Extract<RunOutcome, { kind: 'returned' | 'response' }>

/** A successful call that may have stored code. */
export type StoredCall = Pick<RunCall, 'engine' | 'name' | 'input' | 'caller' | 'info'> & {
  readonly status: number
  /** The reactor or proxy that has the code. */
  readonly entity_id: string
}

/** Runs the owner's code. The host implements it, so that the listener does not manage processes. */
export type CodeRunner = {
  /** Rejects with CofferErrors. Every finished run is recorded. */
  handleCall(call: RunCall): Promise<RunResponse>
  /** Resolves to the result of the code. Rejects with CofferErrors, including for errors that the code throws. */
  runTransform(transform: CodeTransform): Promise<CodeResult>
  /** Records compile errors of stored code, after the response (rule F-01). Never throws. */
  checkStoredCode(call: StoredCall): void
}

/** Creates the error for a run while running code is disabled (rule F-02). */
export function createCodeDisabledError(): CofferError {
  return new CofferError(
    'forbidden',
    'Running code is disabled, because a reactor is a program with network access. Enable it in the window (Settings → Reactors), with coffer serve --reactors, or in tests with startCoffer({ reactors: true }).',
  )
}

/** A code runner that rejects every run. */
export const noCode: CodeRunner = {
  handleCall: () => Promise.reject(createCodeDisabledError()),
  runTransform: () => Promise.reject(createCodeDisabledError()),
  checkStoredCode() {},
}
