import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { Engine } from '../../electron/engine/engine.ts'
import { CofferError, toProblem } from '../../shared/errors.ts'
import { isObject, type Json } from '../../shared/json.ts'
import type { Permission } from '../../shared/permissions.ts'
import { Clock, createTestClient } from '../vault.ts'
import {
  Model,
  type ModelExpectation,
  type ModelFilter,
  type ModelNewToken,
  type ModelPatch,
} from './model.ts'
import { type Grants, holdsPermission, type ModelCaller } from './model-access.ts'
import type { FilterStep, ModelStep, NewTokenStep, PatchStep, WhoStep, WriteStep } from './model-steps.ts'
import type { TestClient } from './vault-helpers.ts'

type CallOutcome = { readonly ok: Json } | { readonly status: number }
/** A call to the vault, and a function that returns what the model expects once earlier calls are done. */
type ModelCall = {
  send(client: TestClient): Promise<unknown>
  predict(who: ModelCaller | null): ModelExpectation
}
/** The permission that a step needs, or the required type of caller. */
const neededPermissions: Partial<Record<ModelStep['do'], string>> = {
  create: 'token:create',
  patch: 'token:update',
  get: 'token:read',
  remove: 'token:delete',
  reveal: 'owner:only',
  detokenize: 'token:read',
  createIntent: 'token-intent:create',
  removeIntent: 'token-intent:delete',
  createApplication: 'application:create',
  updateApplication: 'application:update',
  getApplication: 'application:read',
  removeApplication: 'application:delete',
  listApplications: 'application:read',
  createKey: 'application:create',
  removeKey: 'application:delete',
  listKeys: 'application:read',
  startSession: 'public',
  authorize: 'private',
}
type WalkStep = { do: 'list' | 'search'; filter: FilterStep; container: string | undefined; size: number }
type PagesStep = { do: 'listV1' | 'searchV1'; filter: FilterStep; size: number }
type Expiry = { readonly until: number; readonly offset: string }

/** Creates an empty, closed vault. Copying it is faster than creating one for each run. */
export type EmptyVault = { readonly file: string; readonly master: Buffer; readonly tenant_id: string }

export function createEmptyVault(folder: string): EmptyVault {
  const vault = { file: path.join(folder, 'empty.db'), master: randomBytes(32), tenant_id: randomUUID() }
  Engine.create(vault.file, vault.master, { tenant_id: vault.tenant_id, name: 'Model' }).close()
  return vault
}

/** Runs each step on a vault and on its model, and compares the results. */
export class Bench {
  readonly #clock = new Clock()
  readonly #model = new Model(this.#clock.ms)
  readonly #empty: EmptyVault
  readonly #file: string
  #engine: Engine

  constructor(empty: EmptyVault) {
    this.#empty = empty
    this.#file = path.join(path.dirname(empty.file), `${randomUUID()}.db`)
    fs.copyFileSync(empty.file, this.#file)
    this.#engine = this.#openEngine()
  }

  #openEngine(): Engine {
    // `ephemeral` only skips waiting for the disk. The file and the statements are the usual ones.
    return Engine.open(this.#file, this.#empty.master, { now: this.#clock.now, ephemeral: true })
  }

  close(): void {
    this.#engine.close()
    fs.rmSync(this.#file)
  }

  /** Runs one step on the vault and on the model, and throws if the results differ. Returns the number of calls. */
  async runStep(step: ModelStep): Promise<number> {
    switch (step.do) {
      case 'wait':
        this.#clock.advance(step.ms)
        this.#model.now += step.ms
        return 1
      case 'sweep':
        await this.#engine.sweeper.sweep()
        return 1
      case 'reopen':
        this.#engine.close()
        this.#engine = this.#openEngine()
        return 1
      case 'rotate':
        await this.#engine.lifecycle.rotateDataKey(this.#empty.master)
        return 1
      case 'settings':
        return this.#changeSettings(step)
      case 'burst':
        await this.#runTogether(step.writes)
        return step.writes.length
      case 'list':
      case 'search':
        return this.#walkList(this.#pickKey(step.who, 'token:read'), step)
      case 'listV1':
      case 'searchV1':
        return this.#turnPages(this.#pickKey(step.who, 'token:read'), step)
      case 'authorize':
        return this.#authorizeSession(step)
      case 'removeKey':
      case 'removeApplication':
        return this.#removeAccess(step)
      default:
        await this.#runTogether([step])
        return 1
    }
  }

  /** Authorizes a session and then lists the tokens that it can see. Returns the number of calls. */
  async #authorizeSession(step: Extract<ModelStep, { do: 'authorize' }>): Promise<number> {
    const { sessions } = this.#model
    const waiting = sessions.filter(({ authorizer }) => !authorizer)
    await this.#runTogether([step])
    const key = waiting.find(({ authorizer }) => authorizer)?.key
    if (key === undefined) return 1
    const all = { filter: { by: 'all' as const }, size: 3 }
    const calls = await this.#walkList(key, { do: 'list', container: undefined, ...all })
    return 1 + calls + (await this.#turnPages(key, { do: 'listV1', ...all }))
  }

  /** Checks that keys are accepted until they are deleted, and rejected from the next request on (K-03, X-19). */
  async #removeAccess(step: Extract<ModelStep, { do: 'removeKey' | 'removeApplication' }>): Promise<number> {
    const before = this.#model.deadKeys.length
    const keys = this.#pickApplication(step.at)?.keys.flatMap(({ key }) => key ?? []) ?? []
    for (const key of keys) await this.#probeKey(key)
    await this.#runTogether([step])
    const dead = this.#model.deadKeys.slice(before)
    for (const key of dead) await this.#probeKey(key)
    return 1 + keys.length + dead.length
  }

  async #probeKey(key: string): Promise<void> {
    const outcome = await getOutcome(this.#createClient(key).tokens.get({ id: 'no-such-id' }))
    this.#compareOutcome(outcome, this.#model.getToken(this.#model.findCaller(key), 'no-such-id'))
  }

  async #changeSettings(step: { deduplicate_tokens: boolean; fingerprint_tokens: boolean }): Promise<number> {
    const { deduplicate_tokens, fingerprint_tokens } = step
    Object.assign(this.#model.settings, { deduplicate_tokens, fingerprint_tokens })
    const settings = {
      deduplicate_tokens: `${deduplicate_tokens}`,
      fingerprint_tokens: `${fingerprint_tokens}`,
    }
    await this.#createClient(null).tenants.update({ name: 'Model', settings })
    return 1
  }

  /** Runs calls concurrently, in one commit. The model applies them in the order they were made. */
  async #runTogether(
    steps: readonly Exclude<ModelStep, { do: 'burst' | 'list' | 'search' | 'listV1' | 'searchV1' }>[],
  ) {
    const calls = steps.flatMap((step) => {
      if (!('who' in step)) return []
      const key = this.#pickKey(step.who, neededPermissions[step.do])
      return [{ key, call: this.#createCall(step, key) }]
    })
    const outcomes = await Promise.all(
      calls.map(({ key, call }) => getOutcome(call.send(this.#createClient(key)))),
    )
    for (const [at, { key, call }] of calls.entries()) {
      this.#compareOutcome(outcomes[at] as CallOutcome, call.predict(this.#model.findCaller(key)))
    }
  }

  #compareOutcome(outcome: CallOutcome, { refusals, accept, partly }: ModelExpectation): void {
    if ('status' in outcome || refusals.length > 0) {
      expect(refusals.length > 0 ? refusals : ['success']).toContain(
        'status' in outcome ? outcome.status : 'success',
      )
    } else {
      const expected = accept(outcome.ok)
      this.#expectEqual(partly ? pickExpected(outcome.ok, expected) : outcome.ok, expected)
    }
  }

  #expectEqual(response: Json, expected: Json): void {
    const comparable = this.#toComparable(response, expected)
    if (!isDeepStrictEqual(comparable, expected)) expect(comparable).toEqual(expected)
  }

  /**
   * Converts a response to the model's form: only the members that the model has, and the text instead of its
   * fingerprint.
   */
  #toComparable(response: Json, expected: Json): Json {
    if (Array.isArray(response)) {
      return response.map((each, at) =>
        this.#toComparable(each, Array.isArray(expected) ? (expected[at] ?? null) : null),
      )
    }
    if (!isObject(response) || !isObject(expected)) return response
    const { tenant_id, card, fingerprint, ...rest } = response
    if (tenant_id !== undefined) expect(tenant_id).toBe(this.#empty.tenant_id)
    const result: Record<string, Json> = rest
    if (isObject(card)) {
      const { last4, expiration_month, expiration_year } = card
      const known = { last4, expiration_month, expiration_year }
      result.card = Object.fromEntries(
        Object.entries(known).filter((pair): pair is [string, Json] => pair[1] !== undefined),
      )
    }
    if (typeof fingerprint === 'string')
      result.fingerprint = this.#findText(fingerprint, expected.fingerprint)
    if (isObject(expected.token)) result.token = this.#toComparable(response.token ?? null, expected.token)
    return result
  }

  /**
   * Returns the text that a fingerprint represents, learned on first use. Each text has exactly one fingerprint (T-09).
   */
  #findText(digest: string, expected: Json | undefined): string {
    const { fingerprints } = this.#model
    const known = [...fingerprints].find(([, each]) => each === digest)
    if (known) return known[0]
    if (typeof expected === 'string' && !fingerprints.has(expected)) {
      fingerprints.set(expected, digest)
      return expected
    }
    return digest
  }

  // Choose existing entities

  /** Picks the owner, a key or a session; with `fits`, one that holds the permission on some container. */
  #pickKey({ nth, fits }: WhoStep, permission: string | undefined): string | null {
    const { applications, sessions, deadKeys } = this.#model
    const keys = [
      null,
      ...applications.flatMap((each) => each.keys.flatMap(({ key }) => key ?? [])),
      ...sessions.slice(-4).map(({ key }) => key),
      ...deadKeys.slice(-1),
      'key_local_pvt_unknown',
    ]
    const fitting = keys.filter((key) => this.#isFitting(this.#model.findCaller(key), permission))
    return (fits ? fitting[nth % fitting.length] : keys[nth % keys.length]) ?? null
  }

  #isFitting(who: ModelCaller | null, permission: string | undefined): boolean {
    if (permission === undefined || who === null) return false
    if (permission.includes(':')) return holdsPermission(who, permission)
    return (
      who.kind === 'application' &&
      this.#model.applications.some(({ id, type }) => id === who.id && type === permission)
    )
  }

  #createClient(key: string | null): TestClient {
    return createTestClient(() => this.#engine, key === null ? { kind: 'owner' } : { kind: 'key', key })
  }

  #pickTokenId(at: number): string {
    const ids = [
      ...this.#model
        .getLiveTokens()
        .slice(-15)
        .map(({ id }) => id),
      'id-1',
    ]
    return ids[at % ids.length] ?? ''
  }

  #pickApplication(at: number) {
    const { applications } = this.#model
    return applications[at % (applications.length + 1)]
  }

  #pickIntentId(at: number): string {
    const ids = [...this.#model.intents.map(({ id }) => id), randomUUID()]
    return ids[at % ids.length] ?? ''
  }

  /** Picks a nonce, mostly of a session that is not authorized yet. */
  #pickNonce(at: number): string {
    const { sessions, now } = this.#model
    const waiting = sessions.filter((each) => each.expires_at > now && !each.authorizer)
    const session = at % 5 === 0 ? sessions.at(-1) : waiting.at(-1)
    return session?.nonce ?? 'unknown'
  }

  // Calls

  #createCall(
    step: WriteStep | Exclude<ModelStep, { do: 'burst' | 'list' | 'search' | 'listV1' | 'searchV1' }>,
    key: string | null,
  ): ModelCall {
    const model = this.#model
    switch (step.do) {
      case 'create': {
        const input = this.#toNewToken(step.token)
        return {
          send: (client) => client.tokens.create(input as Parameters<TestClient['tokens']['create']>[0]),
          predict: (who) => model.createToken(who, input),
        }
      }
      case 'patch': {
        const id = this.#pickTokenId(step.at)
        const patch = this.#toPatch(step.patch)
        return {
          send: (client) =>
            client.tokens.update({ id, ...patch } as Parameters<TestClient['tokens']['update']>[0]),
          predict: (who) => model.patchToken(who, id, patch),
        }
      }
      case 'get': {
        const id = this.#pickTokenId(step.at)
        return { send: (client) => client.tokens.get({ id }), predict: (who) => model.getToken(who, id) }
      }
      case 'remove': {
        const id = this.#pickTokenId(step.at)
        return {
          send: (client) => client.tokens.remove({ id }),
          predict: (who) => model.removeToken(who, id),
        }
      }
      case 'reveal': {
        const id = this.#pickTokenId(step.at)
        return {
          send: (client) => client.tokens.reveal({ id }),
          predict: (who) => model.revealToken(who, id),
        }
      }
      case 'detokenize': {
        const ids = step.ats.map((at) => this.#pickTokenId(at))
        const payload = ids.map((id) => ({ data: `{{ ${id} }}`, token: `{{ token: ${id} }}` }))
        return {
          send: (client) => client.tokens.detokenize({ payload }),
          predict: (who) => model.detokenize(who, ids),
        }
      }
      case 'createIntent': {
        const { type, data } = step.content
        return {
          send: (client) => client.tokenIntents.create({ type, data: data as Json }),
          predict: (who) => model.createIntent(who, type, data as Json),
        }
      }
      case 'removeIntent': {
        const id = this.#pickIntentId(step.at)
        return {
          send: (client) => client.tokenIntents.remove({ id }),
          predict: (who) => model.removeIntent(who, id),
        }
      }
      case 'createApplication': {
        const { type, ...grants } = step.application.grants
        const expires_at = this.#formatMoment(step.application.expiry)
        const input = { name: 'App', type, ...grants, ...(expires_at !== undefined && { expires_at }) }
        return {
          send: async (client) =>
            client.applications.create(input as Parameters<TestClient['applications']['create']>[0]),
          predict: (who) => model.createApplication(who, { name: 'App', type, grants, expires_at }),
        }
      }
      case 'updateApplication': {
        const { type: _fixed, permissions, rules } = step.grants
        const id = this.#pickApplication(step.at)?.id ?? randomUUID()
        const grants = { permissions, rules }
        const input = { id, name: 'New', rules, ...(permissions.length > 0 && { permissions }) }
        return {
          send: (client) =>
            client.applications.update(input as Parameters<TestClient['applications']['update']>[0]),
          predict: (who) => model.updateApplication(who, id, 'New', grants),
        }
      }
      case 'getApplication': {
        const id = this.#pickApplication(step.at)?.id ?? randomUUID()
        return {
          send: (client) => client.applications.get({ id }),
          predict: (who) => model.getApplication(who, id),
        }
      }
      case 'removeApplication': {
        const id = this.#pickApplication(step.at)?.id ?? randomUUID()
        return {
          send: (client) => client.applications.remove({ id }),
          predict: (who) => model.removeApplication(who, id),
        }
      }
      case 'listApplications':
        return {
          send: async (client) => (await client.applications.list({ size: 100 })).data.map(({ id }) => id),
          predict: (who) => model.listApplications(who),
        }
      case 'createKey': {
        const id = this.#pickApplication(step.at)?.id ?? randomUUID()
        return { send: (client) => client.keys.create({ id }), predict: (who) => model.createKey(who, id) }
      }
      case 'removeKey': {
        const application = this.#pickApplication(step.at)
        const id = application?.id ?? randomUUID()
        const keyId = application?.keys[step.key]?.id ?? randomUUID()
        return {
          send: (client) => client.keys.remove({ id, keyId }),
          predict: (who) => model.removeKey(who, id, keyId),
        }
      }
      case 'listKeys': {
        const id = this.#pickApplication(step.at)?.id ?? randomUUID()
        return {
          send: async (client) => {
            const listed = await client.keys.list({ id, size: 100 })
            return (Array.isArray(listed) ? listed : listed.data).map((key) => key.id)
          },
          predict: (who) => model.listKeys(who, id),
        }
      }
      case 'startSession':
        return { send: (client) => client.sessions.create({}), predict: (who) => model.startSession(who) }
      case 'authorize': {
        const nonce = this.#pickNonce(step.at)
        const { permissions, rules } = step.who.fits
          ? findHeldGrants(model.findCaller(key), step.grants)
          : step.grants
        const expires_at = this.#formatMoment(step.expiry)
        const input = { nonce, permissions, rules, ...(expires_at !== undefined && { expires_at }) }
        return {
          send: (client) =>
            client.sessions.authorize(input as Parameters<TestClient['sessions']['authorize']>[0]),
          predict: (who) => model.authorizeSession(who, nonce, { permissions, rules }, expires_at),
        }
      }
      default:
        throw new Error(`no call for ${step.do}`)
    }
  }

  #formatMoment(expiry: Expiry | undefined): string | undefined {
    if (!expiry) return undefined
    const { until, offset } = expiry
    const [hours = '', minutes = ''] = offset.slice(1).split(':')
    const ahead = (Number(hours) * 60 + Number(minutes)) * (offset.startsWith('-') ? -1 : 1)
    return new Date(this.#model.now + until + ahead * 60_000).toISOString().replace('Z', offset)
  }

  #toNewToken({ content, intent, expiry, ...rest }: NewTokenStep): ModelNewToken {
    const from = intent === undefined ? content : { token_intent_id: this.#pickIntentId(intent) }
    return removeUndefined({ ...from, ...rest, expires_at: this.#formatMoment(expiry) }) as ModelNewToken
  }

  #toPatch({ expiry, ...rest }: PatchStep): ModelPatch {
    return removeUndefined({
      ...rest,
      expires_at: expiry === null ? null : this.#formatMoment(expiry),
    }) as ModelPatch
  }

  // Lists

  #toFilter(filter: FilterStep, folded: boolean): ModelFilter {
    if (filter.by === 'all') return { by: 'all' }
    if (filter.by === 'metadata') return { by: 'metadata', pairs: filter.pairs, folded }
    if ('value' in filter) return { by: filter.by, value: filter.value }
    if (filter.by === 'id') return { by: 'id', value: this.#pickTokenId(filter.of) }
    const texts = [...this.#model.fingerprints.keys()]
    const value = texts[filter.of % texts.length]
    return value === undefined ? { by: 'all' } : { by: 'fingerprint', value }
  }

  #getDigest(text: string): string {
    return this.#model.fingerprints.get(text) ?? text
  }

  /** Walks a cursor list from its first page to its last (L-01 to L-04, L-08). */
  async #walkList(key: string | null, step: WalkStep): Promise<number> {
    const filter = this.#toFilter(step.filter, false)
    const { container, size } = step
    const permissions = step.do === 'list' ? ['token:read'] : ['token:search', 'token:read']
    const { refusals, items } = this.#model.listTokens(
      this.#model.findCaller(key),
      filter,
      container,
      permissions,
    )
    const client = this.#createClient(key)
    const seen: Json[] = []
    let start: string | undefined
    let calls = 0
    do {
      const page = { size, ...(start !== undefined && { start }) }
      const outcome = await getOutcome(
        step.do === 'list'
          ? client.tokens.list({ ...this.#createListQuery(filter, container), ...page })
          : client.tokens.search({ ...this.#createSearchQuery(filter, container), ...page }),
      )
      calls++
      if ('status' in outcome || refusals.length > 0) {
        this.#compareOutcome(outcome, { refusals, accept: () => null })
        return calls
      }
      const { pagination, data } = outcome.ok as {
        pagination: { page_size: number; next?: string }
        data: Json[]
      }
      expect(pagination.page_size).toBe(size)
      seen.push(...data)
      start = pagination.next
      expect(data).toHaveLength(start === undefined ? items.length - (seen.length - data.length) : size)
    } while (start !== undefined)
    this.#expectSameItems(
      seen,
      items.map(({ views }) => views),
    )
    return calls
  }

  #createListQuery(filter: ModelFilter, container: string | undefined) {
    return {
      ...(container !== undefined && { container }),
      ...(filter.by === 'type' && { type: filter.value }),
      ...(filter.by === 'fingerprint' && { fingerprint: this.#getDigest(filter.value) }),
      ...(filter.by === 'metadata' && { metadata: filter.pairs.map(([k, v]): [string, string] => [k, v]) }),
    }
  }

  #createSearchQuery(filter: ModelFilter, container: string | undefined): { query?: string } {
    const terms =
      filter.by === 'fingerprint' ? [`fingerprint:${this.#getDigest(filter.value)}`] : toSearchTerms(filter)
    if (container !== undefined) terms.push(`container:"${container}"`)
    return terms.length > 0 ? { query: terms.join(' AND ') } : {}
  }

  /**
   * Reads all pages of an offset list and one more (L-05 to L-07). Tokens created at the same time may be in any order.
   */
  async #turnPages(key: string | null, step: PagesStep): Promise<number> {
    const filter = this.#toFilter(step.filter, true)
    const permissions = step.do === 'listV1' ? ['token:read'] : ['token:search', 'token:read']
    const { refusals, items } = this.#model.listTokens(
      this.#model.findCaller(key),
      filter,
      undefined,
      permissions,
    )
    const client = this.#createClient(key)
    const { size } = step
    const pages = Math.ceil(items.length / size)
    const seen: Json[] = []
    for (let page = 1; page <= pages + 1; page++) {
      const query = toSearchTerms(filter).join(' AND ')
      const outcome = await getOutcome(
        step.do === 'listV1'
          ? client.tokens.listV1({ ...toV1Query(filter), page, size })
          : client.tokens.searchV1({ ...(query !== '' && { query }), page, size }),
      )
      if ('status' in outcome || refusals.length > 0) {
        this.#compareOutcome(outcome, { refusals, accept: () => null })
        return page
      }
      const { pagination, data } = outcome.ok as { pagination: Json; data: Json[] }
      expect(pagination).toEqual({
        total_items: items.length,
        page_number: page,
        page_size: size,
        total_pages: pages,
      })
      seen.push(...data)
    }
    const times = seen.map((each) => String(isObject(each) ? each.created_at : ''))
    expect(times).toEqual(times.toSorted().toReversed())
    const place = new Map(seen.map((each, at) => [isObject(each) ? each.id : null, at]))
    const views = items.map((item) => item.views)
    const getPlace = ([view]: Json[]) => place.get(isObject(view) ? (view.id ?? null) : null) ?? -1
    this.#expectSameItems(
      seen,
      views.toSorted((a, b) => getPlace(a) - getPlace(b)),
    )
    return pages + 1
  }

  /** Checks that each item equals one of its possible views. If two permissions allow reading it, either may decide. */
  #expectSameItems(seen: readonly Json[], views: readonly Json[][]): void {
    const getIds = (items: readonly (Json | undefined)[]) =>
      items.map((each) => (isObject(each) ? each.id : each))
    expect(getIds(seen)).toEqual(getIds(views.map(([view]) => view)))
    for (const [at, item] of seen.entries()) {
      const [first = null, ...more] = views[at] ?? []
      const isOther = more.some((view) => isDeepStrictEqual(this.#toComparable(item, view), view))
      if (!isOther) this.#expectEqual(item, first)
    }
  }
}

/** Returns the grants that the caller holds itself, or all of them if it holds none. */
function findHeldGrants(who: ModelCaller | null, grants: Grants): Grants {
  const isHeld = (permission: Permission) => who !== null && holdsPermission(who, permission)
  const permissions = grants.permissions.filter(isHeld)
  const rules = grants.rules.flatMap((rule) => {
    const held = rule.permissions.filter(isHeld)
    return held.length > 0 ? [{ ...rule, permissions: held }] : []
  })
  return permissions.length + rules.length > 0 ? { permissions, rules } : grants
}

/** Returns only the members of a response that are in `expected`. */
function pickExpected(response: Json, expected: Json): Json {
  if (!isObject(response) || !isObject(expected)) return response
  return Object.fromEntries(Object.entries(response).filter(([name]) => name in expected))
}

/** Returns the terms of a search query; the caller adds those for fingerprints. */
function toSearchTerms(filter: ModelFilter): string[] {
  if (filter.by === 'all') return []
  if (filter.by === 'metadata') return filter.pairs.map(([key, value]) => `metadata.${key}:"${value}"`)
  return [`${filter.by}:"${filter.value}"`]
}

function toV1Query(filter: ModelFilter) {
  return {
    ...(filter.by === 'id' && { id: [filter.value] }),
    ...(filter.by === 'metadata' && { metadata: filter.pairs.map(([k, v]): [string, string] => [k, v]) }),
  }
}

function removeUndefined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

async function getOutcome(promise: Promise<unknown>): Promise<CallOutcome> {
  try {
    return { ok: (await promise) as Json }
  } catch (error) {
    if (error instanceof CofferError) return toProblem(error)
    throw error
  }
}
