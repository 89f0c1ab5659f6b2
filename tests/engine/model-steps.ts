import fc from 'fast-check'
import type { Permission } from '../../shared/permissions.ts'
import type { AccessRule, RuleCondition } from '../../shared/schemas/rule.ts'
import { goodCards, goodRouting } from './model-types.ts'

// Steps as plain data. `who`, `at` and similar members are numbers that pick an existing entity when the step runs.

type ArbitraryValue<A> = A extends fc.Arbitrary<infer T> ? T : never

/** Generates mostly a good value, and rarely a bad one, which the vault rejects. */
function pickMostly<T>(good: readonly T[], bad: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  )
}

/** Generates the value once in `oneIn` times, else undefined. */
const orUndefined = <T>(value: fc.Arbitrary<T>, oneIn = 4) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

// Containers that contain each other, and siblings that only share a prefix.
const places = ['/', '/a/', '/a/b/', '/ab/', '/A/c/', '/pci/', '/pci/high/', '/general/high/'] as const
const place = pickMostly<string>(places, ['/a', 'a/', '/a//'])
const containers = fc.array(place, { minLength: 1, maxLength: 3 })

/** Generates the choice of a caller, mostly one that holds the required permission. */
const who = fc.record({
  nth: fc.nat(40),
  fits: fc.constantFrom(true, true, true, true, true, true, true, false),
})
export type WhoStep = ArbitraryValue<typeof who>

const at = fc.nat(40)
/** Milliseconds from now, rarely in the past. */
const until = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(1, 2, 50, 1000, 30_000, 3_600_000, 90_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, -5000) },
)
const expiry = fc.record({ until, offset: fc.constantFrom('+00:00', '+02:00', '-05:30') })

const word = fc.constantFrom('alpha', 'beta', 'Beta')
const ref = fc.constantFrom('ref-1', 'ref-2')
const cvc = pickMostly(['123', '9876'], ['12'])
const card = fc.record(
  {
    number: pickMostly(goodCards, ['4242424242424241']),
    expiration_month: fc.constantFrom(1, 12),
    expiration_year: fc.constantFrom(2020, 2031),
    cvc,
  },
  { requiredKeys: ['number'] },
)
const content = fc.oneof(
  fc.record({
    type: fc.constant('token'),
    data: fc.oneof(
      { weight: 4, arbitrary: fc.record({ secret: word, ref }, { requiredKeys: ['secret'] }) },
      { weight: 1, arbitrary: fc.constantFrom('plain', 42, true, ['list', null]) },
    ),
  }),
  fc.record({ type: fc.constant('card'), data: card }),
  fc.record({
    type: fc.constant('social_security_number'),
    data: pickMostly(['123-45-6789', '123456789', '987-65-4321'], ['12345678', '123--456789']),
  }),
  fc.record({
    type: fc.constant('bank'),
    data: fc.record({
      routing_number: pickMostly(goodRouting, ['021000022']),
      account_number: pickMostly(['00012345678', '77'], ['']),
    }),
  }),
)

const mask = pickMostly<string | number | Record<string, string | null>>(
  [
    'hidden',
    '{{ data.ref }}',
    { kind: 'hidden', shown: '{{ data.ref }}' },
    { number: '{{ data.number | reveal_last: 4 }}' },
    { number: 'hidden', kind: null },
  ],
  [5],
)
const metadata = fc.dictionary(
  fc.constantFrom('a', 'A', 'b'),
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom<string | number>('x', 'X', 'y z', 'o-77-2') },
    { weight: 1, arbitrary: fc.constantFrom('4242 4242-4242 4242', 'of 123 45 6789', '7 7', 7) },
  ),
  { maxKeys: 2 },
)
const search_indexes = fc.constantFrom(
  ['{{ data | stringify }}'],
  ['{{ data | stringify }}', '{{ data.ref }}'],
  ['{{ data.secret }}', '{{ data.ref }}'],
  ['{{ data.number }}'],
  [],
)
const fingerprint_expression = fc.constantFrom(
  '{{ data.ref }}',
  '{{ data | stringify }}',
  '{{ metadata.a }}',
  '{{ metadata.a }}/{{ data.secret }}',
)

const anyToken = fc.record({
  content,
  /** A step that converts a token intent, if one exists. */
  intent: orUndefined(at, 8),
  id: orUndefined(
    pickMostly(['id-1', 'id-2', 'id-3', 'card-4242424242424242', '{{ data.ref }}'], ['x', 'a/b']),
    3,
  ),
  mask: orUndefined(mask),
  containers: orUndefined(containers, 2),
  metadata: orUndefined(metadata, 2),
  search_indexes: orUndefined(search_indexes),
  fingerprint_expression: orUndefined(fingerprint_expression, 4),
  deduplicate_token: orUndefined(fc.constantFrom(true, true, false), 3),
  expiry: orUndefined(expiry, 4),
})
// When a cvc is deleted, values that expressions derive from the complete card change too, but it is not defined when.
// So expressions here use only the number.
const newToken = anyToken.map((token) =>
  token.content.type === 'card' || token.intent !== undefined
    ? {
        ...token,
        search_indexes: token.search_indexes && ['{{ data.number }}'],
        fingerprint_expression: token.fingerprint_expression && '{{ metadata.a }}/{{ data.number }}',
      }
    : token,
)
export type NewTokenStep = ArbitraryValue<typeof newToken>

const orNull = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: value })
const patch = fc.record({
  data: orUndefined(
    fc.constantFrom(
      { secret: 'gamma' },
      { ref: null },
      { ref: 'ref-3', extra: { deep: [1] } },
      { number: '5555555555554444' },
      { cvc: '555' },
      { cvc: null },
      'plain again',
      '987-65-4321',
      null,
    ),
    2,
  ),
  mask: orUndefined(orNull(mask)),
  metadata: orUndefined(
    orNull(fc.dictionary(fc.constantFrom('a', 'A', 'b'), fc.constantFrom('x', 'Y', null, 3), { maxKeys: 2 })),
  ),
  containers: orUndefined(orNull(containers)),
  search_indexes: orUndefined(orNull(fc.constantFrom(['{{ data.ref }}'], ['{{ data.number }}'], [])), 5),
  fingerprint_expression: orUndefined(
    orNull(fc.constantFrom('{{ data.ref }}', '{{ data.number }}', '{{ metadata.a }}')),
    5,
  ),
  deduplicate_token: orUndefined(orNull(fc.constantFrom(true, true, false)), 2),
  expiry: orUndefined(orNull(expiry), 4),
})
export type PatchStep = ArbitraryValue<typeof patch>

const transform = fc.constantFrom('redact' as const, 'mask' as const, 'reveal' as const)
const tokenPermission = fc
  .constantFrom('create', 'read', 'update', 'delete', 'search')
  .map((each) => `token:${each}` as const)

type RuleTarget = { container: string } | { conditions: RuleCondition[] }

function generateRule(
  where: fc.Arbitrary<RuleTarget>,
  permissions: fc.Arbitrary<Permission>,
): fc.Arbitrary<AccessRule> {
  return fc
    .record({
      priority: fc.integer({ min: 1, max: 6 }),
      where,
      transform,
      permissions: fc.uniqueArray(permissions, { minLength: 1, maxLength: 4 }),
    })
    .map(({ where, ...rule }) => ({ ...rule, ...where }))
}

const onContainer = place.map((container) => ({ container }))
const onCondition = fc
  .record({
    operator: fc.constantFrom('starts_with' as const, 'equals' as const),
    value: fc.constantFrom('/a', '/A/', '/PCI/', '/'),
  })
  .map((condition) => ({ conditions: [{ attribute: 'container' as const, ...condition }] }))

const publicPermission = fc.constantFrom<Permission[]>('token:create', 'token:update', 'token-intent:create')
const managing = fc
  .constantFrom('create', 'read', 'update', 'delete')
  .map((each) => `application:${each}` as const)
const generateRules = (rule: ReturnType<typeof generateRule>, minLength: number) =>
  fc.uniqueArray(rule, { minLength, maxLength: 4, selector: ({ priority }) => priority })
const intents = fc.constantFrom('create', 'read', 'delete').map((each) => `token-intent:${each}` as const)

const grants = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('private'),
      permissions: fc.uniqueArray(fc.oneof(tokenPermission, intents), { maxLength: 3 }),
      rules: generateRules(generateRule(onContainer, tokenPermission), 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('private'),
      permissions: fc.uniqueArray(fc.oneof(tokenPermission, intents), { minLength: 3, maxLength: 7 }),
      rules: fc.constant([]),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('public'),
      permissions: fc.uniqueArray(publicPermission, { maxLength: 3 }),
      rules: generateRules(generateRule(onContainer, publicPermission), 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('management'),
      permissions: fc.uniqueArray(managing, { minLength: 2 }),
      rules: fc.constant([]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('private', 'public', 'management'),
      permissions: fc.uniqueArray(fc.oneof(tokenPermission, managing), { maxLength: 2 }),
      rules: fc.array(generateRule(fc.oneof(onContainer, onCondition), tokenPermission), { maxLength: 2 }),
    }),
  },
)

// Mostly read permissions, so that lists show which tokens a condition leaves out.
const sessionPermission = fc.oneof(fc.constant('token:read' as const), tokenPermission)
const sessionGrants = fc.record({
  permissions: orUndefined(fc.uniqueArray(tokenPermission, { maxLength: 2 })).map((list) => list ?? []),
  rules: generateRules(generateRule(fc.oneof(onContainer, onCondition), sessionPermission), 0),
})

const application = fc.record({ grants, expiry: orUndefined(expiry, 6) })

const pair = fc.tuple(fc.constantFrom('a', 'A', 'b'), fc.constantFrom('x', 'X', 'y z'))
const type = fc.constantFrom('token', 'card', 'social_security_number', 'bank', 'none')
const indexed = fc.constantFrom('ref-1', 'ref-3', 'alpha', '6789', '123456789', '123-45-6789', 'none')
const size = fc.constantFrom(1, 2, 3, 7, 100)

const listFilter = fc.oneof(
  fc.constant({ by: 'all' as const }),
  fc.record({ by: fc.constant('type' as const), value: type }),
  fc.record({ by: fc.constant('fingerprint' as const), of: at }),
  fc.record({ by: fc.constant('metadata' as const), pairs: fc.tuple(pair) }),
)
const searchFilter = fc.oneof(listFilter, fc.record({ by: fc.constant('data' as const), value: indexed }))
const oldFilter = fc.oneof(
  fc.constant({ by: 'all' as const }),
  fc.record({ by: fc.constant('id' as const), of: at }),
  fc.record({
    by: fc.constant('metadata' as const),
    pairs: fc.uniqueArray(pair, { minLength: 1, maxLength: 2, selector: ([key]) => key.toLowerCase() }),
  }),
)
const oldSearchFilter = fc.oneof(oldFilter, fc.record({ by: fc.constant('data' as const), value: indexed }))
export type FilterStep = ArbitraryValue<typeof oldSearchFilter> | ArbitraryValue<typeof searchFilter>

const writes = [
  { weight: 16, arbitrary: fc.record({ do: fc.constant('create' as const), who, token: newToken }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('patch' as const), who, at, patch }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), who, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('createIntent' as const), who, content }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('removeIntent' as const), who, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('createApplication' as const), who, application }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('updateApplication' as const), who, at, grants }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('removeApplication' as const), who, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('createKey' as const), who, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('removeKey' as const), who, at, key: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('startSession' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('authorize' as const),
      who,
      at,
      grants: sessionGrants,
      expiry: orUndefined(expiry, 2),
    }),
  },
]
const write = fc.oneof(...writes)
export type WriteStep = ArbitraryValue<typeof write>

const step = fc.oneof(
  ...writes,
  { weight: 7, arbitrary: fc.record({ do: fc.constant('get' as const), who, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reveal' as const), who, at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('detokenize' as const),
      who,
      ats: fc.array(at, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      who,
      filter: listFilter,
      container: orUndefined(place),
      size,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('search' as const),
      who,
      filter: searchFilter,
      container: orUndefined(place),
      size,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('listV1' as const), who, filter: oldFilter, size }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('searchV1' as const), who, filter: oldSearchFilter, size }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('getApplication' as const), who, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('listApplications' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('listKeys' as const), who, at }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(1, 1, 2, 10) },
        { weight: 2, arbitrary: fc.constantFrom(1000, 60_000) },
        { weight: 1, arbitrary: fc.constantFrom(1_800_000, 3_600_000, 90_000_000) },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('burst' as const),
      writes: fc.array(write, { minLength: 2, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { do: 'sweep' as const },
      { do: 'reopen' as const },
      { do: 'rotate' as const },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('settings' as const),
      deduplicate_tokens: fc.boolean(),
      fingerprint_tokens: fc.boolean(),
    }),
  },
)
export type ModelStep = ArbitraryValue<typeof step>

/** Steps that create a few applications, then random steps. */
export const story = fc
  .tuple(
    fc.array(application, { minLength: 2, maxLength: 4 }),
    fc.array(step, { maxLength: 250, size: 'max' }),
  )
  .map(([applications, steps]): ModelStep[] => [
    ...applications.map((each) => ({
      do: 'createApplication' as const,
      who: { nth: 0, fits: true },
      application: each,
    })),
    ...steps,
  ])
