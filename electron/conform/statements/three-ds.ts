import { device_info, payment } from '../../../shared/example-payment.ts'
import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyBoolean,
  anyString,
  type Expected,
  expectPattern,
  type PlainJson,
  type Statement,
  uuid,
} from '../statement.ts'
import {
  createAt,
  createToken,
  decideRule,
  findNothing,
  refuseRequest,
  sendGet,
  sendPost,
  sendRequest,
  stateRule,
} from './steps.ts'

const page = '3D Secure sessions'
const rights: readonly Permission[] = [
  'token:create',
  'token:delete',
  'token-intent:create',
  'token-intent:delete',
  '3ds:session:create',
  '3ds:session:read',
  '3ds:session:authenticate',
]
const browser = { device: 'browser', device_info }
const app = {
  sdk_transaction_id: '6f1f3c1e-0c2f-4d5a-9a53-0d0f7c4a1b10',
  sdk_application_id: 'shop-app',
  sdk_encryption_data: 'eyJhbGciOiJSU0EtT0FFUCJ9..a.b.c',
  sdk_ephemeral_public_key: '{"kty":"EC","crv":"P-256","x":"a","y":"b"}',
  sdk_max_timeout: '05',
  sdk_reference_number: 'ref-1',
  sdk_render_options: { sdk_interface: 'both', sdk_ui_type: ['text', 'oob'] },
}
const callback_urls = { success: 'https://shop.example.com/good', failure: 'https://shop.example.com/bad' }
const challenged = '4000020000000000'
const sessionPath = '/3ds/sessions/${session}'

const newCard = (number: string) => ({
  type: 'card',
  data: { number, expiration_month: 10, expiration_year: 2035 },
})
const createCard = (number = challenged) => createToken(newCard(number), {}, { name: 'card' })
const startSession = (body: PlainJson, expected: Expected = {}) =>
  sendRequest('POST', '/3ds/sessions', 201, { save: { session: '/id' } }, body, expected)
const createSession = (number = challenged) => [
  createCard(number),
  startSession(
    { token_id: '${card}', ...browser },
    { id: uuid, type: 'customer', recommended_version: anyString },
  ),
]
const authenticateSession = (body: PlainJson, expected: Expected = {}) =>
  sendPost(`${sessionPath}/authenticate`, body, expected)
const refuseSession = (body: Record<string, PlainJson>, ...members: string[]) =>
  refuseRequest('POST', '/3ds/sessions', { token_id: '${card}', ...body }, members)
const refuseAuthentication = (body: PlainJson, ...members: string[]) =>
  refuseRequest('POST', `${sessionPath}/authenticate`, body, members)

/** How a session of a test card is authenticated. */
const authenticateCard = (
  number: string,
  status: string,
  code: string,
  more: Record<string, Expected> = {},
) =>
  stateRule('S-01', '3D Secure test cards', rights, {
    [`The test card that ends in ${number.slice(-6)} is ${status}`]: [
      ...createSession(number),
      authenticateSession(payment, {
        session_id: '${session}',
        authentication_status: status,
        authentication_status_code: code,
        ...more,
      }),
    ],
  })

export const threeDs: readonly Statement[] = [
  stateRule('S-01', page, rights, {
    'A session is created for a card, and read': [
      ...createSession(),
      sendGet(sessionPath, {
        id: '${session}',
        type: 'customer',
        tenant_id: uuid,
        token_id: '${card}',
        device: 'browser',
      }),
    ],
    'A session names the brand of its card': [
      createCard(),
      startSession({ token_id: '${card}', ...browser }, { cardBrand: expectPattern(/^[Vv]isa$/) }),
    ],
    'A session needs a token or an intent, and a device': [
      refuseRequest('POST', '/3ds/sessions', {}, ['token_id', 'device']),
      createCard(),
      refuseSession({}, 'device'),
      refuseSession({ device: 'browser' }, 'device_info'),
    ],
    'The information of a device needs every required member': [
      createCard(),
      refuseSession(
        { device: 'browser', device_info: {} },
        ...Object.keys(device_info).map((name) => `device_info.${name}`),
      ),
      refuseSession({ device: 'app', device_info }, 'device_info.sdk_transaction_id'),
    ],
    'A session of a token that is no card is refused': [
      createToken({ type: 'token', data: '${unique}' }, {}, { name: 'card' }),
      refuseSession(browser, 'token_id'),
    ],
    'A session of a card number alone is refused': [
      createToken({ type: 'card_number', data: challenged }, {}, { name: 'card' }),
      refuseSession(browser, 'token_id'),
    ],
    'An unknown session gives 404': findNothing('/3ds/sessions/00000000-0000-4000-8000-000000000000'),
    'An authentication needs a category and a type': [
      ...createSession(),
      refuseAuthentication({}, 'authentication_category', 'authentication_type'),
    ],
    'The authentication of a payment needs merchant and purchase': [
      ...createSession(),
      refuseAuthentication(
        {
          authentication_category: 'payment',
          authentication_type: 'installment-transaction',
          cardholder_info: payment.cardholder_info,
        },
        'merchant_info',
        'purchase_info',
      ),
    ],
    'A session of a merchant has its own types of authentication, and a time to decide': [
      createCard(),
      startSession({ token_id: '${card}', type: 'merchant' }, { type: 'merchant' }),
      refuseAuthentication(payment, 'authentication_type', 'decoupled_challenge_max_time'),
    ],
    'A challenge has a page, and its result waits for the cardholder': [
      ...createSession(),
      authenticateSession(payment, {
        authentication_status: 'challenge',
        acs_challenge_url: anyString,
        liability_shifted: anyBoolean,
        threeds_version: anyString,
        acs_transaction_id: anyString,
        ds_transaction_id: anyString,
      }),
      sendGet(`${sessionPath}/challenge-result`, { authentication_status: 'challenge' }),
    ],
  }),
  // What the text requires and what these programs send is not the same.
  decideRule('S-01', 'Programs of the hosted service', rights, {
    'A payment without its transaction type, and with the id of the session, is authenticated': [
      ...createSession(),
      authenticateSession({
        ...payment,
        purchase_info: { amount: '80000', currency: '826', exponent: '2', date: '20300101141010' },
        requestor_info: { amex_requestor_type: 'MER', cb_siret_number: '12412412412' },
        challenge_preference: 'no-challenge',
        cardholder_info: {
          ...payment.cardholder_info,
          billing_address: { country_code: '840', state_code: 'CA', line1: '1 High St', line2: 'Flat 2' },
        },
        sessionId: '${session}',
      }),
    ],
    'A payment to a merchant without a URL is authenticated': [
      ...createSession(),
      authenticateSession({
        ...payment,
        requestor_info: { id: '1', name: 'Shop', url: 'https://shop.example.com' },
        merchant_info: {
          mid: '9876543210001',
          acquirer_bin: '000000999',
          name: 'Shop',
          country_code: '826',
          category_code: '7922',
        },
        sessionId: '${session}',
      }),
    ],
  }),
  decideRule('S-01', page, rights, {
    'A session is created for a token intent, from an app': [
      createAt('/token-intents', newCard('4000000000000341'), {}, { name: 'intent' }),
      startSession({ token_intent_id: '${intent}', device: 'app', device_info: app }, { method_url: absent }),
      sendGet(sessionPath, { token_intent_id: '${intent}', device: 'app' }),
      authenticateSession(payment, {
        token_intent_id: '${intent}',
        sdk_transaction_id: app.sdk_transaction_id,
        authentication_challenge_type: 'out-of-band',
        acs_rendering_type: {
          acs_interface: '02',
          acs_ui_template: '05',
          acsInterface: '02',
          acsUiTemplate: '05',
        },
      }),
    ],
    'A card that is no test card is attempted, without a method': [
      createCard('4242424242424242'),
      startSession({ token_id: '${card}', ...browser }, { method_url: absent }),
      authenticateSession(payment, {
        authentication_status: 'attempted',
        authentication_status_code: 'A',
        eci: '06',
        liability_shifted: true,
      }),
    ],
    'A session is for one card': [
      createCard(),
      refuseSession({ pan: '${card}', type: 'merchant' }, 'token_id'),
      refuseRequest('POST', '/3ds/sessions', { pan: 'none', ...browser }, ['pan']),
    ],
    'A card of a network without 3D Secure is refused': [
      createCard('6759649826438453'),
      refuseSession(browser, 'The card was not supported by any card schemes'),
    ],
    'A redirect needs the request to authenticate, with every required member': [
      createCard(),
      refuseSession({ device: 'browser', callback_urls }, 'authentication_request'),
      refuseSession(
        {
          device: 'browser',
          callback_urls,
          authentication_request: { ...payment, merchant_info: { name: 'x' } },
        },
        'authentication_request.merchant_info.mid',
      ),
    ],
    'A redirect leads to a page of the web': [
      createCard(),
      ...['javascript:alert(1)', 'data:text/html,x', 'ftp://x', '//x', 'http://a:b@x', 'http://x y'].map(
        (success) =>
          refuseSession(
            {
              device: 'browser',
              authentication_request: payment,
              callback_urls: { ...callback_urls, success },
            },
            'callback_urls.success',
          ),
      ),
    ],
    'The brand of an authentication is one of the card': [
      ...createSession(),
      refuseAuthentication({ ...payment, card_brand: 'JCB' }, 'card_brand'),
      authenticateSession({ ...payment, card_brand: 'VISA' }),
    ],
    'A session is authenticated once, and has no result before': [
      ...createSession(),
      refuseRequest('GET', `${sessionPath}/challenge-result`, undefined, ['id']),
      authenticateSession(payment),
      refuseAuthentication(payment, 'id'),
    ],
    'A test card that fails the Luhn check may be the data of a token or an intent': [
      ...['/tokens', '/token-intents'].flatMap((path, at) =>
        ['4200000000000004', { number: '4200000000000004' }].flatMap((data, of) => [
          createAt(path, { type: 'token', data }, {}, { name: `made_${at}_${of}` }),
          startSession({
            [path === '/tokens' ? 'token_id' : 'token_intent_id']: `\${made_${at}_${of}}`,
            ...browser,
          }),
        ]),
      ),
      ...[challenged, { number: challenged }, '4200000000000018'].flatMap((data, at) => [
        createToken({ type: 'token', data }, {}, { name: `other_${at}` }),
        refuseRequest('POST', '/3ds/sessions', { token_id: `\${other_${at}}`, ...browser }, ['token_id']),
      ]),
    ],
    'The members and values of an older client are taken': [
      createCard(),
      startSession({
        token_id: '${card}',
        device: 'browser',
        device_info: { ...device_info, browser_timezone: '0', browser_ip_address: '127.0.0.1' },
      }),
      authenticateSession({
        ...payment,
        cardholder_info: {
          ...payment.cardholder_info,
          account_info: { account_password_last_changed: 'no-change', purchase_count_last_year: '3' },
        },
        merchant_info: { ...payment.merchant_info, risk_info: { delivery_timeframe: 'same-day-shipping' } },
      }),
    ],
  }),
  authenticateCard('5204247750001471', 'successful', 'Y', { liability_shifted: true }),
  authenticateCard('340000000004001', 'successful', 'Y'),
  authenticateCard('4111111111111111', 'attempted', 'A'),
  authenticateCard('5424180011113336', 'attempted', 'A'),
  authenticateCard('4264281511112228', 'failed', 'N', { liability_shifted: false }),
  authenticateCard('5405001111111165', 'unavailable', 'U'),
  authenticateCard('5405001111111116', 'rejected', 'R'),
  authenticateCard('4000020000000000', 'challenge', 'C'),
  authenticateCard('4761369980320253', 'challenge', 'C', { acs_challenge_mandated: 'Y' }),
  stateRule('S-01', '3D Secure test cards', rights, {
    'A failure of the directory server gives 424': [
      ...createSession('4264281500003339'),
      sendRequest('POST', `${sessionPath}/authenticate`, 424, {}, payment, {
        error: { title: '3DS Service Error', status: 424 },
      }),
    ],
  }),
].flat()
