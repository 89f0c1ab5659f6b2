import { absent, anyString, expectEach, expectItems, type PlainJson, type Statement } from '../statement.ts'
import {
  createApplication,
  createAt,
  createRule,
  createToken,
  decideRule,
  findNothing,
  forbidRequest,
  refuseRequest,
  sendDelete,
  sendGet,
  sendPatch,
  sendPost,
  sendPut,
  sendRequest,
  stateRule,
} from './steps.ts'

const page = 'Access rules'
const types = 'Application types'
const data = 'abcdefgh'
const secret = { type: 'token', data, mask: '{{ data | reveal_last: 2 }}' }
const here = { ...secret, containers: ['/${prefix}/'] }
const work = ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search']

/** Access that an application cannot be given. */
const refuseAccess = (
  says: string,
  body: Record<string, PlainJson>,
  members: readonly string[] = [],
  statement = stateRule,
) =>
  statement('P-03', 'Create Application', 'management', {
    [says]: refuseRequest('POST', '/applications', { name: '${prefix} refused', ...body }, members),
  })

/** A permission that a type of application may not hold. */
const forbidPermission = (type: string, permission: string) =>
  stateRule('P-02', types, 'management', {
    [`An application of type ${type} cannot hold ${permission}`]: refuseRequest(
      'POST',
      '/applications',
      { name: '${prefix} refused', type, permissions: [permission] },
      [],
    ),
  })

/** How one token is shown under a transform. */
const showData = (transform: string, shown: PlainJson | typeof absent, what: string) =>
  stateRule('P-08', page, 'management', {
    [`The transform ${transform} ${what}, in every answer`]: [
      createApplication('worker', { rules: [createRule(transform, '/${prefix}/', work)] }),
      createToken({ ...here, search_indexes: ['${unique}'] }, { data: shown }, { as: 'worker' }),
      sendGet('/tokens/${id}', { id: '${id}', data: shown }, { as: 'worker' }),
      sendPatch('/tokens/${id}', { metadata: { a: 'b' } }, { data: shown }, { as: 'worker' }),
      sendGet(
        '/v2/tokens',
        { data: expectItems({ id: '${id}', data: shown }) },
        { as: 'worker', query: { container: '/${prefix}/' }, until: true },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: 'data:${unique}' },
        { data: expectItems({ id: '${id}', data: shown }) },
        { as: 'worker', until: true },
      ),
    ],
  })

export const permissions: readonly Statement[] = [
  stateRule('P-01', 'Permissions', [], {
    'Permissions are listed with their description and application types': sendGet(
      '/permissions',
      expectEach({ type: anyString, description: anyString, application_types: expectEach(anyString) }),
    ),
    'The list has the permissions of tokens and applications': sendGet(
      '/permissions',
      expectItems(
        ...[...work, 'token:use', 'application:create', 'application:read', 'tenant:read', 'log:read'].map(
          (type) => ({ type }),
        ),
      ),
    ),
    'The list can be limited to a type of application': sendGet(
      '/permissions',
      expectEach({ application_types: expectItems('public') }, 1),
      { query: { application_type: 'public' } },
    ),
  }),
  stateRule('P-02', types, 'management', {
    'A public application may hold token:create, token:update and token-intent:create': createApplication(
      'page',
      { type: 'public', permissions: ['token:create', 'token:update', 'token-intent:create'] },
    ),
    'A private application may hold every permission of tokens and intents': createApplication('worker', {
      permissions: [...work, 'token:use', 'token-intent:create', 'token-intent:read', 'token-intent:delete'],
    }),
    'A management application may hold those of applications, tenant and logs': createApplication('manager', {
      type: 'management',
      permissions: [
        'application:create',
        'application:read',
        'application:update',
        'application:delete',
        'tenant:read',
        'tenant:update',
        'log:read',
      ],
    }),
  }),
  forbidPermission('public', 'token:read'),
  forbidPermission('public', 'token:delete'),
  forbidPermission('public', 'application:read'),
  forbidPermission('private', 'application:create'),
  forbidPermission('private', 'tenant:read'),
  forbidPermission('management', 'token:read'),
  forbidPermission('private', 'no:such:permission'),
  refuseAccess('An application needs permissions or rules', { type: 'private' }),
  refuseAccess('An application with empty permissions and rules is refused', {
    type: 'private',
    permissions: [],
    rules: [],
  }),
  refuseAccess(
    'A management application takes no rules',
    { type: 'management', rules: [createRule('reveal', '/', ['token:read'])] },
    [],
    decideRule,
  ),
  refuseAccess('A rule without a container is refused', {
    type: 'private',
    rules: [{ priority: 1, transform: 'mask', permissions: ['token:read'] }],
  }),
  refuseAccess('A rule with container and conditions is refused', {
    type: 'private',
    rules: [
      {
        ...createRule('mask', '/', ['token:read']),
        conditions: [{ attribute: 'id', operator: 'equals', value: 'x' }],
      },
    ],
  }),
  refuseAccess('A rule with an unknown transform is refused', {
    type: 'private',
    rules: [createRule('show', '/', ['token:read'])],
  }),
  refuseAccess('A rule with priority 0 is refused', {
    type: 'private',
    rules: [createRule('mask', '/', ['token:read'], 0)],
  }),
  refuseAccess(
    'A rule without permissions is refused',
    { type: 'private', rules: [createRule('mask', '/', [])] },
    [],
    decideRule,
  ),
  refuseAccess(
    'Two rules of one priority are refused',
    {
      type: 'private',
      rules: [createRule('mask', '/a/', ['token:read']), createRule('reveal', '/b/', ['token:read'])],
    },
    [],
    decideRule,
  ),
  stateRule('P-03', 'Update Application', 'management', {
    'An update with empty permissions is refused': [
      createApplication('worker', { permissions: ['token:read'] }),
      refuseRequest('PUT', '/applications/${worker_id}', { name: '${prefix} worker', permissions: [] }, []),
      refuseRequest('PUT', '/applications/${worker_id}', { name: '${prefix} worker' }, []),
    ],
  }),
  showData('redact', absent, 'leaves data out'),
  showData('mask', 'XXXXXXgh', 'shows the mask'),
  showData('reveal', data, 'shows the data'),
  stateRule('P-08', page, 'management', {
    'The transform mask leaves data out if the token has no mask': [
      createApplication('worker', { rules: [createRule('mask', '/${prefix}/', work)] }),
      createToken({ type: 'token', data, containers: ['/${prefix}/'] }, { data: absent }, { as: 'worker' }),
      sendGet('/tokens/${id}', { data: absent, mask: absent }, { as: 'worker' }),
    ],
    'Creating may mask what reading reveals': [
      createApplication('worker', {
        rules: [
          createRule('mask', '/${prefix}/', ['token:create', 'token:delete'], 1),
          createRule('reveal', '/${prefix}/', ['token:read'], 2),
        ],
      }),
      createToken(here, { data: 'XXXXXXgh' }, { as: 'worker' }),
      sendGet('/tokens/${id}', { data }, { as: 'worker' }),
    ],
  }),
  stateRule('P-04', page, 'management', {
    'A permission without a rule holds for every container, masked': [
      createApplication('worker', { permissions: work }),
      createToken({ ...secret, containers: ['/${prefix}/any/'] }, { data: 'XXXXXXgh' }, { as: 'worker' }),
      sendGet('/tokens/${id}', { data: 'XXXXXXgh' }, { as: 'worker' }),
    ],
  }),
  stateRule('P-05', page, 'management', {
    'The rule with the lowest priority number decides': [
      createApplication('worker', {
        rules: [createRule('reveal', '/${prefix}/a/', work, 1), createRule('redact', '/${prefix}/', work, 2)],
      }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, { data }, { as: 'worker', name: 'first' }),
      createToken({ ...secret, containers: ['/${prefix}/b/'] }, { data: absent }, { as: 'worker' }),
    ],
    'A lower number decides also if its container is broader': [
      createApplication('worker', {
        rules: [createRule('reveal', '/${prefix}/a/', work, 2), createRule('redact', '/${prefix}/', work, 1)],
      }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, { data: absent }, { as: 'worker' }),
    ],
    'A rule that does not grant the permission is passed over': [
      createApplication('worker', {
        rules: [
          createRule('redact', '/${prefix}/', ['token:create', 'token:delete'], 1),
          createRule('reveal', '/${prefix}/', ['token:read'], 2),
        ],
      }),
      createToken(here, { data: absent }, { as: 'worker' }),
      sendGet('/tokens/${id}', { data }, { as: 'worker' }),
    ],
    'A rule covers its container and everything below it': [
      createApplication('worker', { rules: [createRule('reveal', '/${prefix}/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/deep/below/'] }, { data }, { as: 'worker' }),
      sendGet('/tokens/${id}', { data }, { as: 'worker' }),
    ],
    'A rule covers no container that merely begins with the same letters': [
      createApplication('worker', { rules: [createRule('reveal', '/${prefix}/a/', work)] }),
      forbidRequest('worker', 'POST', '/tokens', { ...secret, containers: ['/${prefix}/ab/'] }),
    ],
    'A rule for / covers every container': [
      createApplication('worker', { rules: [createRule('reveal', '/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/'] }, { data }, { as: 'worker' }),
    ],
    'A container that no rule covers gives 403 to creating, reading, changing and deleting': [
      createApplication('worker', { rules: [createRule('reveal', '/${prefix}/a/', work)] }),
      createApplication('other', { rules: [createRule('reveal', '/${prefix}/b/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, {}, { as: 'worker' }),
      forbidRequest('other', 'GET', '/tokens/${id}'),
      sendRequest('PATCH', '/tokens/${id}', 403, { as: 'other' }, { metadata: { a: 'b' } }),
      forbidRequest('other', 'DELETE', '/tokens/${id}'),
      forbidRequest('other', 'POST', '/tokens', { ...secret, containers: ['/${prefix}/a/'] }),
    ],
    'Creating without containers needs access to the default container': [
      createApplication('worker', {
        rules: [createRule('mask', '/general/', ['token:create', 'token:delete'])],
      }),
      createToken(secret, { containers: ['/general/high/'] }, { as: 'worker' }),
      forbidRequest('worker', 'POST', '/tokens', { type: 'card_number', data: '4242424242424242' }),
    ],
  }),
  decideRule('P-11', 'Get a Token', 'management', {
    'A token that may not be read gives 403, and one that does not exist 404': [
      createApplication('worker', { rules: [createRule('reveal', '/${prefix}/a/', work)] }),
      createApplication('other', { rules: [createRule('reveal', '/${prefix}/b/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, {}, { as: 'worker' }),
      forbidRequest('other', 'GET', '/tokens/${id}'),
      findNothing('/tokens/${prefix}-none', { as: 'other' }),
    ],
  }),
  stateRule('P-09', 'List Tokens v2', 'management', {
    'A list leaves out what the caller may not read': [
      createApplication('worker', { rules: [createRule('reveal', '/${prefix}/', work)] }),
      createApplication('other', { rules: [createRule('reveal', '/${prefix}/b/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, {}, { as: 'worker', name: 'hidden' }),
      createToken({ ...secret, containers: ['/${prefix}/b/'] }, {}, { as: 'worker', name: 'shown' }),
      sendGet('/v2/tokens', { data: [{ id: '${shown}' }] }, { as: 'other', until: true }),
    ],
  }),
  decideRule('P-10', 'Containers', 'management', {
    'Reading a token in several containers needs access to one of them, deleting to all': [
      createApplication('worker', { rules: [createRule('mask', '/${prefix}/', work)] }),
      createApplication('other', { rules: [createRule('reveal', '/${prefix}/b/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/a/', '/${prefix}/b/'] }, {}, { as: 'worker' }),
      sendGet('/tokens/${id}', { data }, { as: 'other' }),
      forbidRequest('other', 'DELETE', '/tokens/${id}'),
      sendGet('/tokens/${id}', { id: '${id}' }, { as: 'worker' }),
    ],
  }),
  decideRule('X-18', 'Containers', 'management', {
    'Moving a token needs token:update on the new container': [
      createApplication('worker', { rules: [createRule('mask', '/${prefix}/a/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, {}, { as: 'worker' }),
      sendPatch('/tokens/${id}', { containers: ['/${prefix}/b/'] }, {}, { as: 'worker', status: 403 }),
      sendGet('/tokens/${id}', { containers: ['/${prefix}/a/'] }, { as: 'worker' }),
    ],
  }),
  stateRule('K-01', 'Update Application', 'management', {
    'Changed rules apply to an existing key': [
      createApplication('worker', { rules: [createRule('mask', '/${prefix}/', work)] }),
      createToken(here, { data: 'XXXXXXgh' }, { as: 'worker' }),
      sendPut(
        '/applications/${worker_id}',
        { name: '${prefix} worker', rules: [createRule('reveal', '/${prefix}/', work)] },
        { rules: [{ transform: 'reveal' }] },
      ),
      sendGet('/tokens/${id}', { data }, { as: 'worker', until: true }),
    ],
  }),
  stateRule('P-12', 'Token Intents', 'management', {
    'A permission for something without a container may be in any rule': [
      createApplication('worker', {
        rules: [
          createRule('mask', '/${prefix}/', [
            'token-intent:create',
            'token-intent:read',
            'token-intent:delete',
          ]),
        ],
      }),
      createAt('/token-intents', { type: 'card_number', data: '4242424242424242' }, {}, { as: 'worker' }),
    ],
  }),
  stateRule('P-06', 'Get an Application by Key', 'management', {
    'The application of a key is read with that key': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendGet('/applications/key', { id: '${worker_id}', type: 'private', key: absent }, { as: 'worker' }),
    ],
  }),
  stateRule('X-17', 'Token object, rule 2', 'management', {
    'A duplicate is shown by the transform of token:read': [
      createApplication('worker', {
        rules: [
          createRule('reveal', '/${prefix}/', ['token:create', 'token:delete'], 1),
          createRule('redact', '/${prefix}/', ['token:read'], 2),
        ],
      }),
      createToken({ ...here, data: '${unique}' }, { data: '${unique}' }, { as: 'worker', name: 'first' }),
      sendRequest(
        'POST',
        '/tokens',
        201,
        { as: 'worker' },
        { ...here, data: '${unique}', deduplicate_token: true },
        { id: '${first}', data: absent },
      ),
      sendDelete('/tokens/${first}', { as: 'worker' }),
    ],
  }),
].flat()
