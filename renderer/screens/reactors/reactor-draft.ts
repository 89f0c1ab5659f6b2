import { newReactor, type ReactorObject } from '../../../shared/schemas/reactor.ts'
import type { z } from '../../../shared/zod.ts'
import { validateInput } from '../../parts/forms/validate-input.ts'
import { type RuntimeDraft, toRuntime, toRuntimeDraft } from '../../parts/reactors/runtime-draft.ts'
import { type KeyValuePair, toMap, toPairs } from '../../ui/fields/pairs-input.tsx'
import type { StartingPoint } from './gallery.ts'

export type ReactorDraft = {
  readonly name: string
  readonly code: string
  readonly application: string | null
  readonly configuration: readonly KeyValuePair[]
  readonly runtime: RuntimeDraft
}

const EMPTY = `module.exports = async function (req) {
  const { args, configuration, bt } = req

  return { raw: args }
}
`

const EMPTY_NODE22 = `module.exports = async function (event) {
  const { req, configuration, logger } = event

  return { res: { statusCode: 200, body: req } }
}
`

export function isForNode22({ runtime }: ReactorDraft): boolean {
  return runtime.options.image === 'node22'
}

/** Whether the code has a client, which calls the listener. */
export function hasClient({ runtime, application }: ReactorDraft): boolean {
  const { image, permissions = [] } = runtime.options
  return image === 'node22' ? permissions.length > 0 : application !== null
}

/** Sets the runtime of a draft. Code that was not edited becomes the example of that runtime. */
export function changeRuntime({ code }: ReactorDraft, runtime: RuntimeDraft): Partial<ReactorDraft> {
  const isExample = code === EMPTY || code === EMPTY_NODE22
  const example = runtime.options.image === 'node22' ? EMPTY_NODE22 : EMPTY
  return { runtime, ...(isExample && { code: example }) }
}

/** The initial draft: empty, or from the gallery. */
export function createReactorDraft(start: StartingPoint | undefined): ReactorDraft {
  return {
    name: start?.name ?? '',
    code: start?.code ?? EMPTY,
    application: null,
    configuration: toPairs(start?.configuration ?? {}),
    runtime: toRuntimeDraft(undefined),
  }
}

export function toReactorDraft({ name, code, application, ...stored }: ReactorObject): ReactorDraft {
  const { configuration, runtime } = stored
  return {
    name,
    code,
    application: application?.id ?? null,
    configuration: toPairs(configuration),
    runtime: toRuntimeDraft(runtime),
  }
}

/** Converts the draft to the request body. */
export function toReactorInput({
  name,
  code,
  application,
  configuration,
  ...draft
}: ReactorDraft): z.input<typeof newReactor> {
  const entries = toMap(configuration)
  const runtime = toRuntime(draft.runtime)
  return {
    name,
    code,
    ...(application !== null && { application: { id: application } }),
    ...(Object.keys(entries).length > 0 && { configuration: entries }),
    ...(runtime && { runtime }),
  }
}

/** Validates a draft with the schema that the vault uses for the request. */
export function validateReactorDraft(draft: ReactorDraft): Readonly<Record<string, string>> {
  return validateInput(newReactor, toReactorInput(draft))
}
