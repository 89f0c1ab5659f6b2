import { isObject, toComputable } from '../../../../shared/json.ts'
import { mayHold, type Permission, permissionNames } from '../../../../shared/permissions.ts'
import type { RuntimeImage } from '../../../../shared/runtime-images.ts'

/** The time limit of code in node22, in seconds, and the longest that a runtime can set (rule F-03). */
const DEFAULT_TIMEOUT_S = 10
const MAX_TIMEOUT_S = 900

/** What the runtime of code determines about a run (rule F-03). */
export type CodeRuntime = {
  readonly image: RuntimeImage
  /** The time limit in ms; null for the limits of node-bt. */
  readonly limit_ms: number | null
  /** The permissions of the key in `applicationOptions`, which only node22 has. */
  readonly permissions: readonly Permission[]
  /** Whether every invocation is asynchronous. */
  readonly isAsync: boolean
}

/** The runtime of code that names none. */
export const nodeBt: CodeRuntime = { image: 'node-bt', limit_ms: null, permissions: [], isAsync: false }

/** Reads a stored runtime. Older versions stored any object, so unknown values count as absent. */
export function readRuntime(runtime: unknown): CodeRuntime {
  if (!isObject(runtime) || runtime.image !== 'node22') return nodeBt
  const { permissions = [], async: isAsync } = runtime
  const timeout = toComputable(runtime.timeout)
  const timeout_s = typeof timeout === 'number' && timeout > 0 ? timeout : DEFAULT_TIMEOUT_S
  return {
    image: 'node22',
    limit_ms: Math.min(timeout_s, MAX_TIMEOUT_S) * 1000,
    // SECURITY: code never acts as a management application, like the application of a reactor (rule F-01).
    permissions: permissionNames.filter(
      (each) => Array.isArray(permissions) && permissions.includes(each) && mayHold('private', each),
    ),
    isAsync: isAsync === true,
  }
}
