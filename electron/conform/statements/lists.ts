import type { Permission } from '../../../shared/permissions.ts'
import {
  absent,
  anyNumber,
  anyString,
  expectEach,
  expectItems,
  expectPattern,
  type Statement,
} from '../statement.ts'
import {
  createApplication,
  createToken,
  decideRule,
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

/** A query that GET /v2/tokens refuses. */
const refuseList = (says: string, query: Record<string, string | readonly string[]>, statement = stateRule) =>
  statement('L-01', page, ['token:read'], {
    [says]: refuseRequest('GET', '/v2/tokens', undefined, [], { query }),
  })

/** A query that the search refuses. */
const refuseSearch = (rule: string, source: string, path: string, query: string) =>
  stateRule(rule, source, ['token:search'], {
    [`POST ${path} refuses the query ${query}`]: refuseRequest('POST', path, { query }),
  })

/** A page size that a list refuses. */
const refuseSize = (path: string, parameter: string, value: string, needs: readonly Permission[]) =>
  stateRule('L-05', 'Pagination', needs, {
    [`GET ${path} refuses ${parameter}=${value}`]: refuseRequest('GET', path, undefined, [parameter], {
      query: { [parameter]: value },
    }),
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
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${first}' }] },
        { query: { container: box, ...query }, until: true },
      ),
    ],
  })

export const lists: readonly Statement[] = [
  stateRule('L-01', page, list, {
    'A container covers the tokens in it and below it': [
      createToken(inBox, {}, { name: 'first' }),
      createToken({ ...word, containers: [`${box}below/`] }, {}, { name: 'second' }),
      createToken({ ...word, containers: ['/${prefix}/${unique}x/'] }, {}, { name: 'third' }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${second}' }, { id: '${first}' }] },
        { query: { container: box }, until: true },
      ),
    ],
    'A fingerprint findFirst every token with the same data': [
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
    'A metadata filter can be written in brackets or as JSON': [
      createToken({ ...inBox, metadata: { k: '${unique}' } }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${id}' }] },
        { query: { 'metadata[k]': '${unique}' }, until: true },
      ),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${id}' }] },
        { query: { metadata: '{"k":"${unique}"}' }, until: true },
      ),
    ],
  }),
  stateRule('L-02', page, list, {
    'Metadata is matched with its case': [
      createToken({ ...inBox, metadata: { k: 'Case ${unique}' } }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${id}' }] },
        { query: { 'metadata.k': 'Case ${unique}' }, until: true },
      ),
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
  stateRule('L-03', page, list, {
    'Tokens of one container come newest first': [
      createToken(inBox, {}, { name: 'first' }),
      createToken(inBox, {}, { name: 'second' }),
      createToken(inBox, {}, { name: 'third' }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${third}' }, { id: '${second}' }, { id: '${first}' }] },
        { query: { container: box }, until: true },
      ),
    ],
    'Tokens are sorted by container first, descending': [
      createToken({ ...word, containers: [`${box}b/`] }, {}, { name: 'first' }),
      createToken({ ...word, containers: [`${box}a/`] }, {}, { name: 'second' }),
      sendGet(
        '/v2/tokens',
        { data: [{ id: '${first}' }, { id: '${second}' }] },
        { query: { container: box }, until: true },
      ),
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
    'A cursor that is none is refused': refuseRequest('GET', '/v2/tokens', undefined, [], {
      query: { start: 'nonsense' },
    }),
    'A page has 20 tokens by default': sendGet('/v2/tokens', {
      pagination: { page_size: 20 },
      data: expectEach({ id: anyString }),
    }),
  }),
  refuseSize('/v2/tokens', 'size', '0', ['token:read']),
  refuseSize('/v2/tokens', 'size', '101', ['token:read']),
  refuseSize('/v2/tokens', 'size', 'many', ['token:read']),
  stateRule('L-05', 'Pagination', 'management', {
    'A numbered page has the totals': sendGet(
      '/applications',
      {
        pagination: { total_items: anyNumber, page_number: 1, page_size: 20, total_pages: anyNumber },
        data: expectEach({ id: anyString }),
      },
      { as: 'management' },
    ),
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
      { data: [] },
      { as: 'management', query: { page: 100_000 } },
    ),
  }),
  stateRule('L-06', 'List Tokens v1', list, {
    'The deprecated list findFirst several ids, newest first': [
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
    'The deprecated list says so in its headers': sendGet(
      '/tokens',
      {},
      {
        query: { size: 1 },
        answers: {
          deprecation: anyString,
          sunset: anyString,
          link: expectPattern(/rel="successor-version"/),
        },
      },
    ),
  }),
  stateRule('L-07', 'Search Tokens', search, {
    'The deprecated search findFirst an id': [
      createToken({ ...word, id: '${prefix}-${unique}' }),
      sendPost(
        '/tokens/search',
        { query: 'id:${prefix}-${unique}' },
        { data: [{ id: '${id}' }] },
        { until: true },
      ),
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
    'The deprecated search findFirst a search index': [
      createToken({ ...word, search_indexes: ['{{ data }}'] }),
      sendPost(
        '/tokens/search',
        { query: 'data:"word ${unique}"' },
        { data: [{ id: '${id}' }] },
        { until: true },
      ),
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
  ].map((query) => refuseSearch('L-07', 'Search Tokens', '/tokens/search', query)),
  stateRule('L-08', searchPage, search, {
    'The search findFirst metadata, with its case': [
      createToken({ ...word, metadata: { k: 'Case ${unique}' } }),
      sendPost(
        '/v2/tokens/search',
        { query: 'metadata.k:"Case ${unique}"' },
        { data: [{ id: '${id}' }], pagination: { next: absent } },
        { until: true },
      ),
      sendPost('/v2/tokens/search', { query: 'metadata.k:"case ${unique}"' }, { data: [] }),
    ],
    'The search findFirst a fingerprint, also within a container': [
      createToken(inBox, {}, { save: { print: '/fingerprint' } }),
      sendPost(
        '/v2/tokens/search',
        { query: 'fingerprint:${print}' },
        { data: expectItems({ id: '${id}' }) },
        { until: true },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: `fingerprint:\${print} AND container:"${box}"` },
        { data: [{ id: '${id}' }] },
        { until: true },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: `fingerprint:\${print} AND container:"${box}other/"` },
        { data: [] },
      ),
    ],
    'The search findFirst a type within a container': [
      createToken(inBox),
      sendPost(
        '/v2/tokens/search',
        { query: `type:token AND container:"${box}"` },
        { data: [{ id: '${id}' }] },
        { until: true },
      ),
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
      sendPost(
        '/v2/tokens/search',
        { query: 'data:"Whole ${unique}"' },
        { data: [{ id: '${id}' }] },
        { until: true },
      ),
      sendPost('/v2/tokens/search', { query: 'data:"whole ${unique}"' }, { data: [] }),
      sendPost('/v2/tokens/search', { query: 'data:${unique}' }, { data: [] }),
    ],
    'A social security number is found with and without its dashes': [
      createToken({ type: 'social_security_number', data: '123-45-6789', containers: [box] }),
      sendPost(
        '/v2/tokens/search',
        { query: 'data:123-45-6789' },
        { data: expectItems({ id: '${id}' }) },
        { until: true },
      ),
      sendPost(
        '/v2/tokens/search',
        { query: 'data:123456789' },
        { data: expectItems({ id: '${id}' }) },
        { until: true },
      ),
    ],
  }),
  stateRule('L-07', 'Search Tokens', 'management', {
    'A search needs token:search or token:read': [
      createApplication('writer', { permissions: ['token:create'] }),
      refuseRequest('POST', '/v2/tokens/search', { query: 'type:token' }, [], { as: 'writer', status: 403 }),
      refuseRequest('POST', '/tokens/search', { query: 'id:x' }, [], { as: 'writer', status: 403 }),
    ],
  }),
  stateRule('L-10', 'Deprecations', 'management', {
    'Regenerating a key gives 410': [
      createApplication('worker', { permissions: ['token:read'] }),
      sendRequest('POST', '/applications/${worker_id}/regenerate', 410, { as: 'management' }),
    ],
  }),
].flat()
