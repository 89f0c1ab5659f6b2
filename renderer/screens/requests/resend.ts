import type { FullLog } from '../../../shared/schemas/log.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import type { StoredRequest } from './drafts-store.ts'
import { isProxiedCall } from './ledger-lines.ts'
import { isUnmaskedId, type LogListRecord } from './record.ts'
import { createRequestDraft, type RequestDraft } from './request-draft.ts'

/** The draft of a request to send again, and which parts the log lacks. */
export type ResendDraft = {
  readonly draft: RequestDraft
  /** The sender: an application's id, or null for the owner; undefined if the log does not record it. */
  readonly as: string | null | undefined
  /** The draft is exactly the request that was sent. */
  readonly isSent?: true
  readonly through?: 'window' | 'listener'
  readonly lost: readonly ('body' | 'query' | 'id' | 'key')[]
}

/** The original request of a record, if the window sent it and the vault still stores it. */
export function findResendDraft({ trace_id }: FullLog, sent: readonly StoredRequest[]): ResendDraft | null {
  const stored = sent.find((each) => each.trace_id === trace_id)
  if (!stored) return null
  const { draft, as, through, without_body } = stored
  return { draft, as, through, ...(without_body ? { lost: ['body'] } : { isSent: true, lost: [] }) }
}

/** Reconstructs a request from its record, as far as possible. */
export function reconstructRequest(operation: ApiOperation, record: FullLog): ResendDraft {
  const { actor_type, actor_id, looked_as, path, request_bytes } = record
  const ids = readPathIds(operation, record)
  const params = Object.fromEntries(ids.filter(([, id]) => id !== '' && isUnmaskedId(id)))
  const as =
    looked_as ?? (actor_type === 'application' ? actor_id : actor_type === 'owner' ? null : undefined)
  const { body } = createRequestDraft(operation)
  const query = readQuery(operation, record)
  return {
    draft: { params: { ...query.params, ...params }, body: '' },
    as,
    lost: [
      ...(body !== '' && request_bytes !== 0 ? (['body'] as const) : []),
      ...(query.isLost ? (['query'] as const) : []),
      ...(ids.length > Object.keys(params).length ? (['id'] as const) : []),
      ...(as === undefined && path !== undefined ? (['key'] as const) : []),
    ],
  }
}

/** Reads path parameters from the recorded path or the record's entity. */
function readPathIds(operation: ApiOperation, { path, entity_id }: FullLog): [string, string][] {
  const names = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
  const segments = operation.path.split('/')
  const pathSegments = path?.split('/') ?? []
  return names.map((name) => {
    const segment = pathSegments[segments.indexOf(`{${name}}`)]
    if (segment !== undefined) return [name, decodeURIComponent(segment)]
    return [name, names.length === 1 ? (entity_id ?? '') : '']
  })
}

/** The recorded query parameters, and whether some may be missing. */
function readQuery(operation: ApiOperation, { agent, headers, request_bytes, query }: FullLog) {
  const names = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  // Older records do not say whether the request had a query.
  const isKnown = (agent ?? headers ?? request_bytes ?? query) !== undefined
  const entries = Object.entries(query ?? {})
  const params = Object.fromEntries(
    entries.filter((pair): pair is [string, string] => pair[1] !== null && names.includes(pair[0])),
  )
  return { params, isLost: names.length > 0 && (!isKnown || entries.some(([, value]) => value === null)) }
}

/**
 * Link to the form that sends a record's request again: *Try it* for a proxied call, or else the request
 * builder. Null if the record is not from an operation of the API.
 */
export function getResendHref(
  record: LogListRecord,
  operations: readonly { readonly id: string }[],
): string | null {
  const { id, action, method, path, entity_id, trace_id } = record
  // The record of a proxied call does not contain the request, and the builder has no form for such a
  // request.
  if (isProxiedCall(record))
    return toHref('proxies', null, { view: 'try', proxy: entity_id, method, path, trace: trace_id })
  if (!operations.some((each) => each.id === action)) return null
  return toHref('requests', null, { new: '1', op: action, again: id })
}
