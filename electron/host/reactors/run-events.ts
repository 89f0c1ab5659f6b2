import type { PreparedRun } from '../../engine/index.ts'
import type { RunCall } from '../../http/code.ts'

const MAX_ERROR_LENGTH = 4096

/** Publishes the start of a run of a reactor to webhooks (rule W-01). */
export function publishRunStarted(call: RunCall, prepared: PreparedRun): void {
  publishRunEvent(call, 'reactor.invoked', prepared, {})
}

/** Publishes the end of a run to webhooks. SECURITY: `error` must not contain the values of tokens (rule W-05). */
export function publishRunEnded(
  call: RunCall,
  prepared: PreparedRun,
  duration_ms: number,
  error: string | null,
): void {
  const elapsed_ms = Math.round(duration_ms)
  if (error === null) publishRunEvent(call, 'reactor.completed', prepared, { elapsed_ms })
  else
    publishRunEvent(call, 'reactor.failed', prepared, { error: error.slice(0, MAX_ERROR_LENGTH), elapsed_ms })
}

function publishRunEvent(
  { engine, caller, info }: RunCall,
  type: 'reactor.invoked' | 'reactor.completed' | 'reactor.failed',
  { reactor_id, name, request }: PreparedRun,
  more: { readonly error?: string; readonly elapsed_ms?: number },
): void {
  const data = {
    reactor: { id: reactor_id, name },
    request: { ...(request && { id: request.id }), invocation_type: request ? 'async' : 'sync' },
    ...more,
  }
  engine.outbox.publishEvent(caller, type, data, info.trace_id ?? crypto.randomUUID())
}
