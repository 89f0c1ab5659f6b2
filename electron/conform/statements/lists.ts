import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyNumber,
  anyString,
  type Expected,
  expectEach,
  expectItems,
  expectPattern,
  type Statement,
} from '../statement.ts'
import {
  createApplication,
  createToken,
  decideRule,
  forbidRequest,
  refuseRequest,
  sendGet,
  sendPost,
  sendRequest,
  stateRule,
} from './steps.ts'

const list: readonly Permission[] = ['token:create', 'token:read', 'token:delete']
const search: readonly Permission[] = [...list, 'token:search']
const page = 'List Tokens v2'
const searchPage = 'Search Tokens v2'
const box = '/${prefix}/${unique}/'
const word = { type: 'token', data: 'word ${unique}' }
const inBox = { ...word, containers: [box] }

/** Lists tokens until these are all, in this order. */
const findTokens = (query: Record<string, string | number>, ...names: string[]) =>
  sendGet('/v2/tokens', { data: names.map((name) => ({ id: `\${${name}}` })) }, { query, until: true })

/** Searches tokens until the answer has this data. */
const searchTokens = (query: string, data: Expected, path = '/v2/tokens/search') =>
  sendPost(path, { query }, { data }, { until: true })

/** A query that GET /v2/tokens refuses. */
const refuseList = (says: string, query: Record<string, string | readonly string[]>, statement = stateRule) =>
  statement('L-01', page, ['token:read'], {
    [says]: refuseRequest('GET', '/v2/tokens', undefined, [], { query }),
  })

const refuseSearch = (rule: string, source: string, path: string, query: string, statement = stateRule) =>
  statement(rule, source, ['token:search'], {
    [`POST ${path} refuses the query ${query}`]: refuseRequest('POST', path, { query }),
  })

/** Finds one of two tokens in a container of the statement. */
const findFirst = (rule: string, says: string, query: Record<string, string>, needs = list) =>
  stateRule(rule, page, needs, {
    [says]: [
      createToken({ ...inBox, metadata: { Key: 'Value', space: 'a b/c' } }, {}, { name: 'first' }),
      createToken(
        { type: 'card_number', data: '4242424242424242', containers: [`${box}sub/`] },
        {},
        { name: 'second' },
      ),
      findTokens({ container: box, ...query }, 'first'),
    ],
  })

/** The headers of an operation that another one replaces. */
const deprecatedBy = (successor: string) => ({
  deprecation: `@${Date.parse('2025-01-03') / 1000}`,
  sunset: 'Sat, 01 Mar 2025 00:00:00 GMT',
  link: `<${successor}>; rel="successor-version"`,
})

export const lists: readonly Statement[] = [
  stateRule('L-01', page, list, {
    'A container covers the tokens in it and below it': [
      createToken(inBox, {}, { name: 'first' }),
      createToken({ ...word, containers: [`${box}below/`] }, {}, { name: 'second' }),
      createToken({ ...word, containers: ['/${prefix}/${unique}x/'] }, {}, { name: 'third' }),
      findTokens({ container: box }, 'second', 'first'),
    ],
    'A fingerprint finds every token with the same data': [
      createToken(word, {}, { name: 'first', save: { print: '/fingerprint' } }),
      createToken(word, {}, { name: 'second' }),
      sendGet(
        '/v2/tokens',
        { data: expectItems({ id: '${first}' }, { id: '${second}' }) },
        { query: { fingerprint: '${print}' }, until: true },
      ),
    ],
  }),
  findFirst('L-01', 'A container can be combined with a type', { type: 'token' }),
  findFirst('L-02', 'A container can be combined with metadata', { 'metadata.Key': 'Value' }),
  findFirst('L-02', 'A value of metadata may have spaces and slashes', { 'metadata.space': 'a b/c' }),
  decideRule('L-02', page, list, {
    'A name in metadata may have dots, spaces and other characters': [
      createToken({ ...inBox, metadata: { '${unique}.id': '3181', 'a b': 'ü & =' } }),
      findTokens({ 'metadata.${unique}.id': '3181' }, 'id'),
      findTokens({ container: box, 'metadata.a b': 'ü & =' }, 'id'),
      sendGet('/v2/tokens', { data: [] }, { query: { 'metadata.${unique}.Id': '3181' } }),
      sendGet('/v2/tokens', { data: [] }, { query: { 'metadata.__proto__': '${unique}' } }),
    ],
    'A metadata filter can be written in brackets or as JSON': [
      createToken({ ...inBox, metadata: { k: '${unique}' } }),
      findTokens({ 'metadata[k]': '${unique}' }, 'id'),
      findTokens({ metadata: '{"k":"${unique}"}' }, 'id'),
    ],
  }),
  stateRule('L-02', page, list, {
    'Metadata is matched with its case': [
      createToken({ ...inBox, metadata: { k: 'Case ${unique}' } }),
      findTokens({ 'metadata.k': 'Case ${unique}' }, 'id'),
      sendGet('/v2/tokens', { data: [] }, { query: { 'metadata.k': 'case ${unique}' } }),
      sendGet('/v2/tokens', { data: [] }, { query: { 'metadata.K': 'Case ${unique}' } }),
    ],
  }),
  refuseList('Two filters other than container are refused', { type: 'token', fingerprint: 'x' }),
  refuseList('A type and metadata together are refused', { type: 'token', 'metadata.a': 'b' }),
  refuseList('Two metadata filters are refused', { 'metadata.a': 'b', 'metadata.c': 'd' }),
  refuseList('A repeated type is refused', { type: ['token', 'card'] }),
  refuseList('A repeated container is refused', { container: ['/a/', '/b/'] }),
  refuseList('A filter by id is refused', { id: 'x' }),
  refuseList('A container without slashes is refused', { container: 'a' }, decideRule),
  stateRule('L-01', page, 'management', {
    'A container that the caller may not read gives 403': [
      createApplication('reader', {
        rules: [{ priority: 1, container: '/${prefix}/a/', transform: 'mask', permissions: ['token:read'] }],
      }),
      refuseRequest('GET', '/v2/tokens', undefined, [], {
        as: 'reader',
        status: 403,
        query: { container: '/${prefix}/b/' },
      }),
      sendGet('/v2/tokens', { data: [] }, { as: 'reader', query: { container: '/${prefix}/a/' } }),
    ],
  }),
  decideRule('L-01', page, ['token:read'], {
    'A parameter is given at most once': (
      [
        ['size', ['1', '1']],
        ['start', ['a', 'a']],
        ['type', ['token', 'token']],
        ['container', ['/a/', '/a/']],
        ['fingerprint', ['a', 'a']],
      ] as const
    ).map(([name, value]) =>
      refuseRequest('GET', '/v2/tokens', undefined, [name], { query: { [name]: value } }),
    ),
    'Two metadata filters are refused in every notation': (
      [
        { 'metadata.a': ['b', 'b'] },
        { 'metadata[a]': 'b', 'metadata.a': 'b' },
        { metadata: '{"a":"b","c":"d"}' },
      ] as const
    ).map((query) => refuseRequest('GET', '/v2/tokens', undefined, ['query'], { query })),
    'A metadata filter that is no pair of texts is refused': [
      ...['x', '[]', '{"a":1}'].map((metadata) =>
        refuseRequest('GET', '/v2/tokens', undefined, ['metadata'], { query: { metadata } }),
      ),
      refuseRequest('GET', '/v2/tokens', undefined, ['metadata[a][b]'], { query: { 'metadata[a][b]': 'c' } }),
    ],
  }),
  stateRule('L-03', page, list, {
    'Tokens of one container come newest first': [
      createToken(inBox, {}, { name: 'first' }),
      createToken(inBox, {}, { name: 'second' }),
      createToken(inBox, {}, { name: 'third' }),
      findTokens({ container: box }, 'third', 'second', 'first'),
    ],
    'Tokens are sorted by container first, descending': [
      createToken({ ...word, containers: [`${box}b/`] }, {}, { name: 'first' }),
      createToken({ ...word, containers: [`${box}a/`] }, {}, { name: 'second' }),
      findTokens({ container: box }, 'first', 'second'),
    ],
  }),
  stateRule('L-04', 'Pagination', list, {
    'A cursor leads from page to page, and the last page has none': [
      createToken(inBox, {}, { name: 'first' }),
      createToken(inBox, {}, { name: 'second' }),
      createToken(inBox, {}, { name: 'third' }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${third}' }, { id: '${second}' }], pagination: { page_size: 2, next: anyString } },
        { query: { container: box, size: 2 }, until: true, save: { next: '/pagination/next' } },
      ),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${first}' }], pagination: { next: absent } },
        { query: { container: box, size: 2, start: '${next}' } },
      ),
    ],
  }),
  decideRule('L-04', 'Pagination', list, {
    'A cursor that is none is refused': refuseRequest('GET', '/v2/tokens', undefined, [], {
      query: { start: 'nonsense' },
    }),
    'The size may change from page to page': [
      createToken(inBox, {}, { name: 'first' }),
      createToken(inBox, {}, { name: 'second' }),
      createToken(inBox, {}, { name: 'third' }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${third}' }] },
        { query: { container: box, size: 1 }, until: true, save: { next: '/pagination/next' } },
      ),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${second}' }, { id: '${first}' }] },
        { query: { container: box, size: 100, start: '${next}' } },
      ),
    ],
    'A cursor of another filter is refused': [
      createToken(inBox, {}, { name: 'first' }),
      createToken(inBox, {}, { name: 'second' }),
      sendGet(
        '/v2/tokens',
        { pagination: { next: anyString } },
        { query: { container: box, size: 1 }, until: true, save: { next: '/pagination/next' } },
      ),
      refuseRequest('GET', '/v2/tokens', undefined, [], { query: { type: 'token', start: '${next}' } }),
    ],
  }),
  stateRule('L-04', 'Pagination', ['token:read'], {
    'A page has 20 tokens by default': sendGet('/v2/tokens', {
      pagination: { page_size: 20 },
      data: expectEach({ id: anyString }),
    }),
  }),
  decideRule('L-05', 'Pagination', ['token:read'], {
    'A size is a whole number from 1 to 100': [
      ...['1', '100', '007'].map((size) => sendGet('/v2/tokens', {}, { query: { size } })),
      ...['0', '101', '-1', '1.0', '1e1', '+1', ' 1', '0x1', '', 'x', '99999999999999999999'].map((size) =>
        refuseRequest('GET', '/v2/tokens', undefined, ['size'], { query: { size } }),
      ),
    ],
  }),
  stateRule('L-05', 'Pagination', 'management', {
    'A numbered page has the totals': sendGet('/applications', {
      pagination: { total_items: anyNumber, page_number: 1, page_size: 20, total_pages: anyNumber },
      data: expectEach({ id: anyString }),
    }),
    'A numbered page has at most 100 items, and its number begins at 1': [
      ...(['size=0', 'size=101', 'page=0', 'page=x'] as const).map((pair) => {
        const [name = '', value = ''] = pair.split('=')
        return refuseRequest('GET', '/applications', undefined, [name], {
          as: 'management',
          query: { [name]: value },
        })
      }),
    ],
    'A page past the end is empty': sendGet(
      '/applications',
      { pagination: { page_number: 1000, page_size: 100 }, data: [] },
      { as: 'management', query: { page: 1000, size: 100 } },
    ),
  }),
  decideRule('L-05', 'Pagination', 'management', {
    'A page is a number that is given once': [['1', '2'], '9007199254740992'].map((page) =>
      refuseRequest('GET', '/applications', undefined, ['page'], { as: 'management', query: { page } }),
    ),
    'A page far past the end is empty': [1_000_001, 2 ** 31, Number.MAX_SAFE_INTEGER].map((page) =>
      sendGet('/applications', { data: [] }, { as: 'management', query: { page, size: 100 } }),
    ),
  }),
  // The hosted service has shut down this list and this search. That Coffer answers as before is its decision (L-10).
  decideRule('L-06', 'List Tokens v1', list, {
    'The deprecated list finds several ids, newest first': [
      createToken(word, {}, { name: 'first' }),
      createToken(word, {}, { name: 'second' }),
      sendGet(
        '/tokens',
        { data: [{ id: '${second}' }, { id: '${first}' }], pagination: { total_items: 2, page_number: 1 } },
        { query: { id: ['${first}', '${second}'] }, until: true },
      ),
    ],
    'The deprecated list matches all metadata filters, in any case': [
      createToken({ ...word, metadata: { a: 'One ${unique}', b: 'Two' } }),
      sendGet(
        '/tokens',
        { data: [{ id: '${id}' }] },
        { query: { 'metadata.a': 'one ${unique}', 'metadata.b': 'TWO' }, until: true },
      ),
      sendGet('/tokens', { data: [] }, { query: { 'metadata.a': 'one ${unique}', 'metadata.b': 'three' } }),
    ],
  }),
  decideRule('L-06', 'List Tokens v1', ['token:read'], {
    'The deprecated list says so in its headers, and the current one has none': [
      sendGet('/tokens', {}, { query: { size: 1 }, answers: deprecatedBy('/v2/tokens') }),
      sendGet('/v2/tokens', {}, { answers: { deprecation: absent, sunset: absent, link: absent } }),
    ],
  }),
  decideRule('L-07', 'Search Tokens', ['token:search'], {
    'The deprecated search says so in its headers, and lists everything without a query': sendPost(
      '/tokens/search',
      { size: 1 },
      { pagination: { page_number: 1, page_size: 1, total_items: anyNumber, total_pages: anyNumber } },
      { answers: deprecatedBy('/v2/tokens/search') },
    ),
  }),
  decideRule('L-02', 'List Tokens v1', list, {
    'The deprecated list takes every notation of a metadata filter, in any case': [
      createToken({ ...word, metadata: { '${unique}': 'Prod' } }),
      ...[
        { 'metadata.${unique}': 'prod' },
        { 'metadata[${unique}]': 'PROD' },
        { metadata: '{"${unique}":"prod"}' },
      ].flatMap((query) => [
        sendGet('/tokens', { data: [{ id: '${id}' }] }, { query, until: true as const }),
        sendGet('/tokens', { data: [] }, { query: { ...query, 'metadata.${unique}': 'other', id: 'none' } }),
      ]),
    ],
  }),
  decideRule('L-07', 'Search Tokens', search, {
    'The deprecated search finds an id': [
      createToken({ ...word, id: '${prefix}-${unique}' }),
      searchTokens('id:${prefix}-${unique}', [{ id: '${id}' }], '/tokens/search'),
    ],
    'The deprecated search joins metadata by AND': [
      createToken({ ...word, metadata: { a: '${unique}', b: 'two words' } }),
      sendPost(
        '/tokens/search',
        { query: 'metadata.a:${unique} AND metadata.b:"two words"' },
        { data: [{ id: '${id}' }], pagination: { total_items: 1, page_number: 1 } },
        { until: true },
      ),
      sendPost('/tokens/search', { query: 'metadata.a:${unique} AND metadata.b:one' }, { data: [] }),
    ],
    'The deprecated search finds a search index': [
      createToken({ ...word, search_indexes: ['{{ data }}'] }),
      searchTokens('data:"word ${unique}"', [{ id: '${id}' }], '/tokens/search'),
    ],
  }),
  ...[
    'type:token',
    'fingerprint:x',
    'container:/a/',
    'created_by:x',
    'created_at:x',
    'modified_by:x',
    'modified_at:x',
    'id:a OR id:b',
    'NOT id:a',
    'id:a AND metadata.b:c',
    'data:a AND data:b',
  ].map((query) => refuseSearch('L-07', 'Search Tokens', '/tokens/search', query, decideRule)),
  stateRule('L-08', searchPage, search, {
    'The search finds metadata, with its case': [
      createToken({ ...word, metadata: { k: 'Case ${unique}' } }),
      sendPost(
        '/v2/tokens/search',
        { query: 'metadata.k:"Case ${unique}"' },
        { data: [{ id: '${id}' }], pagination: { next: absent } },
        { until: true },
      ),
      sendPost('/v2/tokens/search', { query: 'metadata.k:"case ${unique}"' }, { data: [] }),
    ],
    'The search finds a fingerprint, also within a container': [
      createToken(inBox, {}, { save: { print: '/fingerprint' } }),
      searchTokens('fingerprint:${print}', expectItems({ id: '${id}' })),
      searchTokens(`fingerprint:\${print} AND container:"${box}"`, [{ id: '${id}' }]),
      sendPost(
        '/v2/tokens/search',
        { query: `fingerprint:\${print} AND container:"${box}other/"` },
        { data: [] },
      ),
    ],
    'The search finds a type within a container': [
      createToken(inBox),
      searchTokens(`type:token AND container:"${box}"`, [{ id: '${id}' }]),
    ],
    'The search pages by cursor': [
      createToken({ ...inBox, metadata: { k: '${unique}' } }, {}, { name: 'first' }),
      createToken({ ...inBox, metadata: { k: '${unique}' } }, {}, { name: 'second' }),
      sendPost(
        '/v2/tokens/search',
        { query: 'metadata.k:${unique}', size: 1 },
        { data: [{ id: '${second}' }], pagination: { page_size: 1, next: anyString } },
        { until: true, save: { next: '/pagination/next' } },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: 'metadata.k:${unique}', size: 1, start: '${next}' },
        { data: [{ id: '${first}' }] },
      ),
    ],
  }),
  ...['id:x', 'metadata.a:b AND metadata.c:d', 'type:token OR type:card', 'type:token AND fingerprint:x'].map(
    (query) => refuseSearch('L-08', searchPage, '/v2/tokens/search', query),
  ),
  stateRule('L-09', searchPage, search, {
    'A search of data matches a whole index, with its case': [
      createToken({ type: 'token', data: 'Whole ${unique}', search_indexes: ['{{ data }}'] }),
      searchTokens('data:"Whole ${unique}"', [{ id: '${id}' }]),
      sendPost('/v2/tokens/search', { query: 'data:"whole ${unique}"' }, { data: [] }),
      sendPost('/v2/tokens/search', { query: 'data:${unique}' }, { data: [] }),
    ],
    'A social security number is found with and without its dashes': [
      createToken({ type: 'social_security_number', data: '123-45-6789', containers: [box] }),
      searchTokens('data:123-45-6789', expectItems({ id: '${id}' })),
      searchTokens('data:123456789', expectItems({ id: '${id}' })),
    ],
  }),
  decideRule('L-07', 'Search Tokens', 'management', {
    'A search needs token:search or token:read': [
      createApplication('writer', { permissions: ['token:create'] }),
      forbidRequest('writer', 'POST', '/v2/tokens/search', { query: 'type:token' }),
      forbidRequest('writer', 'POST', '/tokens/search', { query: 'id:x' }),
    ],
  }),
  decideRule('L-10', 'Deprecations', 'management', {
    'Regenerating a key gives 410 and points to application keys': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendRequest(
        'POST',
        '/applications/${worker_id}/regenerate',
        410,
        {
          as: 'management',
          answers: {
            link: '</applications/${worker_id}/keys>; rel="successor-version"',
            sunset: 'Thu, 17 Oct 2024 00:00:00 GMT',
          },
        },
        undefined,
        { status: 410, detail: expectPattern(/\/applications\/\{id\}\/keys/) },
      ),
    ],
  }),
].flat()
