import { device_context } from '../../../shared/example-payment.ts'
import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyNumber,
  anyString,
  type Expected,
  expectOther,
  expectPattern,
  isoDate,
  type Statement,
  uuid,
} from '../statement.ts'
import {
  createAt,
  createToken,
  decideRule,
  findNothing,
  refuseRequest,
  sendDelete,
  sendGet,
  sendPatch,
  sendPost,
  sendRequest,
  stateRule,
} from './steps.ts'

/** The expiry for which the table of the account updater is documented. */
const documentedExpiry = { expiration_month: 12, expiration_year: 2023 }
const expiry = { expiration_month: 10, expiration_year: 2035 }
const networkTokens: readonly Permission[] = [
  'network-token:create',
  'network-token:read',
  'network-token:delete',
  'network-token:cryptogram',
  'network-token:suspend',
  'network-token:resume',
]

/** What the tenant had before is neither suspended nor deleted. */
const isNew = { _extras: expectOther({ deduplicated: true }) }

/** Why a card gets no network token. */
const refuseNetworkToken = (number: string, title: string) =>
  stateRule('Z-03', 'Network token test cards', networkTokens, {
    [`A network token of the test card that ends in ${number.slice(-6)} is refused with ${title}`]:
      sendRequest('POST', '/network-tokens', [400, 422], {}, { data: { number, ...expiry } }, { title }),
  })

/** What the account updater says of a card that gets no new token. */
const checkCard = (number: string, result: string, statement = stateRule) =>
  statement(
    'Z-03',
    'Account updater test cards',
    ['token:create', 'token:delete', 'account-updater:real-time:invoke'],
    {
      [`The result of the account updater for the test card that ends in ${number.slice(-6)} is ${result}`]: [
        createToken({ type: 'card', data: { number, ...documentedExpiry } }),
        sendPost(
          '/account-updater/real-time',
          { token_id: '${id}' },
          { result_code: result, new_token: absent },
        ),
      ],
    },
  )
const agents: readonly Permission[] = ['agent:create', 'agent:get', 'agent:update', 'agent:delete']
const enrollments: readonly Permission[] = [
  'token:create',
  'token:delete',
  'enrollment:create',
  'enrollment:get',
  'enrollment:delete',
  'enrollment:verify',
]
const enrollCard = (number: string, expected: Expected) => [
  createToken(
    { type: 'card', data: { number, expiration_month: 12, expiration_year: 2030 } },
    {},
    { name: 'card' },
  ),
  createAt(
    '/agentic/enrollments',
    { token_id: '${card}', consumer: { email: 'ada@example.com' } },
    expected,
    { name: 'enrollment' },
  ),
]
const verifyPath = '/agentic/enrollments/${enrollment}/verify'

export const networks: readonly Statement[] = [
  stateRule('Z-03', 'Network tokens', networkTokens, {
    'A network token lives from creation through suspension to deletion': [
      createAt(
        '/network-tokens',
        { data: { number: '4000000000000002', ...expiry } },
        {
          id: uuid,
          tenant_id: uuid,
          data: {
            number: expectPattern(/^X+\d{4}$/),
            expiration_month: anyNumber,
            expiration_year: anyNumber,
          },
          card: { last4: '0002' },
          status: 'active',
          ...isNew,
          created_at: isoDate,
        },
      ),
      sendGet('/network-tokens/${id}', { id: '${id}', status: 'active' }),
      sendPost('/network-tokens/${id}/cryptogram', undefined, { cryptogram: anyString, eci: anyString }),
      sendRequest('PUT', '/network-tokens/${id}/suspend', 200, {}, undefined, { status: 'suspended' }),
      sendRequest('PUT', '/network-tokens/${id}/suspend', 409),
      sendRequest('PUT', '/network-tokens/${id}/resume', 200, {}, undefined, { status: 'active' }),
      sendRequest('PUT', '/network-tokens/${id}/resume', 409),
      sendDelete('/network-tokens/${id}'),
      findNothing('/network-tokens/${id}'),
    ],
    'A card number has one network token': [
      createAt('/network-tokens', { data: { number: '5100000000000008', ...expiry } }, isNew, {
        name: 'first',
      }),
      sendRequest(
        'POST',
        '/network-tokens',
        201,
        {},
        { data: { number: '5100000000000008', ...expiry } },
        { id: '${first}', _extras: { deduplicated: true } },
      ),
    ],
    'A network token needs a card': refuseRequest('POST', '/network-tokens', {}),
  }),
  decideRule('Z-03', 'Network tokens', networkTokens, {
    'A suspended network token gives no cryptogram': [
      createAt('/network-tokens', { data: { number: '4000000000000010', ...expiry } }, isNew),
      sendRequest('PUT', '/network-tokens/${id}/suspend', 200),
      refuseRequest('POST', '/network-tokens/${id}/cryptogram', undefined),
    ],
  }),
  refuseNetworkToken('4539097887163333', 'CARD_NOT_ELIGIBLE'),
  refuseNetworkToken('4929544240318920', 'CARD_DECLINED'),
  refuseNetworkToken('4330251207506660', 'CARD_VERIFICATION_FAILED'),
  checkCard('4242424242424242', 'NO_UPDATE', decideRule),
  checkCard('4711358892785746', 'NO_UPDATE'),
  checkCard('4929980395567582', 'WRN_CONTACT_CARDHOLDER'),
  checkCard('4929544240318920', 'WRN_ISSUER_NOT_ENROLLED'),
  checkCard('5157204564548129', 'WRN_ISSUER_NO_DATA'),
  checkCard('378282246310005', 'WRN_UNSUPPORTED_NETWORK', decideRule),
  stateRule(
    'Z-03',
    'Account updater test cards',
    ['token:create', 'token:read', 'token:delete', 'account-updater:real-time:invoke'],
    {
      'A replaced card gets a new token': [
        createToken(
          { type: 'card', data: { number: '4111111111111111', ...documentedExpiry } },
          {},
          { name: 'old' },
        ),
        sendPost(
          '/account-updater/real-time',
          { token_id: '${old}', deduplicate_token: false },
          { result_code: 'UPD_PAN', new_token: { id: expectOther('${old}'), card: { last4: '6746' } } },
          { save: { id: '/new_token/id' }, remove: '/tokens/${id}' },
        ),
        sendGet('/tokens/${old}', { card: { last4: '1111' } }),
      ],
      'A token that is no card is refused': [
        createToken({ type: 'token', data: '${unique}' }),
        refuseRequest('POST', '/account-updater/real-time', { token_id: '${id}' }),
      ],
    },
  ),
  stateRule('Z-03', 'Merchants', 'management', {
    'A merchant is created, read, changed and deleted': [
      sendGet('/tenants/self', {}, { as: 'management', save: { tenant: '/id' } }),
      createAt(
        '/tenants/${tenant}/merchants',
        { name: '${prefix} ${unique}', details: { merchant: { category_code_mcc: '7922' } } },
        { id: uuid, tenant_id: '${tenant}', details: { merchant: { category_code_mcc: '7922' } } },
      ),
      sendGet('/tenants/${tenant}/merchants/${id}', { name: '${prefix} ${unique}' }),
      sendPatch(
        '/tenants/${tenant}/merchants/${id}',
        { name: '${prefix} ${unique2}' },
        { name: '${prefix} ${unique2}' },
        { as: 'management', headers: { 'content-type': 'application/json' } },
      ),
      sendRequest('DELETE', '/tenants/${tenant}/merchants/${id}', 200, {}, undefined, {
        id: '${id}',
      }),
      findNothing('/tenants/${tenant}/merchants/${id}'),
    ],
  }),
  stateRule('Z-02', 'Google Pay', ['google-pay:create'], {
    'A payment that cannot be decrypted gives 422': sendRequest(
      'POST',
      '/google-pay',
      422,
      {},
      {
        google_payment_data: {
          protocolVersion: 'ECv2',
          signature: 'MEQCIH6Q4OwQ0jAceFEkGF0JID6sJNXxOEi4r',
          intermediateSigningKey: {
            signedKey: '{"keyExpiration":"1542323393147","keyValue":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"}',
            signatures: ['MEYCIQCO2EIi48s8VTH'],
          },
          signedMessage: '{"encryptedMessage":"a","ephemeralPublicKey":"b","tag":"c"}',
        },
      },
      {
        detail: expectPattern(
          /Failed to process the Google Pay token; the token payload is invalid or malformed\./,
        ),
      },
    ),
  }),
  stateRule('Z-03', 'Agents', agents, {
    'An agent is created, read, changed and deleted': [
      createAt(
        '/agentic/agents',
        { name: '${prefix} agent' },
        {
          id: expectPattern(/^agt_.{21}$/),
          name: '${prefix} agent',
          status: 'active',
          enrollment_ids: [],
          created_at: isoDate,
        },
      ),
      sendGet('/agentic/agents/${id}', { id: '${id}', name: '${prefix} agent' }),
      sendPatch(
        '/agentic/agents/${id}',
        { name: '${prefix} changed' },
        { id: '${id}', name: '${prefix} changed', status: 'active' },
      ),
      sendDelete('/agentic/agents/${id}'),
      findNothing('/agentic/agents/${id}'),
    ],
    'An agent without a name is refused': sendRequest(
      'POST',
      '/agentic/agents',
      400,
      {},
      {},
      { type: 'VALIDATION_ERROR', status: 400 },
    ),
  }),
  stateRule('Z-03', 'Agentic payments, test cards', enrollments, {
    'An enrollment of most cards is verified with a code': [
      ...enrollCard('4000000000000002', {
        id: expectPattern(/^enr_.{21}$/),
        status: 'pending_verification',
        card: { brand: 'visa', last4: '0002' },
      }),
      sendPost(
        verifyPath,
        { device_context },
        { status: 'challenge' },
        { save: { method: '/methods/0/id' } },
      ),
      sendPost(`${verifyPath}/method`, { method_id: '${method}' }, { status: 'otp_sent' }),
      sendPost(`${verifyPath}/otp`, { otp_code: '123456' }, { status: 'device_bound' }),
      sendPost(`${verifyPath}/complete`, undefined, { status: 'verified' }),
      sendGet('/agentic/enrollments/${enrollment}', { status: 'active' }),
    ],
    'An enrollment of 4242424242424242 is active at once': enrollCard('4242424242424242', {
      status: 'active',
    }),
    'A card that the issuer declines is refused': [
      createToken({ type: 'card', data: { number: '4929544240318920', ...expiry } }, {}, { name: 'card' }),
      sendRequest(
        'POST',
        '/agentic/enrollments',
        422,
        {},
        { token_id: '${card}', consumer: { email: 'ada@example.com' } },
        { type: 'CARD_REJECTED', status: 422 },
      ),
    ],
    'A step of a verification out of order is refused': [
      ...enrollCard('4000020000000000', { status: 'pending_verification' }),
      sendRequest(
        'POST',
        `${verifyPath}/otp`,
        400,
        {},
        { otp_code: '123456' },
        { type: 'VERIFICATION_STATE_INVALID' },
      ),
    ],
  }),
].flat()
