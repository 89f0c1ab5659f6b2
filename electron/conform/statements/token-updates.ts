import type { Permission } from '../../../shared/permissions.ts'
import { absent, expectOther, isoDate, type PlainJson, type Statement, uuid } from '../statement.ts'
import {
  createApplication,
  createToken,
  decideRule,
  refuseRequest,
  sendGet,
  sendPatch,
  stateRule,
} from './steps.ts'

const change: readonly Permission[] = ['token:create', 'token:delete', 'token:read', 'token:update']
const page = 'Update Token'
const number = '4242424242424242'
const open = { type: 'token', data: { a: '1', b: { c: '2' } }, mask: '{{ data }}' }

/** A merge patch of data, which a mask shows in clear. */
const mergeData = (says: string, patched: PlainJson, result: PlainJson, data: PlainJson = open.data) =>
  stateRule('T-12', page, change, {
    [says]: [
      createToken({ ...open, data }),
      sendPatch('/tokens/${id}', { data: patched }, { data: result }),
      sendGet('/tokens/${id}', { data: result }),
    ],
  })

/** A patch that is refused, and changes nothing. */
const refusePatch = (says: string, body: PlainJson, ...members: string[]) =>
  stateRule('T-12', page, change, {
    [says]: [
      createToken({ ...open, metadata: { a: 'b' } }),
      refuseRequest('PATCH', '/tokens/${id}', body, members, {}),
      sendGet('/tokens/${id}', { data: open.data, metadata: { a: 'b' }, modified_at: absent }),
    ],
  })

/** A content type that PATCH refuses. */
const refuseType = (type: string) =>
  stateRule('T-12', page, change, {
    [`PATCH with ${type} gives 415, and nothing is changed`]: [
      createToken({ ...open, metadata: { a: 'b' } }),
      refuseRequest('PATCH', '/tokens/${id}', { metadata: { a: 'c' } }, [], {
        status: 415,
        headers: { 'content-type': type },
      }),
      sendGet('/tokens/${id}', { metadata: { a: 'b' } }),
    ],
  })

export const tokenUpdates: readonly Statement[] = [
  mergeData('A patch replaces a member of data and keeps the others', { a: '9' }, { a: '9', b: { c: '2' } }),
  mergeData(
    'A patch adds a member within a member of data',
    { b: { d: '3' } },
    { a: '1', b: { c: '2', d: '3' } },
  ),
  mergeData('A patch with null removes a member of data', { b: { c: null } }, { a: '1', b: {} }),
  mergeData('A patch replaces a list as a whole', { a: ['3'] }, { a: ['3'], b: { c: '2' } }),
  mergeData('A patch of text replaces data that is text', 'after', 'after', 'before'),
  mergeData('A patch of text replaces data that is an object', 'after', 'after'),
  refuseType('application/json'),
  refuseType('application/json-patch+json'),
  refuseType('text/plain'),
  stateRule('T-12', page, change, {
    'The content type of PATCH may have parameters': [
      createToken(open),
      sendPatch(
        '/tokens/${id}',
        { metadata: { a: 'c' } },
        { metadata: { a: 'c' } },
        { headers: { 'content-type': 'application/merge-patch+json; charset=utf-8' } },
      ),
    ],
    'A patch merges metadata': [
      createToken({ ...open, metadata: { a: '1', b: '2' } }),
      sendPatch(
        '/tokens/${id}',
        { metadata: { b: null, c: '3' } },
        { metadata: { a: '1', b: absent, c: '3' } },
      ),
    ],
    'A patch merges a mask': [
      createToken({ ...open, mask: { a: '{{ data.a }}', x: 'x' } }),
      sendPatch('/tokens/${id}', { mask: { x: null, y: 'y' } }, { data: { a: '1', x: absent, y: 'y' } }),
    ],
    'A patch replaces containers': [
      createToken({ ...open, containers: ['/${prefix}/a/', '/${prefix}/b/'] }),
      sendPatch('/tokens/${id}', { containers: ['/${prefix}/c/'] }, { containers: ['/${prefix}/c/'] }),
    ],
    'A patch replaces search indexes and the fingerprint expression': [
      createToken(
        { ...open, search_indexes: ['{{ data.a }}'], fingerprint_expression: '{{ data.a }}' },
        {},
        { save: { print: '/fingerprint' } },
      ),
      sendPatch(
        '/tokens/${id}',
        { search_indexes: ['{{ data.b.c }}'], fingerprint_expression: '{{ data.b.c }}' },
        {
          search_indexes: ['{{ data.b.c }}'],
          fingerprint_expression: '{{ data.b.c }}',
          fingerprint: expectOther('${print}'),
        },
      ),
    ],
    'A patch replaces expires_at': [
      createToken({ ...open, expires_at: '2098-01-01' }),
      sendPatch('/tokens/${id}', { expires_at: '2099-01-01T00:00:00Z' }, { expires_at: isoDate }),
    ],
    'A patch sets modified_by and modified_at, and keeps created_by and created_at': [
      createToken(open, { modified_at: absent }, { save: { by: '/created_by', at: '/created_at' } }),
      sendPatch(
        '/tokens/${id}',
        {},
        { modified_by: '${by}', modified_at: isoDate, created_by: '${by}', created_at: '${at}' },
      ),
    ],
    'A patch of data computes the fingerprint anew': [
      createToken(open, {}, { save: { print: '/fingerprint' } }),
      sendPatch('/tokens/${id}', { data: { a: '${unique}' } }, { fingerprint: expectOther('${print}') }),
    ],
    'A patch of metadata keeps the fingerprint': [
      createToken(open, {}, { save: { print: '/fingerprint' } }),
      sendPatch('/tokens/${id}', { metadata: { a: 'b' } }, { fingerprint: '${print}' }),
    ],
    'A card is checked as a whole after a patch': [
      createToken({ type: 'card', data: { number, expiration_month: 1, expiration_year: 2035 } }),
      refuseRequest('PATCH', '/tokens/${id}', { data: { number: '4242424242424241' } }, ['data.number']),
      refuseRequest('PATCH', '/tokens/${id}', { data: { number: null } }, ['data.number']),
      sendGet('/tokens/${id}', { card: { last4: '4242' } }),
    ],
  }),
  decideRule('T-12', page, change, {
    'null clears expires_at, mask and metadata': [
      createToken({ ...open, expires_at: '2099-01-01', metadata: { a: 'b' } }),
      sendPatch('/tokens/${id}', { expires_at: null, mask: null, metadata: null }, {}),
      sendGet('/tokens/${id}', { expires_at: absent, mask: absent, metadata: absent }),
    ],
    'null resets containers and search indexes to those of the type': [
      createToken({ ...open, containers: ['/${prefix}/'], search_indexes: ['{{ data.a }}'] }),
      sendPatch('/tokens/${id}', { containers: null, search_indexes: null }, {}),
      sendGet('/tokens/${id}', { containers: ['/general/high/'], search_indexes: absent }),
    ],
  }),
  refusePatch('A patch of data to null is refused', { data: null }, 'data'),
  refusePatch('A patch of metadata to a number is refused', { metadata: { a: 1 } }),
  refusePatch('A patch to a container without slashes is refused', { containers: ['x'] }),
  refusePatch('A patch to an expiry in the past is refused', { expires_at: '2020-01-01' }, 'expires_at'),
  refusePatch('A patch to a mask that cannot be read is refused', { mask: '{{ data | nonsense }}' }),
  stateRule('T-12', page, ['token:update'], {
    'A patch of a token that does not exist gives 404': sendPatch(
      '/tokens/${prefix}-none',
      { metadata: { a: 'b' } },
      { status: 404 },
      { status: 404 },
    ),
  }),
  decideRule('T-05', 'Token object, rule 1', change, {
    'A patch that puts the card number into metadata is refused': [
      createToken({ type: 'card', data: { number } }),
      refuseRequest('PATCH', '/tokens/${id}', { metadata: { card: number } }, []),
    ],
  }),
  stateRule('T-13', page, change, {
    'A patch with deduplicate_token into a duplicate returns the other token': [
      createToken({ type: 'token', data: 'one ${unique}' }, {}, { name: 'first' }),
      createToken({ type: 'token', data: 'two ${unique}' }, {}, { save: { print: '/fingerprint' } }),
      sendPatch(
        '/tokens/${id}',
        { data: 'one ${unique}', deduplicate_token: true },
        { id: '${first}', _extras: { deduplicated: true } },
      ),
      sendGet('/tokens/${id}', { id: '${id}', fingerprint: '${print}' }),
    ],
    'A patch without deduplicate_token may make a duplicate': [
      createToken(
        { type: 'token', data: 'one ${unique}' },
        {},
        { name: 'first', save: { print: '/fingerprint' } },
      ),
      createToken({ type: 'token', data: 'two ${unique}' }),
      sendPatch('/tokens/${id}', { data: 'one ${unique}' }, { id: '${id}', fingerprint: '${print}' }),
    ],
  }),
  decideRule('T-13', page, change, {
    'A token is not its own duplicate': [
      createToken({ type: 'token', data: 'one ${unique}' }),
      sendPatch(
        '/tokens/${id}',
        { data: 'one ${unique}', metadata: { a: 'b' }, deduplicate_token: true },
        { id: '${id}', metadata: { a: 'b' }, _extras: { deduplicated: false } },
      ),
    ],
  }),
  stateRule('T-13', page, 'management', {
    'The other token is shown without its data to who may not read it': [
      createApplication('reader', { permissions: [...change] }),
      createApplication('writer', { permissions: ['token:create', 'token:update', 'token:delete'] }),
      createToken(
        {
          type: 'token',
          data: 'one ${unique}',
          mask: 'x',
          metadata: { a: 'b' },
          search_indexes: ['{{ data }}'],
        },
        { id: uuid },
        { name: 'first', as: 'reader' },
      ),
      createToken({ type: 'token', data: 'two ${unique}' }, { id: uuid }, { as: 'reader' }),
      sendPatch(
        '/tokens/${id}',
        { data: 'one ${unique}', deduplicate_token: true },
        {
          id: '${first}',
          data: absent,
          metadata: absent,
          mask: absent,
          search_indexes: absent,
          fingerprint_expression: absent,
        },
        { as: 'writer' },
      ),
    ],
  }),
].flat()
