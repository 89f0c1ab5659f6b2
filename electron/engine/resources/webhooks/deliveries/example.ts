import { randomUUID } from 'node:crypto'
import type { Json } from '../../../../../shared/json.ts'
import { formatEventTime } from '../../../../../shared/time.ts'
import { type EventType, listEventFields } from '../../../../../shared/webhook-events.ts'

const values: Readonly<Record<string, Json>> = {
  permissions: [],
  rules: [],
  containers: ['/test/'],
  search_indexes: [],
  metadata: {},
  headers: {},
  fingerprint_expression: '{{ data }}',
  require_authentication: true,
  property_name: 'cvc',
  invocation_type: 'sync',
  method: 'POST',
  path: '/test',
  status: 200,
  status_code: 200,
  elapsed_ms: 1,
  error: null,
  expires_at: null,
}

/** Creates example data for a test event, with every member of its type (rule W-04). */
export function createExampleData(type: EventType, now: number): { readonly [name: string]: Json } {
  const data: Record<string, Json> = { actor: { id: randomUUID(), type: 'user', name: 'Test' } }
  for (const path of listEventFields(type)) {
    const names = path.replace('?', '').split('.')
    const last = names.pop() as string
    let at = data
    for (const name of names) {
      at[name] ??= {}
      at = at[name] as Record<string, Json>
    }
    at[last] = createExampleValue(last, now)
  }
  return data
}

function createExampleValue(name: string, now: number): Json {
  if (Object.hasOwn(values, name)) return values[name] ?? null
  if (name === 'id' || name.endsWith('_id') || name.endsWith('_by')) return randomUUID()
  return name.endsWith('_at') ? formatEventTime(now) : 'test'
}
