import type { Json } from '../../shared/json.ts'
import type { RuleTransform } from '../../shared/schemas/rule.ts'
import {
  areValid,
  findAccess,
  type Grants,
  holdsPermission,
  isWithin,
  type ModelCaller,
  normalizeContainers,
  normalizeGrants,
} from './model-access.ts'
import {
  computeFingerprint,
  evaluateMask,
  getDefaultMask,
  mergePatch,
  toText,
  typeRules,
} from './model-types.ts'

/**
 * The expected result of a call. If `refusals` has statuses, the call must fail with one of them. If it is empty, the
 * call must succeed. `accept` then learns what the vault generated (ids, keys), changes the model, and returns the
 * expected response.
 */
export type ModelExpectation = {
  readonly refusals: readonly number[]
  accept(response: Json): Json
  /** Compares only the members that are in the expected response. */
  readonly partly?: true
}

export type ModelNewToken = {
  readonly id?: string
  readonly type?: string
  readonly data?: Json
  readonly token_intent_id?: string
  readonly mask?: Json
  readonly containers?: readonly string[]
  readonly metadata?: Readonly<Record<string, Json>>
  readonly search_indexes?: readonly string[]
  readonly fingerprint_expression?: string
  readonly deduplicate_token?: boolean
  readonly expires_at?: string
}

export type ModelPatch = {
  readonly data?: Json
  readonly mask?: Json
  readonly metadata?: Readonly<Record<string, Json>> | null
  readonly containers?: readonly string[] | null
  readonly search_indexes?: readonly string[] | null
  readonly fingerprint_expression?: string | null
  readonly deduplicate_token?: boolean | null
  readonly expires_at?: string | null
}

export type ModelFilter =
  | { readonly by: 'all' }
  | { readonly by: 'id' | 'type' | 'fingerprint' | 'data'; readonly value: string }
  /** A token must have all of these pairs; `folded` ignores case. */
  | {
      readonly by: 'metadata'
      readonly pairs: readonly (readonly [string, string])[]
      readonly folded: boolean
    }

/** A token of the model: what the caller specified, and what is derived from it. */
export type ModelToken = {
  readonly id: string
  readonly given_id: boolean
  readonly type: string
  readonly data: Json
  /** Undefined means the type's default, null means no mask. */
  readonly mask: Json | undefined
  readonly containers: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly search_indexes: readonly string[] | undefined
  readonly fingerprint_expression: string | undefined
  /** The type and text that are fingerprinted; null without a fingerprint. */
  readonly fingerprint: string | null
  readonly values: readonly string[]
  readonly expires: { readonly at: number; readonly text: string } | null
  readonly cvc_at: number | null
  readonly created_by: string | null
  readonly created_at: number
  readonly modified_by: string | null
  readonly modified_at: number | null
}

/** A token before its derived members. */
type ModelDraft = Omit<ModelToken, 'fingerprint' | 'values' | 'expires' | 'metadata'> & {
  readonly metadata: Readonly<Record<string, Json>>
  readonly expires_at: string | ModelToken['expires'] | undefined
  readonly is_fingerprinted: boolean
}

export type ModelApplication = {
  readonly id: string
  readonly type: string
  name: string
  grants: Grants
  readonly expires_at: number | null
  keys: readonly { readonly id: string; readonly key: string | null }[]
}

export type ModelSession = {
  readonly key: string
  readonly nonce: string
  readonly application_id: string
  expires_at: number
  authorizer: { readonly id: string; readonly grants: Grants } | null
}

export type ModelIntent = {
  readonly id: string
  readonly type: string
  readonly data: Json
  readonly fingerprint: string
  readonly expires_at: number
}

const minute = 60_000
const day = 24 * 60 * minute
const toIso = (ms: number) => new Date(ms).toISOString().replace('Z', '+00:00')
const removeSeparators = (text: string) => text.replace(/[^a-zA-Z0-9]/g, '')
const toMembers = (response: Json) => response as Record<string, Json>
const refuseWith = (...refusals: number[]): ModelExpectation => ({ refusals, accept: () => null })

/** A session whose authorizing application was deleted may be treated as unknown or as without permission. */
function rejectCaller(who: ModelCaller | null): ModelExpectation {
  if (!who) return refuseWith(401)
  return who.kind === 'session' && who.is_orphan ? refuseWith(401, 403) : refuseWith(403)
}

/** An in-memory model of the API: who can read what, with which transform, in which order. */
export class Model {
  now: number
  readonly settings = { deduplicate_tokens: false, fingerprint_tokens: true, cvc_retention_ms: 60 * minute }
  /** The tokens in the order of creation. */
  tokens: ModelToken[] = []
  applications: ModelApplication[] = []
  sessions: ModelSession[] = []
  intents: ModelIntent[] = []
  /** Keys that no longer work. */
  readonly deadKeys: string[] = []
  /** The fingerprint of each text, learned from the vault. No two texts have the same fingerprint. */
  readonly fingerprints = new Map<string, string>()

  constructor(now: number) {
    this.now = now
  }

  // Callers

  /** Returns the caller of a key; null if the key is not valid (A-04, K-03, O-04). */
  findCaller(key: string | null): ModelCaller | null {
    if (key === null) return { kind: 'owner' }
    const application = this.#getLiveApplications().find((each) => each.keys.some((one) => one.key === key))
    if (application) return { kind: 'application', id: application.id, grants: application.grants }
    const session = this.sessions.find((each) => each.key === key && each.expires_at > this.now)
    if (!session || !this.#findApplication(session.application_id)) return null
    const { application_id, authorizer } = session
    const authorizing = authorizer && this.#findApplication(authorizer.id)
    return {
      kind: 'session',
      id: key,
      application_id,
      grants: authorizer?.grants ?? { permissions: [], rules: [] },
      authorizer: authorizing ? authorizing.grants : null,
      is_orphan: authorizer !== null && !authorizing,
    }
  }

  #getLiveApplications(): ModelApplication[] {
    return this.applications.filter(({ expires_at }) => expires_at === null || expires_at > this.now)
  }

  #findApplication(id: string): ModelApplication | undefined {
    return this.#getLiveApplications().find((each) => each.id === id)
  }

  /** The tokens that have not expired (T-14). */
  getLiveTokens(): ModelToken[] {
    return this.tokens.filter(({ expires }) => expires === null || expires.at > this.now)
  }

  #findToken(id: string): ModelToken | undefined {
    return this.getLiveTokens().find((each) => each.id === id)
  }

  /**
   * Returns the refusal if the key is not valid or lacks the permission on any container, which every operation checks
   * first (A-04, P-12).
   */
  #checkPermission(who: ModelCaller | null, ...permissions: string[]): ModelExpectation | null {
    if (!who) return refuseWith(401)
    if (permissions.some((permission) => holdsPermission(who, permission))) return null
    return rejectCaller(who)
  }

  // Tokens

  createToken(who: ModelCaller | null, input: ModelNewToken): ModelExpectation {
    const gate = this.#checkPermission(who, 'token:create')
    if (gate || !who) return gate ?? refuseWith(401)
    const intent = this.#findIntent(input.token_intent_id)
    const draft = this.#draftToken(who, input, intent)
    if (!draft) return refuseWith(400)
    const token = this.#deriveToken(draft)
    const containers = normalizeContainers(draft.containers)
    const transform = containers && findAccess(who, 'token:create', containers, 'all')
    const refusals = draft.given_id ? this.#listIdRefusals(draft.id) : []
    if (!token) refusals.push(400)
    if (containers && !transform) refusals.push(403)
    if (refusals.length > 0 || !token || !transform) return refuseWith(...refusals)
    const first =
      draft.is_fingerprinted && this.#findDuplicate(token.type, token.fingerprint, undefined, null)
    if (intent && first && this.#mergeIntent(who, first, input, draft) === 'invalid') return refuseWith(400)
    return {
      refusals,
      accept: (response) => {
        if (intent) this.intents = this.intents.filter((each) => each !== intent)
        const { id } = toMembers(response)
        const original =
          draft.is_fingerprinted && this.#findDuplicate(token.type, token.fingerprint, id, null)
        if (original) {
          const after = intent ? this.#mergeIntent(who, original, input, draft) : null
          if (!after || after === 'invalid') return this.#viewDuplicate(who, original)
          this.tokens = this.tokens.map((each) => (each === original ? after : each))
          return this.#viewDuplicate(who, after, 'update_existing')
        }
        const made = { ...token, id: draft.given_id ? draft.id : String(id) }
        this.tokens.push(made)
        return { ...this.viewToken(made, transform), _extras: { deduplicated: false } }
      },
    }
  }

  /** The duplicate with a token intent merged into it; null if the caller may not update it (T-10, O-03). */
  #mergeIntent(
    who: ModelCaller,
    before: ModelToken,
    input: ModelNewToken,
    { data }: ModelDraft,
  ): ModelToken | 'invalid' | null {
    if (!findAccess(who, 'token:update', before.containers, 'all')) return null
    const after = this.#deriveToken(this.#draftPatch(who, before, { ...input, data }))
    if (!after) return 'invalid'
    return findAccess(who, 'token:update', after.containers, 'all') ? after : null
  }

  /** The token that a request asks for; null if its type or its token intent is not valid. */
  #draftToken(who: ModelCaller, input: ModelNewToken, intent: ModelIntent | undefined): ModelDraft | null {
    const { type = intent?.type ?? '', data = intent ? removeCvc(intent.data) : null } = input
    const rules = typeRules[type]
    const isIntentWrong = input.token_intent_id !== undefined && (!intent || input.type !== undefined)
    if (!rules || isIntentWrong) return null
    const id = this.#computeId(input.id, data)
    return {
      is_fingerprinted: input.deduplicate_token ?? this.settings.deduplicate_tokens,
      id: id ?? '',
      given_id: id !== null,
      type,
      data,
      mask: input.mask ?? undefined,
      containers: input.containers ?? [rules.container],
      metadata: input.metadata ?? {},
      search_indexes: input.search_indexes,
      fingerprint_expression: input.fingerprint_expression,
      expires_at: input.expires_at,
      cvc_at: hasCvc(type, data) ? this.now : null,
      created_by: getCreatorId(who),
      created_at: this.now,
      modified_by: null,
      modified_at: null,
    }
  }

  #listIdRefusals(id: string): number[] {
    const refusals: number[] = []
    if (id.length < 3 || /[/?#]/.test(id)) refusals.push(400)
    if (this.#findToken(id)) refusals.push(409)
    return refusals
  }

  patchToken(who: ModelCaller | null, id: string, patch: ModelPatch): ModelExpectation {
    const gate = this.#checkPermission(who, 'token:update')
    if (gate || !who) return gate ?? refuseWith(401)
    const before = this.#findToken(id)
    if (!before) return refuseWith(404, ...(patch.containers?.length === 0 ? [400] : []))
    const draft = this.#draftPatch(who, before, patch)
    const after = this.#deriveToken(draft)
    const containers = normalizeContainers(draft.containers)
    const transform = containers && findAccess(who, 'token:update', containers, 'all')
    const refusals: number[] = []
    if (!after || patch.data === null) refusals.push(400)
    if (!findAccess(who, 'token:update', before.containers, 'all') || (containers && !transform))
      refusals.push(403)
    if (refusals.length > 0 || !after || !transform) return refuseWith(...refusals)
    return {
      refusals,
      accept: (response) => {
        const original =
          patch.deduplicate_token &&
          after.fingerprint !== before.fingerprint &&
          this.#findDuplicate(after.type, after.fingerprint, toMembers(response).id, id)
        if (original) return this.#viewDuplicate(who, original)
        this.tokens = this.tokens.map((each) => (each === before ? after : each))
        return { ...this.viewToken(after, transform), _extras: { deduplicated: false } }
      },
    }
  }

  #draftPatch(who: ModelCaller, before: ModelToken, patch: ModelPatch): ModelDraft {
    const { type, metadata } = before
    const had = this.#getData(before)
    const data = patch.data === undefined ? had : mergePatch(had, patch.data)
    const rules = typeRules[type] as (typeof typeRules)[string]
    const isCvcNew = hasCvc(type, patch.data ?? null)
    return {
      ...before,
      // A token that has a fingerprint always keeps one.
      is_fingerprinted:
        before.fingerprint !== null || (patch.deduplicate_token ?? this.settings.deduplicate_tokens),
      data,
      mask: patchMask(before, had, patch.mask),
      containers: patchValue(before.containers, patch.containers) ?? [rules.container],
      metadata:
        patch.metadata === undefined
          ? metadata
          : ((mergePatch(metadata, patch.metadata) as Record<string, Json> | null) ?? {}),
      search_indexes: patchValue(before.search_indexes, patch.search_indexes),
      fingerprint_expression: patchValue(before.fingerprint_expression, patch.fingerprint_expression),
      expires_at: patchValue<string | ModelToken['expires']>(before.expires, patch.expires_at),
      cvc_at: hasCvc(type, data) ? (isCvcNew ? this.now : before.cvc_at) : null,
      modified_by: getCreatorId(who),
      modified_at: this.now,
    }
  }

  getToken(who: ModelCaller | null, id: string): ModelExpectation {
    return this.#visitToken(who, 'token:read', id, 'any', (token, transform) =>
      this.viewToken(token, transform),
    )
  }

  removeToken(who: ModelCaller | null, id: string): ModelExpectation {
    return this.#visitToken(who, 'token:delete', id, 'all', (token) => {
      this.tokens = this.tokens.filter((each) => each !== token)
      return {}
    })
  }

  /** Returns 403 if the token exists, otherwise 404 (P-11). */
  #visitToken(
    who: ModelCaller | null,
    permission: string,
    id: string,
    which: 'any' | 'all',
    accept: (token: ModelToken, transform: RuleTransform) => Json,
  ): ModelExpectation {
    const gate = this.#checkPermission(who, permission)
    if (gate || !who) return gate ?? refuseWith(401)
    const token = this.#findToken(id)
    if (!token) return refuseWith(404)
    const transform = findAccess(who, permission, token.containers, which)
    if (!transform) return refuseWith(403)
    return { refusals: [], accept: () => accept(token, transform) }
  }

  revealToken(who: ModelCaller | null, id: string): ModelExpectation {
    if (who?.kind !== 'owner') return rejectCaller(who)
    const token = this.#findToken(id)
    return token ? { refusals: [], accept: () => this.viewToken(token, 'reveal') } : refuseWith(404)
  }

  detokenize(who: ModelCaller | null, ids: readonly string[]): ModelExpectation {
    const gate = this.#checkPermission(who, 'token:read')
    if (gate || !who) return gate ?? refuseWith(401)
    const found = ids.map((id) => this.#findToken(id))
    const views = found.map((token) => {
      const transform = token && findAccess(who, 'token:read', token.containers)
      return transform ? this.viewToken(token, transform) : null
    })
    const refusals = [
      ...(found.includes(undefined) ? [400] : []),
      ...(found.some((token, at) => token && !views[at]) ? [403] : []),
    ]
    const toView = (view: Json) => ({ data: toMembers(view).data ?? null, token: view })
    return { refusals, accept: () => views.map(toView) }
  }

  // Lists

  /**
   * The tokens of a list that a caller may see, as it may see them, in the order of L-03. Any one of `permissions` lets
   * it read (P-09, L-07).
   */
  listTokens(
    who: ModelCaller | null,
    filter: ModelFilter,
    container: string | undefined,
    permissions: readonly string[],
  ): { readonly refusals: readonly number[]; readonly items: { created_at: number; views: Json[] }[] } {
    const gate = this.#checkPermission(who, ...permissions)
    if (gate || !who) return { refusals: (gate ?? refuseWith(401)).refusals, items: [] }
    const scope = container === undefined ? '/' : normalizeContainers([container])?.[0]
    if (scope === undefined) return { refusals: [400], items: [] }
    if (container !== undefined && !permissions.some((each) => findAccess(who, each, [scope])))
      return { refusals: [403], items: [] }
    const items = this.getLiveTokens()
      .filter(
        (token) => token.containers.some((each) => isWithin(scope, each)) && matchesFilter(token, filter),
      )
      .map((token) => ({
        token,
        created_at: token.created_at,
        views: permissions.flatMap((each) => {
          const transform = findAccess(who, each, token.containers)
          return transform ? [this.viewToken(token, transform)] : []
        }),
      }))
      .filter(({ views }) => views.length > 0)
    return { refusals: [], items: items.toSorted((a, b) => (isBefore(a.token, b.token) ? -1 : 1)) }
  }

  // Presentation

  /** Returns a token as a transform shows it (T-08, P-08), with the text of its fingerprint instead of the digest. */
  viewToken(token: ModelToken, transform: RuleTransform): Record<string, Json> {
    const data = this.#getData(token)
    const mask = token.mask === undefined ? getDefaultMask(token.type, data) : token.mask
    const rules = typeRules[token.type]
    const shown: Record<string, Json | undefined> = {
      id: token.id,
      type: token.type,
      data:
        transform === 'reveal'
          ? data
          : transform === 'mask' && mask !== null
            ? evaluateMask(mask, data)
            : undefined,
      mask: mask ?? undefined,
      ...computeDetails(token.type, data),
      fingerprint: token.fingerprint ?? undefined,
      fingerprint_expression:
        token.fingerprint_expression ??
        (token.fingerprint === null ? undefined : rules?.fingerprint_expression),
      containers: [...token.containers],
      metadata: Object.keys(token.metadata).length > 0 ? { ...token.metadata } : undefined,
      search_indexes: toOptionalList(token.search_indexes ?? rules?.search_indexes ?? []),
      expires_at: token.expires?.text,
      created_by: token.created_by ?? undefined,
      created_at: toIso(token.created_at),
      modified_by: token.modified_by ?? undefined,
      modified_at: token.modified_at === null ? undefined : toIso(token.modified_at),
    }
    return removeUndefined(shown)
  }

  /** The data of a token, without a cvc past its retention time (T-15). */
  #getData({ data, cvc_at }: ModelToken): Json {
    const isOld = cvc_at !== null && this.now - cvc_at >= this.settings.cvc_retention_ms
    return isOld ? removeCvc(data) : data
  }

  /** A duplicate as a caller sees it: only its identity if the caller may not read it (T-10, T-13). */
  #viewDuplicate(who: ModelCaller, original: ModelToken, deduplication_behavior = 'read_existing'): Json {
    const transform = findAccess(who, 'token:read', original.containers)
    const view = this.viewToken(original, transform ?? 'redact')
    const known = ['id', 'type', 'fingerprint', 'containers']
    const shown = Object.entries(view).filter(([name]) => transform || known.includes(name))
    return {
      ...Object.fromEntries(shown),
      _extras: { deduplicated: true, deduplication_behavior },
    }
  }

  /**
   * The token that the vault returned, if it is one of the duplicates; otherwise the first duplicate (T-10, T-13).
   */
  #findDuplicate(
    type: string,
    fingerprint: string | null,
    returnedId: Json | undefined,
    except: string | null,
  ) {
    if (fingerprint === null) return undefined
    const all = this.getLiveTokens().filter(
      (each) => each.type === type && each.fingerprint === fingerprint && each.id !== except,
    )
    return all.find((each) => each.id === returnedId) ?? all[0]
  }

  // Derived members of a token

  /** A token with all derived members; null if the rules reject it (T-02 to T-09, T-14). */
  #deriveToken({ expires_at, is_fingerprinted, ...draft }: ModelDraft): ModelToken | null {
    const { type, data, metadata } = draft
    const rules = typeRules[type]
    const containers = normalizeContainers(draft.containers)
    if (!rules?.isValid(data) || !containers || containers.length === 0) return null
    const values = (draft.search_indexes ?? rules.search_indexes).map((each) => evaluateMask(each, data))
    if (values.some((each) => each === null || each === '')) return null
    if (!Object.values(metadata).every((each) => typeof each === 'string')) return null
    const texts = [...Object.entries(metadata).flat(), ...(draft.given_id ? [draft.id] : [])].map(String)
    if (hasSensitive(texts, rules.sensitive(data))) return null
    const expires = parseExpiry(expires_at)
    if (typeof expires_at === 'string' && Date.parse(expires_at) < this.now) return null
    const wanted =
      is_fingerprinted || this.settings.fingerprint_tokens || draft.fingerprint_expression !== undefined
    const text = computeFingerprint(type, draft.fingerprint_expression, data, metadata)
    if (text === null) return null
    return {
      ...draft,
      containers,
      metadata: metadata as Record<string, string>,
      expires,
      fingerprint: wanted ? `${type} ${text}` : null,
      values: values.map(toText),
    }
  }

  /** The id that a request asks for; null if the vault generates one (T-04). */
  #computeId(id: string | undefined, data: Json): string | null {
    if (id === undefined || !id.includes('{{')) return id ?? null
    const value = evaluateMask(id, data)
    // An expression with an empty result gives no id.
    const alias = value === null ? '' : toText(value)
    return this.#findToken(alias) ? null : alias
  }

  // Token intents

  #findIntent(id: string | undefined): ModelIntent | undefined {
    return this.intents.find((each) => each.id === id && each.expires_at > this.now)
  }

  createIntent(who: ModelCaller | null, type: string, data: Json): ModelExpectation {
    const gate = this.#checkPermission(who, 'token-intent:create')
    if (gate || !who) return gate ?? refuseWith(401)
    const rules = typeRules[type]
    if (!rules?.isValid(data)) return refuseWith(400)
    const fingerprint = `${type} ${toText(evaluateMask(rules.fingerprint_expression, data))}`
    return {
      refusals: [],
      accept: (response) => {
        const id = String(toMembers(response).id)
        this.intents.push({ id, type, data, fingerprint, expires_at: this.now + day })
        return removeUndefined({
          id,
          type,
          ...computeDetails(type, data),
          fingerprint,
          created_by: getCreatorId(who) ?? undefined,
          created_at: toIso(this.now),
          expires_at: toIso(this.now + day),
        })
      },
    }
  }

  removeIntent(who: ModelCaller | null, id: string): ModelExpectation {
    const gate = this.#checkPermission(who, 'token-intent:delete')
    if (gate) return gate
    if (!this.#findIntent(id)) return refuseWith(404)
    return {
      refusals: [],
      accept: () => {
        this.intents = this.intents.filter((each) => each.id !== id)
        return {}
      },
    }
  }

  // Applications, keys, sessions

  createApplication(
    who: ModelCaller | null,
    input: { name: string; type: string; grants: Grants; expires_at: string | undefined },
  ): ModelExpectation {
    const gate = this.#checkPermission(who, 'application:create')
    if (gate) return gate
    const { name, type, grants, expires_at } = input
    const expires = expires_at === undefined ? null : Date.parse(expires_at)
    if (!areValid(type, grants) || (expires !== null && expires < this.now)) return refuseWith(400)
    return {
      refusals: [],
      partly: true,
      accept: (response) => {
        const { id, key, keys } = response as { id: string; key: string; keys: { id: string }[] }
        const known = keys.map((each) => ({ id: each.id, key }))
        this.applications.push({
          id,
          type,
          name,
          grants: normalizeGrants(grants),
          expires_at: expires,
          keys: known,
        })
        return viewApplication({ id, name, type, grants: normalizeGrants(grants) })
      },
    }
  }

  updateApplication(who: ModelCaller | null, id: string, name: string, grants: Grants): ModelExpectation {
    return this.#visitApplication(who, 'application:update', id, (application) => {
      if (!areValid(application.type, grants)) return null
      return () => {
        application.name = name
        application.grants = normalizeGrants(grants)
        return viewApplication(application)
      }
    })
  }

  getApplication(who: ModelCaller | null, id: string): ModelExpectation {
    return this.#visitApplication(
      who,
      'application:read',
      id,
      (application) => () => viewApplication(application),
    )
  }

  removeApplication(who: ModelCaller | null, id: string): ModelExpectation {
    return this.#visitApplication(who, 'application:delete', id, (application) => () => {
      this.#buryKeys(application.keys)
      this.applications = this.applications.filter((each) => each !== application)
      return {}
    })
  }

  createKey(who: ModelCaller | null, id: string): ModelExpectation {
    const application = this.#findApplication(id)
    if (application?.keys.length === 3)
      return this.#checkPermission(who, 'application:create') ?? refuseWith(422)
    return this.#visitApplication(who, 'application:create', id, (found) => (response) => {
      const { id: key_id, key } = response as { id: string; key: string }
      found.keys = [{ id: key_id, key }, ...found.keys]
      return { id: key_id, key }
    })
  }

  removeKey(who: ModelCaller | null, id: string, key_id: string): ModelExpectation {
    const application = this.#findApplication(id)
    if (!application?.keys.some((each) => each.id === key_id))
      return this.#checkPermission(who, 'application:delete') ?? refuseWith(404)
    return this.#visitApplication(who, 'application:delete', id, (found) => () => {
      this.#buryKeys(found.keys.filter((each) => each.id === key_id))
      found.keys = found.keys.filter((each) => each.id !== key_id)
      return {}
    })
  }

  /** Ids of applications, or of the keys of one, newest first (K-02, K-03). */
  listApplications(who: ModelCaller | null): ModelExpectation {
    const gate = this.#checkPermission(who, 'application:read')
    return (
      gate ?? {
        refusals: [],
        accept: () =>
          this.#getLiveApplications()
            .map(({ id }) => id)
            .toReversed(),
      }
    )
  }

  listKeys(who: ModelCaller | null, id: string): ModelExpectation {
    return this.#visitApplication(
      who,
      'application:read',
      id,
      ({ keys }) =>
        () =>
          keys.map((each) => each.id),
    )
  }

  #visitApplication(
    who: ModelCaller | null,
    permission: string,
    id: string,
    plan: (application: ModelApplication) => ((response: Json) => Json) | null,
  ): ModelExpectation {
    const gate = this.#checkPermission(who, permission)
    if (gate) return gate
    const application = this.#findApplication(id)
    if (!application) return refuseWith(404)
    const accept = plan(application)
    return accept ? { refusals: [], accept, partly: true } : refuseWith(400)
  }

  #buryKeys(keys: ModelApplication['keys']): void {
    this.deadKeys.push(...keys.flatMap(({ key }) => key ?? []))
  }

  startSession(who: ModelCaller | null): ModelExpectation {
    if (!who) return refuseWith(401)
    const application = who.kind === 'application' ? this.#findApplication(who.id) : undefined
    if (application?.type !== 'public') return rejectCaller(who)
    return {
      refusals: [],
      accept: (response) => {
        const { session_key, nonce } = response as { session_key: string; nonce: string }
        const expires_at = this.now + 3 * minute
        const { id } = application
        this.sessions.push({ key: session_key, nonce, application_id: id, expires_at, authorizer: null })
        return { session_key, nonce, expires_at: toIso(expires_at) }
      },
    }
  }

  authorizeSession(
    who: ModelCaller | null,
    nonce: string,
    grants: Grants,
    expires_at: string | undefined,
  ): ModelExpectation {
    if (!who) return refuseWith(401)
    const application = who.kind === 'application' ? this.#findApplication(who.id) : undefined
    if (application?.type !== 'private') return rejectCaller(who)
    const refusals: number[] = []
    if (!areValid('session', grants)) refusals.push(400)
    const asked = [...grants.permissions, ...grants.rules.flatMap((rule) => rule.permissions)]
    if (!asked.every((permission) => holdsPermission(who, permission))) refusals.push(403)
    const session = this.sessions.find(
      (each) =>
        each.nonce === nonce && each.expires_at > this.now && this.#findApplication(each.application_id),
    )
    if (!session) refusals.push(404)
    if (session?.authorizer) refusals.push(409)
    // The session may have been deleted together with the application that authorized it.
    if (session?.authorizer && !this.#findApplication(session.authorizer.id)) refusals.push(404)
    if (expires_at !== undefined && Date.parse(expires_at) < this.now) refusals.push(400)
    if (refusals.length > 0 || !session) return refuseWith(...refusals)
    return {
      refusals,
      accept: () => {
        session.authorizer = { id: application.id, grants: normalizeGrants(grants) }
        if (expires_at !== undefined) session.expires_at = Date.parse(expires_at)
        return {}
      },
    }
  }
}

function viewApplication({
  id,
  name,
  type,
  grants,
}: Pick<ModelApplication, 'id' | 'name' | 'type' | 'grants'>): Json {
  return JSON.parse(JSON.stringify({ id, name, type, ...grants }))
}

function getCreatorId(who: ModelCaller): string | null {
  if (who.kind === 'owner') return null
  return who.kind === 'session' ? who.application_id : who.id
}

function patchValue<T>(before: T | undefined, patch: T | null | undefined): T | undefined {
  return patch === undefined ? before : (patch ?? undefined)
}

function patchMask({ type, mask }: ModelToken, data: Json, patch: Json | undefined): Json | undefined {
  if (patch === undefined) return mask
  return mergePatch(mask === undefined ? getDefaultMask(type, data) : mask, patch)
}

function hasSensitive(texts: readonly string[], sensitive: string | null): boolean {
  if (sensitive === null) return false
  const isShort = sensitive.length < 5
  return texts.map(removeSeparators).some((text) => (isShort ? text === sensitive : text.includes(sensitive)))
}

function parseExpiry(expires_at: ModelDraft['expires_at']): ModelToken['expires'] {
  if (typeof expires_at !== 'string') return expires_at ?? null
  return { at: Date.parse(expires_at), text: expires_at }
}

function hasCvc(type: string, data: Json): boolean {
  return type === 'card' && data !== null && (toMembers(data).cvc ?? null) !== null
}

function removeCvc(data: Json): Json {
  if (typeof data !== 'object' || data === null || !('cvc' in data)) return data
  const { cvc: _gone, ...rest } = data
  return rest
}

function toOptionalList(list: readonly string[]): Json | undefined {
  return list.length > 0 ? [...list] : undefined
}

function removeUndefined(shown: Record<string, Json | undefined>): Record<string, Json> {
  const present = Object.entries(shown).filter((pair): pair is [string, Json] => pair[1] !== undefined)
  return Object.fromEntries(present)
}

/** The details of T-16 and T-17 that depend only on the data. */
function computeDetails(type: string, data: Json): Record<string, Json> {
  if (type === 'bank') {
    const { routing_number = '', account_number } = toMembers(data)
    return { bank: { routing_number, account_number_last4: String(account_number).slice(-4) } }
  }
  if (type !== 'card') return {}
  const { number, expiration_month, expiration_year } = toMembers(data)
  return {
    card: removeUndefined({ last4: String(number).slice(-4), expiration_month, expiration_year }),
  }
}

function matchesFilter(token: ModelToken, filter: ModelFilter): boolean {
  switch (filter.by) {
    case 'all':
      return true
    case 'id':
      return token.id === filter.value
    case 'type':
      return token.type === filter.value
    case 'fingerprint':
      return token.fingerprint === filter.value
    case 'data':
      return token.values.includes(filter.value)
    case 'metadata': {
      const foldCase = (text: string) => (filter.folded ? text.toLowerCase() : text)
      return filter.pairs.every(([key, value]) =>
        Object.entries(token.metadata).some(
          ([k, v]) => foldCase(k) === foldCase(key) && foldCase(v) === foldCase(value),
        ),
      )
    }
  }
}

/** L-03: by primary container, then creation, then id, all descending. */
function isBefore(one: ModelToken, other: ModelToken): boolean {
  const [a = '', b = ''] = [one.containers[0], other.containers[0]]
  if (a !== b) return a > b
  return one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at
}
