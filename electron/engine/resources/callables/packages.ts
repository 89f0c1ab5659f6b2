import { CofferError } from '../../../../shared/errors.ts'
import type { Json } from '../../../../shared/json.ts'
import {
  formatAddCommand,
  listMissingPackages,
  type MissingPackage,
} from '../../../../shared/missing-packages.ts'
import { dependencies } from '../../../../shared/schemas/runtime.ts'
import type { Context } from '../../pipeline/context.ts'

type Runtime = { readonly dependencies?: unknown } | undefined

type PackageProblem = {
  readonly state: 'failed' | 'outdated'
  readonly error: {
    readonly error_code: string
    readonly error_message: string
    readonly error_details: Record<string, Json>
  }
}

/**
 * Returns the packages of these runtimes that are not installed in their versions, and the resulting state: `failed` if
 * one is missing, `outdated` if each is installed, but not in its version (rule F-03). Null if there are none.
 */
export function findPackageProblem(context: Context, runtimes: readonly Runtime[]): PackageProblem | null {
  const all = runtimes.flatMap((runtime) => listMissing(context, runtime))
  const missing = all.filter(
    ({ name, version }, at) => all.findIndex((each) => each.name === name && each.version === version) === at,
  )
  if (missing.length === 0) return null
  return {
    state: missing.some(({ installed }) => installed === null) ? 'failed' : 'outdated',
    error: {
      error_code: 'packages_missing',
      error_message: `Packages of the runtime are not installed in their versions. Add them with: ${formatAddCommand(missing)}`,
      error_details: { packages: missing },
    },
  }
}

/** Throws `invalid`, with the command that adds them, if a package of these runtimes is not installed (rule F-03). */
export function requirePackages(context: Context, runtimes: readonly Runtime[]): void {
  const problem = findPackageProblem(context, runtimes)
  if (problem?.state === 'failed') throw new CofferError('invalid', problem.error.error_message)
}

function listMissing(context: Context, runtime: Runtime): MissingPackage[] {
  if (runtime?.dependencies === undefined) return []
  // Earlier versions stored any value. SECURITY: the command must be safe to paste.
  const { data = {} } = dependencies.safeParse(runtime.dependencies)
  return listMissingPackages(data, context.getPackages())
}
