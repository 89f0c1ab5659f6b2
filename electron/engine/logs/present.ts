import type { FullLog, Log, OwnerLog } from '../../../shared/schemas/log.ts'
import { isoTime } from '../../../shared/time.ts'
import type { Detail } from '../door/detail.ts'
import type { StoredHttp } from '../door/http-facts.ts'
import type { LogRow } from './store.ts'

/** A record as the interface returns it (rule O-05); `about` is the entity of the query. */
export function toLog(row: LogRow, tenant_id: string, about?: string): Log {
  const entity_id = row.entity_id ?? about
  const [method, path] = row.request?.split(' ') ?? []
  const { code } = detailIn(row)
  return {
    id: String(row.seq),
    tenant_id,
    ...(row.actor_id !== null && { actor_id: row.actor_id }),
    ...(row.actor_type !== 'unknown' && { actor_type: row.actor_type }),
    entity_type: row.entity_type,
    ...(entity_id !== undefined && { entity_id }),
    operation: row.operation,
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(row.key_hint !== null && { key_hint: row.key_hint }),
    status: row.status,
    ...(code !== undefined && { code }),
    message: messageOf(row),
    ...(row.note !== null && { note: row.note }),
    trace_id: row.trace_id,
    duration_ms: row.duration_us / 1000,
    created_at: isoTime(row.at),
  }
}

/** A record in the owner's list: with the program and the sizes. */
export function toOwnerLog(row: LogRow, tenant_id: string, about?: string): OwnerLog {
  const { in: request_bytes, out: answer_bytes } = httpIn(row)
  const { errors, sentence } = detailIn(row)
  return {
    ...toLog(row, tenant_id, about),
    ...(row.agent !== null && { agent: row.agent }),
    ...(request_bytes !== undefined && { request_bytes }),
    ...(answer_bytes !== undefined && { answer_bytes }),
    ...(sentence !== undefined && { detail: sentence }),
    ...(errors && { errors }),
  }
}

/** A record as the owner sees it. SECURITY: one application must not learn what was refused to another. */
export function toFullLog(row: LogRow, tenant_id: string, entity_ids: string[]): FullLog {
  const { missing, created, looked_as } = detailIn(row)
  const { headers, query } = httpIn(row)
  return {
    ...toOwnerLog(row, tenant_id),
    entity_ids,
    ...(created && { created: { first: created[0], last: created[1], at: row.at } }),
    ...(headers && { headers }),
    ...(query && { query }),
    ...(missing && {
      missing: {
        permissions: [...missing.permissions],
        ...(missing.containers && { containers: [...missing.containers] }),
      },
    }),
    ...(looked_as !== undefined && { looked_as }),
  }
}

function detailIn({ detail }: LogRow): Detail {
  return detail === null ? {} : (JSON.parse(detail) as Detail)
}

function httpIn({ http }: LogRow): StoredHttp {
  return http === null ? {} : (JSON.parse(http) as StoredHttp)
}

function messageOf({ status, note }: LogRow): string {
  const outcome = status < 400 ? 'Done' : `Refused with ${status}`
  return note === null ? outcome : `${outcome}: ${note}`
}
