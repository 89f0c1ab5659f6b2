import type { FullLog } from '../../../shared/schemas/log.ts'
import type { ApiOperation } from '../../parts/api/api-document.ts'
import { isWholeId } from './record.ts'
import { newDraft, type RequestDraft } from './request-draft.ts'

/** The draft of a request to send again, and which parts the log does not hold. */
export type Again = {
  readonly draft: RequestDraft
  /** The sender: an application's id, or null for the owner; undefined if the log does not say. */
  readonly as: string | null | undefined
  readonly lost: readonly ('body' | 'query' | 'id' | 'key')[]
}

/** Reconstructs a request from its record, as far as possible. */
export function againOf(operation: ApiOperation, record: FullLog): Again {
  const { actor_type, actor_id, looked_as, path } = record
  const ids = idsOf(operation, record)
  const params = Object.fromEntries(ids.filter(([, id]) => id !== '' && isWholeId(id)))
  const as =
    looked_as ?? (actor_type === 'application' ? actor_id : actor_type === 'owner' ? null : undefined)
  const { body } = newDraft(operation)
  const hasQuery = operation.parameters.some((each) => each.in === 'query')
  return {
    draft: { params, body: '' },
    as,
    lost: [
      ...(body !== '' ? (['body'] as const) : []),
      ...(hasQuery ? (['query'] as const) : []),
      ...(ids.length > Object.keys(params).length ? (['id'] as const) : []),
      ...(as === undefined && path !== undefined ? (['key'] as const) : []),
    ],
  }
}

/** The path parameters, from the recorded path or the entity of the record. */
function idsOf(operation: ApiOperation, { path, entity_id }: FullLog): [string, string][] {
  const names = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
  const pieces = operation.path.split('/')
  const asked = path?.split('/') ?? []
  return names.map((name) => {
    const piece = asked[pieces.indexOf(`{${name}}`)]
    if (piece !== undefined) return [name, decodeURIComponent(piece)]
    return [name, names.length === 1 ? (entity_id ?? '') : '']
  })
}
