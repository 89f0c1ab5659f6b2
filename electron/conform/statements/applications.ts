import {
  absent,
  anyString,
  type Expected,
  expectEach,
  expectItems,
  expectPattern,
  isoDate,
  type PlainJson,
  type Statement,
  uuid,
} from '../statement.ts'
import {
  createApplication,
  createAt,
  createRule,
  createToken,
  decideRule,
  findNothing,
  refuseRequest,
  sendDelete,
  sendGet,
  sendPost,
  sendPut,
  sendRequest,
  stateRule,
  unknownId,
} from './steps.ts'

const worker = { name: '${prefix} worker', type: 'private', permissions: ['token:read'] }

/** An application that is refused, with the member that is wrong. */
const refuseApplication = (says: string, body: Record<string, PlainJson>, member: string) =>
  stateRule('K-01', 'Create Application', 'management', {
    [says]: refuseRequest('POST', '/applications', { ...worker, ...body }, [member]),
  })

/** What GET, PUT and DELETE answer to an application or key that does not exist. */
const missApplication = (path: string) =>
  stateRule('K-01', 'Get an Application', 'management', {
    [`GET and DELETE ${path} give 404 for an unknown id`]: [
      findNothing(path),
      refuseRequest('DELETE', path, undefined, [], { status: 404 }),
    ],
  })

const verifyPath = '/enrichments/bank-account-verify'
const verifyAccount = (status: Expected, more: Record<string, PlainJson> = {}) =>
  sendPost(verifyPath, { token_id: '${id}', ...more }, { status })
const refuseAccount = (body: PlainJson, members?: readonly string[], more?: { status: number }) =>
  refuseRequest('POST', verifyPath, body, members, more)

export const applications: readonly Statement[] = [
  stateRule('K-01', 'Create Application', 'management', {
    'An application is created with a key, which later answers do not show': [
      createAt('/applications', worker, {
        ...worker,
        id: uuid,
        tenant_id: uuid,
        key: anyString,
        created_by: uuid,
        created_at: isoDate,
      }),
      sendGet('/applications/${id}', { ...worker, id: '${id}', key: absent }),
      sendGet('/applications', { data: expectEach({ key: absent }, 1) }),
    ],
    'An application without create_key gets a key': createAt(
      '/applications',
      { ...worker, create_key: null },
      { key: anyString },
    ),
    'create_key false creates no key': [
      createAt('/applications', { ...worker, create_key: false }, { key: absent }),
      sendGet('/applications/${id}/keys', []),
    ],
    'An application may expire': createAt(
      '/applications',
      { ...worker, expires_at: '2099-01-01T00:00:00Z' },
      { expires_at: expectPattern(/^2099-01-01T00:00:00/) },
    ),
    'A name may have 200 characters': createAt(
      '/applications',
      { ...worker, name: 'n'.repeat(200) },
      { name: 'n'.repeat(200) },
    ),
    'Rules come back as they were given': createAt(
      '/applications',
      {
        name: '${prefix} rules',
        type: 'private',
        rules: [{ ...createRule('mask', '/${prefix}/', ['token:read']), description: 'Masked' }],
      },
      {
        rules: [
          {
            description: 'Masked',
            priority: 1,
            container: '/${prefix}/',
            transform: 'mask',
            permissions: ['token:read'],
          },
        ],
      },
    ),
  }),
  refuseApplication('An application without a name is refused', { name: null }, 'name'),
  refuseApplication('A name of 201 characters is refused', { name: 'n'.repeat(201) }, 'name'),
  refuseApplication('An application without a type is refused', { type: null }, 'type'),
  refuseApplication('An unknown type of application is refused', { type: 'admin' }, 'type'),
  refuseApplication('An expiry that is no date is refused', { expires_at: 'soon' }, 'expires_at'),
  missApplication(`/applications/${unknownId}`),
  stateRule('K-01', 'Update Application', 'management', {
    'An update replaces name and permissions, and sets modified_by and modified_at': [
      createAt('/applications', worker, { modified_at: absent }),
      sendPut(
        '/applications/${id}',
        { name: '${prefix} changed', permissions: ['token:create'] },
        {
          name: '${prefix} changed',
          type: 'private',
          permissions: ['token:create'],
          key: absent,
          modified_by: uuid,
          modified_at: isoDate,
        },
      ),
      sendGet('/applications/${id}', { name: '${prefix} changed', permissions: ['token:create'] }),
    ],
    'An update needs a name': [
      createAt('/applications', worker, {}),
      refuseRequest('PUT', '/applications/${id}', { permissions: ['token:read'] }, ['name']),
    ],
    'A permission that is taken away is gone for the existing key': [
      createApplication('reader', { permissions: ['token:read', 'token:create'] }),
      sendGet('/v2/tokens', {}, { as: 'reader' }),
      sendPut('/applications/${reader_id}', { name: '${prefix} reader', permissions: ['token:create'] }, {}),
      sendRequest('GET', '/v2/tokens', 403, { as: 'reader', until: true }),
    ],
  }),
  stateRule('K-02', 'List Applications', 'management', {
    'A page has as many applications as asked for': [
      createAt('/applications', worker, {}, { name: 'first' }),
      createAt('/applications', worker, {}, { name: 'second' }),
      sendGet(
        '/applications',
        {
          data: [{ id: uuid }],
          pagination: { total_items: 2, page_number: 2, page_size: 1, total_pages: 2 },
        },
        { query: { id: ['${first}', '${second}'], size: 1, page: 2 }, until: true },
      ),
    ],
  }),
  decideRule('K-02', 'List Applications', 'management', {
    'Applications are listed newest first': [
      createAt('/applications', worker, {}, { name: 'first' }),
      createAt('/applications', worker, {}, { name: 'second' }),
      sendGet(
        '/applications',
        { data: [{ id: '${second}' }, { id: '${first}' }], pagination: { total_items: 2, total_pages: 1 } },
        { query: { id: ['${first}', '${second}'] }, until: true },
      ),
    ],
    'Applications can be filtered by type': [
      createAt('/applications', worker, {}),
      sendGet(
        '/applications',
        { data: expectEach({ type: 'management' }) },
        { query: { type: 'management' } },
      ),
    ],
  }),
  stateRule('K-03', 'Application keys', 'management', {
    'A second key works beside the first, and a deleted one does not': [
      createApplication('worker', { permissions: ['token:read'] }),
      createAt(
        '/applications/${worker_id}/keys',
        {},
        { id: uuid, key: anyString, created_at: isoDate },
        { name: 'key_id', save: { second: '/key' } },
      ),
      sendGet('/v2/tokens', {}, { as: 'worker' }),
      sendGet('/v2/tokens', {}, { as: 'second' }),
      sendDelete('/applications/${worker_id}/keys/${key_id}'),
      sendRequest('GET', '/v2/tokens', 401, { as: 'second', until: true }),
      sendGet('/v2/tokens', {}, { as: 'worker' }),
    ],
    'A key is created without a body': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendRequest('POST', '/applications/${worker_id}/keys', 201, {}, undefined, { key: anyString }),
    ],
    'A key is read without its secret': [
      createApplication('worker', { permissions: ['token:read'] }),
      createAt('/applications/${worker_id}/keys', {}, {}, { name: 'key_id' }),
      sendGet('/applications/${worker_id}/keys/${key_id}', { id: '${key_id}', key: absent }),
    ],
    'A deleted key is not found': [
      createApplication('worker', { permissions: ['token:read'] }),
      createAt('/applications/${worker_id}/keys', {}, {}, { name: 'key_id' }),
      sendDelete('/applications/${worker_id}/keys/${key_id}'),
      findNothing('/applications/${worker_id}/keys/${key_id}'),
    ],
    'A fourth key gives 422': [
      createApplication('worker', { permissions: ['token:read'] }),
      createAt('/applications/${worker_id}/keys', {}, {}, { name: 'second' }),
      createAt('/applications/${worker_id}/keys', {}, {}, { name: 'third' }),
      refuseRequest('POST', '/applications/${worker_id}/keys', {}, [], { status: 422 }),
    ],
    'A deleted application is not found, and its key gives 401': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendGet('/v2/tokens', {}, { as: 'worker' }),
      sendDelete('/applications/${worker_id}'),
      findNothing('/applications/${worker_id}'),
      sendRequest('GET', '/v2/tokens', 401, { as: 'worker', until: true }),
    ],
    'A token outlives the application that created it': [
      createApplication('worker', { permissions: ['token:create'] }),
      createApplication('reader', { permissions: ['token:read', 'token:delete'] }),
      sendRequest(
        'POST',
        '/tokens',
        201,
        { as: 'worker', save: { id: '/id' } },
        { type: 'token', data: '${unique}' },
      ),
      sendDelete('/applications/${worker_id}'),
      sendGet('/tokens/${id}', { created_by: '${worker_id}' }, { as: 'reader', remove: '/tokens/${id}' }),
    ],
  }),
  stateRule('K-04', 'Application keys', 'management', {
    'The keys of an application are a bare list without their secrets': [
      createApplication('worker', { permissions: ['token:read'] }),
      createAt('/applications/${worker_id}/keys', {}, {}, { name: 'key_id' }),
      sendGet('/applications/${worker_id}/keys', expectEach({ id: uuid, key: absent }, 2)),
      sendGet('/applications/${worker_id}/keys', expectItems({ id: '${key_id}' })),
    ],
  }),
  stateRule('B-01', 'Verify Bank Account', ['token:create', 'token:use', 'token:delete'], {
    'An account number needs a routing number in the request': [
      createToken({ type: 'us_bank_account_number', data: '00001' }),
      verifyAccount(anyString, { routing_number: '021000021' }),
      refuseAccount({ token_id: '${id}' }),
    ],
    'A routing number is refused for a token that has its own': [
      createToken({ type: 'bank', data: { routing_number: '021000021', account_number: '00001' } }),
      refuseAccount({
        token_id: '${id}',
        routing_number: '021000021',
      }),
    ],
    'A token of another type is refused': [
      createToken({ type: 'card_number', data: '4242424242424242' }),
      refuseAccount({ token_id: '${id}' }),
    ],
    'A verification without a token is refused': refuseAccount({}, ['token_id']),
    'A token that does not exist gives 404': refuseAccount({ token_id: unknownId }, [], { status: 404 }),
    'A country code has two letters': [
      createToken({ type: 'bank', data: { routing_number: '021000021', account_number: '00001' } }),
      refuseAccount({ token_id: '${id}', country_code: 'USA' }, ['country_code']),
    ],
  }),
  decideRule('B-02', 'Verify Bank Account', ['token:create', 'token:use', 'token:delete'], {
    'An account is verified by the id of its token': [
      createToken({ type: 'bank', data: { routing_number: '021000021', account_number: '00001' } }),
      verifyAccount('enabled'),
    ],
    'The status of a closed account is disabled': [
      createToken({ type: 'us_bank_account_number', data: '00000' }),
      verifyAccount('disabled', { routing_number: '021000020' }),
    ],
    'The status of an account that is not known for certain is inconclusive': [
      createToken({ type: 'bank', data: { routing_number: '021000021', account_number: '00002' } }),
      verifyAccount('inconclusive'),
    ],
  }),
  decideRule('B-03', 'Verify Bank Account', ['token:create', 'token:use', 'token:delete'], {
    'An unknown account with a valid routing number is inconclusive': [
      createToken({ type: 'bank', data: { routing_number: '011401533', account_number: '99999999' } }),
      verifyAccount('inconclusive'),
    ],
    'A routing number with a wrong checksum is disabled': [
      createToken({ type: 'us_bank_account_number', data: '99999999' }),
      verifyAccount('disabled', { routing_number: '021000022' }),
    ],
    'An account in another country is inconclusive': [
      createToken({ type: 'bank', data: { routing_number: '021000021', account_number: '00001' } }),
      verifyAccount('inconclusive', { country_code: 'DE' }),
    ],
  }),
].flat()
