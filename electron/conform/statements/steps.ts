import {
  anyString,
  type Expected,
  type PlainJson,
  type Statement,
  type StatementStep,
  someMessages,
  uuid,
} from '../statement.ts'

type Needs = Statement['needs']

/** What is rarely set: who sends it, headers, a query, names for values of the answer, how to undo it. */
export type StepOptions = Pick<StatementStep, 'as' | 'save' | 'remove' | 'until'> &
  Pick<StatementStep['send'], 'query' | 'headers' | 'raw'> & {
    answers?: StatementStep['expect']['headers']
  }

/** Of a request that has the same effect if it is repeated. */
export const idempotent = { headers: { 'BT-IDEMPOTENCY-KEY': '${unique}' } } as const
/** The id of nothing. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/** Sentences with the steps that check them. */
type Sentences = Readonly<Record<string, StatementStep | readonly StatementStep[]>>

/**
 * What the documents of the hosted service say. If it needs a management key, the steps are sent with that key, unless
 * they name another sender.
 */
export const stateRule = (rule: string, source: string, needs: Needs, sentences: Sentences): Statement[] =>
  Object.entries(sentences).map(([says, sent]) => {
    const usual = needs === 'management' ? ({ as: needs } as const) : {}
    const steps = [sent].flat().map((step) => ({ ...usual, ...step }))
    return { rule, says, source, needs, steps }
  })

/** What Coffer does where the documents are silent. */
export const decideRule = (...statements: Parameters<typeof stateRule>): Statement[] =>
  stateRule(...statements).map((statement) => ({ ...statement, decision: true }))

export function sendRequest(
  method: StatementStep['send']['method'],
  path: string,
  status: number | readonly number[],
  { query, headers, raw, answers, ...more }: StepOptions = {},
  body?: PlainJson,
  expected?: Expected,
): StatementStep {
  return {
    ...more,
    send: {
      method,
      path,
      ...(query !== undefined && { query }),
      ...(headers && { headers }),
      ...(raw !== undefined && { raw }),
      ...(body !== undefined && { body }),
    },
    expect: {
      status,
      ...(answers && { headers: answers }),
      ...(expected !== undefined && { body: expected }),
    },
  }
}

export const sendGet = (path: string, expected?: Expected, more?: StepOptions) =>
  sendRequest('GET', path, 200, more, undefined, expected)
export const sendPost = (
  path: string,
  body: PlainJson | undefined,
  expected?: Expected,
  more?: StepOptions,
) => sendRequest('POST', path, 200, more, body, expected)
export const sendPut = (path: string, body: PlainJson | undefined, expected?: Expected, more?: StepOptions) =>
  sendRequest('PUT', path, 200, more, body, expected)
export const sendPatch = (
  path: string,
  body: PlainJson,
  expected?: Expected,
  { status = 200, ...more }: StepOptions & { status?: number } = {},
) => sendRequest('PATCH', path, status, more, body, expected)
export const sendDelete = (path: string, more?: StepOptions) => sendRequest('DELETE', path, 204, more)

/** Creates something, whose id is saved as `id` or under the given name, and which is deleted in the end. */
export function createAt(
  path: string,
  body: PlainJson,
  expected?: Expected,
  {
    name = 'id',
    save,
    status = 201,
    ...more
  }: StepOptions & { name?: string; status?: number | readonly number[] } = {},
): StatementStep {
  return sendRequest(
    'POST',
    path,
    status,
    { remove: `${path}/\${${name}}`, ...more, save: { [name]: '/id', ...save } },
    body,
    expected,
  )
}

/** Creates a token that is deleted in the end, also in a tenant that deduplicates and has one of the same data. */
export const createToken = (
  body: Readonly<Record<string, PlainJson>>,
  expected?: Expected,
  more?: StepOptions & { name?: string },
) => createAt('/tokens', { deduplicate_token: false, ...body }, expected, more)

/** Creates an application, as which later steps act under its name. */
export const createApplication = (name: string, access: Record<string, PlainJson>): StatementStep =>
  createAt(
    '/applications',
    { name: `\${prefix} ${name}`, type: 'private', ...access },
    { id: uuid, key: anyString },
    { as: 'management', name: `${name}_id`, save: { [name]: '/key' } },
  )

/** Creates an application that calls proxies and reactors with tokens. */
export const createWorker = createApplication('worker', {
  permissions: ['token:create', 'token:delete', 'token:use', 'proxy:invoke', 'reactor:invoke'],
})
/** Creates a card of this application. */
export const createCard = createToken(
  { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2035 } },
  {},
  { as: 'worker', name: 'card' },
)

export const createRule = (
  transform: string,
  container: string,
  permissions: readonly string[],
  priority = 1,
): { [member: string]: PlainJson } => ({ priority, container, transform, permissions })

/** A request that is refused, with an error for each of these members. */
export const refuseRequest = (
  method: StatementStep['send']['method'],
  path: string,
  body: PlainJson | undefined,
  members: readonly string[] = [],
  more: StepOptions & { status?: number } = {},
): StatementStep => {
  const { status = 400, ...rest } = more
  return sendRequest(method, path, status, rest, body, {
    status,
    ...(members.length > 0 && {
      errors: Object.fromEntries(members.map((member) => [member, someMessages])),
    }),
  })
}

/** A token that is refused, with an error for each of these members. */
export const refuseToken = (body: PlainJson, ...members: string[]): StatementStep =>
  refuseRequest('POST', '/tokens', body, members)

/** A request that this key may not send. */
export const forbidRequest = (
  as: string,
  method: StatementStep['send']['method'],
  path: string,
  body?: PlainJson,
): StatementStep => refuseRequest(method, path, body, [], { as, status: 403 })

/** Something that does not exist. */
export const findNothing = (path: string, more: StepOptions = {}): StatementStep =>
  refuseRequest('GET', path, undefined, [], { ...more, status: 404 })
