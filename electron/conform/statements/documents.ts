import type { Permission } from '../../../shared/permissions.ts'
import { type Expected, expectPattern, isoDate, type Statement, uuid } from '../statement.ts'
import {
  decideRule,
  findNothing,
  refuseRequest,
  sendDelete,
  sendGet,
  sendRequest,
  stateRule,
} from './steps.ts'

const rights: readonly Permission[] = [
  'documents:create',
  'documents:read',
  'documents:reveal',
  'documents:delete',
]

const multipart = { 'content-type': 'multipart/form-data; boundary=x-boundary' }
const writePart = (name: string, content: string, more = '') =>
  `--x-boundary\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`
const file = writePart('document', 'Hello ${unique}', '; filename="blob"\r\nContent-Type: text/plain')
const metadata = writePart('request', '{"metadata":{"attribute 1":"value 1"}}')

/** Uploads a document of these parts, which is deleted in the end. */
const uploadDocument = (parts: string, expected: Expected) =>
  sendRequest(
    'POST',
    '/documents',
    [200, 201, 202],
    {
      headers: multipart,
      raw: `${parts}--x-boundary--\r\n`,
      save: { id: '/id' },
      remove: '/documents/${id}',
    },
    undefined,
    expected,
  )

export const documents: readonly Statement[] = [
  stateRule('D-01', 'Documents', rights, {
    'A document is uploaded, described, downloaded and deleted': [
      uploadDocument(metadata + file, { id: uuid, content_type: 'text/plain' }),
      sendGet('/documents/${id}', {
        id: '${id}',
        tenant_id: uuid,
        content_type: 'text/plain',
        metadata: { 'attribute 1': 'value 1' },
        created_by: uuid,
        created_at: isoDate,
      }),
      sendGet('/documents/${id}/data', 'Hello ${unique}', {
        answers: { 'content-type': expectPattern(/^text\/plain/) },
      }),
      sendDelete('/documents/${id}'),
      findNothing('/documents/${id}'),
      findNothing('/documents/${id}/data'),
      refuseRequest('DELETE', '/documents/${id}', undefined, [], { status: 404 }),
    ],
    'The parts of an upload may be in any order, and metadata absent': [
      uploadDocument(file, { content_type: 'text/plain' }),
      uploadDocument(file + metadata, { metadata: { 'attribute 1': 'value 1' } }),
    ],
    'An upload without a document is refused': sendRequest('POST', '/documents', 400, {
      headers: multipart,
      raw: `${metadata}--x-boundary--\r\n`,
    }),
  }),
  decideRule('D-01', 'Documents', rights, {
    'A document is downloaded as an attachment, which no browser runs or stores': [
      uploadDocument(file, {}),
      sendGet('/documents/${id}/data', 'Hello ${unique}', {
        answers: {
          'x-content-type-options': 'nosniff',
          'content-disposition': 'attachment',
          'content-security-policy': 'sandbox',
          'cache-control': 'no-store',
        },
      }),
    ],
    'The declared type of a document comes back unchanged': [
      ['text/plain', 'text/plain'],
      ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
      ['Application/JSON', 'Application/JSON'],
      ['application/vnd.ms-excel', 'application/vnd.ms-excel'],
      ['image/svg+xml;x="a b"', 'image/svg+xml;x="a b"'],
      ['', 'application/octet-stream'],
    ].flatMap(([declared = '', type = '']) => [
      uploadDocument(
        writePart(
          'document',
          '"<b>"',
          `; filename="blob"${declared === '' ? '' : `\r\nContent-Type: ${declared}`}`,
        ),
        { content_type: type },
      ),
      sendGet('/documents/${id}/data', undefined, { answers: { 'content-type': type } }),
    ]),
    'An upload of another type than multipart gives 415': sendRequest('POST', '/documents', 415, {}, {}),
  }),
].flat()
