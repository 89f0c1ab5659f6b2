import { absent, type Expected, isoDate, type PlainJson, type Statement, uuid } from '../statement.ts'
import {
  createApplication,
  createAt,
  createCard,
  createRule,
  createWorker,
  decideRule,
  findNothing,
  forbidRequest,
  refuseRequest,
  type StepOptions,
  sendDelete,
  sendGet,
  sendPatch,
  sendPost,
  sendPut,
  sendRequest,
  stateRule,
  unknownId,
} from './steps.ts'

const inList = { query: { id: '${id}' }, until: true } as const
const createReactor = (code: string, more: Record<string, PlainJson> = {}) =>
  createAt('/reactors', { name: '${prefix} reactor', code, ...more }, {}, { name: 'reactor' })
const callReactor = (args: PlainJson, expected: Expected, more?: StepOptions) =>
  sendPost('/reactors/${reactor}/react', { args }, expected, { as: 'worker', ...more })
/** What a reactor answers if its code throws an error of a class of the documentation. */
const throwError = (name: string, status: number) =>
  stateRule('F-04', 'Reactor errors', 'management', {
    [`A reactor that throws ${name} answers ${status}`]: [
      createWorker,
      createReactor(
        `const { ${name} } = require('@basis-theory/basis-theory-reactor-formulas-sdk-js')\nmodule.exports = async function () { throw new ${name}('wrong') }`,
      ),
      sendRequest(
        'POST',
        '/reactors/${reactor}/react',
        status,
        { as: 'worker' },
        { args: {} },
        { status, errors: { error: ['wrong'] } },
      ),
    ],
  })

export const reactors: readonly Statement[] = [
  stateRule('F-01', 'Reactors', 'management', {
    'A reactor is created, read, listed and deleted': [
      createAt(
        '/reactors',
        {
          name: '${prefix} reactor',
          code: 'module.exports = async (req) => ({ raw: req.args })',
          configuration: { shop: 'ada' },
        },
        {
          id: uuid,
          tenant_id: uuid,
          name: '${prefix} reactor',
          code: 'module.exports = async (req) => ({ raw: req.args })',
          configuration: { shop: 'ada' },
          state: 'active',
          created_at: isoDate,
        },
      ),
      sendGet('/reactors/${id}', { id: '${id}', name: '${prefix} reactor' }),
      sendGet('/reactors', { data: [{ id: '${id}' }] }, inList),
      sendDelete('/reactors/${id}'),
      findNothing('/reactors/${id}'),
    ],
    'An update of a reactor replaces name and code': [
      createReactor('module.exports = async () => ({ raw: 1 })'),
      sendPut(
        '/reactors/${reactor}',
        { name: '${prefix} changed', code: 'module.exports = async () => ({ raw: 2 })' },
        { name: '${prefix} changed', modified_at: isoDate },
      ),
      refuseRequest('PUT', '/reactors/${reactor}', { name: 'x' }, ['code']),
    ],
    'A patch of a reactor keeps what is absent': [
      createReactor('module.exports = async () => ({ raw: 1 })', { configuration: { a: '1', b: '2' } }),
      sendPatch('/reactors/${reactor}', { configuration: { b: '3' } }, absent, { status: 204 }),
      sendGet('/reactors/${reactor}', { name: '${prefix} reactor', configuration: { a: '1', b: '3' } }),
    ],
    'A reactor without code or name is refused': [
      refuseRequest('POST', '/reactors', { name: 'x' }, ['code']),
      refuseRequest('POST', '/reactors', { code: 'module.exports = () => ({})' }, ['name']),
    ],
    'Code has at most 50,000 characters': [
      createReactor('x'.repeat(50_000)),
      refuseRequest('POST', '/reactors', { name: '${prefix} long', code: 'x'.repeat(50_001) }, ['code']),
    ],
    'A reactor of an application that does not exist is refused': refuseRequest(
      'POST',
      '/reactors',
      { name: '${prefix} none', code: 'x', application: { id: unknownId } },
      [],
    ),
    'PATCH of a reactor with application/json gives 415': [
      createReactor('x'),
      refuseRequest('PATCH', '/reactors/${reactor}', { name: 'x' }, [], {
        status: 415,
        headers: { 'content-type': 'application/json' },
      }),
    ],
    'Code that does not compile is stored, and calling it gives 422': [
      createWorker,
      createReactor('module.exports = async function ('),
      sendRequest('POST', '/reactors/${reactor}/react', 422, { as: 'worker' }, { args: {} }),
    ],
  }),
  decideRule('F-03', 'Invoke a Reactor', 'management', {
    'A reactor creates tokens with the rights of its caller': [
      createApplication('other', { permissions: ['reactor:invoke'] }),
      createReactor("module.exports = () => ({ tokenize: { name: 'Ada' } })"),
      forbidRequest('other', 'POST', '/reactors/${reactor}/react', { args: {} }),
    ],
    'A reactor may create as many tokens as a tokenize request': [
      createWorker,
      createReactor(
        'module.exports = () => ({ tokenize: { a: "1", b: "2", c: "3", d: "4", e: "5", f: "6" } })',
      ),
      refuseRequest('POST', '/reactors/${reactor}/react', { args: {} }, [], { as: 'worker' }),
    ],
  }),
  decideRule('F-01', 'Deprecations', 'management', {
    'A formula and a callback URL, which were removed, are refused': [
      createWorker,
      refuseRequest('POST', '/reactors', { name: '${prefix} formula', code: 'x', formula: { id: 'x' } }, [
        'formula',
      ]),
      createReactor('module.exports = () => ({})'),
      refuseRequest(
        'POST',
        '/reactors/${reactor}/react',
        { args: {}, callback_url: 'https://example.com' },
        ['callback_url'],
        { as: 'worker' },
      ),
    ],
  }),
  stateRule('F-03', 'Invoke a Reactor', 'management', {
    'A reactor gets its args and configuration, and returns raw': [
      createWorker,
      createReactor(
        'module.exports = async (req) => ({ raw: { args: req.args, shop: req.configuration.shop } })',
        { configuration: { shop: 'ada' } },
      ),
      callReactor({ key1: 'v', key2: 2 }, { raw: { args: { key1: 'v', key2: 2 }, shop: 'ada' } }),
    ],
    'A reactor gets the plaintext of tokens in its args': [
      createWorker,
      createCard,
      createReactor('module.exports = async (req) => ({ raw: { last: req.args.number.slice(-4) } })'),
      callReactor({ number: "{{ ${card} | json: '$.number' }}" }, { raw: { last: '4242' } }),
    ],
    'What a reactor returns as tokenize becomes tokens': [
      createWorker,
      createReactor(
        "module.exports = async () => ({ raw: 1, tokenize: { name: '${unique}', card: { type: 'card_number', data: '4242424242424242', deduplicate_token: false } } })",
      ),
      callReactor(
        {},
        { raw: 1, tokens: { name: uuid, card: { type: 'card_number' } } },
        {
          save: { made: '/tokens/name', card: '/tokens/card/id' },
          remove: ['/tokens/${made}', '/tokens/${card}'],
        },
      ),
    ],
    'A reactor gets a token only if the caller may use it': [
      createWorker,
      createCard,
      createApplication('other', { rules: [createRule('reveal', '/${prefix}/', ['reactor:invoke'])] }),
      createReactor('module.exports = (req) => ({ raw: req.args })'),
      forbidRequest('other', 'POST', '/reactors/${reactor}/react', { args: { n: '{{ ${card} }}' } }),
      sendPost('/reactors/${reactor}/react', { args: { n: 1 } }, { raw: { n: 1 } }, { as: 'other' }),
    ],
    'A reactor without an application has no client': [
      createWorker,
      createReactor('module.exports = async (req) => ({ raw: { bt: req.bt === null } })'),
      callReactor({}, { raw: { bt: true } }),
    ],
    'Calling a reactor needs reactor:invoke or token:use': [
      createApplication('other', { permissions: ['token:create'] }),
      createReactor('module.exports = async () => ({ raw: {} })'),
      forbidRequest('other', 'POST', '/reactors/${reactor}/react', { args: {} }),
    ],
    'An unknown reactor gives 404': [
      createWorker,
      refuseRequest('POST', `/reactors/${unknownId}/react`, { args: {} }, [], { as: 'worker', status: 404 }),
    ],
  }),
  throwError('BadRequestError', 400),
  throwError('AuthenticationError', 401),
  throwError('InvalidPaymentMethodError', 402),
  throwError('RateLimitError', 429),
  stateRule('F-04', 'Reactor errors', 'management', {
    'A reactor that throws any other error answers 500': [
      createWorker,
      createReactor('module.exports = async () => { throw new Error("wrong") }'),
      sendRequest('POST', '/reactors/${reactor}/react', 500, { as: 'worker' }, { args: {} }, { status: 500 }),
    ],
    'CustomHttpResponseError decides status, headers and body': [
      createWorker,
      createReactor(
        "const { CustomHttpResponseError } = require('@basis-theory/basis-theory-reactor-formulas-sdk-js')\nmodule.exports = async () => { throw new CustomHttpResponseError({ status: 418, headers: { 'X-Tea': 'pot' }, body: { tea: true } }) }",
      ),
      sendRequest(
        'POST',
        '/reactors/${reactor}/react',
        418,
        { as: 'worker', answers: { 'x-tea': 'pot' } },
        { args: {} },
        { tea: true },
      ),
    ],
  }),
  stateRule('F-05', 'Invoke a Reactor', 'management', {
    'react-async gives an id, by which the result is read': [
      createWorker,
      createReactor('module.exports = async (req) => ({ raw: req.args })'),
      sendRequest(
        'POST',
        '/reactors/${reactor}/react-async',
        202,
        { as: 'worker', save: { request: '/asyncReactorRequestId' } },
        { args: { a: '${unique}' } },
        { asyncReactorRequestId: uuid },
      ),
      sendGet(
        '/reactors/${reactor}/results/${request}',
        { raw: { a: '${unique}' } },
        { as: 'worker', until: true },
      ),
    ],
    'The result of an unknown request gives 404': [
      createWorker,
      createReactor('module.exports = async () => ({ raw: {} })'),
      findNothing(`/reactors/\${reactor}/results/${unknownId}`, { as: 'worker' }),
    ],
  }),
].flat()
