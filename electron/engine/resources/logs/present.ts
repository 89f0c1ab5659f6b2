import type { FullLog, LogObject, OwnerLog } from '../../../../shared/schemas/log.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import type { LogDetail } from '../../pipeline/detail.ts'
import type { StoredHttp } from '../../pipeline/request-metadata.ts'
import { formatLogMessage, toLogOperation } from './hosted-words.ts'
import type { LogRow } from './store.ts'

/** Converts a record to its form in the API (rule O-05). `about` is the entity that the query asked for. */
export function toLog(row: LogRow, tenant_id: string, about?: string): LogObject {
  const entity_id = row.entity_id ?? about
  const [method, path] = row.request?.split(' ') ?? []
  const { code } = parseDetail(row)
  return {
    id: String(row.seq),
    tenant_id,
    ...(row.actor_id !== null && { actor_id: row.actor_id }),
    ...(row.actor_type !== 'unknown' && { actor_type: row.actor_type }),
    entity_type: row.entity_type,
    ...(entity_id !== undefined && { entity_id }),
    operation: toLogOperation(row.operation),
    action: row.operation,
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(row.key_hint !== null && { key_hint: row.key_hint }),
    status: row.status,
    ...(code !== undefined && { code }),
    message: formatLogMessage(row),
    ...(row.note !== null && { note: row.note }),
    trace_id: row.trace_id,
    duration_ms: row.duration_us / 1000,
    created_at: formatIsoTime(row.at),
  }
}

/** Converts a record for the owner's list, with the program and the sizes. */
export function toOwnerLog(row: LogRow, tenant_id: string, about?: string): OwnerLog {
  const { in: request_bytes, out: answer_bytes } = parseHttp(row)
  const { errors, sentence } = parseDetail(row)
  return {
    ...toLog(row, tenant_id, about),
    ...(row.agent !== null && { agent: row.agent }),
    ...(request_bytes !== undefined && { request_bytes }),
    ...(answer_bytes !== undefined && { answer_bytes }),
    ...(sentence !== undefined && { detail: sentence }),
    ...(errors && { errors }),
  }
}

/**
 * Converts a record with all details, for the owner. SECURITY: an application must not learn which requests of
 * others were rejected, or why.
 */
export function toFullLog(row: LogRow, tenant_id: string, entity_ids: string[]): FullLog {
  const { missing, created, looked_as, ignored } = parseDetail(row)
  const { headers, query } = parseHttp(row)
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
    ...(ignored && { ignored: [...ignored] }),
  }
}

/** Parses the details of a record; empty without any. */
export function parseDetail({ detail }: Pick<LogRow, 'detail'>): LogDetail {
  return detail === null ? {} : (JSON.parse(detail) as LogDetail)
}

/** Parses what a record stores about its HTTP request; empty without any. */
export function parseHttp({ http }: Pick<LogRow, 'http'>): StoredHttp {
  return http === null ? {} : (JSON.parse(http) as StoredHttp)
}
