import type { PreparedRun } from '../../engine/reactors/prepare.ts'
import type { RunCall } from '../../http/code.ts'

/** The most characters of an error that an event holds. */
const MOST_ERROR = 4096

/** Tells webhooks that a reactor begins to run (rule W-01). */
export function tellBegun(call: RunCall, prepared: PreparedRun): void {
  tell(call, 'reactor.invoked', prepared, {})
}

/** Tells webhooks how a run ended. SECURITY: `error` without the values of tokens (rule W-05). */
export function tellEnded(
  call: RunCall,
  prepared: PreparedRun,
  duration_ms: number,
  error: string | null,
): void {
  const elapsed_ms = Math.round(duration_ms)
  if (error === null) tell(call, 'reactor.completed', prepared, { elapsed_ms })
  else tell(call, 'reactor.failed', prepared, { error: error.slice(0, MOST_ERROR), elapsed_ms })
}

function tell(
  { engine, caller, info }: RunCall,
  type: 'reactor.invoked' | 'reactor.completed' | 'reactor.failed',
  { reactor_id, name, request }: PreparedRun,
  more: { readonly error?: string; readonly elapsed_ms?: number },
): void {
  const data = {
    reactor: { id: reactor_id, name },
    request: {
      ...(request && { id: request.id }),
      invocation_type: request ? 'async' : 'sync',
    },
    ...more,
  }
  engine.tell(caller, type, data, info.trace_id ?? crypto.randomUUID())
}
