import { Failure, FormFailure } from '../../ui/failure.tsx'
import { describeError, getUnplacedError } from './describe-error.ts'

type Props = {
  readonly of: unknown
  /** The fields that show their own messages, or prefixes of their paths. */
  readonly placedFields?: readonly string[]
}

/** Shows an error. Renders nothing without one, or if the fields show all of it. */
export function Problem({ of, placedFields: placed = [] }: Props) {
  const rest = getUnplacedError(of, placed)
  return rest === null ? null : <Failure>{describeError(rest)}</Failure>
}

/** Shows an error at the end of a form, scrolled into view, unless the fields show all of it. */
export function FormProblem({ of, placedFields: placed = [] }: Props) {
  const rest = getUnplacedError(of, placed)
  return rest === null ? null : <FormFailure>{describeError(rest)}</FormFailure>
}
