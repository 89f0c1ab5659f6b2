import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyString,
  expectItems,
  expectOther,
  expectPattern,
  isoDate,
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
  refuseToken,
  sendDelete,
  sendGet,
  sendPost,
  sendRequest,
  stateRule,
} from './steps.ts'

const make: readonly Permission[] = ['token:create', 'token:delete']
const read: readonly Permission[] = [...make, 'token:read']
const createPage = 'Create Token'
const number = '4242424242424242'
const word = { type: 'token', data: 'word ${unique}' }

/** An id that cannot be given to a token. */
const refuseId = (id: string, says: string) =>
  decideRule('T-04', createPage, make, {
    [`An id ${says} is refused`]: refuseToken({ ...word, id }, 'id'),
  })

export const tokens: readonly Statement[] = [
  stateRule('T-01', createPage, make, {
    'A token needs type and data, or a token intent': [
      refuseToken({}),
      refuseToken({ type: 'token' }, 'data'),
      refuseToken({ data: 'x' }, 'type'),
      refuseToken({ type: 'token', data: null }, 'data'),
    ],
    'Type and data together with a token intent are refused': refuseToken({
      ...word,
      token_intent_id: '00000000-0000-4000-8000-000000000000',
    }),
    'Data may be false, 0, an empty string, list or object': [
      createToken({ type: 'token', data: false }, { id: uuid }, { name: 'first' }),
      createToken({ type: 'token', data: 0 }, { id: uuid }, { name: 'second' }),
      createToken({ type: 'token', data: '' }, { id: uuid }, { name: 'third' }),
      createToken({ type: 'token', data: [] }, { id: uuid }, { name: 'fourth' }),
      createToken({ type: 'token', data: {} }, { id: uuid }, { name: 'fifth' }),
    ],
  }),
  stateRule('T-04', createPage, read, {
    'A token without an id gets a UUID, by which it is read': [
      createToken(word, { id: uuid, type: 'token', created_at: isoDate }),
      sendGet('/tokens/${id}', { id: '${id}', type: 'token' }),
    ],
    'A token may have an id of its own': [
      createToken({ ...word, id: '${prefix}-${unique}' }, { id: '${prefix}-${unique}' }),
      sendGet('/tokens/${prefix}-${unique}', { id: '${prefix}-${unique}' }),
    ],
  }),
  stateRule('T-04', createPage, make, {
    'An id may be an expression over the data': createToken(
      { type: 'token', data: { name: '${unique}' }, id: '${prefix}-{{ data.name | upcase | downcase }}' },
      { id: '${prefix}-${unique}' },
    ),
    'An id that is taken gives 409': [
      createToken({ ...word, id: '${prefix}-${unique}' }),
      refuseRequest('POST', '/tokens', { ...word, id: '${prefix}-${unique}' }, [], { status: 409 }),
    ],
  }),
  refuseId('ab', 'of two characters'),
  refuseId('a'.repeat(401), 'of 401 characters'),
  refuseId('a/b/c', 'with a slash'),
  refuseId('what?', 'with a question mark'),
  refuseId('a#b', 'with a number sign'),
  refuseId('a\\b', 'with a backslash'),
  refuseId('a+b', 'with a plus sign'),
  refuseId('a&b=c', 'with an ampersand'),
  decideRule('T-04', createPage, make, {
    'The id of a deleted token may be used again': [
      createToken({ ...word, id: '${prefix}-${unique}' }),
      sendDelete('/tokens/${id}'),
      createToken({ ...word, id: '${prefix}-${unique}' }, { id: '${prefix}-${unique}' }),
    ],
  }),
  stateRule('T-05', 'Token object, rule 1', make, {
    'An id that is the card number is refused': refuseToken(
      { type: 'card_number', data: number, id: number },
      'id',
    ),
    'An id expression that gives the card number is refused': refuseToken(
      { type: 'card', data: { number }, id: '{{ data.number }}' },
      'id',
    ),
    'Metadata may hold the last four digits and the BIN': createToken({
      type: 'card_number',
      data: number,
      metadata: { last4: '4242', bin: '42424242' },
    }),
  }),
  decideRule('T-05', 'Token object, rule 1', make, {
    'Metadata that holds the card number is refused': refuseToken({
      type: 'card',
      data: { number },
      metadata: { card: number },
    }),
    'Separators do not hide a card number in metadata': refuseToken({
      type: 'card',
      data: { number },
      metadata: { card: '4242-4242 4242.4242' },
    }),
    'Metadata that holds the social security number is refused': refuseToken({
      type: 'social_security_number',
      data: '123-45-6789',
      metadata: { ssn: '123456789' },
    }),
  }),
  stateRule('T-06', createPage, read, {
    'Metadata comes back as it was given': [
      createToken(
        { ...word, metadata: { Plan: 'Gold', empty: '' } },
        { metadata: { Plan: 'Gold', empty: '' } },
      ),
      sendGet('/tokens/${id}', { metadata: { Plan: 'Gold', empty: '' } }),
    ],
  }),
  stateRule('T-06', createPage, make, {
    'Metadata with a value that is no string is refused': [
      refuseToken({ ...word, metadata: { age: 7 } }),
      refuseToken({ ...word, metadata: { tags: ['x'] } }),
      refuseToken({ ...word, metadata: 'x' }, 'metadata'),
    ],
  }),
  decideRule('T-06', createPage, make, {
    'Metadata has at most 50 pairs': refuseToken(
      { ...word, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v'])) },
      'metadata',
    ),
  }),
  decideRule('A-15', createPage, make, {
    'A key of metadata has at most 200 characters, a value 2,000': [
      createToken({ ...word, metadata: { ['k'.repeat(200)]: '\u{1f600}'.repeat(2000) } }),
      refuseToken({ ...word, metadata: { ['k'.repeat(201)]: 'v' } }),
      refuseToken({ ...word, metadata: { k: 'v'.repeat(2001) } }),
    ],
  }),
  stateRule('T-07', createPage, make, {
    'A mask that is one expression decides how data is shown': createToken(
      { ...word, mask: '{{ data | reveal_last: 4 }}', data: 'abcdefgh' },
      { data: 'XXXXefgh' },
    ),
    'A mask may be an object whose strings are expressions': createToken(
      {
        type: 'token',
        data: { name: 'Ada', phone: '5551234' },
        mask: { name: '{{ data.name }}', phone: '{{ data.phone | reveal_last: 2 }}', kind: 'person' },
      },
      {
        data: { name: 'Ada', phone: 'XXXXX34', kind: 'person' },
        mask: { name: '{{ data.name }}', phone: '{{ data.phone | reveal_last: 2 }}', kind: 'person' },
      },
    ),
    'A mask of text without an expression is shown as it is': createToken(
      { ...word, mask: 'hidden' },
      { data: 'hidden' },
    ),
    'A fingerprint expression may use metadata': [
      createToken(
        { ...word, metadata: { shop: 'a' }, fingerprint_expression: '{{ data | append: metadata.shop }}' },
        { fingerprint: anyString },
        { name: 'first', save: { print: '/fingerprint' } },
      ),
      createToken(
        { ...word, metadata: { shop: 'b' }, fingerprint_expression: '{{ data | append: metadata.shop }}' },
        { fingerprint: expectOther('${print}') },
      ),
    ],
  }),
  decideRule('T-07', createPage, make, {
    'A mask may be a list': createToken(
      { type: 'token', data: ['a', 'b'], mask: ['{{ data[1] }}', 'x'] },
      { data: ['b', 'x'] },
    ),
    'An expression that cannot be read is refused in every member': [
      refuseToken({ ...word, mask: '{{ data | ' }, 'mask'),
      refuseToken({ ...word, fingerprint_expression: '{{ data | }}' }, 'fingerprint_expression'),
      refuseToken({ ...word, search_indexes: ['{{ data | nonsense }}'] }, 'search_indexes[0]'),
      refuseToken({ ...word, id: '{{ data' }, 'id'),
    ],
    'A search index that gives nothing is refused': refuseToken(
      { type: 'token', data: { a: 'x' }, search_indexes: ['{{ data.b }}'] },
      'search_indexes[0]',
    ),
    'A fingerprint expression that gives nothing is refused': refuseToken(
      { type: 'token', data: { a: 'x' }, fingerprint_expression: '{{ data.b }}' },
      'fingerprint_expression',
    ),
    'A fingerprint expression has at most 400 characters, and a token 10 search indexes': [
      refuseToken(
        { ...word, fingerprint_expression: `{{ data }}${'x'.repeat(391)}` },
        'fingerprint_expression',
      ),
      refuseToken({ ...word, search_indexes: Array(11).fill('{{ data }}') }, 'search_indexes'),
    ],
  }),
  stateRule('T-08', 'Token object', read, {
    'A token has the members of its creation, and absent ones are left out': [
      createToken(
        {
          ...word,
          metadata: { a: 'b' },
          containers: ['/${prefix}/'],
          search_indexes: ['{{ data }}'],
          fingerprint_expression: '{{ data }}',
          expires_at: '2099-01-01T00:00:00Z',
        },
        { id: uuid, tenant_id: uuid },
      ),
      sendGet('/tokens/${id}', {
        id: '${id}',
        tenant_id: uuid,
        type: 'token',
        metadata: { a: 'b' },
        containers: ['/${prefix}/'],
        search_indexes: ['{{ data }}'],
        fingerprint_expression: '{{ data }}',
        fingerprint: anyString,
        expires_at: expectPattern(/^2099-01-01T00:00:00/),
        created_by: uuid,
        created_at: isoDate,
        mask: absent,
        card: absent,
        modified_by: absent,
        modified_at: absent,
      }),
    ],
    '_extras is in the answer to a creation, and not in that of reading': [
      createToken(word, { _extras: { deduplicated: false } }),
      sendGet('/tokens/${id}', { _extras: absent }),
    ],
  }),
  stateRule('T-08', 'Token object', 'management', {
    'A token is created by the application of the key': [
      createApplication('worker', { permissions: ['token:create', 'token:delete'] }),
      createToken(word, { created_by: '${worker_id}' }, { as: 'worker' }),
    ],
  }),
  stateRule('T-08', 'Token object', make, {
    'The removed member privacy is taken and not shown': createToken(
      { ...word, privacy: { impact_level: 'high', classification: 'general' } },
      { privacy: absent },
    ),
  }),
  stateRule('T-09', 'Token object', make, {
    'Equal data has equal fingerprints, and other data has others': [
      createToken(word, {}, { name: 'first', save: { print: '/fingerprint' } }),
      createToken(word, { fingerprint: '${print}' }, { name: 'second' }),
      createToken({ type: 'token', data: 'other ${unique}' }, { fingerprint: expectOther('${print}') }),
    ],
    'The order of members does not matter to a fingerprint expression over one of them': [
      createToken(
        { type: 'token', data: { a: '${unique}', b: 1 }, fingerprint_expression: '{{ data.a }}' },
        {},
        { name: 'first', save: { print: '/fingerprint' } },
      ),
      createToken(
        { type: 'token', data: { b: 2, a: '${unique}' }, fingerprint_expression: '{{ data.a }}' },
        { fingerprint: '${print}' },
      ),
    ],
  }),
  decideRule('T-09', 'Token object', make, {
    'A fingerprint shows nothing of the data': createToken(
      { type: 'token', data: 'abc' },
      { fingerprint: expectPattern(/^[1-9A-HJ-NP-Za-km-z]{30,50}$/) },
    ),
    'Equal data of another type has another fingerprint': [
      createToken(
        { type: 'card_number', data: number },
        {},
        { name: 'first', save: { print: '/fingerprint' } },
      ),
      createToken({ type: 'token', data: number }, { fingerprint: expectOther('${print}') }),
    ],
  }),
  stateRule('T-10', 'Deduplication', read, {
    'deduplicate_token returns the token that has the data already': [
      createToken(word, {}, { name: 'first' }),
      createToken({ ...word, deduplicate_token: true }, { id: '${first}', _extras: { deduplicated: true } }),
    ],
    'A duplicate keeps its own metadata': [
      createToken({ ...word, metadata: { a: 'first' } }, {}, { name: 'first' }),
      createToken({ ...word, metadata: { a: 'second' }, deduplicate_token: true }, { id: '${first}' }),
      sendGet('/tokens/${first}', { metadata: { a: 'first' } }),
    ],
  }),
  stateRule('T-10', 'Deduplication', make, {
    'deduplicate_token creates a token if the data is new': createToken(
      { ...word, deduplicate_token: true },
      { id: uuid, _extras: { deduplicated: false } },
    ),
    'deduplicate_token false creates a second token of the same data': [
      createToken(word, {}, { name: 'first' }),
      createToken({ ...word, deduplicate_token: false }, { id: expectOther('${first}') }),
    ],
  }),
  stateRule('T-10', 'Token object, rule 2', 'management', {
    'A duplicate has no data or metadata without token:read': [
      createApplication('reader', { permissions: ['token:create', 'token:read', 'token:delete'] }),
      createApplication('writer', { permissions: ['token:create'] }),
      createToken(
        { ...word, metadata: { a: 'b' }, mask: 'hidden' },
        { data: 'hidden' },
        { as: 'reader', name: 'first' },
      ),
      sendRequest(
        'POST',
        '/tokens',
        201,
        { as: 'writer' },
        { ...word, deduplicate_token: true },
        { id: '${first}', data: absent, metadata: absent, _extras: { deduplicated: true } },
      ),
      sendRequest(
        'POST',
        '/tokens',
        201,
        { as: 'reader' },
        { ...word, deduplicate_token: true },
        { id: '${first}', data: 'hidden', metadata: { a: 'b' } },
      ),
    ],
  }),
  stateRule('T-11', 'Delete Token', read, {
    'A deleted token is not found by reading or deleting': [
      createToken(word),
      sendDelete('/tokens/${id}'),
      findNothing('/tokens/${id}'),
      refuseRequest('DELETE', '/tokens/${id}', undefined, [], { status: 404 }),
    ],
  }),
  stateRule('T-11', 'Get a Token', ['token:read'], {
    'A token that does not exist gives 404': findNothing('/tokens/${prefix}-none'),
  }),
  stateRule('T-14', 'Token expiration', make, {
    'expires_at may have an offset, none, or be a short date': [
      createToken(
        { ...word, expires_at: '2099-12-31T23:00:00+02:00' },
        { expires_at: isoDate },
        { name: 'first' },
      ),
      createToken(
        { ...word, expires_at: '2099-12-31T23:00:00' },
        { expires_at: expectPattern(/^2099-12-31T23:00:00/) },
        { name: 'second' },
      ),
      createToken(
        { ...word, expires_at: '2099-12-31' },
        { expires_at: expectPattern(/^2099-12-31T00:00:00/) },
      ),
    ],
    'expires_at may be a short date of the United States': createToken(
      { ...word, expires_at: '8/26/2099' },
      { expires_at: expectPattern(/^2099-08-26T00:00:00/) },
    ),
    'expires_at may have a time with AM or PM and an offset': createToken(
      { ...word, expires_at: '8/26/2099 7:23:57 PM -07:00' },
      { expires_at: isoDate },
    ),
    'expires_at that is no date is refused': [
      refuseToken({ ...word, expires_at: 'tomorrow' }, 'expires_at'),
      refuseToken({ ...word, expires_at: '2099-02-30' }, 'expires_at'),
    ],
  }),
  decideRule('T-14', 'Token expiration', make, {
    'expires_at in the past is refused': refuseToken(
      { ...word, expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
    ),
  }),
  decideRule('A-13', 'Token expiration', make, {
    'expires_at comes back with the offset it was given': createToken(
      { ...word, expires_at: '2099-12-31T23:00:00+02:00' },
      { expires_at: expectPattern(/^2099-12-31T23:00:00(\.000)?\+02:00$/) },
    ),
  }),
  stateRule('P-10', 'Containers', read, {
    'A token may be in several containers, of which the first stays first': [
      createToken(
        { ...word, containers: ['/${prefix}/b/', '/${prefix}/a/'] },
        { containers: ['/${prefix}/b/', '/${prefix}/a/'] },
      ),
      sendGet('/tokens/${id}', { containers: ['/${prefix}/b/', '/${prefix}/a/'] }),
    ],
  }),
  decideRule('P-10', 'Containers', make, {
    'A container is stored in lower case': createToken(
      { ...word, containers: ['/${prefix}/Upper/'] },
      { containers: ['/${prefix}/upper/'] },
    ),
    'A container has segments of letters, digits, dashes and underscores only': [
      createToken({ ...word, containers: ['/${prefix}/a_b-1/'] }),
      refuseToken({ ...word, containers: ['/${prefix}//a/'] }),
      refuseToken({ ...word, containers: ['/${prefix}/a b/'] }),
      refuseToken({ ...word, containers: ['/${prefix}/../a/'] }),
      refuseToken({ ...word, containers: ['/${prefix}/%2e/'] }),
    ],
    'A token is in at most ten containers': refuseToken(
      { ...word, containers: Array.from({ length: 11 }, (_, at) => `/\${prefix}/${at}/`) },
      'containers',
    ),
    'The root is a container': createToken({ ...word, containers: ['/'] }, { containers: ['/'] }),
  }),
  stateRule('P-10', 'Containers', make, {
    'A container that does not begin and end with a slash is refused': [
      refuseToken({ ...word, containers: ['${prefix}'] }),
      refuseToken({ ...word, containers: ['/${prefix}'] }),
      refuseToken({ ...word, containers: ['${prefix}/'] }),
    ],
  }),
  stateRule('L-09', 'Search Tokens v2', 'management', {
    'A token is found by each of its search indexes, and not by its data': [
      createApplication('worker', {
        rules: [
          createRule('mask', '/${prefix}/', ['token:create', 'token:read', 'token:search', 'token:delete']),
        ],
      }),
      createAt(
        '/tokens',
        {
          type: 'token',
          data: { name: '${unique}', phone: '${unique2}', note: '${unique3}' },
          containers: ['/${prefix}/'],
          search_indexes: ['{{ data.name }}', '{{ data.phone }}'],
        },
        {},
        { as: 'worker' },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: 'data:${unique}' },
        { data: expectItems({ id: '${id}' }) },
        { as: 'worker', until: true },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: 'data:${unique2}' },
        { data: expectItems({ id: '${id}' }) },
        { as: 'worker', until: true },
      ),
      sendPost('/v2/tokens/search', { query: 'data:${unique3}' }, { data: [] }, { as: 'worker' }),
    ],
  }),
].flat()
