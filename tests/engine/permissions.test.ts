import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCofferError } from '../../electron/engine/db/storage-error.ts'
import { catalogue } from '../../electron/engine/operations.ts'
import type { Caller } from '../../electron/engine/pipeline/call.ts'
import { type Permission, permissionNames } from '../../shared/permissions.ts'
import type { AccessRule, RuleTransform } from '../../shared/schemas/rule.ts'
import { fuzzTimeout, getFuzzParameters } from '../fuzz.ts'
import { openVault } from '../vault.ts'
import { getDocumentedNeed, listUnknownRoutes } from './documented-permissions.ts'
import {
  areValid,
  canHold,
  findAccess,
  type Grants,
  holdsPermission,
  type ModelCaller,
  normalizeGrants,
} from './model-access.ts'

// Random applications, rules and sessions ask for every operation. Each decision is compared with the model of the
// documents (P-02 to P-12, O-04), through the public interface.

const types = ['public', 'private', 'management'] as const
type Type = (typeof types)[number]

const tokens = [
  { id: 'tok-1', containers: ['/'] },
  { id: 'tok-2', containers: ['/a/'] },
  { id: 'tok-12', containers: ['/a/b/'] },
  { id: 'TOK-1', containers: ['/ab/'] },
  { id: 'other', containers: ['/a-b/', '/a/c/'] },
  { id: 'two', containers: ['/b/', '/a/b/c/'] },
  { id: 'three', containers: ['/c/', '/a/', '/b/'] },
] as const
const scopes = ['/', '/a/', '/A/B/', '/a/b/c/', '/ab/', '/a-b/', '/b/', '/c/'] as const
const data = { routing_number: '021000021', account_number: '0000112233' }

/** Generates permissions, mostly those that the holder may hold and that concern tokens. */
function createPermissions(type: Type): fc.Arbitrary<Permission[]> {
  const held = permissionNames.filter((each) => canHold(type, each))
  const ofTokens = held.filter((each) => /^(token|token-intent|proxy|reactor):/.test(each))
  const one = fc.oneof(
    { weight: 150, arbitrary: fc.constantFrom(...(ofTokens.length > 0 ? ofTokens : held)) },
    { weight: 100, arbitrary: fc.constantFrom(...held) },
    { weight: 1, arbitrary: fc.constantFrom(...permissionNames) },
  )
  return fc.uniqueArray(one, { minLength: 1, maxLength: 6 })
}

const condition = fc.oneof(
  fc.record({
    attribute: fc.constant('id' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom('tok-1', 'tok-', 'TOK', 'ok-1', 'other', 't'),
  }),
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom('/', '/a', '/A/', '/a/b/', '/b/', 'a'),
  }),
)

function createGrants(type: Type, mayHaveConditions: boolean): fc.Arbitrary<Grants> {
  const container = fc.oneof(
    { weight: 100, arbitrary: fc.constantFrom<string>(...scopes) },
    { weight: 1, arbitrary: fc.constantFrom('/a', 'a/', '/a//', '/ä/') },
  )
  const conditions = fc.array(condition, { minLength: 1, maxLength: 2 })
  const scope = fc.oneof(
    { weight: 100, arbitrary: fc.record({ container }) },
    { weight: mayHaveConditions ? 70 : 1, arbitrary: fc.record({ conditions }) },
    { weight: 1, arbitrary: fc.record({ container, conditions }, { requiredKeys: [] }) },
  )
  const rule = fc
    .tuple(
      scope,
      fc.record({
        priority: fc.integer({ min: 1, max: 200 }),
        transform: fc.constantFrom<RuleTransform[]>('redact', 'mask', 'reveal'),
        permissions: createPermissions(type),
      }),
    )
    .map(([scope, rest]): AccessRule => ({ ...rest, ...scope }))
  const none = fc.constant<Permission[]>([])
  return fc.record({
    permissions: fc.oneof(none, createPermissions(type)),
    rules:
      type === 'management'
        ? fc.oneof({ weight: 9, arbitrary: fc.constant<AccessRule[]>([]) }, fc.array(rule, { maxLength: 2 }))
        : fc.array(rule, { maxLength: 5 }),
  })
}

const application = fc
  .constantFrom<Type[]>('private', 'private', 'private', 'public', 'management')
  .chain((type) => fc.record({ type: fc.constant(type), grants: createGrants(type, false) }))

/** An application; a session that it authorizes, if it is private; and what it is changed to afterwards. */
const world = fc
  .record({
    application,
    session: createGrants('private', true),
    /** Whether the session asks only for what the application holds, or else nothing comes of it (O-04). */
    isModest: fc.constantFrom(true, true, true, true, true, true, true, false),
    later: createGrants('private', false),
  })
  .map(({ application, session, isModest, later }) => ({
    application,
    session: isModest ? askForHeld(session, listPermissions(application.grants)) : session,
    later,
  }))

const listPermissions = ({ permissions, rules }: Grants): Permission[] => [
  ...new Set([...permissions, ...rules.flatMap((rule) => rule.permissions)]),
]

/** Replaces each permission by one that is held. */
function askForHeld({ permissions, rules }: Grants, held: readonly Permission[]): Grants {
  const replaceAsked = (asked: readonly Permission[]) => [
    ...new Set(asked.map((each) => held[permissionNames.indexOf(each) % held.length] ?? each)),
  ]
  return {
    permissions: replaceAsked(permissions),
    rules: rules.map((rule) => ({ ...rule, permissions: replaceAsked(rule.permissions) })),
  }
}

/** One decision: what was asked, and the outcome by the model and by the vault. */
type Decision = readonly [what: string, expected: string, actual: string]
type Answer = { readonly output?: unknown; readonly refused?: string }
type Ask = (name: string, input: unknown) => Promise<Answer>

/** Counts decisions, and keeps those in which the vault differs from the model. */
class Decisions {
  readonly differing: Decision[] = []
  count = 0

  addDecision(what: string, expected: string, actual: string): void {
    this.count++
    if (expected !== actual) this.differing.push([what, expected, actual])
  }
}

const createWorld = () => {
  // Nothing here depends on durability, also in a thorough run.
  const vault = openVault({ ephemeral: true })
  const createAsk =
    (caller: Caller): Ask =>
    async (name, input) => {
      try {
        return { output: (await vault.engine.call(name, input, caller)).output }
      } catch (error) {
        return { refused: toCofferError(error).code }
      }
    }
  return { vault, createAsk, owner: createAsk({ kind: 'owner' }) }
}
type World = ReturnType<typeof createWorld>

function createProxyCall(body: string) {
  const headers = [['content-type', 'application/json']]
  const call = { proxy_key: null, proxy_url: 'https://echo.coffer.test', method: 'POST', path: '', query: '' }
  return { ...call, headers, body: Buffer.from(body) }
}

/** An input that is refused after the permission was checked, so that nothing changes. */
function createInput(name: string, who: ModelCaller): unknown {
  if (name === 'applications.getByKey' || name === 'sessions.create' || name === 'tenants.remove') return {}
  if (name === 'proxies.invoke') return createProxyCall('')
  if (name !== 'sessions.authorize' || who.kind === 'owner') return null
  const [held = 'token:read'] = listPermissions(who.grants)
  return { nonce: 'unknown', permissions: [held] }
}

/** Whether the model lets a caller pass an operation that concerns no token (P-12). */
function mayCall(who: ModelCaller, type: Type | 'session', need: readonly string[]): boolean {
  if (need.includes('any')) return true
  if (need.includes('public') || need.includes('private')) return need.includes(type)
  return need.some((permission) => holdsPermission(who, permission))
}

async function decideOperations(decisions: Decisions, ask: Ask, who: ModelCaller, type: Type | 'session') {
  for (const [name, { route }] of catalogue) {
    const need = getDocumentedNeed(name, route)
    if (need === undefined) throw new Error(`Add ${route} with its permission to documented-permissions.ts.`)
    const { refused = '' } = await ask(name, createInput(name, who))
    const expected = mayCall(who, type, need) ? 'passed' : 'forbidden'
    decisions.addDecision(name, expected, refused === 'forbidden' ? 'forbidden' : 'passed')
  }
}

/** Returns how much of the token's data a value shows. */
function findShown(value: unknown): RuleTransform {
  if (value === undefined || value === null) return 'redact'
  return JSON.stringify(value) === JSON.stringify(data) ? 'reveal' : 'mask'
}

type Shown = { readonly id: string; readonly data?: unknown }
const readData = (output: unknown) => findShown((output as Shown).data)
const readProxied = (output: unknown) =>
  findShown(JSON.parse((output as { message: { body: Buffer } }).message.body.toString()).value)

async function decideToken(
  decisions: Decisions,
  { owner, asCaller, who }: { owner: Ask; asCaller: Ask; who: ModelCaller },
  token: { readonly id: string; readonly containers: readonly string[] },
): Promise<void> {
  const { id, containers } = token
  const findOutcome = (permission: string, which: 'any' | 'all', about = containers, tokenId = id) =>
    findAccess(who, permission, about, which, tokenId) ?? 'forbidden'
  const checkCall = async (
    name: string,
    input: unknown,
    expected: string,
    read: (output: unknown) => string = () => 'done',
  ) => {
    const { output, refused } = await asCaller(name, input)
    decisions.addDecision(`${name} ${id} in ${containers.join(' ')}`, expected, refused ?? read(output))
    return refused === undefined
  }
  const toDone = (outcome: string) => (outcome === 'forbidden' ? outcome : 'done')

  await checkCall('tokens.get', { id }, findOutcome('token:read', 'any'), readData)
  await checkCall(
    'tokens.detokenize',
    { payload: `{{ ${id} }}` },
    findOutcome('token:read', 'any'),
    findShown,
  )
  const [invoked, used] = [findOutcome('proxy:invoke', 'any'), findOutcome('token:use', 'any')]
  const call = createProxyCall(`{"value": "{{ ${id} }}"}`)
  await checkCall('proxies.invoke', call, invoked === 'forbidden' ? used : invoked, readProxied)
  await checkCall('enrichments.bankAccountVerify', { token_id: id }, toDone(used))

  const updated = findOutcome('token:update', 'all')
  await checkCall('tokens.update', { id }, updated, readData)
  const to = ['/a/b/', '/c/']
  const moved = updated === 'forbidden' ? updated : findOutcome('token:update', 'all', to)
  if (await checkCall('tokens.update', { id, containers: to }, moved, readData))
    await owner('tokens.update', { id, containers })
  if (await checkCall('tokens.remove', { id }, toDone(findOutcome('token:delete', 'all'))))
    await owner('tokens.create', { id, type: 'bank', data, containers })
  const made = `${id}-new`
  const created = findOutcome('token:create', 'all', containers, made)
  if (await checkCall('tokens.create', { id: made, type: 'bank', data, containers }, created, readData))
    await owner('tokens.remove', { id: made })
}

type List = { readonly data: readonly Shown[]; readonly pagination: { readonly total_items?: number } }

async function decideLists(decisions: Decisions, asCaller: Ask, who: ModelCaller): Promise<void> {
  const lists = [
    ['tokens.list', { size: 100 }, ['token:read']],
    ['tokens.listV1', { size: 100 }, ['token:read']],
    ['tokens.search', { query: '', size: 100 }, ['token:search', 'token:read']],
    ['tokens.searchV1', { query: '', size: 100 }, ['token:search', 'token:read']],
  ] as const
  for (const [name, input, permissions] of lists) {
    const { output, refused } = await asCaller(name, input)
    if (!permissions.some((each) => holdsPermission(who, each))) {
      decisions.addDecision(name, 'forbidden', refused ?? 'listed')
      continue
    }
    const { data, pagination } = (output ?? { data: [], pagination: {} }) as List
    const shown = new Map(data.map((token) => [token.id, findShown(token.data)]))
    let readable = 0
    for (const { id, containers } of tokens) {
      const expected = permissions
        .map((each) => findAccess(who, each, containers, 'any', id))
        .find((each) => each !== null)
      if (expected) readable++
      const actual = shown.get(id) ?? refused ?? 'left out'
      decisions.addDecision(`${name} ${id} in ${containers.join(' ')}`, expected ?? 'left out', actual)
    }
    const total = pagination.total_items ?? data.length
    decisions.addDecision(`${name} in all`, String(readable), String(total))
  }
}

async function decideAll(
  decisions: Decisions,
  { createAsk, owner }: World,
  key: string,
  who: ModelCaller,
  type: Type | 'session',
) {
  const asCaller = createAsk({ kind: 'key', key })
  await decideOperations(decisions, asCaller, who, type)
  for (const token of tokens) await decideToken(decisions, { owner, asCaller, who }, token)
  await decideLists(decisions, asCaller, who)
  const missing = holdsPermission(who, 'token:read') ? 'not_found' : 'forbidden'
  decisions.addDecision(
    'get a missing token',
    missing,
    (await asCaller('tokens.get', { id: 'missing' })).refused ?? 'shown',
  )
}

/** Starts a session and has it authorized. Its decisions follow the authorizer, also when that changes or is deleted. */
async function decideSession(
  decisions: Decisions,
  world: World,
  authorizer: { id: string; key: string; grants: Grants; session: Grants; later: Grants },
): Promise<void> {
  const { vault, createAsk, owner } = world
  const { id, key, grants, session, later } = authorizer
  const page = await vault.application({ type: 'public', permissions: ['token:create'] })
  const { session_key, nonce } = await page.client.sessions.create({})
  const common = { kind: 'session', id: 's', application_id: page.id, is_orphan: false } as const
  const decideAgain = (authorizer: Grants | null, own: Grants) =>
    decideAll(decisions, world, session_key, { ...common, grants: own, authorizer }, 'session')
  const asAuthorizer: ModelCaller = { kind: 'application', id, grants }
  const isHeld = listPermissions(session).every((each) => holdsPermission(asAuthorizer, each))
  const expected = isHeld ? 'authorized' : 'forbidden'
  const { refused = 'authorized' } = await createAsk({ kind: 'key', key })('sessions.authorize', {
    nonce,
    ...session,
  })
  decisions.addDecision('authorize a session', areValid('session', session) ? expected : 'invalid', refused)
  if (refused !== 'authorized') await decideAgain(null, { permissions: [], rules: [] })
  else {
    const own = normalizeGrants(session)
    await decideAgain(grants, own)
    if (areValid('private', later)) {
      await owner('applications.update', { id, name: 'Later', ...toInput(later) })
      await decideAgain(normalizeGrants(later), own)
    }
    await owner('applications.remove', { id })
    const { refused: ended } = await createAsk({ kind: 'key', key: session_key })('permissions.list', {})
    decisions.addDecision('call after the authorizer is deleted', 'unauthenticated', ended ?? 'passed')
  }
  await owner('applications.remove', { id: page.id })
}

/** Leaves out empty permissions, which PUT refuses (P-03). */
const toInput = ({ permissions, rules }: Grants) => ({
  ...(permissions.length > 0 && { permissions }),
  rules,
})

/** Fewer than a world makes on average, so that a run makes at least as many decisions as it is told. */
const DECISIONS_OF_A_WORLD = 250

test('P-12 the documents of permissions name no route that is missing', () => {
  const routes = [...catalogue.values()].flatMap(({ route }) => route ?? [])
  expect(listUnknownRoutes(routes)).toEqual([])
})

test(
  'P-02 P-05 P-10 P-12 O-04 X-20 every operation is allowed, and shows data, exactly as the documents say',
  async () => {
    const made = createWorld()
    const { owner, createAsk } = made
    for (const token of tokens) await owner('tokens.create', { ...token, type: 'bank', data })
    const counted = { worlds: 0, decisions: 0 }
    const property = fc.asyncProperty(world, async ({ application: { type, grants }, session, later }) => {
      const decisions = new Decisions()
      const { output, refused = 'created' } = await owner('applications.create', {
        name: 'A',
        type,
        ...grants,
      })
      decisions.addDecision('create the application', areValid(type, grants) ? 'created' : 'invalid', refused)
      if (output !== undefined) {
        const { id, key } = output as { id: string; key: string }
        const own = normalizeGrants(grants)
        await decideAll(decisions, made, key, { kind: 'application', id, grants: own }, type)
        if (type === 'private') await decideSession(decisions, made, { id, key, grants: own, session, later })
        await owner('applications.remove', { id })
        const { refused: ended } = await createAsk({ kind: 'key', key })('permissions.list', {})
        decisions.addDecision('call after the application is deleted', 'unauthenticated', ended ?? 'passed')
      }
      counted.worlds++
      counted.decisions += decisions.count
      expect(decisions.differing).toEqual([])
    })
    const { numRuns = 0, ...seed } = getFuzzParameters(100_000, 4_000)
    await fc.assert(property, { ...seed, numRuns: Math.ceil(numRuns / DECISIONS_OF_A_WORLD) })
    // A few worlds may all be invalid.
    if (counted.worlds >= 10)
      expect(counted.decisions / counted.worlds).toBeGreaterThan(DECISIONS_OF_A_WORLD / 2)
  },
  Math.max(fuzzTimeout, 600_000),
)
