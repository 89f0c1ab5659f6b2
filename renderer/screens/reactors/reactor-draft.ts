import { newReactor, type ReactorObject } from '../../../shared/schemas/reactor.ts'
import { createValidationError } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { getFieldErrors } from '../../parts/messages/describe-error.ts'
import { type KeyValuePair, toMap, toPairs } from '../../ui/fields/pairs-input.tsx'
import type { StartingPoint } from './gallery.ts'

export type ReactorDraft = {
  readonly name: string
  readonly code: string
  readonly application: string | null
  readonly configuration: readonly KeyValuePair[]
}

const EMPTY = `module.exports = async function (req) {
  const { args, configuration, bt } = req

  return { raw: args }
}
`

/** The initial draft: empty, or from the gallery. */
export function createReactorDraft(start: StartingPoint | undefined): ReactorDraft {
  return {
    name: start?.name ?? '',
    code: start?.code ?? EMPTY,
    application: null,
    configuration: toPairs(start?.configuration ?? {}),
  }
}

export function toReactorDraft({ name, code, application, configuration }: ReactorObject): ReactorDraft {
  return { name, code, application: application?.id ?? null, configuration: toPairs(configuration) }
}

/** Converts the draft to the request body; members that the window does not show are preserved. */
export function toReactorInput(
  { name, code, application, configuration }: ReactorDraft,
  before: ReactorObject | null,
): z.input<typeof newReactor> {
  const entries = toMap(configuration)
  return {
    name,
    code,
    ...(application !== null && { application: { id: application } }),
    ...(Object.keys(entries).length > 0 && { configuration: entries }),
    ...(before?.runtime && { runtime: before.runtime }),
  }
}

/** Validates a draft with the schema that the vault uses for the request. */
export function validateReactorDraft(draft: ReactorDraft): Record<string, string> {
  const result = newReactor.safeParse(toReactorInput(draft, null))
  return result.success ? {} : getFieldErrors(createValidationError(result.error))
}
