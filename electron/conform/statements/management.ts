import {
  absent,
  anyNumber,
  anyString,
  anything,
  type Expected,
  expectAmong,
  expectEach,
  expectExactly,
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
  decideRule,
  findNothing,
  forbidRequest,
  idempotent,
  refuseRequest,
  refuseToken,
  sendDelete,
  sendGet,
  sendPost,
  sendPut,
  sendRequest,
  stateRule,
  unknownId,
} from './steps.ts'

const hook = {
  name: '${prefix} hook',
  url: 'https://example.com/hooks',
  events: ['tenant.invitation.accepted'],
}

const createKey = (
  more: { readonly headers?: Readonly<Record<string, string>> } = {},
  body?: PlainJson,
  expected: Expected = {},
) => {
  const options = { remove: '/keys/${key}', save: { key: '/key_id' }, ...more }
  return sendRequest('POST', '/keys', 201, options, body, expected)
}

const refuseWebhook = (says: string, body: Record<string, PlainJson>, ...members: string[]) =>
  stateRule('W-01', 'Webhooks', 'management', {
    [says]: refuseRequest('POST', '/webhooks', { ...hook, ...body }, members),
  })

/** A list or object that one permission opens to a management application, and to no other. */
const needPermission = (path: string, permission: string) =>
  stateRule('P-12', 'Permissions', 'management', {
    [`GET ${path} needs ${permission}`]: [
      createApplication('reader', { type: 'management', permissions: [permission] }),
      createApplication('other', { type: 'management', permissions: ['application:delete'] }),
      sendGet(path, anything, { as: 'reader' }),
      forbidRequest('other', 'GET', path),
    ],
  })

export const management: readonly Statement[] = [
  needPermission('/applications', 'application:read'),
  needPermission('/tenants/self', 'tenant:read'),
  needPermission('/logs', 'log:read'),
  needPermission('/proxies', 'proxy:read'),
  needPermission('/reactors', 'reactor:read'),
  needPermission('/webhooks', 'webhooks:read'),
  needPermission('/keys', 'keys:read'),
  needPermission('/tenants/self/members', 'tenant:member:read'),
  needPermission('/tenants/self/invitations', 'tenant:invitation:read'),
  needPermission('/tenants/self/reports/usage', 'report:read'),
  stateRule('O-06', 'Tenants', 'management', {
    'The tenant has its name, type and owner': sendGet('/tenants/self', {
      id: uuid,
      owner_id: uuid,
      name: anyString,
      type: 'test',
    }),
    'The usage report counts tokens': sendGet('/tenants/self/reports/usage', {
      token_report: { total_tokens: anyNumber },
    }),
  }),
  stateRule('O-05', 'Logs', 'management', {
    'A creation is in the log, with its actor': [
      createApplication('worker', { permissions: ['token:create', 'token:delete'] }),
      createAt('/tokens', { type: 'token', data: '${unique}' }, {}, { as: 'worker' }),
      sendGet(
        '/logs',
        { data: expectItems({ entity_id: '${id}', entity_type: 'token', actor_id: '${worker_id}' }) },
        { query: { entity_id: '${id}', entity_type: 'token' }, until: true },
      ),
    ],
    'The log has the words of its operations': [
      createApplication('worker', { permissions: ['token:create', 'token:read', 'token:delete'] }),
      createAt('/tokens', { type: 'token', data: '${unique}' }, {}, { as: 'worker' }),
      sendGet('/tokens/${id}', {}, { as: 'worker' }),
      sendGet(
        '/logs',
        { data: expectItems({ operation: 'create' }, { operation: 'read', message: 'Token retrieved' }) },
        { query: { entity_id: '${id}' }, until: true },
      ),
    ],
    'The log of a day before the first is empty': sendGet(
      '/logs',
      { data: [] },
      { query: { end_date: '2001-01-01T00:00:00Z' } },
    ),
    'The types of entities are a bare list': sendGet(
      '/logs/entity-types',
      expectItems({ display_name: 'Application', value: 'application' }),
    ),
    'A date of the log that is none is refused': refuseRequest('GET', '/logs', undefined, ['start_date'], {
      query: { start_date: 'yesterday' },
    }),
  }),
  stateRule('C-01', 'Client encryption keys', 'management', {
    'A key shows its public half only when it is created': [
      createKey(
        {},
        {},
        expectExactly({
          key_id: anyString,
          public_key_pem: expectPattern(
            /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/]{43}=\n-----END PUBLIC KEY-----$/,
          ),
          expires_at: isoDate,
        }),
      ),
      sendGet('/keys/${key}', { key_id: '${key}', public_key_pem: absent, expires_at: isoDate }),
      sendGet('/keys', expectItems({ key_id: '${key}', public_key_pem: absent })),
      sendDelete('/keys/${key}'),
      findNothing('/keys/${key}'),
    ],
    'A key is created without a body, or as a JSON patch': [
      createKey(),
      createKey({ headers: { 'content-type': 'application/json-patch+json' } }, {}),
    ],
    'A repeated creation of a key returns the same one': [
      createKey(idempotent, {}),
      sendRequest('POST', '/keys', 201, { ...idempotent }, {}, { key_id: '${key}' }),
    ],
    'An expiry of a key that is past or more than a year ahead is refused': [
      refuseRequest('POST', '/keys', { expires_at: 'soon' }, ['expires_at']),
      refuseRequest('POST', '/keys', { expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']),
      refuseRequest('POST', '/keys', { expires_at: '2099-01-01T00:00:00Z' }, ['expires_at']),
    ],
  }),
  stateRule('C-02', 'Client encryption keys', ['token:create'], {
    'Encrypted data that cannot be decrypted is refused': [
      refuseToken({ type: 'token', encrypted: 'nonsense' }, 'encrypted'),
      refuseToken({ type: 'token', encrypted: 'e30..e30.e30.e30' }, 'encrypted'),
    ],
  }),
  stateRule('W-01', 'Webhooks', 'management', {
    'A webhook is created, read, changed, listed and deleted': [
      createAt(
        '/webhooks',
        { ...hook, notify_email: 'hooks@example.com' },
        {
          ...hook,
          id: uuid,
          tenant_id: uuid,
          status: 'enabled',
          notify_email: 'hooks@example.com',
          created_by: uuid,
          created_at: isoDate,
        },
      ),
      sendGet('/webhooks/${id}', { ...hook, id: '${id}' }),
      sendGet(
        '/webhooks',
        { data: expectItems({ id: '${id}' }), pagination: { page_size: anyNumber } },
        { until: true },
      ),
      sendPut(
        '/webhooks/${id}',
        { ...hook, name: '${prefix} changed', status: 'disabled' },
        { name: '${prefix} changed', status: 'disabled', modified_at: isoDate },
        { until: true },
      ),
      sendDelete('/webhooks/${id}', { until: true }),
      findNothing('/webhooks/${id}'),
    ],
    'The types of events are a sorted list of names': sendGet(
      '/webhooks/event-types',
      expectItems(
        'application.created',
        'application.deleted',
        'application.updated',
        'proxy.invoked',
        'reactor.completed',
        'token-intent.converted',
        'token.created',
        'token.deleted',
        'token.expired',
        'token.updated',
      ),
    ),
    'An unknown webhook gives 404': findNothing(`/webhooks/${unknownId}`),
  }),
  refuseWebhook('A webhook without a name is refused', { name: null }, 'name'),
  refuseWebhook('A webhook without a URL is refused', { url: null }, 'url'),
  refuseWebhook('A webhook without events is refused', { events: [] }, 'events'),
  refuseWebhook('A webhook with an unknown event is refused', { events: ['token.sold'] }),
  refuseWebhook('A webhook to an address that is no URL is refused', { url: 'example' }, 'url'),
  refuseWebhook(
    'A webhook to plain HTTP at another host is refused',
    { url: 'http://example.com/hooks' },
    'url',
  ),
  stateRule('M-01', 'Members and invitations', 'management', {
    'An invitation is created, read, listed, sent again and deleted': [
      createAt(
        '/tenants/self/invitations',
        { email: '${unique}@example.com', role: 'READ_ONLY' },
        {
          id: uuid,
          email: '${unique}@example.com',
          role: 'READ_ONLY',
          status: 'PENDING',
          expires_at: isoDate,
        },
      ),
      sendGet('/tenants/self/invitations/${id}', { id: '${id}', status: 'PENDING' }),
      sendGet(
        '/tenants/self/invitations',
        { data: expectItems({ id: '${id}' }) },
        { query: { status: 'PENDING', size: 50 }, until: true },
      ),
      sendPost('/tenants/self/invitations/${id}/resend', undefined, {
        id: '${id}',
        status: 'PENDING',
      }),
      sendDelete('/tenants/self/invitations/${id}'),
      findNothing('/tenants/self/invitations/${id}'),
    ],
    'The role of an invitation is ADMIN by default': createAt(
      '/tenants/self/invitations',
      { email: '${unique}@example.com' },
      { role: 'ADMIN' },
    ),
    'An invitation without an address is refused': refuseRequest(
      'POST',
      '/tenants/self/invitations',
      { role: 'ADMIN' },
      ['email'],
    ),
    'Members have a user and a role': sendGet('/tenants/self/members', {
      data: expectEach({ id: uuid, tenant_id: uuid, role: anyString, user: { id: anyString } }, 1),
    }),
    'Roles are a bare list of names': sendGet(
      '/roles',
      expectItems({ name: 'ADMIN' }, { name: 'READ_ONLY' }),
    ),
    'Application templates are a bare list': [
      sendGet(
        '/application-templates',
        expectEach({ id: uuid, name: anyString, application_type: anyString }, 1),
        { save: { template: '/0/id' } },
      ),
      sendGet('/application-templates/${template}', { id: '${template}' }),
    ],
  }),
  stateRule('M-01', 'Card details', 'management', {
    'The details of a BIN have brand and funding in title case': sendGet(
      '/enrichments/card-details',
      { brand: 'Visa', funding: 'Credit' },
      { query: { bin: '424242' } },
    ),
    'A BIN has six digits': refuseRequest('GET', '/enrichments/card-details', undefined, ['bin'], {
      query: { bin: '42' },
    }),
  }),
  decideRule('M-01', 'Card details', 'management', {
    'An unknown BIN has no brand': sendGet(
      '/enrichments/card-details',
      { brand: expectAmong(null, absent) },
      { query: { bin: '999999' } },
    ),
  }),
].flat()
