import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CreatedToken, Token } from '../../shared/schemas/token.ts'
import { getFuzzParameters } from '../fuzz.ts'
import { openBriefVault } from '../vault.ts'

// Containers that contain each other, and siblings that only share a prefix.
const pool = ['/', '/a/', '/a/b/', '/a-b/', '/a0/', '/ab/', '/b/', '/b/c/d/'] as const
const containers = fc.uniqueArray(fc.constantFrom(...pool), { minLength: 1, maxLength: 3 })
const transform = fc.constantFrom('redact', 'mask', 'reveal')

const newToken = fc.record({
  containers,
  type: fc.constantFrom('token', 'card_number'),
  value: fc.constantFrom('x', 'X', 'y'),
  masked: fc.boolean(),
  /** Whether the id is long. All long ids share a long prefix. */
  isLong: fc.boolean(),
  tick: fc.integer({ min: 0, max: 1 }),
})
type WalkedToken = typeof newToken extends fc.Arbitrary<infer T> ? T : never

const grants = fc.oneof(
  fc.record({ permissions: fc.constant<string[]>(['token:read']) }),
  fc.record({
    permissions: fc.constantFrom<string[]>([], ['token:read'], ['token:create']),
    rules: fc.array(
      fc.record({
        container: fc.constantFrom(...pool),
        transform,
        permissions: fc.constantFrom<string[]>(
          ['token:read'],
          ['token:create'],
          ['token:read', 'token:update'],
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
)
type WalkGrants = typeof grants extends fc.Arbitrary<infer T> ? T : never

const filter = fc.oneof(
  fc.constant({ by: 'all' as const }),
  fc.record({ by: fc.constant('type' as const), type: fc.constantFrom('token', 'card_number') }),
  fc.record({ by: fc.constant('value' as const), value: fc.constantFrom('x', 'X', 'y') }),
  fc.record({ by: fc.constant('same' as const), as: fc.nat() }),
)

type WalkFilter = typeof filter extends fc.Arbitrary<infer T> ? T : never

const write = fc.record({
  kind: fc.constantFrom('create', 'delete', 'touch', 'move', 'move'),
  at: fc.nat(),
  token: newToken,
})
type WalkWrite = typeof write extends fc.Arbitrary<infer T> ? T : never

const card = '4242424242424242'
const getData = (made: WalkedToken) => (made.type === 'card_number' ? card : { secret: made.value })
const getMask = (made: WalkedToken) => (made.type === 'card_number' || made.masked ? 'hidden' : undefined)

function isWithin(scope: string, container: string): boolean {
  const splitSegments = (path: string) => path.split('/').slice(1, -1)
  const inner = splitSegments(container)
  return splitSegments(scope).every((segment, at) => inner[at] === segment)
}

/** Returns the transform for tokens in these containers, straight from the rules (P-04, P-05, P-10). */
function findTransform(caller: WalkGrants, where: readonly string[]): string | null {
  const rules = 'rules' in caller ? caller.rules : []
  for (const rule of rules) {
    const isFirst =
      rule.permissions.includes('token:read') && where.some((each) => isWithin(rule.container, each))
    // Of the rules that match any of the containers, the one with the lowest priority number wins.
    if (isFirst) return rule.transform
  }
  return caller.permissions.includes('token:read') ? 'mask' : null
}

const holdsRead = (caller: WalkGrants) =>
  caller.permissions.includes('token:read') ||
  ('rules' in caller && caller.rules.some((rule) => rule.permissions.includes('token:read')))

/** Returns the query members of a filter. `like` is the token that the found ones must be like. */
function buildQuery(chosen: WalkFilter, like: Token | undefined) {
  switch (chosen.by) {
    case 'all':
      return {}
    case 'type':
      return { type: chosen.type }
    case 'value':
      return { metadata: { key: chosen.value } }
    case 'same':
      return { fingerprint: like?.fingerprint }
  }
}

function matchesFilter(token: CreatedToken, chosen: WalkFilter, like: Token | undefined): boolean {
  switch (chosen.by) {
    case 'all':
      return true
    case 'type':
      return token.type === chosen.type
    case 'value':
      return token.metadata?.key === chosen.value
    case 'same':
      return token.fingerprint === like?.fingerprint
  }
}

function getShownData(made: WalkedToken, shown: string | null) {
  if (shown === 'reveal') return getData(made)
  return shown === 'mask' ? getMask(made) : undefined
}

const toBytes = (text: string) => Buffer.from(text)

type TokenPlace = { container: string; created_at: string; id: string }

function isBefore(one: TokenPlace, other: TokenPlace): boolean {
  const order =
    Buffer.compare(toBytes(one.container), toBytes(other.container)) ||
    one.created_at.localeCompare(other.created_at) ||
    Buffer.compare(toBytes(one.id), toBytes(other.id))
  return order > 0
}

test('L-03 L-04 P-09 X-16 paging while tokens change lists each remaining token once, in the form of get', async () => {
  const vault = openBriefVault()
  const { owner, clock } = vault
  let count = 0

  async function createToken(made: WalkedToken) {
    clock.advance(made.tick)
    count++
    return owner.tokens.create({
      id: made.isLong ? `${'long'.repeat(90)}-${count}` : `t-${count}`,
      type: made.type,
      data: getData(made),
      containers: [...made.containers],
      metadata: { key: made.value },
      ...(getMask(made) !== undefined && { mask: 'hidden' }),
    })
  }

  /** Lists all pages. Returns their tokens, and the error if there is one. */
  async function listPages(
    { tokens }: Awaited<ReturnType<typeof vault.application>>['client'],
    query: object,
    size: number,
    writeSome: () => Promise<void>,
  ) {
    const listed: Token[] = []
    let start: string | undefined
    let refused: unknown
    do {
      const page = await tokens
        .list({ ...query, size, ...(start !== undefined && { start }) } as never)
        .catch((error: unknown) => {
          refused = error
          return { pagination: {} as { next?: string }, data: [] as Token[] }
        })
      start = page.pagination.next
      expect(page.data.length).toBe(start === undefined ? page.data.length : size)
      for (const token of page.data) {
        // get returns the token in the same form as the list.
        expect(await tokens.get({ id: token.id })).toEqual(token)
        listed.push(token)
      }
      if (start !== undefined) await writeSome()
    } while (start !== undefined)
    return { listed, refused }
  }

  async function checkWalk(
    tokens: WalkedToken[],
    caller: WalkGrants,
    chosen: WalkFilter,
    within: string | undefined,
    size: number,
    writes: WalkWrite[],
  ) {
    for (const { id } of (await owner.tokens.list({ size: 100 })).data) await owner.tokens.remove({ id })
    const made = new Map<string, WalkedToken>()
    const live: Token[] = []
    for (const each of tokens) {
      const { id } = await createToken(each)
      made.set(id, each)
      live.push(await owner.tokens.get({ id }))
    }
    const like = live[chosen.by === 'same' ? chosen.as % live.length : 0]
    const isExpected = (token: CreatedToken) =>
      (within === undefined || token.containers.some((each) => isWithin(within, each))) &&
      matchesFilter(token, chosen, like) &&
      findTransform(caller, token.containers) !== null
    const { client, id: application } = await vault.application({
      ...caller,
      ...('rules' in caller && { rules: caller.rules.map((rule, at) => ({ ...rule, priority: at + 1 })) }),
    } as never)
    const deleted = new Set<string>()
    /** The position of each token when the walk began, or when it was created. */
    const origins = new Map(live.map((token) => [token.id, token.containers[0] ?? '']))
    /** Tokens that at some moment did not match the filter or were not readable. */
    const outside = new Set(live.filter((token) => !isExpected(token)).map(({ id }) => id))

    async function changeToken({ id }: Token, { kind, token }: WalkWrite) {
      if (kind === 'move') {
        const moved = await owner.tokens.update({ id, containers: [...token.containers] })
        if (!isExpected(moved)) outside.add(id)
      } else if (kind === 'touch') await owner.tokens.update({ id, metadata: { other: 'new' } })
      else {
        await owner.tokens.remove({ id })
        deleted.add(id)
      }
    }

    async function writeSome() {
      const next = writes.shift()
      if (next?.kind === 'create') {
        const { id, containers } = await createToken(next.token)
        made.set(id, next.token)
        origins.set(id, containers[0] ?? '')
      } else if (next) {
        const token = live.filter(({ id }) => !deleted.has(id))[next.at % live.length]
        if (token) await changeToken(token, next)
      }
    }

    function checkListed(listed: readonly Token[]) {
      const ids = listed.map((token) => token.id)
      expect(new Set(ids).size).toBe(ids.length)
      const throughout = live.map(({ id }) => id).filter((id) => !deleted.has(id) && !outside.has(id))
      for (const id of throughout) expect(ids).toContain(id)
      const places = listed.map(({ id, created_at }) => ({
        id,
        created_at,
        container: origins.get(id) ?? '',
      }))
      for (const [at, place] of places.slice(1).entries())
        expect(isBefore(places[at] as TokenPlace, place)).toBe(true)
      for (const token of listed) {
        expect(isExpected(token)).toBe(true)
        const source = made.get(token.id)
        if (!source) throw new Error('a token nobody made')
        expect(token.data).toEqual(getShownData(source, findTransform(caller, token.containers)))
      }
    }

    const query = { ...(within !== undefined && { container: within }), ...buildQuery(chosen, like) }
    const { listed, refused } = await listPages(client, query, size, writeSome)
    const mayAsk = within === undefined || findTransform(caller, [within]) !== null
    if (holdsRead(caller) && mayAsk) {
      expect(refused).toBeUndefined()
      checkListed(listed)
    } else expect(refused).toMatchObject({ code: 'forbidden' })
    await owner.applications.remove({ id: application })
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(newToken, { minLength: 1, maxLength: 12 }),
      grants,
      filter,
      fc.option(fc.constantFrom(...pool), { nil: undefined, freq: 3 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(write, { maxLength: 4 }),
      checkWalk,
    ),
    getFuzzParameters(120),
  )
}, 120_000)
