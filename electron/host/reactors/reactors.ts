import { CofferError } from '../../../shared/errors.ts'
import type { ReactorTestResult, SyntaxProblem } from '../../../shared/schemas/reactor.ts'
import {
  createInFlightError,
  createJsonResponse,
  createLockedError,
  createProblemResponse,
  type Engine,
  owner,
  type PreparedRun,
  type ReportIncident,
  type RunResponse,
  redactLines,
  runAfterwards,
  toCofferError,
} from '../../engine/index.ts'
import {
  type CodeResult,
  type CodeRunner,
  type CodeTransform,
  createCodeDisabledError,
  type RunCall,
  type StoredCall,
} from '../../http/code.ts'
import { Gate } from '../../http/gate.ts'
import { describeRunEnd, describeUncompiled, toRunError } from './run-error.ts'
import { publishRunEnded, publishRunStarted } from './run-events.ts'
import { type FinishedTask, listCodes, type Task, type TaskOptions, type TaskResult, Tasks } from './tasks.ts'

/** The maximum duration of a run, in ms (rule F-02). */
const RUN_TIMEOUT_MS = 30_000
const ASYNC_RUN_TIMEOUT_MS = 5 * 60_000

/**
 * The maximum number of async runs in progress, and of those in progress or queued. The first number is less than the
 * number of processes, so that async runs never occupy all of them.
 */
const MAX_CONCURRENT_ASYNC_RUNS = 4
const MAX_ASYNC_RUNS = 100

/** The maximum number of characters of a response that the window shows. */
const MAX_OUTPUT_LENGTH = 256 * 1024

/**
 * Runs code in steps with the engine (rules F-01 to F-05): the engine prepares the run, a separate process runs the
 * code while no transaction is open, and the engine finishes it. Lives as long as the host. Call `stop` whenever a
 * vault is locked.
 */
export class Reactors implements CodeRunner {
  readonly #isOn: () => boolean
  readonly #report: ReportIncident
  readonly #tasks: Tasks
  readonly #gate = new Gate(MAX_CONCURRENT_ASYNC_RUNS)
  /** The idempotency scopes of runs in progress. */
  readonly #inFlight = new Set<string>()
  #asyncCount = 0
  #testRun: AbortController | null = null

  constructor(options: TaskOptions) {
    this.#isOn = options.isOn
    this.#report = options.report
    this.#tasks = new Tasks(options)
  }

  /** Starts processes in advance if running code is enabled, so that the first run does not wait for one. */
  startSpares(): void {
    if (this.#isOn()) this.#tasks.startSpares()
  }

  /** Ends every run and every process, because the vault is locked or Coffer exits. */
  stop(): Promise<void> {
    return this.#tasks.stopAll(createLockedError())
  }

  /** Ends every run and every process, because the owner has disabled running code. */
  turnOff(): Promise<void> {
    return this.#tasks.stopAll(createCodeDisabledError())
  }

  handleCall(call: RunCall): Promise<RunResponse> {
    if (call.name === 'reactors.results') return this.#fetchResults(call)
    return call.name === 'reactors.reactAsync' ? this.#reactAsync(call) : this.#reactOnce(call)
  }

  async #fetchResults({ engine, name, input, caller, info }: RunCall): Promise<RunResponse> {
    return (await engine.call(name, input, caller, info)).output as RunResponse
  }

  /**
   * Runs code once per idempotency key: while the run is in progress, a repeat of the call is rejected; once the run
   * has succeeded, a repeat gets the same response (rule A-12).
   */
  async #reactOnce(call: RunCall): Promise<RunResponse> {
    this.#assertOn(call)
    const scope = call.engine.identification.getIdempotencyScope(call.caller, call.info)?.toString('base64')
    if (scope === undefined) return this.#runReactor(call)
    if (this.#inFlight.has(scope)) throw this.#recordRejection(call, createInFlightError())
    this.#inFlight.add(scope)
    try {
      return await this.#runReactor(call)
    } finally {
      this.#inFlight.delete(scope)
    }
  }

  async #runReactor(call: RunCall): Promise<RunResponse> {
    const { caller, info, signal } = call
    const prepared = await this.#prepareRun(call)
    if (prepared.before) return prepared.before
    const { request } = prepared
    if (request?.isNew) await this.#assertNotFull(call, request.id)
    if (request) return this.#startBackground(call, prepared)
    const startedAt = performance.now()
    publishRunStarted(call, prepared)
    try {
      const task = this.#createTask(call, prepared, { kind: 'react', limit_ms: RUN_TIMEOUT_MS, signal })
      const ran = await this.#tasks.runTask(task)
      const finished = await this.#tasks.finishTask(task, ran, caller, info, null)
      this.#recordRun(call, prepared, finished, describeRun(ran, finished), startedAt)
      runAfterwards(this.#report, 'reactors.react', () => this.#storeRun(call, prepared, task, ran, finished))
      return finished.answer
    } catch (error) {
      const failure = toCofferError(error)
      publishRunEnded(call, prepared, performance.now() - startedAt, failure.message)
      this.#recordRun(call, prepared, { answer: failure }, failure.message, startedAt)
      throw failure
    }
  }

  async #reactAsync(call: RunCall): Promise<RunResponse> {
    this.#assertOn(call)
    if (this.#asyncCount >= MAX_ASYNC_RUNS) throw this.#recordRejection(call, createFullError())
    this.#asyncCount++
    try {
      return this.#startBackground(call, await this.#prepareRun(call))
    } finally {
      this.#asyncCount--
    }
  }

  /** Starts an asynchronous run, unless the request for it was repeated, and returns its id. */
  #startBackground(call: RunCall, prepared: PreparedRun): RunResponse {
    const { request } = prepared
    if (request?.isNew) {
      this.#asyncCount++
      runAfterwards(this.#report, call.name, () =>
        this.#runInBackground(call, prepared, request.id).finally(() => this.#asyncCount--),
      )
    }
    return createJsonResponse(202, { asyncReactorRequestId: request?.id })
  }

  /** Rejects a call whose runtime turned out to be asynchronous, and settles its request, if too many runs wait. */
  async #assertNotFull(call: RunCall, request_id: string): Promise<void> {
    if (this.#asyncCount < MAX_ASYNC_RUNS) return
    const error = createFullError()
    await this.#settleRequest(call, request_id, createProblemResponse(error))
    throw this.#recordRejection(call, error)
  }

  async #settleRequest({ engine }: RunCall, request_id: string, answer: RunResponse): Promise<void> {
    await this.#tasks.requireEngine(engine).call('reactors.settle', { request_id, answer }, owner)
  }

  /** Carries out an asynchronous run, which no caller waits for, and stores its result. */
  async #runInBackground(call: RunCall, prepared: PreparedRun, request_id: string): Promise<void> {
    const { caller, info } = call
    const { signal } = this.#tasks
    const release = await this.#gate.acquire()
    const startedAt = performance.now()
    const settleRequest = (answer: RunResponse) => this.#settleRequest(call, request_id, answer)
    try {
      if (signal.aborted) throw signal.reason
      publishRunStarted(call, prepared)
      const task = this.#createTask(call, prepared, {
        kind: 'react-async',
        limit_ms: ASYNC_RUN_TIMEOUT_MS,
        signal,
      })
      const ran = await this.#tasks.runTask(task)
      const finished = await this.#tasks.finishTask(task, ran, caller, info, request_id)
      if (finished.error || ran.ended.kind === 'response') await settleRequest(finished.answer)
      this.#recordRun(call, prepared, finished, describeRun(ran, finished), startedAt, true)
      await this.#storeRun(call, prepared, task, ran, finished)
    } catch (cause) {
      const error = toCofferError(cause)
      this.#report(cause, call.name, info.trace_id)
      publishRunEnded(call, prepared, performance.now() - startedAt, error.message)
      // After a lock nothing can be stored: the next opening finds that the run was interrupted.
      if (error.code !== 'locked') await settleRequest(createProblemResponse(error)).catch(() => {})
    } finally {
      release()
    }
  }

  /**
   * Runs code from the window, as the owner, with a redacted response. Throws `invalid`, `locked`, `forbidden` while
   * running code is disabled, and `conflict` without a listener.
   */
  async testReactor(engine: Engine, input: unknown): Promise<ReactorTestResult> {
    if (!this.#isOn()) throw createCodeDisabledError()
    const controller = new AbortController()
    this.#testRun?.abort()
    this.#testRun = controller
    const trace_id = crypto.randomUUID()
    const { output } = await engine.call('reactors.prepareTry', input, owner, { trace_id })
    const task: Task = {
      ...(output as PreparedRun),
      engine,
      kind: 'try',
      role: 'reactor',
      owner: null,
      caller: null,
      proxy_id: null,
      trace_id,
      limit_ms: RUN_TIMEOUT_MS,
      signal: controller.signal,
    }
    const ran = await this.#tasks.runTask(task)
    const finished = await this.#tasks.finishTask(task, ran, owner, { trace_id }, null)
    const { console, problem, token_ids } = await this.#tasks.storeRun(task, ran, finished)
    const { status, body } = finished.answer
    return {
      status,
      output: await redactLines(formatJsonBody(body).slice(0, MAX_OUTPUT_LENGTH), [
        ...ran.secrets,
        ...finished.secrets,
      ]),
      console: console ?? '',
      duration_ms: ran.duration_ms,
      trace_id,
      problem,
      token_ids,
    }
  }

  stopTest(): void {
    this.#testRun?.abort()
  }

  async runTransform({
    engine,
    prepared,
    side,
    runtime,
    secrets,
    caller,
    ...taskFields
  }: CodeTransform): Promise<CodeResult> {
    if (!this.#isOn()) throw createCodeDisabledError()
    const { id, application_id } = prepared.proxy
    const task: Task = {
      ...taskFields,
      engine,
      kind: 'transform',
      role: side,
      runtime,
      owner: `${id}:${side}`,
      caller: engine.identification.getCallerId(caller),
      reactor_id: null,
      proxy_id: id,
      configuration: prepared.configuration,
      application_id,
      secrets,
      token_ids: prepared.token_ids,
      used: [],
      limit_ms: RUN_TIMEOUT_MS,
    }
    const ran = await this.#tasks.runTask(task)
    const { ended } = ran
    const error = ended.kind === 'thrown' || ended.kind === 'failed' ? toRunError(ended) : null
    const status = error?.status ?? (ended.kind === 'response' ? ended.status : 200)
    const finished = { answer: { status }, error, token_ids: [], secrets: [] }
    runAfterwards(this.#report, 'reactorRuns.keep', () => this.#tasks.storeRun(task, ran, finished))
    if (error) throw error
    return ran.ended as CodeResult
  }

  /**
   * Compiles code without running it, even while running code is disabled. Throws `unavailable` if no process is
   * available.
   */
  async checkSyntax(code: string): Promise<SyntaxProblem | null> {
    return this.#tasks.checkSyntax(code)
  }

  checkStoredCode({ engine, name, input, caller, info, status, entity_id }: StoredCall): void {
    const codes = listCodes(input)
    if (codes.length === 0) return
    this.startSpares()
    runAfterwards(this.#report, name, async () => {
      for (const [member, code] of codes) {
        // Without a process the code is not checked, so nothing is recorded.
        const problem = await this.checkSyntax(code).catch(() => null)
        if (!problem) continue
        const note = describeUncompiled(problem, member)
        engine.outcomes.recordOutcome(
          name,
          caller,
          { status, note, entity_id, isExcludedFromCount: true },
          info,
          input,
        )
      }
    })
  }

  /**
   * Lets the engine prepare a run: it checks the permission, fills in token values and records the call. SECURITY: the
   * record is written before the code gets plaintext.
   */
  #prepareRun({ engine, name, input, caller, info, first }: RunCall): Promise<PreparedRun> {
    return first(async () => (await engine.call(name, input, caller, info)).output as PreparedRun)
  }

  #createTask(
    { engine, caller, info }: RunCall,
    prepared: PreparedRun,
    how: Pick<Task, 'kind' | 'limit_ms' | 'signal'>,
  ): Task {
    const trace_id = info.trace_id ?? crypto.randomUUID()
    const whose = {
      role: 'reactor' as const,
      owner: prepared.reactor_id,
      caller: engine.identification.getCallerId(caller),
      proxy_id: null,
    }
    return { ...prepared, ...how, ...whose, engine, trace_id }
  }

  #assertOn(call: RunCall): void {
    if (!this.#isOn()) throw this.#recordRejection(call, createCodeDisabledError())
  }

  #recordRejection({ engine, name, caller, info, input }: RunCall, error: CofferError): CofferError {
    engine.outcomes.recordOutcome(name, caller, error, info, input)
    return error
  }

  /** Stores a run for the owner, and publishes its end to webhooks. */
  async #storeRun(
    call: RunCall,
    prepared: PreparedRun,
    task: Task,
    ran: TaskResult,
    finished: FinishedTask,
  ): Promise<void> {
    const { problem } = await this.#tasks.storeRun(task, ran, finished)
    publishRunEnded(call, prepared, ran.duration_ms, problem?.detail ?? null)
  }

  /** Records how a run ended (rule F-04). Throws `storage_full`, `locked`. */
  #recordRun(
    { engine, name, caller, info, input }: RunCall,
    { reactor_id, application_id }: PreparedRun,
    { answer: { status } }: { readonly answer: { readonly status: number } },
    note: string,
    startedAt: number,
    isBackground = false,
  ): void {
    const duration_us = Math.round((performance.now() - startedAt) * 1000)
    const summary = { status, note, entity_id: reactor_id, concerns: application_id, duration_us }
    const recorded = isBackground ? { ...summary, isCountedElsewhere: true as const } : summary
    this.#tasks.requireEngine(engine).outcomes.recordOutcome(name, caller, recorded, info, input)
  }
}

function createFullError(): CofferError {
  const message = '100 asynchronous reactor runs are already queued or running. Try again later.'
  return new CofferError('rate_limited', message, { retry_after: 5 })
}

function describeRun({ ended }: TaskResult, { error }: FinishedTask): string {
  // The engine rejected what the code returned.
  if (ended.kind === 'returned' && error && error.thrown_status === undefined) return error.message
  return describeRunEnd(ended)
}

/** Formats JSON with a line for each member. Other text stays unchanged. */
function formatJsonBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    // `CustomHttpResponseError` may carry any text.
    return body
  }
}
