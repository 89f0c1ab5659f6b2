import { hash } from 'node:crypto'
import type { Json } from '../../../shared/json.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import type { ExportedToken } from '../../../shared/schemas/token-export.ts'
import type { Engine } from '../../engine/engine.ts'
import { allApplications } from '../all-applications.ts'
import type { Watch } from '../work/background.ts'
import { ApplicationsThere } from './applications-there.ts'
import { countTokens, exportPages } from './export-tokens.ts'
import { missingPermission } from './missing-permission.ts'
import { PushJournal } from './push-journal.ts'
import { type Outcome, type PushTarget, push, unlessAllForbidden } from './push-request.ts'

export type PushOrder = {
  readonly url: string
  /** A private key of that server that may create tokens. */
  readonly key: string
  /** A key of that server that may create applications; without one, applications are not copied. */
  readonly management_key?: string | undefined
  /** The file that records the progress. */
  readonly state: string
}

export type PushReport = {
  readonly resumed: boolean
  readonly applications: number
  /** How many of these existed there already, with the same name, type, permissions and rules. */
  readonly applications_existing: number
  readonly created: number
  /** Tokens whose id existed there already; those are left unchanged. */
  readonly existing: number
  readonly refused: number
  /** Ids and statuses of refused items, over all runs, up to a thousand. */
  readonly refusals: readonly {
    readonly what: 'application' | 'token'
    readonly id: string
    readonly status: number
  }[]
}

const AT_ONCE = 8
const MOST_REFUSALS = 1000

/** With fewer refusals, perhaps only the first containers are out of the key's reach. */
const ALL_FORBIDDEN = 20

/**
 * Copies applications (without their keys) and tokens, in plaintext, to a server with the same interface, as the
 * owner, who must have confirmed. The next run resumes where this one stopped. Throws `forbidden` where a key lacks a
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
  if (management_key !== undefined) {
    await pushApplications(engine, journal, { url, key: management_key, signal })
  }
  await pushTokens(engine, journal, { url, key, signal }, onProgress)
  journal.remove()
  return reportOf(journal)
}

async function pushApplications(engine: Engine, journal: PushJournal, target: PushTarget): Promise<void> {
  const there = await ApplicationsThere.of(target)
  const check = unlessAllForbidden(1, missingPermission(target.url, 'application:create'))
  const before = new Set(journal.state.applications)
  const all = await allApplications(engine)
  // Match earlier copies first, so that a second application like one of them is still copied.
  for (const application of all) if (before.has(application.id)) there.take(application)
  for (const application of all) {
    const { id } = application
    if (before.has(id)) continue
    if (there.take(application)) journal.state.applications_existing++
    else {
      const once = onceFor(journal, 'application', id)
      const outcome = await push(target, '/applications', once, copyOf(application))
      check(outcome)
      noteRefusal(journal, 'application', id, outcome)
    }
    journal.state.applications.push(id)
    journal.save()
  }
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
    const outcome = await push(target, '/tokens', onceFor(journal, 'token', token.id), token as Json)
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
      noteRefusal(journal, 'token', id, outcome)
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

function noteRefusal(
  { state }: PushJournal,
  what: 'application' | 'token',
  id: string,
  outcome: Outcome,
): void {
  if (outcome.as !== 'refused' || state.refusals.length >= MOST_REFUSALS) return
  state.refusals.push({ what, id, status: outcome.status })
}

function reportOf({ resumed, state }: PushJournal): PushReport {
  const { applications, applications_existing, created, existing, refused, refusals } = state
  return {
    resumed,
    applications: applications.length,
    applications_existing,
    created,
    existing,
    refused,
    refusals,
  }
}

/** The idempotency key of an item in this push. Hashed, because ids may contain what a header cannot. */
function onceFor({ state }: PushJournal, what: string, id: string): string {
  return hash('sha256', JSON.stringify([state.push_id, what, id]))
}

function copyOf({ name, type, permissions, rules, expires_at }: Application): Json {
  return {
    name,
    type,
    permissions,
    rules: rules as Json,
    create_key: false,
    ...(expires_at !== undefined && { expires_at }),
  }
}
