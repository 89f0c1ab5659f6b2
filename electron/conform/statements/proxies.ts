import {
  absent,
  anyString,
  type Expected,
  expectAmong,
  expectExactly,
  expectPattern,
  isoDate,
  type PlainJson,
  type Statement,
  uuid,
} from '../statement.ts'
import {
  createApplication,
  createAt,
  createCard,
  createRule,
  createWorker,
  decideRule,
  findNothing,
  idempotent,
  refuseRequest,
  type StepOptions,
  sendDelete,
  sendGet,
  sendPatch,
  sendPut,
  sendRequest,
  stateRule,
  unknownId,
} from './steps.ts'

const inList = { query: { id: '${id}' }, until: true } as const
/** The destination that the documentation uses: it answers what it received. */
const echo = 'https://echo.basistheory.com/anything'
const proxy = { name: '${prefix} proxy', destination_url: echo, require_auth: true }
const fullProxy = {
  ...proxy,
  request_transforms: [{ type: 'append_header', options: { location: 'X-Shop', value: '1' } }],
  response_transform: { matcher: 'regex', type: 'mask', expression: '"pan":"(.*?)"', replacement: '*' },
  configuration: { shop: 'ada' },
  require_auth: false,
  disable_detokenization: true,
}
const createProxy = (more: Record<string, PlainJson> = {}) =>
  createAt('/proxies', { ...proxy, ...more }, {}, { save: { proxy: '/key' } })
const toEcho = { 'BT-PROXY-URL': echo }
const callProxy = (
  body: PlainJson,
  expected: Expected,
  { status = 200, ...more }: StepOptions & { status?: number | readonly number[] } = {},
) => {
  const options = { as: 'worker', headers: { 'BT-PROXY-KEY': '${proxy}' }, ...more }
  return sendRequest('POST', '/proxy', status, options, body, expected)
}
/** A proxy that is refused, with the member that is wrong. */
const rejectProxy = (says: string, body: Record<string, PlainJson>, member: string) => ({
  [`A proxy ${says} is refused`]: refuseRequest('POST', '/proxies', { ...proxy, ...body }, [member]),
})
const refuseProxy = (...refused: Parameters<typeof rejectProxy>) =>
  stateRule('G-01', 'Proxies', 'management', rejectProxy(...refused))
const decideProxy = (...refused: Parameters<typeof rejectProxy>) =>
  decideRule('G-01', 'Proxies', 'management', rejectProxy(...refused))
const entries = Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`k${at}`, '']))
const panMask = (replacement: string) => ({ type: 'mask', matcher: 'chase_stratus_pan', replacement })
const regexMask = (expression: string) => ({ type: 'mask', matcher: 'regex', expression, replacement: '*' })
const tokenizePart = { type: 'tokenize', options: { token: { type: 'token', data: '1' }, identifier: 'a' } }

export const proxies: readonly Statement[] = [
  stateRule('G-01', 'Proxies', 'management', {
    'A proxy is created with a key, active at once, and its members come back': [
      createAt(
        '/proxies',
        fullProxy,
        {
          ...fullProxy,
          id: uuid,
          tenant_id: uuid,
          key: expectPattern(/^[A-Za-z0-9]{1,100}$/),
          state: 'active',
          created_by: uuid,
          created_at: isoDate,
        },
        { save: { key: '/key' } },
      ),
      sendGet('/proxies/${id}', { ...fullProxy, id: '${id}', key: '${key}' }),
      sendGet('/proxies', { data: [{ ...fullProxy, id: '${id}' }], pagination: { total_items: 1 } }, inList),
    ],
    'require_auth is true by default': createAt(
      '/proxies',
      { name: '${prefix} proxy', destination_url: echo },
      { require_auth: true },
    ),
    'An update of a proxy resets what is absent, and keeps its key': [
      createProxy({ require_auth: false, configuration: { shop: 'ada' } }),
      sendPut(
        '/proxies/${id}',
        { name: '${prefix} changed', destination_url: echo },
        {
          key: '${proxy}',
          name: '${prefix} changed',
          configuration: expectExactly({}),
          require_auth: true,
          modified_at: isoDate,
        },
      ),
    ],
    'A patch of a proxy keeps what is absent, and answers without a body': [
      createProxy({ require_auth: false, configuration: { a: '1', b: '2' } }),
      sendPatch('/proxies/${id}', { name: '${prefix} changed', configuration: { a: null, c: '3' } }, absent, {
        status: 204,
      }),
      sendGet('/proxies/${id}', {
        key: '${proxy}',
        name: '${prefix} changed',
        destination_url: echo,
        configuration: expectExactly({ b: '2', c: '3' }),
        require_auth: false,
      }),
    ],
    'PATCH of a proxy with application/json gives 415': [
      createProxy(),
      refuseRequest('PATCH', '/proxies/${id}', { name: 'x' }, [], {
        status: 415,
        headers: { 'content-type': 'application/json' },
      }),
    ],
    'A deleted proxy is not found': [
      createProxy(),
      sendDelete('/proxies/${id}'),
      findNothing('/proxies/${id}'),
    ],
    'A repeated creation of a proxy returns the same one': [
      createAt('/proxies', proxy, {}, { ...idempotent }),
      sendRequest('POST', '/proxies', 201, { ...idempotent }, proxy, { id: '${id}' }),
    ],
  }),
  refuseProxy('without a name', { name: null }, 'name'),
  refuseProxy('with an empty name', { name: '' }, 'name'),
  refuseProxy('without a destination', { destination_url: null }, 'destination_url'),
  refuseProxy('to plain HTTP at another host', { destination_url: 'http://example.com' }, 'destination_url'),
  refuseProxy('to another scheme', { destination_url: 'javascript:alert(1)' }, 'destination_url'),
  refuseProxy('to an IP address', { destination_url: 'https://10.0.0.7/' }, 'destination_url'),
  refuseProxy(
    'to a URL of more than 400 characters',
    { destination_url: `${echo}/${'a'.repeat(400)}` },
    'destination_url',
  ),
  refuseProxy('with 26 entries of configuration', { configuration: entries }, 'configuration'),
  refuseProxy('of an application that does not exist', { application: { id: unknownId } }, 'application.id'),
  refuseProxy('with a mask in its request', { request_transform: panMask('*') }, 'request_transform.type'),
  refuseProxy(
    'with a mask of two characters',
    { response_transform: panMask('**') },
    'response_transform.replacement',
  ),
  refuseProxy(
    'with a mask without a group',
    { response_transform: regexMask('a+') },
    'response_transform.expression',
  ),
  refuseProxy(
    'with a transform of an unknown type',
    { request_transform: { type: 'magic' } },
    'request_transform.type',
  ),
  refuseProxy(
    'with a code transform without code',
    { request_transform: { type: 'code' } },
    'request_transform.code',
  ),
  refuseProxy(
    'with code that has a matcher',
    { request_transform: { code: 'x', matcher: 'regex' } },
    'request_transform.matcher',
  ),
  refuseProxy(
    'that appends without a value',
    { response_transforms: [{ type: 'append_text' }] },
    'response_transforms[0].options.value',
  ),
  refuseProxy(
    'that appends without a location',
    { request_transforms: [{ type: 'append_json', options: { value: 'x' } }] },
    'request_transforms[0].options.location',
  ),
  refuseProxy(
    'with two code transforms',
    { request_transforms: [{ code: 'x' }, { code: 'y' }] },
    'request_transforms',
  ),
  refuseProxy(
    'with two transforms of one identifier',
    { request_transforms: [tokenizePart, tokenizePart] },
    'request_transforms',
  ),
  decideProxy(
    'whose destination has a line break',
    { destination_url: 'https://api.example\n.com' },
    'destination_url',
  ),
  decideProxy(
    'whose destination has a user',
    { destination_url: 'https://a:b@example.com' },
    'destination_url',
  ),
  decideProxy(
    'whose destination has a fragment',
    { destination_url: 'https://example.com?a=b#c' },
    'destination_url',
  ),
  decideProxy('that names an obsolete reactor', { request_reactor_id: 'x' }, 'request_reactor_id'),
  decideProxy(
    'with a mask that is no regular expression',
    { response_transform: regexMask('(') },
    'response_transform.expression',
  ),
  decideProxy(
    'with both forms of transforms',
    { request_transform: { code: 'x' }, request_transforms: [{ code: 'x' }] },
    'request_transform',
  ),
  decideRule('G-01', 'Proxies', 'management', {
    'Proxies are found by a part of their name, in any case, and by their ids': [
      createProxy({ name: '${prefix} ${unique} a_1' }),
      createAt('/proxies', { ...proxy, name: '${prefix} ${unique} a%2' }, {}, { name: 'second' }),
      ...[
        [{ name: '*${unique}*' }, ['${second}', '${id}']] as const,
        [{ name: '*${unique} a_*' }, ['${id}']] as const,
        [{ name: '*${unique} A%*' }, ['${second}']] as const,
        [{ id: ['${id}', '${second}'] }, ['${second}', '${id}']] as const,
        [{ name: '*${unique}*', size: 1, page: 2 }, ['${id}']] as const,
        [{ name: '*${unique}*', page: 9 }, []] as const,
      ].map(([query, ids]) =>
        sendGet('/proxies', { data: ids.map((id) => ({ id })) }, { query, until: true }),
      ),
    ],
  }),
  decideRule('G-04', 'Invoke a Proxy', 'management', {
    'A proxy key in the query is not forwarded': [
      createWorker,
      createProxy(),
      sendGet(
        '/proxy/a',
        { args: expectExactly({ x: '1', y: '2' }) },
        { as: 'worker', query: { x: 1, 'bt-proxy-key': '${proxy}', y: 2 } },
      ),
    ],
    'The key and the headers of the proxy are not forwarded': [
      createWorker,
      sendGet(
        '/proxy',
        {
          headers: { 'Bt-Api-Key': absent, 'Bt-Proxy-Url': absent },
        },
        { as: 'worker', headers: toEcho },
      ),
    ],
  }),
  decideRule('G-05', 'Proxy transforms', 'management', {
    'A request transform adds a header from the configuration': [
      createWorker,
      createProxy({
        configuration: { shop: '${unique}' },
        request_transforms: [
          { type: 'append_header', options: { location: 'X-Shop', value: '{{ config: shop }}' } },
        ],
      }),
      callProxy({}, { headers: { 'X-Shop': '${unique}' } }),
    ],
    'A request transform creates a token, whose id is appended': [
      createWorker,
      createProxy({
        request_transforms: [
          {
            type: 'tokenize',
            options: {
              identifier: 'pan',
              token: { type: 'card_number', data: '{{ req.card.number }}', deduplicate_token: false },
            },
          },
          ...[
            { type: 'append_json', location: '$.card.token' },
            { type: 'append_header', location: 'X-Token' },
          ].map(({ type, location }) => ({
            type,
            options: { location, value: "{{ transform_identifier: 'pan' | json: '$.id' }}" },
          })),
        ],
      }),
      callProxy(
        { card: { number: '4242424242424242' } },
        { json: { card: { token: uuid } }, headers: { 'X-Token': '${made}' } },
        { save: { made: '/json/card/token' }, remove: '/tokens/${made}' },
      ),
    ],
  }),
  stateRule('G-04', 'Invoke a Proxy', 'management', {
    'A proxy is called by its key': [
      createWorker,
      createProxy(),
      callProxy(
        { hello: '${unique}' },
        { json: { hello: '${unique}' } },
        { answers: { 'bt-proxy-destination-status': '200' } },
      ),
    ],
    'A proxy without require_auth is called without a key': [
      createProxy({ require_auth: false }),
      callProxy({ hello: '${unique}' }, { json: { hello: '${unique}' } }, { as: 'nobody' }),
    ],
    'A proxy with require_auth refuses a call without a key, or without the permission': [
      createApplication('other', { permissions: ['token:read'] }),
      createProxy(),
      sendRequest('GET', '/proxy/a', 401, { as: 'nobody', headers: { 'BT-PROXY-KEY': '${proxy}' } }),
      sendRequest('GET', '/proxy/a', 403, { as: 'other', headers: { 'BT-PROXY-KEY': '${proxy}' } }),
    ],
    'An ephemeral call names its destination': [
      createWorker,
      callProxy({ hello: '${unique}' }, { json: { hello: '${unique}' } }, { headers: toEcho }),
    ],
    'The path and query of a call are added to the destination': [
      createWorker,
      sendGet(
        '/proxy/sub/path',
        { url: expectPattern(/\/anything\/sub\/path\?p=/) },
        { as: 'worker', headers: toEcho, query: { p: '${unique}' } },
      ),
    ],
    'The method of a call is kept': [
      createWorker,
      sendPut('/proxy', {}, { method: 'PUT' }, { as: 'worker', headers: toEcho }),
    ],
    'Other headers are forwarded': [
      createWorker,
      sendGet(
        '/proxy',
        { headers: { 'X-Shop': '${unique}' } },
        { as: 'worker', headers: { ...toEcho, 'X-Shop': '${unique}' } },
      ),
    ],
  }),
  stateRule('G-05', 'Proxy detokenization', 'management', {
    'Expressions in body and headers are replaced by the data of tokens': [
      createWorker,
      createCard,
      createProxy(),
      callProxy(
        { number: "{{ ${card} | json: '$.number' }}" },
        {
          // The echo of a vault on disk covers what came from tokens.
          json: { number: expectAmong('4242424242424242', expectPattern(/^•+$/)) },
          headers: { 'X-Month': expectAmong('12', expectPattern(/^•+$/)) },
        },
        { headers: { 'BT-PROXY-KEY': '${proxy}', 'X-Month': "{{ ${card} | json: '$.expiration_month' }}" } },
      ),
    ],
    'A response transform adds a member': [
      createWorker,
      createProxy({
        response_transforms: [{ type: 'append_json', options: { location: '$.shop', value: 'ada' } }],
      }),
      callProxy({}, { shop: 'ada' }),
    ],
    'A response transform masks what a regular expression finds': [
      createWorker,
      createProxy({
        response_transforms: [
          { type: 'mask', matcher: 'regex', expression: '"account":\\s*"(.*?)"', replacement: '*' },
        ],
      }),
      callProxy({ account: '56834512' }, { json: { account: '********' } }),
    ],
    'disable_detokenization forwards expressions as text': [
      createWorker,
      createCard,
      createProxy({ disable_detokenization: true }),
      callProxy({ text: '{{ ${card} }}' }, { json: { text: '{{ ${card} }}' } }),
    ],
  }),
  stateRule('G-06', 'Proxy errors', 'management', {
    'An unknown token gives 400 in proxy_error': [
      createWorker,
      createProxy(),
      callProxy(
        { card: `{{ ${unknownId} }}` },
        {
          proxy_error: {
            status: 400,
            title: 'Invalid proxy request',
            detail: `Failed to detokenize some tokens: ${unknownId}`,
          },
        },
        { status: 400 },
      ),
    ],
    'A token that the caller may not use gives 403 in proxy_error': [
      createWorker,
      createApplication('other', {
        rules: [createRule('reveal', '/${prefix}/', ['token:use', 'proxy:invoke'])],
      }),
      createProxy(),
      createCard,
      callProxy({ card: '{{ ${card} }}' }, { proxy_error: { status: 403 } }, { as: 'other', status: 403 }),
    ],
    'A call without a proxy is refused in proxy_error': [
      createWorker,
      sendRequest('POST', '/proxy', 400, { as: 'worker' }, {}, { proxy_error: { status: 400 } }),
    ],
    'A call with an unknown proxy key is refused in proxy_error': [
      createWorker,
      callProxy(
        {},
        { proxy_error: { title: anyString, detail: anyString } },
        { headers: { 'BT-PROXY-KEY': '${unique}' }, status: [400, 401, 404] },
      ),
    ],
  }),
  stateRule('A-04', 'Proxy errors', [], {
    'A call of a proxy without a key says which header is required': callProxy(
      {},
      {
        proxy_error: {
          title: 'Unauthorized proxy request',
          status: 401,
          detail: 'The BT-API-KEY header is required',
        },
      },
      { as: 'nobody', headers: toEcho, status: 401 },
    ),
  }),
].flat()
