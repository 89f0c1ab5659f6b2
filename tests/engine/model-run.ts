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
import { type Expected, type Filter, Model, type NewToken, type Patch } from './model.ts'
import { type Grants, holdsPermission, type ModelCaller } from './model-access.ts'
import type { FilterStep, NewTokenStep, PatchStep, Step, WhoStep, WriteStep } from './model-steps.ts'

type Client = ReturnType<typeof createTestClient>
type Answer = { readonly ok: Json } | { readonly status: number }
/** A call to the vault, and a function that returns what the model expects once earlier calls are done. */
type Call = { start(client: Client): Promise<unknown>; expected(who: ModelCaller | null): Expected }
/** The permission that a step needs, or the required type of caller. */
const permissionOf: Partial<Record<Step['do'], string>> = {
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
    this.#engine = this.#open()
  }

  #open(): Engine {
    // `ephemeral` only skips waiting for the disk. The file and the statements are the usual ones.
    return Engine.open(this.#file, this.#empty.master, { now: this.#clock.now, ephemeral: true })
  }

  close(): void {
    this.#engine.close()
    fs.rmSync(this.#file)
  }

  /** Runs one step on the vault and on the model, and throws if the results differ. Returns the number of calls. */
  async step(step: Step): Promise<number> {
    switch (step.do) {
      case 'wait':
        this.#clock.advance(step.ms)
        this.#model.now += step.ms
        return 1
      case 'sweep':
        await this.#engine.sweep()
        return 1
      case 'reopen':
        this.#engine.close()
        this.#engine = this.#open()
        return 1
      case 'rotate':
        await this.#engine.rotateDataKey(this.#empty.master)
        return 1
      case 'settings':
        return this.#changeSettings(step)
      case 'burst':
        await this.#together(step.writes)
        return step.writes.length
      case 'list':
      case 'search':
        return this.#walk(this.#key(step.who, 'token:read'), step)
      case 'listV1':
      case 'searchV1':
        return this.#turnPages(this.#key(step.who, 'token:read'), step)
      case 'authorize':
        return this.#authorize(step)
      case 'removeKey':
      case 'removeApplication':
        return this.#removeAccess(step)
      default:
        await this.#together([step])
        return 1
    }
  }

  /** Authorises a session and then lists the tokens that it can see. Returns the number of calls. */
  async #authorize(step: Extract<Step, { do: 'authorize' }>): Promise<number> {
    const { sessions } = this.#model
    const waiting = sessions.filter(({ authoriser }) => !authoriser)
    await this.#together([step])
    const key = waiting.find(({ authoriser }) => authoriser)?.key
    if (key === undefined) return 1
    const all = { filter: { by: 'all' as const }, size: 3 }
    const calls = await this.#walk(key, { do: 'list', container: undefined, ...all })
    return 1 + calls + (await this.#turnPages(key, { do: 'listV1', ...all }))
  }

  /** Checks that keys are accepted until they are deleted, and rejected from the next request on (K-03, X-19). */
  async #removeAccess(step: Extract<Step, { do: 'removeKey' | 'removeApplication' }>): Promise<number> {
    const before = this.#model.deadKeys.length
    const keys = this.#applicationAt(step.at)?.keys.flatMap(({ key }) => key ?? []) ?? []
    for (const key of keys) await this.#probe(key)
    await this.#together([step])
    const dead = this.#model.deadKeys.slice(before)
    for (const key of dead) await this.#probe(key)
    return 1 + keys.length + dead.length
  }

  async #probe(key: string): Promise<void> {
    const answer = await settle(this.#client(key).tokens.get({ id: 'no-such-id' }))
    this.#compare(answer, this.#model.get(this.#model.whoIs(key), 'no-such-id'))
  }

  async #changeSettings(step: { deduplicate_tokens: boolean; fingerprint_tokens: boolean }): Promise<number> {
    const { deduplicate_tokens, fingerprint_tokens } = step
    Object.assign(this.#model.settings, { deduplicate_tokens, fingerprint_tokens })
    const settings = {
      deduplicate_tokens: `${deduplicate_tokens}`,
      fingerprint_tokens: `${fingerprint_tokens}`,
    }
    await this.#client(null).tenants.update({ name: 'Model', settings })
    return 1
  }

  /** Runs calls concurrently, in one commit. The model applies them in the order they were made. */
  async #together(
    steps: readonly Exclude<Step, { do: 'burst' | 'list' | 'search' | 'listV1' | 'searchV1' }>[],
  ) {
    const calls = steps.flatMap((step) => {
      if (!('who' in step)) return []
      const key = this.#key(step.who, permissionOf[step.do])
      return [{ key, call: this.#callOf(step, key) }]
    })
    const answers = await Promise.all(calls.map(({ key, call }) => settle(call.start(this.#client(key)))))
    for (const [at, { key, call }] of calls.entries()) {
      this.#compare(answers[at] as Answer, call.expected(this.#model.whoIs(key)))
    }
  }

  #compare(answer: Answer, { refusals, accept, partly }: Expected): void {
    if ('status' in answer || refusals.length > 0) {
      expect(refusals.length > 0 ? refusals : ['success']).toContain(
        'status' in answer ? answer.status : 'success',
      )
    } else {
      const expected = accept(answer.ok)
      this.#equal(partly ? pickExpected(answer.ok, expected) : answer.ok, expected)
    }
  }

  #equal(answer: Json, expected: Json): void {
    const comparable = this.#comparable(answer, expected)
    if (!isDeepStrictEqual(comparable, expected)) expect(comparable).toEqual(expected)
  }

  /**
   * Converts a response to the model's form: only the members that the model has, and the text instead of its
   * fingerprint.
   */
  #comparable(answer: Json, expected: Json): Json {
    if (Array.isArray(answer)) {
      return answer.map((each, at) =>
        this.#comparable(each, Array.isArray(expected) ? (expected[at] ?? null) : null),
      )
    }
    if (!isObject(answer) || !isObject(expected)) return answer
    const { tenant_id, card, fingerprint, ...rest } = answer
    if (tenant_id !== undefined) expect(tenant_id).toBe(this.#empty.tenant_id)
    const result: Record<string, Json> = rest
    if (isObject(card)) {
      const { last4, expiration_month, expiration_year } = card
      const known = { last4, expiration_month, expiration_year }
      result.card = Object.fromEntries(
        Object.entries(known).filter((pair): pair is [string, Json] => pair[1] !== undefined),
      )
    }
    if (typeof fingerprint === 'string') result.fingerprint = this.#textOf(fingerprint, expected.fingerprint)
    if (isObject(expected.token)) result.token = this.#comparable(answer.token ?? null, expected.token)
    return result
  }

  /**
   * Returns the text that a fingerprint represents, learned on first use. Each text has exactly one fingerprint (T-09).
   */
  #textOf(digest: string, expected: Json | undefined): string {
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
  #key({ nth, fits }: WhoStep, permission: string | undefined): string | null {
    const { applications, sessions, deadKeys } = this.#model
    const keys = [
      null,
      ...applications.flatMap((each) => each.keys.flatMap(({ key }) => key ?? [])),
      ...sessions.slice(-4).map(({ key }) => key),
      ...deadKeys.slice(-1),
      'key_local_pvt_unknown',
    ]
    const fitting = keys.filter((key) => this.#fits(this.#model.whoIs(key), permission))
    return (fits ? fitting[nth % fitting.length] : keys[nth % keys.length]) ?? null
  }

  #fits(who: ModelCaller | null, permission: string | undefined): boolean {
    if (permission === undefined || who === null) return false
    if (permission.includes(':')) return holdsPermission(who, permission)
    return (
      who.kind === 'application' &&
      this.#model.applications.some(({ id, type }) => id === who.id && type === permission)
    )
  }

  #client(key: string | null): Client {
    return createTestClient(() => this.#engine, key === null ? { kind: 'owner' } : { kind: 'key', key })
  }

  #tokenId(at: number): string {
    const ids = [
      ...this.#model
        .live()
        .slice(-15)
        .map(({ id }) => id),
      'id-1',
    ]
    return ids[at % ids.length] ?? ''
  }

  #applicationAt(at: number) {
    const { applications } = this.#model
    return applications[at % (applications.length + 1)]
  }

  #intentId(at: number): string {
    const ids = [...this.#model.intents.map(({ id }) => id), randomUUID()]
    return ids[at % ids.length] ?? ''
  }

  /** Picks a nonce, mostly of a session that is not authorised yet. */
  #nonce(at: number): string {
    const { sessions, now } = this.#model
    const waiting = sessions.filter((each) => each.expires_at > now && !each.authoriser)
    const session = at % 5 === 0 ? sessions.at(-1) : waiting.at(-1)
    return session?.nonce ?? 'unknown'
  }

  // Calls

  #callOf(
    step: WriteStep | Exclude<Step, { do: 'burst' | 'list' | 'search' | 'listV1' | 'searchV1' }>,
    key: string | null,
  ): Call {
    const model = this.#model
    switch (step.do) {
      case 'create': {
        const input = this.#newToken(step.token)
        return {
          start: (client) => client.tokens.create(input as Parameters<Client['tokens']['create']>[0]),
          expected: (who) => model.create(who, input),
        }
      }
      case 'patch': {
        const id = this.#tokenId(step.at)
        const patch = this.#patch(step.patch)
        return {
          start: (client) =>
            client.tokens.update({ id, ...patch } as Parameters<Client['tokens']['update']>[0]),
          expected: (who) => model.patch(who, id, patch),
        }
      }
      case 'get': {
        const id = this.#tokenId(step.at)
        return { start: (client) => client.tokens.get({ id }), expected: (who) => model.get(who, id) }
      }
      case 'remove': {
        const id = this.#tokenId(step.at)
        return { start: (client) => client.tokens.remove({ id }), expected: (who) => model.remove(who, id) }
      }
      case 'reveal': {
        const id = this.#tokenId(step.at)
        return { start: (client) => client.tokens.reveal({ id }), expected: (who) => model.reveal(who, id) }
      }
      case 'detokenize': {
        const ids = step.ats.map((at) => this.#tokenId(at))
        const payload = ids.map((id) => ({ data: `{{ ${id} }}`, token: `{{ token: ${id} }}` }))
        return {
          start: (client) => client.tokens.detokenize({ payload }),
          expected: (who) => model.detokenize(who, ids),
        }
      }
      case 'createIntent': {
        const { type, data } = step.content
        return {
          start: (client) => client.tokenIntents.create({ type, data: data as Json }),
          expected: (who) => model.createIntent(who, type, data as Json),
        }
      }
      case 'removeIntent': {
        const id = this.#intentId(step.at)
        return {
          start: (client) => client.tokenIntents.remove({ id }),
          expected: (who) => model.removeIntent(who, id),
        }
      }
      case 'createApplication': {
        const { type, ...grants } = step.application.grants
        const expires_at = this.#moment(step.application.expiry)
        const input = { name: 'App', type, ...grants, ...(expires_at !== undefined && { expires_at }) }
        return {
          start: async (client) =>
            client.applications.create(input as Parameters<Client['applications']['create']>[0]),
          expected: (who) => model.createApplication(who, { name: 'App', type, grants, expires_at }),
        }
      }
      case 'updateApplication': {
        const { type: _fixed, permissions, rules } = step.grants
        const id = this.#applicationAt(step.at)?.id ?? randomUUID()
        const grants = { permissions, rules }
        const input = { id, name: 'New', rules, ...(permissions.length > 0 && { permissions }) }
        return {
          start: (client) =>
            client.applications.update(input as Parameters<Client['applications']['update']>[0]),
          expected: (who) => model.updateApplication(who, id, 'New', grants),
        }
      }
      case 'getApplication': {
        const id = this.#applicationAt(step.at)?.id ?? randomUUID()
        return {
          start: (client) => client.applications.get({ id }),
          expected: (who) => model.getApplication(who, id),
        }
      }
      case 'removeApplication': {
        const id = this.#applicationAt(step.at)?.id ?? randomUUID()
        return {
          start: (client) => client.applications.remove({ id }),
          expected: (who) => model.removeApplication(who, id),
        }
      }
      case 'listApplications':
        return {
          start: async (client) => (await client.applications.list({ size: 100 })).data.map(({ id }) => id),
          expected: (who) => model.listApplications(who),
        }
      case 'createKey': {
        const id = this.#applicationAt(step.at)?.id ?? randomUUID()
        return { start: (client) => client.keys.create({ id }), expected: (who) => model.createKey(who, id) }
      }
      case 'removeKey': {
        const application = this.#applicationAt(step.at)
        const id = application?.id ?? randomUUID()
        const keyId = application?.keys[step.key]?.id ?? randomUUID()
        return {
          start: (client) => client.keys.remove({ id, keyId }),
          expected: (who) => model.removeKey(who, id, keyId),
        }
      }
      case 'listKeys': {
        const id = this.#applicationAt(step.at)?.id ?? randomUUID()
        return {
          start: async (client) => {
            const listed = await client.keys.list({ id, size: 100 })
            return (Array.isArray(listed) ? listed : listed.data).map((key) => key.id)
          },
          expected: (who) => model.listKeys(who, id),
        }
      }
      case 'startSession':
        return { start: (client) => client.sessions.create({}), expected: (who) => model.startSession(who) }
      case 'authorize': {
        const nonce = this.#nonce(step.at)
        const { permissions, rules } = step.who.fits
          ? findHeldGrants(model.whoIs(key), step.grants)
          : step.grants
        const expires_at = this.#moment(step.expiry)
        const input = { nonce, permissions, rules, ...(expires_at !== undefined && { expires_at }) }
        return {
          start: (client) =>
            client.sessions.authorize(input as Parameters<Client['sessions']['authorize']>[0]),
          expected: (who) => model.authorizeSession(who, nonce, { permissions, rules }, expires_at),
        }
      }
      default:
        throw new Error(`no call for ${step.do}`)
    }
  }

  #moment(expiry: Expiry | undefined): string | undefined {
    if (!expiry) return undefined
    const { until, offset } = expiry
    const [hours = '', minutes = ''] = offset.slice(1).split(':')
    const ahead = (Number(hours) * 60 + Number(minutes)) * (offset.startsWith('-') ? -1 : 1)
    return new Date(this.#model.now + until + ahead * 60_000).toISOString().replace('Z', offset)
  }

  #newToken({ content, intent, expiry, ...rest }: NewTokenStep): NewToken {
    const from = intent === undefined ? content : { token_intent_id: this.#intentId(intent) }
    return removeUndefined({ ...from, ...rest, expires_at: this.#moment(expiry) }) as NewToken
  }

  #patch({ expiry, ...rest }: PatchStep): Patch {
    return removeUndefined({ ...rest, expires_at: expiry === null ? null : this.#moment(expiry) }) as Patch
  }

  // Lists

  #filter(filter: FilterStep, folded: boolean): Filter {
    if (filter.by === 'all') return { by: 'all' }
    if (filter.by === 'metadata') return { by: 'metadata', pairs: filter.pairs, folded }
    if ('value' in filter) return { by: filter.by, value: filter.value }
    if (filter.by === 'id') return { by: 'id', value: this.#tokenId(filter.of) }
    const texts = [...this.#model.fingerprints.keys()]
    const value = texts[filter.of % texts.length]
    return value === undefined ? { by: 'all' } : { by: 'fingerprint', value }
  }

  #digestOf(text: string): string {
    return this.#model.fingerprints.get(text) ?? text
  }

  /** Walks a cursor list from its first page to its last (L-01 to L-04, L-08). */
  async #walk(key: string | null, step: WalkStep): Promise<number> {
    const filter = this.#filter(step.filter, false)
    const { container, size } = step
    const permissions = step.do === 'list' ? ['token:read'] : ['token:search', 'token:read']
    const { refusals, items } = this.#model.list(this.#model.whoIs(key), filter, container, permissions)
    const client = this.#client(key)
    const seen: Json[] = []
    let start: string | undefined
    let calls = 0
    do {
      const page = { size, ...(start !== undefined && { start }) }
      const answer = await settle(
        step.do === 'list'
          ? client.tokens.list({ ...this.#listQuery(filter, container), ...page })
          : client.tokens.search({ ...this.#searchQuery(filter, container), ...page }),
      )
      calls++
      if ('status' in answer || refusals.length > 0) {
        this.#compare(answer, { refusals, accept: () => null })
        return calls
      }
      const { pagination, data } = answer.ok as {
        pagination: { page_size: number; next?: string }
        data: Json[]
      }
      expect(pagination.page_size).toBe(size)
      seen.push(...data)
      start = pagination.next
      expect(data).toHaveLength(start === undefined ? items.length - (seen.length - data.length) : size)
    } while (start !== undefined)
    this.#sameItems(
      seen,
      items.map(({ views }) => views),
    )
    return calls
  }

  #listQuery(filter: Filter, container: string | undefined) {
    return {
      ...(container !== undefined && { container }),
      ...(filter.by === 'type' && { type: filter.value }),
      ...(filter.by === 'fingerprint' && { fingerprint: this.#digestOf(filter.value) }),
      ...(filter.by === 'metadata' && { metadata: filter.pairs.map(([k, v]): [string, string] => [k, v]) }),
    }
  }

  #searchQuery(filter: Filter, container: string | undefined): { query?: string } {
    const terms =
      filter.by === 'fingerprint' ? [`fingerprint:${this.#digestOf(filter.value)}`] : toSearchTerms(filter)
    if (container !== undefined) terms.push(`container:"${container}"`)
    return terms.length > 0 ? { query: terms.join(' AND ') } : {}
  }

  /**
   * Reads all pages of an offset list and one more (L-05 to L-07). Tokens created at the same time may be in any order.
   */
  async #turnPages(key: string | null, step: PagesStep): Promise<number> {
    const filter = this.#filter(step.filter, true)
    const permissions = step.do === 'listV1' ? ['token:read'] : ['token:search', 'token:read']
    const { refusals, items } = this.#model.list(this.#model.whoIs(key), filter, undefined, permissions)
    const client = this.#client(key)
    const { size } = step
    const pages = Math.ceil(items.length / size)
    const seen: Json[] = []
    for (let page = 1; page <= pages + 1; page++) {
      const query = toSearchTerms(filter).join(' AND ')
      const answer = await settle(
        step.do === 'listV1'
          ? client.tokens.listV1({ ...toV1Query(filter), page, size })
          : client.tokens.searchV1({ ...(query !== '' && { query }), page, size }),
      )
      if ('status' in answer || refusals.length > 0) {
        this.#compare(answer, { refusals, accept: () => null })
        return page
      }
      const { pagination, data } = answer.ok as { pagination: Json; data: Json[] }
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
    const where = ([view]: Json[]) => place.get(isObject(view) ? (view.id ?? null) : null) ?? -1
    this.#sameItems(
      seen,
      views.toSorted((a, b) => where(a) - where(b)),
    )
    return pages + 1
  }

  /** Checks that each item equals one of its possible views. If two permissions allow reading it, either may decide. */
  #sameItems(seen: readonly Json[], views: readonly Json[][]): void {
    const ids = (items: readonly (Json | undefined)[]) =>
      items.map((each) => (isObject(each) ? each.id : each))
    expect(ids(seen)).toEqual(ids(views.map(([view]) => view)))
    for (const [at, item] of seen.entries()) {
      const [first = null, ...more] = views[at] ?? []
      const isOther = more.some((view) => isDeepStrictEqual(this.#comparable(item, view), view))
      if (!isOther) this.#equal(item, first)
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
function pickExpected(answer: Json, expected: Json): Json {
  if (!isObject(answer) || !isObject(expected)) return answer
  return Object.fromEntries(Object.entries(answer).filter(([name]) => name in expected))
}

/** Returns the terms of a search query; the caller adds those for fingerprints. */
function toSearchTerms(filter: Filter): string[] {
  if (filter.by === 'all') return []
  if (filter.by === 'metadata') return filter.pairs.map(([key, value]) => `metadata.${key}:"${value}"`)
  return [`${filter.by}:"${filter.value}"`]
}

function toV1Query(filter: Filter) {
  return {
    ...(filter.by === 'id' && { id: [filter.value] }),
    ...(filter.by === 'metadata' && { metadata: filter.pairs.map(([k, v]): [string, string] => [k, v]) }),
  }
}

function removeUndefined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

async function settle(promise: Promise<unknown>): Promise<Answer> {
  try {
    return { ok: (await promise) as Json }
  } catch (error) {
    if (error instanceof CofferError) return toProblem(error)
    throw error
  }
}
