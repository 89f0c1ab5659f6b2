import type { JsonObject } from '../../../../shared/json.ts'
import type { ReactorObject } from '../../../../shared/schemas/reactor.ts'
import { formatIsoTime } from '../../../../shared/time.ts'
import type { Context } from '../../pipeline/context.ts'
import { openConfiguration } from '../callables/configuration.ts'
import type { ReactorRow } from './store.ts'

/** Parses the runtime options of a reactor, stored as the request set them; undefined if there are none. */
export function parseRuntime({ runtime }: ReactorRow): JsonObject | undefined {
  return runtime === null ? undefined : (JSON.parse(runtime) as JsonObject)
}

/** Returns a reactor as the API presents it (rule F-01). */
export function toReactor(context: Context, row: ReactorRow): ReactorObject {
  const runtime = parseRuntime(row)
  return {
    id: row.id,
    tenant_id: context.tenant_id,
    name: row.name,
    code: row.code,
    state: 'active',
    ...(row.application_id !== null && { application: { id: row.application_id } }),
    configuration: openConfiguration(context, row),
    ...(runtime && { runtime }),
    ...(row.created_by !== null && { created_by: row.created_by }),
    created_at: formatIsoTime(row.created_at),
    ...(row.modified_by !== null && { modified_by: row.modified_by }),
    ...(row.modified_at !== null && { modified_at: formatIsoTime(row.modified_at) }),
  }
}
