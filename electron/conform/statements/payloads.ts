import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyString,
  type Expected,
  expectExactly,
  expectOther,
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
  forbidRequest,
  idempotent,
  refuseRequest,
  refuseToken,
  sendDelete,
  sendGet,
  sendPost,
  sendRequest,
  stateRule,
  unknownId,
} from './steps.ts'

const make: readonly Permission[] = ['token:create', 'token:delete']
const read: readonly Permission[] = [...make, 'token:read']
const intents: readonly Permission[] = ['token-intent:create', 'token-intent:read', 'token-intent:delete']
const convert: readonly Permission[] = [...read, ...intents]
const number = '4242424242424242'
const card = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2035, cvc: '123' } }
const work = ['token:create', 'token:read', 'token:delete']
/** Creates an application that reads the plaintext of what it creates. */
const createRevealer = createApplication('worker', { rules: [createRule('reveal', '/${prefix}/', work)] })
const createPage = createApplication('page', { type: 'public', permissions: ['token:create'] })
const savedSession = { session: '/session_key', nonce: '/nonce' }
const grantPermission = (permission: string) => ({ nonce: '${nonce}', permissions: [permission] })
/** Authorizes a session to read tokens that meet a condition. */
const authorizeReading = (condition: PlainJson) =>
  sendPost(
    '/sessions/authorize',
    {
      nonce: '${nonce}',
      rules: [{ priority: 1, conditions: [condition], transform: 'reveal', permissions: ['token:read'] }],
    },
    undefined,
    { as: 'worker' },
  )
/** Tokenizes a body whose answer has the id of its token at a JSON pointer. */
const tokenizeValue = (body: PlainJson, expected: Expected, pointer: string) =>
  sendPost('/tokenize', body, expected, { save: { id: pointer }, remove: '/tokens/${id}' })
const detokenizeBody = (body: PlainJson, expected: Expected) =>
  sendPost('/detokenize', body, expected, { as: 'worker' })
const secret = { type: 'token', data: { a: 'secret', n: 7 }, containers: ['/${prefix}/'] }

export const payloads: readonly Statement[] = [
  stateRule('O-01', 'Tokenize', make, {
    'Text becomes a token and is replaced by its id': [
      tokenizeValue({ name: 'Ada ${unique}' }, { name: uuid }, '/name'),
    ],
    'A request for a token is replaced by the token': [
      tokenizeValue(
        { card },
        { card: { id: uuid, type: 'card', containers: ['/pci/high/'], card: { last4: '4242' } } },
        '/card/id',
      ),
    ],
    'A request for a token may be at any depth': [
      tokenizeValue(
        { a: [{ b: { type: 'token', data: '${unique}', metadata: { k: 'v' } } }] },
        { a: [{ b: { id: uuid, metadata: { k: 'v' } } }] },
        '/a/0/b/id',
      ),
    ],
    'A body that is a request for a token is replaced as a whole': [
      tokenizeValue({ type: 'token', data: '${unique}' }, { id: uuid, type: 'token' }, '/id'),
    ],
    'A list keeps its order': [
      sendPost(
        '/tokenize',
        [{ type: 'token', data: 'one ${unique}', metadata: { k: '1' } }, 'two ${unique}'],
        [{ metadata: { k: '1' } }, uuid],
        { save: { first: '/0/id', second: '/1' }, remove: '/tokens/${first}' },
      ),
      sendDelete('/tokens/${second}'),
    ],
    'A request for a token that is invalid is refused': refuseRequest('POST', '/tokenize', {
      good: 'Ada',
      bad: { type: 'card', data: { number: '1' } },
    }),
  }),
  stateRule('O-01', 'Tokenize', 'management', {
    'Any JSON is tokenized, and comes back by detokenizing': [
      createApplication('worker', { rules: [createRule('reveal', '/general/', work)] }),
      sendPost(
        '/tokenize',
        { a: '${unique}', b: ['${uniqueNumber}', '${unique2}', null] },
        { a: uuid, b: [uuid, uuid, null] },
        {
          as: 'worker',
          save: { a: '/a', one: '/b/0', two: '/b/1' },
          remove: ['/tokens/${a}', '/tokens/${one}', '/tokens/${two}'],
        },
      ),
      detokenizeBody(
        { a: '{{ ${a} }}', b: ['{{ ${one} }}', '{{ ${two} }}', null] },
        { a: '${unique}', b: ['${uniqueNumber}', '${unique2}', null] },
      ),
    ],
  }),
  stateRule('A-12', 'Idempotency', make, {
    'Tokenizing is carried out once with its idempotency key': [
      sendPost('/tokenize', ['${unique}'], [uuid], {
        ...idempotent,
        save: { id: '/0' },
        remove: '/tokens/${id}',
      }),
      sendPost('/tokenize', ['${unique}'], ['${id}'], idempotent),
    ],
  }),
  decideRule('O-01', 'Tokenize', read, {
    'A payload may be a single value, null, or empty': [
      sendPost('/tokenize', 'alone ${unique}', uuid, { save: { word: '' }, remove: '/tokens/${word}' }),
      sendPost('/tokenize', '${uniqueNumber}', uuid, { save: { number: '' }, remove: '/tokens/${number}' }),
      sendPost('/tokenize', null, null),
      sendPost('/tokenize', {}, expectExactly({})),
      sendPost('/tokenize', [], []),
    ],
    'Numbers become tokens, and null stays': [
      sendPost(
        '/tokenize',
        { n: '${uniqueNumber}', z: null },
        { n: uuid, z: null },
        { save: { first: '/n' }, remove: '/tokens/${first}' },
      ),
    ],
    'A payload that has an invalid request creates nothing': [
      refuseRequest('POST', '/tokenize', {
        good: { type: 'token', data: 'x', id: '${prefix}-${unique}' },
        bad: { type: 'card', data: { number: '1' } },
      }),
      findNothing('/tokens/${prefix}-${unique}'),
    ],
    'A request that would create more than five tokens is refused': refuseRequest('POST', '/tokenize', {
      list: ['1', '2', '3', '4', '5', '6'],
    }),
  }),
  stateRule('O-01', 'Tokenize', 'management', {
    'Tokenizing needs token:create for every token': [
      createApplication('worker', { rules: [createRule('mask', '/general/', ['token:create'])] }),
      forbidRequest('worker', 'POST', '/tokenize', { card }),
    ],
  }),
  stateRule('O-02', 'Detokenize', 'management', {
    'An expression is replaced by the data, and the rest stays': [
      createRevealer,
      createToken(secret, {}, { as: 'worker' }),
      detokenizeBody(
        { all: '{{ ${id} }}', one: "{{ ${id} | json: '$.a' }}", rest: ['x', 1, null, true] },
        { all: { a: 'secret', n: 7 }, one: 'secret', rest: ['x', 1, null, true] },
      ),
    ],
    'One expression keeps the type of its value, and text around it makes text': [
      createRevealer,
      createToken(secret, {}, { as: 'worker' }),
      detokenizeBody(
        { n: "{{ ${id} | json: '$.n' }}", text: "n={{ ${id} | json: '$.n' }}" },
        { n: 7, text: 'n=7' },
      ),
    ],
    'token: gives the whole token': [
      createRevealer,
      createToken({ ...secret, metadata: { k: 'v' } }, {}, { as: 'worker' }),
      detokenizeBody(
        {
          type: "{{ token: ${id} | json: '$.type' }}",
          a: "{{ token: ${id} | json: '$.data.a' }}",
          k: "{{ token: ${id} | json: '$.metadata.k' }}",
        },
        { type: 'token', a: 'secret', k: 'v' },
      ),
    ],
    'Data is masked as token:read shows it': [
      createApplication('worker', { permissions: work }),
      createToken({ type: 'card_number', data: number, containers: ['/${prefix}/'] }, {}, { as: 'worker' }),
      detokenizeBody({ card: '{{ ${id} }}' }, { card: 'XXXXXXXXXXXX4242' }),
    ],
    'A token that the caller may not read gives 403': [
      createApplication('worker', { rules: [createRule('reveal', '/${prefix}/a/', work)] }),
      createApplication('other', { rules: [createRule('reveal', '/${prefix}/b/', work)] }),
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, {}, { as: 'worker' }),
      forbidRequest('other', 'POST', '/detokenize', { a: '{{ ${id} }}' }),
    ],
  }),
  stateRule('O-02', 'Detokenize', ['token:read'], {
    'An unknown id gives 400 and is named': sendRequest(
      'POST',
      '/detokenize',
      400,
      {},
      { a: `{{ ${unknownId} }}` },
      { detail: expectPattern(/Failed to detokenize some tokens: 00000000-0000-4000-8000-000000000000/) },
    ),
    'A payload without expressions comes back as it is': sendPost(
      '/detokenize',
      { a: 'x', b: [1, null] },
      { a: 'x', b: [1, null] },
    ),
  }),
  decideRule('O-02', 'Detokenize', ['token:read'], {
    'An error names every unknown id with its place, but no card number': refuseRequest(
      'POST',
      '/detokenize',
      { card: '{{ 4242424242424242 }}', more: ['{{ unknown_token_id }}'] },
      ['card', 'more[0]'],
    ),
    'A card number in place of an id is not repeated': sendRequest(
      'POST',
      '/detokenize',
      400,
      {},
      { card: '{{ 4242424242424242 }}', more: '{{ unknown_token_id }}' },
      { detail: 'Failed to detokenize some tokens: …, unknown_token_id' },
    ),
    'An expression with an unknown filter is refused': refuseRequest('POST', '/detokenize', {
      a: `{{ ${unknownId} | nonsense }}`,
    }),
    'A request with more than five expressions is refused': refuseRequest('POST', '/detokenize', {
      list: Array(6).fill(`{{ ${unknownId} }}`),
    }),
  }),
  stateRule('O-03', 'Token Intents', intents, {
    'An intent is created, read and deleted, without its data': [
      createAt('/token-intents', card, {
        id: uuid,
        type: 'card',
        data: absent,
        fingerprint: anyString,
        card: { last4: '4242', brand: 'visa' },
        expires_at: isoDate,
        created_at: isoDate,
      }),
      sendGet('/token-intents/${id}', { id: '${id}', type: 'card', data: absent }),
      sendDelete('/token-intents/${id}'),
      findNothing('/token-intents/${id}'),
    ],
    'The data of an intent is checked like that of a token': refuseRequest(
      'POST',
      '/token-intents',
      { type: 'card', data: { number: '1' } },
      ['data.number'],
    ),
    'An intent needs type and data': [
      refuseRequest('POST', '/token-intents', { type: 'card' }, ['data']),
      refuseRequest('POST', '/token-intents', { data: 'x' }, ['type']),
    ],
    'An unknown intent gives 404': findNothing(`/token-intents/${unknownId}`),
  }),
  stateRule('O-03', 'Token Intents', convert, {
    'An intent is converted into a token once': [
      createAt('/token-intents', card, {}, { name: 'intent' }),
      createToken({ token_intent_id: '${intent}' }, { id: uuid, type: 'card', card: { last4: '4242' } }),
      findNothing('/token-intents/${intent}'),
      refuseToken({ token_intent_id: '${intent}' }),
    ],
    'The token of an intent may have metadata and containers': [
      createAt('/token-intents', card, {}, { name: 'intent' }),
      createToken(
        { token_intent_id: '${intent}', metadata: { k: 'v' }, containers: ['/${prefix}/'] },
        { metadata: { k: 'v' }, containers: ['/${prefix}/'] },
      ),
    ],
    'An intent has the fingerprint of its token': [
      createAt('/token-intents', card, {}, { name: 'intent', save: { print: '/fingerprint' } }),
      createToken(card, { fingerprint: '${print}' }),
    ],
  }),
  decideRule('O-03', 'Token Intents', convert, {
    'A conversion that fails keeps the intent': [
      createAt('/token-intents', card, {}, { name: 'intent' }),
      refuseToken({ token_intent_id: '${intent}', metadata: { k: 1 } }),
      sendGet('/token-intents/${intent}', { id: '${intent}' }),
    ],
  }),
  stateRule('O-03', 'Token Intents', 'management', {
    'Each operation on intents needs its permission': [
      createApplication('creator', { permissions: ['token-intent:create'] }),
      createApplication('reader', { permissions: ['token-intent:read', 'token-intent:delete'] }),
      sendRequest('POST', '/token-intents', 201, { as: 'creator', save: { id: '/id' } }, card),
      forbidRequest('creator', 'GET', '/token-intents/${id}'),
      forbidRequest('creator', 'DELETE', '/token-intents/${id}'),
      sendGet('/token-intents/${id}', { id: '${id}' }, { as: 'reader', remove: '/token-intents/${id}' }),
    ],
  }),
  stateRule('O-04', 'Sessions', 'management', {
    'A session has no access until it is authorized, and then what it was given': [
      createPage,
      createRevealer,
      createToken({ ...secret, mask: 'hidden' }, {}, { as: 'worker' }),
      sendRequest('POST', '/sessions', 201, { as: 'page', save: savedSession }, undefined, {
        session_key: anyString,
        nonce: anyString,
        expires_at: isoDate,
      }),
      forbidRequest('session', 'GET', '/tokens/${id}'),
      authorizeReading({ attribute: 'id', operator: 'equals', value: '${id}' }),
      sendGet('/tokens/${id}', { data: secret.data }, { as: 'session' }),
    ],
    'A session starts with any content type, and its authorization answers an empty object': (
      ['application/x-www-form-urlencoded', 'application/json', 'text/plain'] as const
    ).flatMap((type, at) => [
      ...(at === 0 ? [createPage, createApplication('worker', { permissions: ['token:read'] })] : []),
      sendRequest('POST', '/sessions', 201, {
        as: 'page',
        headers: { 'content-type': type },
        save: savedSession,
      }),
      sendPost('/sessions/authorize', grantPermission('token:read'), expectExactly({}), { as: 'worker' }),
      sendGet('/v2/tokens', {}, { as: 'session' }),
    ]),
    'A nonce can be used once': [
      createPage,
      createRevealer,
      sendRequest('POST', '/sessions', 201, { as: 'page', save: { nonce: '/nonce' } }),
      sendPost('/sessions/authorize', grantPermission('token:create'), undefined, { as: 'worker' }),
      refuseRequest('POST', '/sessions/authorize', grantPermission('token:create'), [], {
        as: 'worker',
        status: 409,
      }),
    ],
    'An unknown nonce gives 404': [
      createRevealer,
      refuseRequest(
        'POST',
        '/sessions/authorize',
        { nonce: '${unique}', permissions: ['token:create'] },
        [],
        { as: 'worker', status: 404 },
      ),
    ],
    'Only a public key starts a session': [
      createRevealer,
      forbidRequest('worker', 'POST', '/sessions'),
      forbidRequest('management', 'POST', '/sessions'),
    ],
    'Only a private key authorizes a session': [
      createPage,
      sendRequest('POST', '/sessions', 201, { as: 'page', save: { nonce: '/nonce' } }),
      forbidRequest('page', 'POST', '/sessions/authorize', grantPermission('token:create')),
    ],
    'A condition limits a session to the tokens it names': [
      createPage,
      createRevealer,
      createToken({ ...secret, containers: ['/${prefix}/a/'] }, {}, { as: 'worker', name: 'seen' }),
      createToken({ ...secret, containers: ['/${prefix}/b/'] }, {}, { as: 'worker', name: 'unseen' }),
      sendRequest('POST', '/sessions', 201, { as: 'page', save: savedSession }),
      authorizeReading({ attribute: 'container', operator: 'starts_with', value: '/${prefix}/a/' }),
      sendGet('/tokens/${seen}', { data: secret.data }, { as: 'session' }),
      forbidRequest('session', 'GET', '/tokens/${unseen}'),
    ],
  }),
  decideRule('O-04', 'Sessions', 'management', {
    'A session gets no permission that its authorizer lacks': [
      createPage,
      createApplication('worker', { permissions: ['token:create'] }),
      sendRequest('POST', '/sessions', 201, { as: 'page', save: { nonce: '/nonce' } }),
      forbidRequest('worker', 'POST', '/sessions/authorize', grantPermission('token:read')),
    ],
    'A session sees no more than its authorizer': [
      createPage,
      createApplication('worker', { permissions: work }),
      createToken({ type: 'token', data: 'plain', mask: 'hidden' }, {}, { as: 'worker' }),
      sendRequest('POST', '/sessions', 201, { as: 'page', save: savedSession }),
      authorizeReading({ attribute: 'id', operator: 'equals', value: '${id}' }),
      sendGet('/tokens/${id}', { data: expectOther('plain') }, { as: 'session' }),
    ],
  }),
].flat()
