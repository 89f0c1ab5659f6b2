import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../electron/engine/operations.ts'
import { type HttpMethod, splitRoute } from '../../electron/engine/pipeline/operation.ts'
import { statusOf } from '../../shared/errors.ts'
import { type ApplicationType, mayHold, type Permission } from '../../shared/permissions.ts'
import { isThorough } from '../thorough.ts'
import { createContract, fetchDocument } from './contract.ts'
import {
  masked,
  number,
  requests,
  requireRequest,
  startTestServer,
  type TestServer,
  toPath,
} from './test-server.ts'

type KeyHolder = ApplicationType | 'session'
type Transform = 'redact' | 'mask' | 'reveal'
/** What a caller is granted: another permission, or this permission either for all containers or by a rule. */
type Grant = { by: 'other' } | { by: 'permission'; permission: Permission } | ByRule
type ByRule = { by: 'rule'; permission: Permission; transform: Transform }

const holders: KeyHolder[] = ['private', 'public', 'management', 'session']
const transforms: Transform[] = ['redact', 'mask', 'reveal']

const routed = [...catalogue].flatMap(([name, operation]) =>
  operation.route === null ? [] : [{ name, operation, ...splitRoute(operation.route) }],
)
type Routed = (typeof routed)[number]

/** The statuses of operations that accept any valid key but then check the type of its application. */
const exceptions: Record<string, Partial<Record<KeyHolder, number>>> = {
  'sessions.create': { private: 403, management: 403, session: 403 },
  'sessions.authorize': { public: 403, management: 403, session: 403 },
}

function listPermissions({ name, operation: { permission } }: Routed): readonly Permission[] {
  // Without the SDK dialect, this operation needs a permission.
  if (name === 'applications.getByKey') return ['application:read']
  // The catalogue names no permission for this operation, because a proxy with require_auth off needs no key.
  if (name === 'proxies.invoke') return ['proxy:invoke', 'token:use']
  if (permission === 'any-key' || permission === 'owner') return []
  return [permission].flat() as Permission[]
}

function listGrants(operation: Routed): Grant[] {
  const by = listPermissions(operation).flatMap((permission): Grant[] => [
    { by: 'permission', permission },
    ...transforms.map((transform) => ({ by: 'rule' as const, permission, transform })),
  ])
  return [{ by: 'other' }, ...by]
}

function pickOtherPermission(holder: KeyHolder, wanted: readonly Permission[]): Permission {
  const others: Permission[] =
    holder === 'management' ? ['tenant:read', 'log:read'] : ['token-intent:create', 'token:create']
  return others.find((each) => !wanted.includes(each)) as Permission
}

/** Returns the expected outcome of a request, or `refused grant` if no such caller can be created. */
function getExpected(operation: Routed, holder: KeyHolder, grant: Grant): string {
  const { always, status } = operation.operation
  const success = String(always ? statusOf[always] : status)
  if (grant.by === 'other') {
    if (listPermissions(operation).length > 0) return '403'
    return String(exceptions[operation.name]?.[holder] ?? success)
  }
  const type = holder === 'session' ? 'private' : holder
  if (!mayHold(type, grant.permission) || (grant.by === 'rule' && holder === 'management'))
    return 'refused grant'
  if (!requests[operation.name]?.getShownData) return success
  const transform = grant.by === 'rule' ? grant.transform : 'mask'
  return `${success} ${{ redact: 'nothing', mask: 'masked', reveal: 'plaintext' }[transform]}`
}

type GrantCell = { readonly holder: KeyHolder; readonly grant: Grant }

/**
 * Returns the cells to test for an operation: all of them in a thorough run, or if its responses show data. Otherwise
 * one that succeeds, one that is rejected, and a sixteenth of the others, which differs by operation.
 */
function pickCells(operation: Routed): GrantCell[] {
  const all = holders.flatMap((holder) => listGrants(operation).map((grant) => ({ holder, grant })))
  if (isThorough || requests[operation.name]?.getShownData) return all
  const outcomes = all.map(({ holder, grant }) => getExpected(operation, holder, grant))
  const kept = [outcomes.findIndex((outcome) => outcome.startsWith('2')), outcomes.indexOf('403')]
  const at = routed.indexOf(operation)
  return all.filter((_, index) => kept.includes(index) || index % 16 === at % 16)
}

/** Creates a caller with a grant. Returns its key, or null if the grant is rejected with 400. */
async function createCaller(
  { request, keys, session }: TestServer,
  holder: KeyHolder,
  grant: Grant,
  other: Permission,
) {
  const input =
    grant.by === 'rule'
      ? {
          rules: [
            {
              priority: 1,
              ...(holder === 'session'
                ? { conditions: [{ attribute: 'container', operator: 'starts_with', value: '/' }] }
                : { container: '/' }),
              transform: grant.transform,
              permissions: [grant.permission],
            },
          ],
        }
      : { permissions: [grant.by === 'other' ? other : grant.permission] }
  if (holder !== 'session') {
    const body = { name: 'Caller', type: holder, ...input }
    const created = await request('POST', '/applications', { key: keys.management, body })
    return created.status === 400 ? null : (created.body.key as string)
  }
  const { session_key, nonce } = await session()
  const body = { nonce, ...input }
  const authorized = await request('POST', '/sessions/authorize', { key: keys.private, body })
  return authorized.status === 400 ? null : session_key
}

/** Names how a response shows the token's data. */
function describeData(data: unknown): string {
  if (data === undefined) return 'nothing'
  return data === masked ? 'masked' : data === number ? 'plaintext' : 'something else'
}

test('A-04 the OpenAPI document that responses are checked against is valid', {
  tags: 'thorough',
}, async () => {
  const { request } = await startTestServer()
  const { body } = await request('GET', '/openapi.json')
  expect((await new Validator().validate(body)).errors).toBeUndefined()
})

describe('operation × application type × grant', () => {
  // The operations of a resource share one vault, except those of webhooks, because a tenant can have only few
  // webhooks.
  const worlds = Map.groupBy(routed, ({ name }) =>
    /^webhooks/.test(name) ? name : (name.split('.')[0] ?? ''),
  )
  test.each([...worlds])(
    'X-14 A-07 %s gives every application type and grant the expected response',
    async (_name, operations) => {
      const world = await startTestServer()
      for (const operation of operations) await answersAsExpected(world, operation)
    },
  )

  async function answersAsExpected(world: TestServer, operation: Routed): Promise<void> {
    const { name } = operation
    const checkResponse = createContract(await fetchDocument(world))
    const { createRequest, getShownData } = requireRequest(name)
    const cells = pickCells(operation)
    const findOutcome = async ({ holder, grant }: GrantCell): Promise<string> => {
      const key = await createCaller(
        world,
        holder,
        grant,
        pickOtherPermission(holder, listPermissions(operation)),
      )
      if (key === null) return 'refused grant'
      const { method, path } = operation
      const sent = await createRequest(world)
      const response = await world.request(method satisfies HttpMethod, toPath(path, sent), {
        key,
        ...(sent.body !== undefined && { body: sent.body }),
        ...(sent.raw && { raw: sent.raw }),
        ...(sent.headers && { headers: sent.headers }),
      })
      checkResponse(method, path, response)
      if (response.status >= 400 || !getShownData) return String(response.status)
      const what = describeData(getShownData(response.body))
      if (what !== 'plaintext') expect(response.text).not.toContain(number)
      return `${response.status} ${what}`
    }
    const outcomes: string[] = []
    // Callers are tried one at a time, because a tenant can have only few webhooks.
    for (const cell of cells) outcomes.push(await findOutcome(cell))
    const formatLabel = ({ holder, grant }: GrantCell) => `${holder} ${Object.values(grant).join(' ')}`
    const toEntries = (values: readonly string[]) =>
      Object.fromEntries(values.map((value, at) => [formatLabel(cells[at] as GrantCell), value]))
    expect(toEntries(outcomes), name).toEqual(
      toEntries(cells.map(({ holder, grant }) => getExpected(operation, holder, grant))),
    )
  }

  test('A-04 every route checks for a valid key first', async () => {
    const world = await startTestServer()
    const checkResponse = createContract(await fetchDocument(world))
    for (const { method, path } of routed) {
      for (const key of [undefined, 'key_local_pvt_unknown', '']) {
        const response = await world.request(
          method,
          toPath(path, { params: { id: 'none', keyId: 'none', request_id: 'none' } }),
          {
            ...(key !== undefined && { key }),
            ...(method !== 'GET' && { raw: '{', headers: { 'Content-Type': 'text/plain' } }),
          },
        )
        expect([method, path, response.status]).toEqual([method, path, 401])
        checkResponse(method, path, response)
      }
    }
  })
})

describe('the owner', () => {
  test('X-14 the owner’s operations cannot be called over HTTP', async () => {
    const world = await startTestServer()
    const { body } = await world.request('GET', '/openapi.json')
    const named = JSON.stringify(body)
    const owners = [...catalogue].filter(([, { permission }]) => permission === 'owner')
    expect(owners.length).toBeGreaterThan(0)
    for (const [name, { route }] of owners) {
      expect([name, route]).toEqual([name, null])
      expect(named).not.toContain(`"${name}"`)
    }
  })
})
