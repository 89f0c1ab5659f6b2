import { catalogue } from '../../../electron/engine/index.ts'
import { getEventCause, isEventType } from '../../../shared/webhook-events.ts'
import type { Rows } from '../../entity-rows.ts'
import type { KnownTokens } from './callers.ts'
import { isUnknown } from './check-step.ts'
import type { SimulatedCall, SimulatedVault } from './simulated-vault.ts'

type RecordedCall = { readonly call: SimulatedCall; readonly type: string | null }

const HOUR = 3_600_000
/** How long an idempotency key is valid (rule A-12), less what a step may take. */
const REPLAY_MS = 23 * HOUR
const MAX_REVEALED = 5

/** Everything that the vault owes for its answers: tokens with their data, log records, events. */
export class Ledger implements KnownTokens {
  readonly #vault: SimulatedVault
  readonly #data = new Map<string, unknown>()
  readonly #containers = new Map<string, readonly string[]>()
  readonly #repeatable: { readonly call: SimulatedCall; readonly until: number }[] = []
  /** The answered calls since the last check. */
  #recorded: RecordedCall[] = []
  readonly #events = new Set<string>()
  #webhook = ''

  constructor(vault: SimulatedVault) {
    this.#vault = vault
  }

  /** Creates the webhook that receives every event. */
  async createWebhook(types: readonly string[]): Promise<void> {
    const events = [...types]
    const webhook = { name: 'All', url: 'http://localhost:1/all', events }
    this.#webhook = (await this.#vault.owner.webhooks.create(webhook)).id
  }

  getContainers(id: string): readonly string[] | undefined {
    return this.#containers.get(id)
  }

  getData(id: string): unknown {
    return this.#data.get(id)
  }

  /** Adds the calls of a step. Those that were answered after the process ended are forgotten. */
  addCalls(calls: readonly SimulatedCall[], until: number): void {
    for (const call of calls) {
      const isAnswered = call.answeredAt !== null && call.answeredAt <= until
      if (isAnswered && call.result) this.#addAnswer(call)
      else if (!isAnswered || isUnknown(call)) this.#forgetCall(call)
    }
  }

  #addAnswer(call: SimulatedCall): void {
    const { name, input, result, info } = call
    const output = Object(result?.output) as { id?: string; containers?: string[] }
    const named = Object(input) as { id?: string; data?: unknown; deduplicate_token?: boolean; type?: string }
    if (/^tokens\.(create|update)$/.test(name) && output.id !== undefined) {
      if (output.containers) this.#containers.set(output.id, output.containers)
      // An expression makes something else of the data, and a duplicate has been there before.
      const isPlain =
        typeof named.data === 'string' && !named.data.includes('{{') && info.idempotency === undefined
      if (isPlain && !named.deduplicate_token) this.#data.set(output.id, named.data)
      else if (named.data !== undefined) this.#data.delete(output.id)
    }
    if (name === 'tokens.remove') this.#data.delete(named.id ?? '')
    if (catalogue.get(name)?.effect !== 'write') return
    if (info.idempotency && /create$/.test(name))
      this.#repeatable.push({ call, until: this.#vault.process.wall + REPLAY_MS })
    this.#recorded.push({ call, type: findEventType(name) })
  }

  /** Nothing is known any more about what a call may have changed. */
  #forgetCall({ input }: SimulatedCall): void {
    const { id } = Object(input) as { id?: string }
    if (id !== undefined) this.#data.delete(id)
  }

  /** Returns an answered call with an idempotency key that is still valid. */
  findRepeatable(random: () => number): SimulatedCall | undefined {
    const { wall } = this.#vault.process
    const recent = this.#repeatable.filter(({ until }) => until > wall).slice(-5)
    return recent[Math.floor(random() * recent.length)]?.call
  }

  /** Compares the vault with what it owes. */
  async checkVault(rows: Rows): Promise<string[]> {
    const problems = [...(await this.#checkTokens(rows)), ...(await this.#checkCounts(rows))]
    const recorded = this.#recorded
    this.#recorded = []
    for (const each of recorded) problems.push(...(await this.#checkRecord(each)))
    return problems
  }

  async #checkTokens(rows: Rows): Promise<string[]> {
    const { owner, process } = this.#vault
    const problems: string[] = []
    for (const [id, data] of [...this.#data].slice(-MAX_REVEALED)) {
      const row = rows.token?.get(id)
      const isOver = typeof row?.expires_at === 'number' && row.expires_at <= process.wall
      if (!row || isOver) {
        this.#data.delete(id)
        if (!row && !(await this.#wasRemoved(id))) problems.push(`the token ${id} is lost`)
        continue
      }
      const found = await owner.tokens.reveal({ id })
      if (found.data !== data) problems.push(`the token ${id} has other data than was answered`)
    }
    return problems
  }

  /** Whether the log says why a token is not there. */
  async #wasRemoved(id: string): Promise<boolean> {
    const { data } = await this.#vault.owner.logs.find({ entity_type: 'token', entity_id: id, size: 100 })
    return data.some(({ action }) => /remove|expire/.test(action))
  }

  async #checkCounts(rows: Rows): Promise<string[]> {
    const { owner, process } = this.#vault
    const there = [...(rows.token?.values() ?? [])].filter(
      ({ expires_at }) => expires_at === null || Number(expires_at) > process.wall,
    )
    const counted = (await owner.tokens.listV1({ size: 1 })).pagination.total_items
    const problems: string[] = []
    if (counted !== there.length) problems.push(`${counted} tokens are counted, ${there.length} are there`)
    const { documents } = await owner.documents.count({})
    const stored = rows.document?.size ?? 0
    if (documents !== stored) problems.push(`${documents} documents are counted, ${stored} are there`)
    return problems
  }

  /** Each answered write has one log record, and its event waits or was delivered. */
  async #checkRecord({ call, type }: RecordedCall): Promise<string[]> {
    const { trace_id } = call.info
    const { owner } = this.#vault
    const { data } = await owner.logs.find({ trace_id, size: 10 })
    const name = call.name
    const found = data.filter(({ action, status }) => action === name && status < 300)
    const problems: string[] = []
    if (found.length > 1 && !name.startsWith('reactors.'))
      problems.push(`${trace_id} (${name}) is in the log ${found.length} times`)
    if (found.length === 0 && !unrecorded.has(name)) problems.push(`${trace_id} (${name}) is not in the log`)
    if (type === null || call.info.idempotency) return problems
    const events = (await owner.deliveries.listOfRequest({ trace_id })).data
    const own = events.filter((event) => event.type === type && event.webhook_id === this.#webhook)
    const isDuplicate = /^tokens\.(create|update)$/.test(name) && events.length === 0 && isDeduplicated(call)
    if (own.length === 0 && !isDuplicate) problems.push(`${trace_id} (${name}) has no event ${type}`)
    for (const { event_id } of own) this.#events.add(event_id)
    return problems
  }

  /** Lets every delivery end. None is recorded that was not received, and every event was received. */
  async checkDelivered(wait: <T>(promise: Promise<T>) => Promise<T>): Promise<string[]> {
    const { owner, process, network } = this.#vault
    const listAll = async () => {
      const all = []
      for (let start: string | undefined; ; ) {
        const { data, pagination } = await owner.deliveries.list({
          webhook_id: this.#webhook,
          start,
          size: 100,
        })
        all.push(...data)
        if (pagination.next === undefined) return all
        start = pagination.next
      }
    }
    let all = await wait(listAll())
    for (let round = 0; round < 40 && all.some(({ state }) => state === 'waiting'); round++) {
      await process.passTime(round < 20 ? 4000 : HOUR)
      all = await wait(listAll())
    }
    const received = new Set(network.received.map(({ id }) => id))
    const states = new Map(all.map((each) => [each.event_id, each.state]))
    return [
      ...all.flatMap(({ event_id, state, type }) =>
        state === 'delivered' && !received.has(event_id)
          ? [`${type} ${event_id} counts as delivered, but was not received`]
          : [],
      ),
      ...[...this.#events].flatMap((id) =>
        states.get(id) === 'delivered' || states.get(id) === 'given_up'
          ? []
          : [`the event ${id} is ${states.get(id) ?? 'lost'}`],
      ),
    ]
  }
}

const isDeduplicated = ({ input }: SimulatedCall) =>
  (Object(input) as { deduplicate_token?: boolean }).deduplicate_token === true

/** The writes whose record another one covers. */
const unrecorded: ReadonlySet<string> = new Set([
  ...['accountUpdaterJobs.putPart', 'accountUpdaterJobs.updateSome', 'documents.create'],
  ...['drafts.save', 'drafts.remove', 'drafts.forget', 'exchanges.keep', 'reactorRuns.keep'],
  ...[
    'proxies.transformAndTokenize',
    'reactors.keep',
    'reactors.settle',
    'reactors.finish',
    'reactors.prepareTry',
  ],
  ...['reactors.reactAsync'],
])

const verbs: Readonly<Record<string, string>> = {
  ...{ create: 'created', update: 'updated', patch: 'updated', remove: 'deleted' },
}

/** Returns the type of the event of each successful call of an operation; null if it has none. */
function findEventType(name: string): string | null {
  const [, verb = ''] = name.split('.')
  const entity = catalogue
    .get(name)
    ?.entity.replaceAll('_', '-')
    .replace('application-key', 'application.key')
  const type = `${entity}.${verbs[verb]}`
  return isEventType(type) && getEventCause(type) !== null ? type : null
}
