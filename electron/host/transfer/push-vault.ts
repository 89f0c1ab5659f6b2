import type { Json } from '../../../shared/json.ts'
import type { ExportedToken } from '../../../shared/schemas/token-export.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'
import { allApplications } from '../all-applications.ts'
import { allReactors } from '../reactors/all-reactors.ts'
import type { Watch } from '../work/background.ts'
import { allProxies } from './all-proxies.ts'
import { countTokens, exportPages } from './export-tokens.ts'
import { missingPermission } from './missing-permission.ts'
import { pushApplications } from './push-applications.ts'
import { pushDocuments } from './push-documents.ts'
import { type Pushed, PushJournal } from './push-journal.ts'
import { type LeftProxy, pushProxies } from './push-proxies.ts'
import { type PushTarget, push, unlessAllForbidden } from './push-request.ts'

export type PushOrder = {
  readonly url: string
  /** A private key of that server that may create tokens. */
  readonly key: string
  /** A key of that server that may create applications and proxies; without one, neither are copied. */
  readonly management_key?: string | undefined
  /** The file that records the progress. */
  readonly state: string
}

export type PushReport = {
  readonly resumed: boolean
  readonly applications: number
  /** How many of these existed there already, with the same name, type, permissions and rules. */
  readonly applications_existing: number
  readonly proxies_created: number
  /** Proxies of the same name and destination that existed there already. */
  readonly proxies_existing: number
  readonly documents_created: number
  readonly created: number
  /** Tokens whose id existed there already; those are left unchanged. */
  readonly existing: number
  readonly refused: number
  /** Ids and statuses of refused items, over all runs, up to a thousand. */
  readonly refusals: readonly {
    readonly what: Pushed
    readonly id: string
    readonly status: number
  }[]
  /** What was not sent, and why. */
  readonly left_out: readonly LeftOut[]
}

type LeftOut = {
  readonly what: 'application' | 'proxy' | 'reactor' | 'webhook'
  readonly id: string
  readonly name: string
  /** `never_copied`: reactors and webhooks. */
  readonly why: LeftProxy['why'] | 'no_management_key' | 'never_copied'
}

const AT_ONCE = 8

/** With fewer refusals, perhaps only the first containers are out of the key's reach. */
const ALL_FORBIDDEN = 20

/**
 * Copies applications and proxies (without their keys), tokens and documents, in plaintext, to a server with the same interface,
 * as the owner, who must have confirmed. The next run resumes where this one stopped. Throws `forbidden` where a key lacks a
 * permission, and what `push` throws.
 */
export async function pushVault(
  engine: Engine,
  { url, key, management_key, state }: PushOrder,
  { signal, onProgress }: Watch = {},
): Promise<PushReport> {
  const journal = new PushJournal(state, { tenant_id: engine.tenant_id, url })
  // Saved before anything is created, so that a later run does not create it twice.
  if (!journal.resumed) journal.save()
  const left_out = [
    ...(await pushSetup(engine, journal, { url, key: management_key, signal })),
    ...(await neverCopied(engine)),
  ]
  await pushTokens(engine, journal, { url, key, signal }, onProgress)
  await pushDocuments(engine, journal, { url, key, signal })
  journal.remove()
  return reportOf(journal, left_out)
}

/** Copies what needs a management key. Returns what was left out. */
async function pushSetup(
  engine: Engine,
  journal: PushJournal,
  { url, key, signal }: Omit<PushTarget, 'key'> & { readonly key: string | undefined },
): Promise<LeftOut[]> {
  const applications = await allApplications(engine)
  const proxies = await allProxies(engine)
  if (key === undefined) {
    const why = 'no_management_key'
    return [
      ...applications.map(({ id, name }) => ({ what: 'application', id, name, why }) as const),
      ...proxies.map(({ id, name }) => ({ what: 'proxy', id, name, why }) as const),
    ]
  }
  const target = { url, key, signal }
  const idThere = await pushApplications(applications, journal, target)
  const left = await pushProxies(proxies, journal, target, idThere)
  return left.map((each) => ({ what: 'proxy', ...each }))
}

/** What belongs to the programs of this machine: code that may call them, and addresses of theirs. */
async function neverCopied(engine: Engine): Promise<LeftOut[]> {
  const why = 'never_copied'
  const { data: webhooks } = await engine.as(owner).webhooks.list({ size: 100 })
  return [
    ...(await allReactors(engine)).map(({ id, name }) => ({ what: 'reactor', id, name, why }) as const),
    ...webhooks.map(({ id, name }) => ({ what: 'webhook', id, name, why }) as const),
  ]
}

async function pushTokens(
  engine: Engine,
  journal: PushJournal,
  target: PushTarget,
  onProgress: Watch['onProgress'],
): Promise<void> {
  const total = await countTokens(engine)
  const { created, existing, refused } = journal.state
  let done = created + existing + refused
  const isTaken = created + existing > 0
  const check = unlessAllForbidden(
    isTaken ? Number.POSITIVE_INFINITY : Math.min(ALL_FORBIDDEN, total),
    missingPermission(
      target.url,
      'token:create',
      ', or its rules reach none of the containers of these tokens',
    ),
  )
  const one = async (token: ExportedToken) => {
    const outcome = await push(target, '/tokens', journal.onceFor('token', token.id), token as Json)
    check(outcome)
    onProgress?.(++done, total)
    return outcome
  }
  for await (const { tokens, next } of exportPages(engine, true, journal.state.after)) {
    const outcomes = await severalAtOnce(tokens as ExportedToken[], one)
    for (const [at, { id }] of tokens.entries()) {
      const outcome = outcomes[at]
      if (!outcome) continue
      journal.state[outcome.as]++
      journal.noteRefusal('token', id, outcome)
    }
    if (next !== null) journal.state.after = next
    journal.save()
  }
}

/**
 * Runs `act` for each item, a few at a time, and returns the results in order. After a failure it starts nothing new,
 * and rejects once nothing is in flight.
 */
async function severalAtOnce<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  let failed = false
  const work = async () => {
    for (const [at, item] of waiting) {
      if (failed) return
      try {
        results[at] = await act(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return results
}

function reportOf({ resumed, state }: PushJournal, left_out: readonly LeftOut[]): PushReport {
  const { applications, applications_existing, proxies_created, proxies_existing, documents_created } = state
  const { created, existing, refused, refusals } = state
  return {
    resumed,
    applications: applications.length,
    applications_existing,
    proxies_created,
    proxies_existing,
    documents_created,
    created,
    existing,
    refused,
    refusals,
    left_out,
  }
}
