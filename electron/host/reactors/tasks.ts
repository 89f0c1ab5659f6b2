import { setImmediate as turn } from 'node:timers/promises'
import { CofferError } from '../../../shared/errors.ts'
import type { NewRun, RunSummary, SyntaxProblem } from '../../../shared/schemas/reactor.ts'
import type { ReactorPool } from '../../code-runner/pool.ts'
import type { Contract, RunResult } from '../../code-runner/run.ts'
import { findSyntaxProblem } from '../../code-runner/syntax-problem.ts'
import {
  type Caller,
  type CallInfo,
  createLockedError,
  createProblemResponse,
  createSuccessResponse,
  type Engine,
  findSecrets,
  owner,
  type PreparedRun,
  parseJsonInput,
  parseReturned,
  type ReportIncident,
  type RunResponse,
  type RunSubject,
  redactLines,
  toCofferError,
} from '../../engine/index.ts'
import { createCodeDisabledError } from '../../http/code.ts'
import { toRunError } from './run-error.ts'

/** The parts of the process pool that are used here. */
export type Pool = Pick<ReactorPool, 'startSpares' | 'run' | 'close'>

export type TaskOptions = {
  readonly engine: () => Engine | null
  /** Whether the owner has enabled running code (rule F-02). */
  readonly isOn: () => boolean
  /** The base URL of the listener for code. Null while the listener is off. */
  readonly baseUrl: () => string | null
  readonly newPool: () => Pool
  readonly report: ReportIncident
}

export type Task = Omit<PreparedRun, 'request' | 'name' | 'before'> & {
  readonly engine: Engine
  readonly kind: RunSummary['kind']
  readonly role: Contract['role']
  /** The id of the reactor or proxy with this code. Null for code that is not stored. */
  readonly owner: string | null
  /** The id of the caller. Null if it is unknown (rule F-02). */
  readonly caller: string | null
  readonly proxy_id: string | null
  readonly trace_id: string
  readonly limit_ms: number
  readonly signal: AbortSignal
}

/** How a run ended, with the secrets that must not be shown. */
export type TaskResult = RunResult & { readonly secrets: readonly string[] }

/** The response to the caller. */
export type FinishedTask = {
  readonly answer: RunResponse
  readonly error: CofferError | null
  readonly token_ids: readonly string[]
  readonly secrets: readonly string[]
}

/**
 * Carries out the steps of a run: a process runs the code, the engine creates the response, and the run is stored for
 * the owner.
 */
export class Tasks {
  readonly #options: TaskOptions
  #pool: Pool | null = null
  #abort = new AbortController()

  constructor(options: TaskOptions) {
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Ends every run and every process. Runs reject with `reason`. SECURITY: the processes may hold plaintext. */
  async stopAll(reason: CofferError): Promise<void> {
    this.#abort.abort(reason)
    this.#abort = new AbortController()
    const pool = this.#pool
    this.#pool = null
    await pool?.close()
  }

  /**
   * Returns the engine of the vault that a run started in. The vault may have been opened again since. Throws `locked`.
   */
  requireEngine(before: Engine): Engine {
    const engine = this.#options.engine()
    if (engine?.tenant_id !== before.tenant_id) throw createLockedError()
    return engine
  }

  /**
   * Runs code with its own run key. Throws `conflict` without a listener, and the reason of `stopAll` if all runs were
   * ended in the meantime.
   */
  async runTask(task: Task): Promise<TaskResult> {
    const { engine, reactor_id, proxy_id, secrets, signal } = task
    // Older clients accept http: only for localhost.
    const environment = this.#options.baseUrl()?.replace('//127.0.0.1:', '//localhost:') ?? null
    const stopSignal = this.signal
    // Running code may have been disabled while the run was prepared.
    if (!this.#options.isOn()) throw createCodeDisabledError()
    const label = proxy_id === null ? `reactor ${reactor_id ?? 'that is not stored'}` : `proxy ${proxy_id}`
    const subject = findRunSubject(task)
    const key = subject && this.requireEngine(engine).identification.issueRunKey(subject, `by ${label}`)
    try {
      if (key && environment === null) throw createNoListenerError()
      const result = await this.#getPool().run({
        owner: task.owner,
        caller: task.caller,
        code: task.code,
        contract: { image: task.runtime.image, role: task.role },
        args: task.args,
        configuration: task.configuration,
        application: key && environment !== null ? { apiKey: key.key, environment } : null,
        limit_ms: task.runtime.limit_ms ?? task.limit_ms,
        signal: AbortSignal.any([signal, stopSignal]),
      })
      // SECURITY: after a lock, no response may be returned.
      if (stopSignal.aborted) throw stopSignal.reason
      this.requireEngine(engine)
      return { ...result, secrets: [...secrets, ...(key?.seen ?? []).flatMap(findSecrets)] }
    } finally {
      key?.revoke()
    }
  }

  checkSyntax(code: string): Promise<SyntaxProblem | null> {
    return findSyntaxProblem(this.#getPool(), code)
  }

  /** Starts processes in advance, because a run is expected. */
  startSpares(): void {
    try {
      void this.#getPool().startSpares()
    } catch {
      // The run reports why no process can be started.
    }
  }

  #getPool(): Pool {
    this.#pool ??= this.#options.newPool()
    return this.#pool
  }

  /** Creates the response of a run, and the tokens that it requests. Throws `locked`. */
  async finishTask(
    { engine, reactor_id, used }: Task,
    { ended }: TaskResult,
    caller: Caller,
    { trace_id, dialect, idempotency }: CallInfo,
    request_id: string | null,
  ): Promise<FinishedTask> {
    const none = { token_ids: [], secrets: [] }
    const info = { trace_id, dialect, ...(request_id === null && { idempotency }) }
    if (ended.kind === 'response') {
      const { status, headers, body } = ended
      const response = { status, headers, body }
      const isStored = info.idempotency && status >= 200 && status < 300
      if (isStored)
        await this.requireEngine(engine).call(
          'reactors.keep',
          { reactor_id, used, answer: response },
          caller,
          info,
        )
      return { ...none, answer: response, error: null }
    }
    if (ended.kind !== 'returned') {
      const error = toRunError(ended)
      return { ...none, answer: createProblemResponse(error), error }
    }
    try {
      // A long result is read and written in turns of the event loop that other requests can use in between (rule R-03).
      await turn()
      const value = parseJsonInput(ended.value, 'what the code returned')
      await turn()
      const { answer, tokenize } = parseReturned(value)
      if (tokenize === undefined && request_id === null && !info.idempotency)
        return { ...none, answer: createSuccessResponse(answer), error: null }
      const input = { reactor_id, request_id, used, value }
      const { output } = await this.requireEngine(engine).call('reactors.finish', input, caller, info)
      return { ...(output as Omit<FinishedTask, 'error'>), error: null }
    } catch (cause) {
      const error = toCofferError(cause)
      if (error.code === 'locked') throw error
      this.#options.report(cause, 'reactors.finish', trace_id)
      return { ...none, answer: createProblemResponse(error), error }
    }
  }

  /**
   * Stores a run for the owner, with token values redacted (rule F-04), and returns the parts that may be shown. Does
   * not reject if storing fails, because the engine reports that.
   */
  async storeRun(
    task: Task,
    { ended, console, duration_ms, ...ran }: TaskResult,
    {
      answer,
      error,
      token_ids,
      ...finished
    }: Pick<FinishedTask, 'error' | 'token_ids' | 'secrets'> & {
      readonly answer: Pick<RunResponse, 'status'>
    },
  ): Promise<NewRun['content']> {
    const secrets = [...ran.secrets, ...finished.secrets]
    const place = ended.kind === 'thrown' ? ended.at : null
    const content: NewRun['content'] = {
      console: await redactLines(console, secrets),
      problem: error && {
        status: error.status,
        detail: (await redactLines(formatProblem(error), secrets)).trimEnd(),
        ...(place && { place }),
      },
      token_ids: [...new Set([...task.token_ids, ...token_ids])],
    }
    const { reactor_id, proxy_id, kind, trace_id } = task
    const engine = this.#options.engine()
    // A vault that was locked in the meantime stores nothing.
    if (engine?.tenant_id !== task.engine.tenant_id) return content
    const storedContent = engine.keepsConsole ? content : { ...content, console: null, problem: null }
    const { status } = answer
    const run: NewRun = { trace_id, reactor_id, proxy_id, kind, status, duration_ms, content: storedContent }
    // The pipeline reports its own failures.
    await engine.call('reactorRuns.keep', run, owner).catch(() => {})
    return content
  }
}

/** Returns who the code acts as, or null. In node22 these are the permissions of the runtime, without an application. */
function findRunSubject({
  runtime,
  application_id,
  reactor_id,
  proxy_id,
  trace_id,
}: Task): RunSubject | null {
  if (runtime.image === 'node-bt') return application_id === null ? null : { application_id }
  const { permissions } = runtime
  return permissions.length === 0 ? null : { runtime_id: reactor_id ?? proxy_id ?? trace_id, permissions }
}

/** Formats a problem as one sentence: the message, then those of the invalid members. */
function formatProblem({ message, errors = {} }: CofferError): string {
  const more = Object.values(errors)
    .flat()
    .filter((each) => each !== message)
  return more.length === 0 ? message : `${message.replace(/\.$/, '')}: ${more.join('; ')}`
}

function createNoListenerError(): CofferError {
  return new CofferError(
    'conflict',
    'This code gets a key, so it needs the listener, which is off. Turn the listener on.',
  )
}

/** Lists the code in a request for a reactor or a proxy, with the members that hold it. Empty for any other input. */
export function listCodes(input: unknown): [member: string, code: string][] {
  const fields = getFields(input)
  const transforms = ['request', 'response'].flatMap((side): [string, unknown][] => {
    const { [`${side}_transform`]: one, [`${side}_transforms`]: several } = fields
    const listed = Array.isArray(several) ? several : []
    return [
      [`${side}_transform.code`, getFields(one).code],
      ...listed.map((each, at): [string, unknown] => [
        `${side}_transforms[${at}].code`,
        getFields(each).code,
      ]),
    ]
  })
  const all: [string, unknown][] = [['code', fields.code], ...transforms]
  return all.filter((each): each is [string, string] => typeof each[1] === 'string')
}

function getFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
