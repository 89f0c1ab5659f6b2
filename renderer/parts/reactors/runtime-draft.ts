import type { ReactorRuntime } from '../../../shared/schemas/runtime.ts'
import { type KeyValuePair, toMap, toPairs } from '../../ui/fields/pairs-input.tsx'

/** The runtime of code in a form (rule F-03). */
export type RuntimeDraft = {
  readonly options: ReactorRuntime
  readonly dependencies: readonly KeyValuePair[]
  readonly resolutions: readonly KeyValuePair[]
}

export function toRuntimeDraft(runtime: object | undefined): RuntimeDraft {
  const { dependencies = {}, resolutions = {}, ...options } = (runtime ?? {}) as ReactorRuntime
  return { options, dependencies: toPairs(dependencies), resolutions: toPairs(resolutions) }
}

/** Converts the draft to the member of a request; undefined if nothing is set. */
export function toRuntime({ options, dependencies, resolutions }: RuntimeDraft): ReactorRuntime | undefined {
  const runtime = {
    ...options,
    ...(dependencies.length > 0 && { dependencies: toMap(dependencies) }),
    ...(resolutions.length > 0 && { resolutions: toMap(resolutions) }),
  }
  return Object.keys(runtime).length > 0 ? runtime : undefined
}
