import { newReactor, type ReactorObject } from '../../../shared/schemas/reactor.ts'
import { validationError } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { fieldErrorsOf } from '../../parts/messages/sentence.ts'
import { mapOf, type Pair, pairsOf } from '../../ui/fields/pairs-input.tsx'
import type { StartingPoint } from './gallery.ts'

export type ReactorDraft = {
  readonly name: string
  readonly code: string
  readonly application: string | null
  readonly configuration: readonly Pair[]
}

const EMPTY = `module.exports = async function (req) {
  const { args, configuration, bt } = req

  return { raw: args }
}
`

/** The draft to start with: an empty one, or one from the gallery. */
export function newDraft(start: StartingPoint | undefined): ReactorDraft {
  return {
    name: start?.name ?? '',
    code: start?.code ?? EMPTY,
    application: null,
    configuration: pairsOf(start?.configuration ?? {}),
  }
}

/** A reactor as it is. */
export function draftOf({ name, code, application, configuration }: ReactorObject): ReactorDraft {
  return { name, code, application: application?.id ?? null, configuration: pairsOf(configuration) }
}

/** What the draft asks for, as it is sent; what the window does not show stays as it was. */
export function inputOf(
  { name, code, application, configuration }: ReactorDraft,
  before: ReactorObject | null,
): z.input<typeof newReactor> {
  const entries = mapOf(configuration)
  return {
    name,
    code,
    ...(application !== null && { application: { id: application } }),
    ...(Object.keys(entries).length > 0 && { configuration: entries }),
    ...(before?.runtime && { runtime: before.runtime }),
  }
}

/** What is wrong with a draft, by the schema that the vault applies too. */
export function problemsOf(draft: ReactorDraft): Record<string, string> {
  const result = newReactor.safeParse(inputOf(draft, null))
  return result.success ? {} : fieldErrorsOf(validationError(result.error))
}
