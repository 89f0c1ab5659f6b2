import { deriveDatabaseKey } from '../../electron/engine/crypto/keyring.ts'
import { openReadOnly } from '../../electron/engine/db/open.ts'
import { startListener } from '../listener.ts'

type DocumentHeaders = Record<string, string>
/** Returns the text of a part: its headers and its content. */
export type WrittenPart = readonly [headers: string, content: string | Buffer]

export const boundary = 'x-boundary'
export const multipart = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }

/** Returns a multipart body of these parts, like a client would write it. */
export function createMultipartBody(
  parts: readonly WrittenPart[],
  end = `--${boundary}--\r\n`,
): Buffer<ArrayBuffer> {
  const written = parts.flatMap(([headers, content]) => [
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...written, Buffer.from(end)])
}

export const createDocumentPart = (
  content: string | Buffer,
  type: string | null = 'text/plain',
): WrittenPart => [
  `Content-Disposition: form-data; name="document"; filename="blob"${type === null ? '' : `\r\nContent-Type: ${type}`}`,
  content,
]
export const createRequestPart = (content: unknown, type = ''): WrittenPart => [
  `Content-Disposition: form-data; name="request"${type}`,
  JSON.stringify(content),
]

/** Starts a listener with an application that has all document permissions. */
export async function startDocuments({ durable = false, strict = false } = {}) {
  const listener = await startListener({ durable, strict })
  const { vault, request, url } = listener
  const app = await vault.application({
    permissions: ['documents:create', 'documents:read', 'documents:reveal', 'documents:delete'],
  })
  const { key } = app
  const uploadDocument = (parts: readonly WrittenPart[], headers: DocumentHeaders = {}) =>
    request('POST', '/documents', {
      key,
      raw: createMultipartBody(parts),
      headers: { ...multipart, ...headers },
    })
  const downloadDocument = async (id: string, added: DocumentHeaders = {}) => {
    const response = await fetch(`${url}/documents/${id}/data`, { headers: { 'SVC-API-KEY': key, ...added } })
    const { status, headers } = response
    return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  return {
    ...listener,
    app,
    key,
    uploadDocument,
    downloadDocument,
    sendRequest: (method: string, path: string, headers: DocumentHeaders = {}) =>
      request(method, path, { key, headers }),
    /** Counts the rows of each table of documents. */
    countRows() {
      const db = openReadOnly(vault.file, deriveDatabaseKey(vault.master))
      const countTable = (table: string) =>
        db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
      const rows = {
        documents: countTable('document'),
        chunks: countTable('document_chunk'),
        loose: countTable('loose_document'),
      }
      db.close()
      return rows
    },
  }
}
