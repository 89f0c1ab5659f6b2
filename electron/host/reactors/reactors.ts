import { CofferError } from '../../../shared/errors.ts'
import type { SyntaxProblem, TriedReactor } from '../../../shared/schemas/reactor.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { afterwards } from '../../engine/door/afterwards.ts'
import { owner } from '../../engine/door/call.ts'
import { inFlight } from '../../engine/door/idempotency.ts'
import type { Report } from '../../engine/door/incident.ts'
import { locked } from '../../engine/door/locked.ts'
import type { Engine } from '../../engine/engine.ts'
import { shownLines } from '../../engine/proxies/shown-lines.ts'
import { jsonAnswer, problemOf, type RunAnswer } from '../../engine/reactors/answer.ts'
import type { PreparedRun } from '../../engine/reactors/prepare.ts'
import {
  type CodeGave,
  type CodeTransform,
  type RunCall,
  type RunsCode,
  runningIsOff,
  type StoredCall,
} from '../../http/code.ts'
import { Gate } from '../../http/gate.ts'
import { failureOf, noteOf, uncompiledAt } from './failure.ts'
import { codesIn } from './stored-code.ts'
import { type Finished, type Ran, type Task, type TaskOptions, Tasks } from './tasks.ts'
import { tellBegun, tellEnded } from './told.ts'

/** How long code may run, in ms (rule F-02). */
const LIMIT_MS = 30_000
const ASYNC_LIMIT_MS = 5 * 60_000

/** How many runs that nobody waits for are under way at a time, fewer than there are processes, and how many there may be. */
const MOST_ASYNC_AT_ONCE = 4
const MOST_ASYNC = 100

/** The most characters of an answer that the window shows. */
const MOST_SHOWN = 256 * 1024

/**
 * Runs code around the engine (rules F-01 to F-05): the engine prepares, a process of its own runs the code while no
 * transaction is open, and the engine finishes. Lives as long as the host; `stop` whenever a vault is locked.
 */
export class Reactors implements RunsCode {
  readonly #isOn: () => boolean
  readonly #report: Report
  readonly #tasks: Tasks
  readonly #gate = new Gate(MOST_ASYNC_AT_ONCE)
  /** The scopes of the idempotency keys of runs that are under way. */
  readonly #inFlight = new Set<string>()
  #async = 0
  #trying: AbortController | null = null

  constructor(options: TaskOptions) {
    this.#isOn = options.isOn
    this.#report = options.report
    this.#tasks = new Tasks(options)
  }

  /** Ends every run and every process: the vault is locked, or Coffer ends. */
  stop(): Promise<void> {
    return this.#tasks.stop(locked())
  }

  /** Ends every run and every process: the owner has turned running off. */
  turnOff(): Promise<void> {
    return this.#tasks.stop(runningIsOff())
  }

  answer(call: RunCall): Promise<RunAnswer> {
    if (call.name === 'reactors.results') return this.#results(call)
    return call.name === 'reactors.reactAsync' ? this.#reactAsync(call) : this.#reactOnce(call)
  }

  async #results({ engine, name, input, caller, info }: RunCall): Promise<RunAnswer> {
    return (await engine.call(name, input, caller, info)).output as RunAnswer
  }

  /** Runs code once for an idempotency key: while it runs, and once it has succeeded (rule A-12). */
  async #reactOnce(call: RunCall): Promise<RunAnswer> {
    this.#assertOn(call)
    const scope = call.engine.scopeOf(call.caller, call.info)?.toString('base64')
    if (scope === undefined) return this.#react(call)
    if (this.#inFlight.has(scope)) throw this.#refused(call, inFlight())
    this.#inFlight.add(scope)
    try {
      return await this.#react(call)
    } finally {
      this.#inFlight.delete(scope)
    }
  }

  async #react(call: RunCall): Promise<RunAnswer> {
    const { caller, info, signal } = call
    const prepared = await this.#prepared(call)
    if (prepared.before) return prepared.before
    const begun = performance.now()
    tellBegun(call, prepared)
    try {
      const task = this.#taskOf(call, prepared, { kind: 'react', limit_ms: LIMIT_MS, signal })
      const ran = await this.#tasks.run(task)
      const finished = await this.#tasks.finish(task, ran, caller, info, null)
      this.#record(call, prepared, finished, wordsOf(ran, finished), begun)
      afterwards(this.#report, 'reactors.react', () => this.#keep(call, prepared, task, ran, finished))
      return finished.answer
    } catch (error) {
      const refusal = toCofferError(error)
      tellEnded(call, prepared, performance.now() - begun, refusal.message)
      this.#record(call, prepared, { answer: refusal }, refusal.message, begun)
      throw refusal
    }
  }

  async #reactAsync(call: RunCall): Promise<RunAnswer> {
    this.#assertOn(call)
    if (this.#async >= MOST_ASYNC) {
      throw this.#refused(
        call,
        new CofferError('rate_limited', 'Too many runs of reactors wait already.', { retry_after: 5 }),
      )
    }
    this.#async++
    const prepared = await this.#prepared(call).catch((error: unknown) => {
      this.#async--
      throw error
    })
    const { request } = prepared
    const later = (id: string) => this.#later(call, prepared, id).finally(() => this.#async--)
    if (request?.isNew) afterwards(this.#report, 'reactors.reactAsync', () => later(request.id))
    else this.#async--
    return jsonAnswer(202, { asyncReactorRequestId: request?.id })
  }

  /** Runs what nobody waits for, and keeps its result. */
  async #later(call: RunCall, prepared: PreparedRun, request_id: string): Promise<void> {
    const { engine, caller, info } = call
    const { signal } = this.#tasks
    const leave = await this.#gate.enter()
    const begun = performance.now()
    const settle = (answer: RunAnswer) =>
      this.#tasks.current(engine).call('reactors.settle', { request_id, answer }, owner)
    try {
      if (signal.aborted) throw signal.reason
      tellBegun(call, prepared)
      const task = this.#taskOf(call, prepared, { kind: 'react-async', limit_ms: ASYNC_LIMIT_MS, signal })
      const ran = await this.#tasks.run(task)
      const finished = await this.#tasks.finish(task, ran, caller, info, request_id)
      if (finished.error || ran.ended.kind === 'response') await settle(finished.answer)
      this.#record(call, prepared, finished, wordsOf(ran, finished), begun, true)
      await this.#keep(call, prepared, task, ran, finished)
    } catch (cause) {
      const error = toCofferError(cause)
      this.#report(cause, 'reactors.reactAsync', info.trace_id)
      tellEnded(call, prepared, performance.now() - begun, error.message)
      // After a lock nothing can be kept: the next opening finds that the run was interrupted.
      if (error.code !== 'locked') await settle(problemOf(error)).catch(() => {})
    } finally {
      leave()
    }
  }

  /**
   * Runs code from the window, as the owner, with its answer dotted. Throws `forbidden` while running is off,
   * `conflict` without a listener, `invalid`, `locked`.
   */
  async try(engine: Engine, input: unknown): Promise<TriedReactor> {
    if (!this.#isOn()) throw runningIsOff()
    const trying = new AbortController()
    this.#trying?.abort()
    this.#trying = trying
    const trace_id = crypto.randomUUID()
    const { output } = await engine.call('reactors.prepareTry', input, owner, { trace_id })
    const task: Task = {
      ...(output as PreparedRun),
      engine,
      kind: 'try',
      owner: null,
      caller: null,
      proxy_id: null,
      trace_id,
      limit_ms: LIMIT_MS,
      signal: trying.signal,
    }
    const ran = await this.#tasks.run(task)
    const finished = await this.#tasks.finish(task, ran, owner, { trace_id }, null)
    const { console, problem, token_ids } = await this.#tasks.keep(task, ran, finished)
    const { status, body } = finished.answer
    return {
      status,
      output: await shownLines(prettyOf(body).slice(0, MOST_SHOWN), [...ran.secrets, ...finished.secrets]),
      console: console ?? '',
      duration_ms: ran.duration_ms,
      trace_id,
      problem,
      token_ids,
    }
  }

  /** Ends the run that the window began. */
  stopTrying(): void {
    this.#trying?.abort()
  }

  async transform({ engine, prepared, side, secrets, caller, ...given }: CodeTransform): Promise<CodeGave> {
    if (!this.#isOn()) throw runningIsOff()
    const { id, application_id } = prepared.proxy
    const task: Task = {
      ...given,
      engine,
      kind: 'transform',
      owner: `${id}:${side}`,
      caller: engine.idOf(caller),
      reactor_id: null,
      proxy_id: id,
      configuration: prepared.configuration,
      application_id,
      secrets,
      token_ids: prepared.token_ids,
      used: [],
      limit_ms: LIMIT_MS,
    }
    const ran = await this.#tasks.run(task)
    const { ended } = ran
    const error = ended.kind === 'thrown' || ended.kind === 'failed' ? failureOf(ended) : null
    const status = error?.status ?? (ended.kind === 'response' ? ended.status : 200)
    const finished = { answer: { status }, error, token_ids: [], secrets: [] }
    afterwards(this.#report, 'reactorRuns.keep', () => this.#tasks.keep(task, ran, finished))
    if (error) throw error
    return ran.ended as CodeGave
  }

  /** Compiles code without running it, also while running is off. Throws `unavailable` where no process could say. */
  check(code: string): Promise<SyntaxProblem | null> {
    return this.#tasks.check(code)
  }

  stored({ engine, name, input, caller, info, status, entity_id }: StoredCall): void {
    const codes = codesIn(input)
    if (codes.length === 0) return
    afterwards(this.#report, name, async () => {
      for (const [member, code] of codes) {
        // What no process can say is not recorded.
        const problem = await this.check(code).catch(() => null)
        if (!problem) continue
        const note = uncompiledAt(problem, member)
        engine.refuse(name, caller, { status, note, entity_id, isCountedElsewhere: true }, info, input)
      }
    })
  }

  /** The first step: permission, tokens put in, record. SECURITY: the record is written before the code gets plaintext. */
  #prepared({ engine, name, input, caller, info, first }: RunCall): Promise<PreparedRun> {
    return first(async () => (await engine.call(name, input, caller, info)).output as PreparedRun)
  }

  #taskOf(
    { engine, caller, info }: RunCall,
    prepared: PreparedRun,
    how: Pick<Task, 'kind' | 'limit_ms' | 'signal'>,
  ): Task {
    const trace_id = info.trace_id ?? crypto.randomUUID()
    const whose = { owner: prepared.reactor_id, caller: engine.idOf(caller), proxy_id: null }
    return { ...prepared, ...how, ...whose, engine, trace_id }
  }

  #assertOn(call: RunCall): void {
    if (!this.#isOn()) throw this.#refused(call, runningIsOff())
  }

  /** Records what was refused before the engine was asked. */
  #refused({ engine, name, caller, info, input }: RunCall, refusal: CofferError): CofferError {
    engine.refuse(name, caller, refusal, info, input)
    return refusal
  }

  /** Keeps a run for the owner, and tells webhooks how it ended. */
  async #keep(call: RunCall, prepared: PreparedRun, task: Task, ran: Ran, finished: Finished): Promise<void> {
    const { problem } = await this.#tasks.keep(task, ran, finished)
    tellEnded(call, prepared, ran.duration_ms, problem?.detail ?? null)
  }

  /** Records how a run ended (rule F-04). Throws `storage_full`, `locked`. */
  #record(
    { engine, name, caller, info, input }: RunCall,
    { reactor_id, application_id }: PreparedRun,
    { answer: { status } }: { readonly answer: { readonly status: number } },
    note: string,
    begun: number,
    isLater = false,
  ): void {
    const duration_us = Math.round((performance.now() - begun) * 1000)
    const answer = { status, note, entity_id: reactor_id, concerns: application_id, duration_us }
    const recorded = isLater ? { ...answer, isCountedElsewhere: true as const } : answer
    this.#tasks.current(engine).refuse(name, caller, recorded, info, input)
  }
}

/** What the record of a run says. */
function wordsOf({ ended }: Ran, { error }: Finished): string {
  // What the engine refuses to do for the code.
  if (ended.kind === 'returned' && error && error.thrown_status === undefined) return error.message
  return noteOf(ended)
}

/** JSON with a line for each member, or any other text as it is. */
function prettyOf(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    // `CustomHttpResponseError` gives any text.
    return body
  }
}
