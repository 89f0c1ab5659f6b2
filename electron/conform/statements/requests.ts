import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyString,
  expectExactly,
  expectOther,
  expectPattern,
  type PlainJson,
  type Statement,
  someMessages,
  uuid,
} from '../statement.ts'
import {
  createApplication,
  createAt,
  createToken,
  decideRule,
  findNothing,
  forbidRequest,
  idempotent,
  refuseRequest,
  refuseToken,
  sendDelete,
  sendGet,
  sendPatch,
  sendPut,
  sendRequest,
  stateRule,
} from './steps.ts'

const make: readonly Permission[] = ['token:create', 'token:delete']
const read: readonly Permission[] = [...make, 'token:read']
const word = { type: 'token', data: 'word ${unique}' }
const app = { name: '${prefix} app', type: 'private', permissions: ['token:create'] }
const utc = expectPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const json = { 'content-type': 'application/json' }

/** Without a valid key, this request gives 401. */
const requireKey = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: PlainJson) =>
  stateRule('A-04', 'Authentication', [], {
    [`${method} ${path} without a key gives 401`]: sendRequest(method, path, 401, { as: 'nobody' }, body),
  })

/** POST /tokens with a content type that it does not take. */
const refuseType = (type: string, raw: string) =>
  decideRule('A-09', 'Content types', make, {
    [`POST /tokens with ${type} gives 415`]: sendRequest('POST', '/tokens', 415, {
      headers: { 'content-type': type },
      raw,
    }),
  })

/** A body that cannot be read. */
const rejectBody = (says: string, raw: string) =>
  stateRule('A-09', 'Errors', make, {
    [`${says} gives 400`]: sendRequest('POST', '/tokens', 400, { headers: json, raw }, undefined, {
      status: 400,
    }),
  })

/** The body of a new token, of exactly so many bytes. */
const writeBody = (bytes: number) => `{"type":"token","data":"${'x'.repeat(bytes - 26)}"}`

/** A number in data, which comes back as it was written. */
const keepNumber = (written: string) =>
  decideRule('A-14', 'Token object', make, {
    [`The number ${written} in data comes back as it was written`]: sendRequest(
      'POST',
      '/tokens',
      201,
      {
        headers: json,
        raw: `{"type":"token","data":${written},"mask":"{{ data }}-"}`,
        save: { id: '/id' },
        remove: '/tokens/${id}',
      },
      undefined,
      { data: `${written}-` },
    ),
  })

export const requests: readonly Statement[] = [
  requireKey('GET', '/v2/tokens'),
  requireKey('POST', '/tokens', word),
  requireKey('GET', '/tokens/some-id'),
  requireKey('PATCH', '/tokens/some-id', {}),
  requireKey('DELETE', '/tokens/some-id'),
  requireKey('POST', '/tokenize', { a: 'b' }),
  requireKey('POST', '/detokenize', { a: 'b' }),
  requireKey('POST', '/v2/tokens/search', {}),
  requireKey('POST', '/token-intents', word),
  requireKey('GET', '/applications'),
  requireKey('POST', '/applications', {}),
  requireKey('GET', '/tenants/self'),
  requireKey('GET', '/logs'),
  requireKey('GET', '/permissions'),
  requireKey('POST', '/enrichments/bank-account-verify', {}),
  stateRule('A-04', 'Authentication', [], {
    'A key that nobody made gives 401': sendRequest('GET', '/v2/tokens', 401, {
      as: 'nobody',
      headers: { 'BT-API-KEY': 'key_unknown_aaaaaaaaaaaaaaaaaaaa' },
    }),
  }),
  stateRule('A-01', 'Authentication', ['token:read'], {
    'A key in the query string is not taken': sendRequest('GET', '/v2/tokens', 401, {
      as: 'nobody',
      query: { 'BT-API-KEY': 'key_unknown_aaaa' },
    }),
  }),
  stateRule('A-01', 'Authentication', 'management', {
    'The name of the key header may be in any letter case': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendGet('/v2/tokens', undefined, { as: 'nobody', headers: { 'bt-Api-kEY': '${worker}' } }),
    ],
  }),
  stateRule('A-04', 'Authentication', 'management', {
    'A key without the permission gives 403': [
      createApplication('reader', { permissions: ['token:read'] }),
      forbidRequest('reader', 'POST', '/tokens', word),
      forbidRequest('reader', 'GET', '/applications'),
      forbidRequest('reader', 'GET', '/tenants/self'),
      forbidRequest('reader', 'GET', '/logs'),
    ],
  }),
  decideRule('A-04', 'Errors', [], {
    'Every 401 has a problem document': sendRequest('GET', '/v2/tokens', 401, { as: 'nobody' }, undefined, {
      title: anyString,
      status: 401,
      detail: anyString,
    }),
    'A path that does not exist gives 404 with a problem document': sendRequest(
      'GET',
      '/no-such-thing',
      404,
      {},
      undefined,
      { title: anyString, status: 404 },
    ),
    'A wrong method gives 405 with the methods that are allowed': [
      sendRequest('DELETE', '/v2/tokens', 405, { answers: { allow: expectPattern(/GET/) } }, undefined, {
        status: 405,
      }),
      sendRequest('PUT', '/tokens', 405, {}, {}, { status: 405 }),
    ],
    'The key is checked before the body': sendRequest('POST', '/tokens', 401, {
      as: 'nobody',
      headers: json,
      raw: '{',
    }),
  }),
  decideRule('A-04', 'Errors', read, { 'HEAD works where GET does': sendRequest('HEAD', '/v2/tokens', 200) }),
  stateRule('A-05', 'Errors', make, {
    'An error has title, status and detail, and the members that are wrong': [
      refuseToken({ type: 'card', data: { number: '1' } }, 'data.number'),
      sendRequest('POST', '/tokens', 400, {}, {}, { title: anyString, status: 400 }),
    ],
    'Only the errors of a validation have errors by member': sendRequest(
      'GET',
      '/tokens/${prefix}-none',
      [403, 404],
      {},
      undefined,
      { errors: absent },
    ),
  }),
  decideRule('A-05', 'Errors', [], {
    'The content type of an error is application/json': sendRequest('GET', '/no-such-thing', 404, {
      answers: { 'content-type': expectPattern(/^application\/json/) },
    }),
  }),
  decideRule('A-05', 'Errors', read, {
    'An error of a validation has its title, and names the members in detail and errors': sendRequest(
      'POST',
      '/tokens',
      400,
      {},
      { type: 'card', data: { number: '1' } },
      expectExactly({
        title: 'One or more validation errors occurred.',
        status: 400,
        code: 'invalid',
        detail: expectPattern(/data\.number/),
        errors: expectExactly({ 'data.number': someMessages }),
      }),
    ),
    'An error has a code that programs can rely on': [
      sendRequest('POST', '/tokens', 400, {}, {}, { code: 'invalid' }),
      sendRequest('GET', '/tokens/${prefix}-none', 404, {}, undefined, { code: 'not_found' }),
    ],
  }),
  stateRule('A-07', 'Success', read, {
    'Creating gives 201, reading 200 and deleting 204 without a body': [
      createToken(word),
      sendGet('/tokens/${id}'),
      sendRequest('DELETE', '/tokens/${id}', 204, {}, undefined, absent),
    ],
  }),
  decideRule('A-07', 'Success', 'management', {
    'The answer to a creation has the Location of what was made': [
      createAt('/applications', app, {}, { answers: { location: '/applications/${id}' } }),
      createAt(
        '/applications/${id}/keys',
        {},
        {},
        { name: 'key', answers: { location: '/applications/${id}/keys/${key}' } },
      ),
      createApplication('worker', { permissions: [...read, 'token-intent:create', 'token-intent:delete'] }),
      createAt('/token-intents', word, {}, { as: 'worker', answers: { location: '/token-intents/${id}' } }),
      createToken(
        { ...word, id: 'é ${unique}:c' },
        {},
        {
          as: 'worker',
          remove: '/tokens/%C3%A9%20${unique}%3Ac',
          answers: { location: '/tokens/%C3%A9%20${unique}%3Ac' },
        },
      ),
      sendGet('/tokens/%C3%A9%20${unique}%3Ac', { id: 'é ${unique}:c' }, { as: 'worker' }),
    ],
  }),
  stateRule('A-07', 'Success', 'management', {
    'Updating gives 200, and deleting 204 without a body': [
      createAt('/applications', app, {}),
      createAt('/applications/${id}/keys', {}, {}, { name: 'key' }),
      sendPut('/applications/${id}', app, undefined),
      sendRequest('DELETE', '/applications/${id}/keys/${key}', 204, {}, undefined, absent),
      sendRequest('DELETE', '/applications/${id}', 204, {}, undefined, absent),
    ],
  }),
  stateRule('A-08', 'Create Application', 'management', {
    'null for an optional member of an application or rule is as if it were absent': createAt(
      '/applications',
      {
        ...app,
        permissions: null,
        rules: [
          {
            description: null,
            conditions: null,
            priority: 1,
            container: '/',
            transform: 'mask',
            permissions: ['token:read'],
          },
        ],
        expires_at: null,
        create_key: null,
      },
      { permissions: [], key: anyString },
    ),
  }),
  decideRule('A-08', 'Unknown members', make, {
    'Unknown members of a body are ignored': createToken(
      { ...word, colour: 'red' },
      { id: uuid, colour: absent },
    ),
  }),
  decideRule('A-08', 'Unknown members', ['token:read'], {
    'Unknown parameters of a query are ignored': sendGet('/v2/tokens', {}, { query: { colour: 'red' } }),
  }),
  stateRule('A-08', 'Create Token', make, {
    'null for an optional member is as if it were absent': createToken(
      {
        ...word,
        id: null,
        mask: null,
        metadata: null,
        containers: null,
        search_indexes: null,
        fingerprint_expression: null,
        deduplicate_token: null,
        expires_at: null,
        token_intent_id: null,
      },
      { id: uuid, containers: ['/general/high/'], metadata: absent, mask: absent },
    ),
  }),
  refuseType('text/plain', JSON.stringify({ type: 'token', data: 'x' })),
  refuseType('application/x-www-form-urlencoded', 'type=token&data=x'),
  refuseType('application/xml', '<token/>'),
  rejectBody('A body that is no JSON', '{"type":"token",'),
  rejectBody('A body that is a list', '[]'),
  rejectBody('A body that is text', '"x"'),
  decideRule('A-09', 'Content types', make, {
    'The content type of a body may name UTF-8, and a byte order mark is skipped': sendRequest(
      'POST',
      '/tokens',
      201,
      {
        headers: { 'content-type': 'application/json; charset=utf-8' },
        raw: '\u{feff}{"type":"token","data":"\u{feff}x","mask":"{{ data }}"}',
        save: { id: '/id' },
        remove: '/tokens/${id}',
      },
    ),
    'Another charset than UTF-8 gives 415': sendRequest('POST', '/tokens', 415, {
      headers: { 'content-type': 'application/json; charset=iso-8859-1' },
      raw: '{"type":"token","data":"x"}',
    }),
  }),
  stateRule('A-09', 'Update Application', 'management', {
    'PUT takes application/json-patch+json as JSON': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendPut(
        '/applications/${worker_id}',
        { name: '${prefix} renamed', permissions: ['token:read'] },
        { name: '${prefix} renamed' },
        { as: 'management', headers: { 'content-type': 'application/json-patch+json' } },
      ),
    ],
  }),
  decideRule('A-10', 'Paths', read, {
    'A path works with a slash at its end': [
      createAt('/tokens/', word, { id: uuid }, { remove: '/tokens/${id}' }),
      sendGet('/tokens/${id}/', { id: '${id}' }),
      sendGet('/v2/tokens/'),
      sendGet('/v2/tokens/', {}, { query: { size: 1 } }),
      sendGet('/permissions/'),
    ],
  }),
  decideRule('A-10', 'Paths', read, {
    'An id in a path is decoded once': [
      createToken(
        { ...word, id: '${prefix} ${unique}' },
        { id: '${prefix} ${unique}' },
        { remove: '/tokens/${prefix}%20${unique}' },
      ),
      sendGet('/tokens/${prefix}%20${unique}', { id: '${prefix} ${unique}' }),
      findNothing('/tokens/${prefix}%2520${unique}'),
    ],
  }),
  stateRule('A-11', 'Tracing', ['token:read'], {
    'The trace id of a request is in its answer': [
      sendGet(
        '/v2/tokens',
        {},
        {
          headers: { 'BT-TRACE-ID': '${prefix}-${unique}' },
          answers: { 'bt-trace-id': '${prefix}-${unique}' },
        },
      ),
      sendRequest('GET', '/no-such-thing', 404, {
        headers: { 'BT-TRACE-ID': '${prefix}-${unique}' },
        answers: { 'bt-trace-id': '${prefix}-${unique}' },
      }),
    ],
    'An answer has a trace id if the request has none': sendGet(
      '/v2/tokens',
      {},
      { answers: { 'bt-trace-id': anyString } },
    ),
  }),
  stateRule('A-12', 'Idempotency', make, {
    'A creation that is repeated with its idempotency key returns the same token': [
      createToken(word, {}, { name: 'first', save: { at: '/created_at' }, ...idempotent }),
      createToken(word, { id: '${first}', created_at: '${at}' }, idempotent),
    ],
    'Another idempotency key creates another token': [
      createToken(word, {}, { name: 'first', ...idempotent }),
      createToken(word, { id: expectOther('${first}') }, { headers: { 'BT-IDEMPOTENCY-KEY': '${unique2}' } }),
    ],
  }),
  decideRule('A-12', 'Idempotency', make, {
    'The body of a repeated request is not compared': [
      createToken(word, {}, { name: 'first', ...idempotent }),
      createToken({ type: 'token', data: 'other' }, { id: '${first}' }, idempotent),
    ],
    'A failure is not kept under an idempotency key': [
      refuseRequest('POST', '/tokens', { type: 'token' }, [], idempotent),
      createToken(word, { id: uuid }, idempotent),
    ],
    'A repeated creation of what was deleted gives 409': [
      createToken(word, {}, idempotent),
      sendDelete('/tokens/${id}'),
      refuseRequest('POST', '/tokens', word, [], { status: 409, ...idempotent }),
    ],
  }),
  decideRule('A-12', 'Idempotency', 'management', {
    'An idempotency key belongs to one application': [
      createApplication('one', { permissions: ['token:create', 'token:delete'] }),
      createApplication('two', { permissions: ['token:create', 'token:delete'] }),
      createToken(word, {}, { as: 'one', name: 'first', ...idempotent }),
      createToken(word, { id: expectOther('${first}') }, { as: 'two', ...idempotent }),
    ],
  }),
  stateRule('A-12', 'Idempotency', [...read, 'token:update'], {
    'A patch is carried out once with its idempotency key': [
      createToken({ ...word, metadata: { a: '1' } }),
      sendPatch(
        '/tokens/${id}',
        { metadata: { a: '2' } },
        { metadata: { a: '2' } },
        { ...idempotent, save: { at: '/modified_at' } },
      ),
      sendPatch(
        '/tokens/${id}',
        { metadata: { a: '2' } },
        { metadata: { a: '2' }, modified_at: '${at}' },
        idempotent,
      ),
      sendGet('/tokens/${id}', { modified_at: '${at}' }),
    ],
  }),
  decideRule('A-13', 'Times', 'management', {
    'Times are in UTC, with milliseconds and the offset +00:00': [
      createApplication('worker', { permissions: ['token:create', 'token:update', 'token:delete'] }),
      sendGet('/applications/${worker_id}', { created_at: utc }),
      createToken(
        { ...word, expires_at: '2099-02-03' },
        { created_at: utc, expires_at: utc },
        { as: 'worker' },
      ),
      sendPatch('/tokens/${id}', {}, { modified_at: utc }, { as: 'worker' }),
    ],
  }),
  keepNumber('19.90'),
  keepNumber('9007199254740993'),
  keepNumber('1e21'),
  keepNumber('-0.1000'),
  decideRule('A-15', 'Lengths', 'management', {
    'Lengths are counted in characters, also of other scripts': [
      createAt(
        '/applications',
        { name: '\u{1f600}'.repeat(200), type: 'private', permissions: ['token:read'] },
        {},
      ),
      refuseRequest(
        'POST',
        '/applications',
        { name: '\u{1f600}'.repeat(201), type: 'private', permissions: ['token:read'] },
        ['name'],
      ),
    ],
  }),
  decideRule('X-08', 'Limits', make, {
    'JSON that is nested more than 64 levels deep gives 400': sendRequest('POST', '/tokens', 400, {
      headers: json,
      raw: `{"type":"token","data":${'['.repeat(100)}${']'.repeat(100)}}`,
    }),
  }),
  decideRule('A-09', 'Limits', make, {
    'A body of 2 MiB is taken, and one byte more gives 413': [
      sendRequest('POST', '/tokens', 201, {
        headers: json,
        raw: writeBody(2 * 1024 * 1024),
        save: { id: '/id' },
        remove: '/tokens/${id}',
      }),
      sendRequest('POST', '/tokens', 413, { headers: json, raw: writeBody(2 * 1024 * 1024 + 1) }),
    ],
  }),
  stateRule('W-01', 'Webhooks', [], {
    'GET /ping gives 200 without a key': sendGet('/ping', absent, { as: 'nobody' }),
  }),
].flat()
