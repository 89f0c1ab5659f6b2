import { hash } from 'node:crypto'
import type { Json } from '../../../shared/json.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import type { ExportedToken } from '../../../shared/schemas/token-export.ts'
import type { Engine } from '../../engine/engine.ts'
import { allApplications } from '../all-applications.ts'
import type { Watch } from '../work/background.ts'
import { ApplicationsThere } from './applications-there.ts'
import { countTokens, exportPages } from './export-tokens.ts'
import { missingPermission, unlessAllForbidden } from './missing-permission.ts'
import { PushJournal } from './push-journal.ts'
import { type Outcome, type PushTarget, push } from './push-request.ts'

export type PushOrder = {
  readonly url: string
  /** A private key that may create tokens there. */
  readonly key: string
  /** A key that may create applications there; without one, applications are not copied. */
  readonly management_key?: string | undefined
  /** Where it is noted how far the push has come. */
  readonly state: string
}

export type PushReport = {
  readonly resumed: boolean
  readonly applications: number
  /** Of these, the ones that were there already: of the same name, type, permissions and rules. */
  readonly applications_existing: number
  readonly created: number
  /** Tokens whose id was there already; they stay as they are there. */
  readonly existing: number
  readonly refused: number
  /** Ids and status of what was refused, over all runs, up to a thousand. */
  readonly refusals: readonly {
    readonly what: 'application' | 'token'
    readonly id: string
    readonly status: number
  }[]
}

const AT_ONCE = 8
const MOST_REFUSALS = 1000

/** With fewer refusals it could be that only the first containers are out of the key's reach. */
const ALL_FORBIDDEN = 20

/**
 * Copies applications (without their keys) and tokens in clear to a server of the same interface, as the owner, who
 * must have been asked. The next run goes on where it stopped. Throws `forbidden` where a key lacks a permission, and
 * what `push` says.
 */
export async function pushVault(
  engine: Engine,
  { url, key, management_key, state }: PushOrder,
  { signal, onProgress }: Watch = {},
): Promise<PushReport> {
  const journal = new PushJournal(state, { tenant_id: engine.tenant_id, url })
  // Before anything is made, so that a run after this one does not make it twice.
  if (!journal.resumed) journal.save()
  const { refusals } = journal.state
  const count = (what: 'application' | 'token', id: string, outcome: Outcome) => {
    if (what === 'token') journal.state[outcome.as]++
    if (outcome.as === 'refused' && refusals.length < MOST_REFUSALS) {
      refusals.push({ what, id, status: outcome.status })
    }
  }
  if (management_key !== undefined) {
    const target: PushTarget = { url, key: management_key, signal }
    const there = await ApplicationsThere.of(target)
    const check = unlessAllForbidden(1, missingPermission(url, 'application:create'))
    const before = new Set(journal.state.applications)
    const all = await allApplications(engine)
    // First those that were copied before, so that a second one like them is made.
    for (const application of all) if (before.has(application.id)) there.take(application)
    for (const application of all) {
      const { id } = application
      if (before.has(id)) continue
      if (there.take(application)) journal.state.applications_existing++
      else {
        const once = onceFor(journal, 'application', id)
        const outcome = await push(target, '/applications', once, copyOf(application))
        check(outcome)
        count('application', id, outcome)
      }
      journal.state.applications.push(id)
      journal.save()
    }
  }
  const total = await countTokens(engine)
  const target: PushTarget = { url, key, signal }
  const { created, existing, refused } = journal.state
  let done = created + existing + refused
  const isTaken = created + existing > 0
  const check = unlessAllForbidden(
    isTaken ? Number.POSITIVE_INFINITY : Math.min(ALL_FORBIDDEN, total),
    missingPermission(url, 'token:create', ', or its rules reach none of the containers of these tokens'),
  )
  for await (const { tokens, next } of exportPages(engine, true, journal.state.after)) {
    const waiting = [...tokens]
    const one = async () => {
      try {
        for (let token = waiting.shift(); token; token = waiting.shift()) {
          const once = onceFor(journal, 'token', token.id)
          const outcome = await push(target, '/tokens', once, token as Json)
          check(outcome)
          outcomes.set(token.id, outcome)
          onProgress?.(++done, total)
        }
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
    const outcomes = new Map<string, Outcome>()
    // All of them are waited for, so that nothing is sent any more once this has failed.
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, one))
    for (const each of ended) if (each.status === 'rejected') throw each.reason
    for (const { id } of tokens as ExportedToken[]) {
      const outcome = outcomes.get(id)
      if (outcome) count('token', id, outcome)
    }
    if (next !== null) journal.state.after = next
    journal.save()
  }
  journal.remove()
  const { applications, ...counts } = journal.state
  return {
    resumed: journal.resumed,
    applications: applications.length,
    applications_existing: counts.applications_existing,
    created: counts.created,
    existing: counts.existing,
    refused: counts.refused,
    refusals: counts.refusals,
  }
}

/** The same key for the same thing of the same push; ids may hold what a header cannot. */
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
