import { Failure, FormFailure } from '../../ui/failure.tsx'
import { describeError, getUnplacedError } from './describe-error.ts'

type Props = {
  readonly of: unknown
  /** The members, or beginnings of their paths, whose fields show their own messages. */
  readonly placedFields?: readonly string[]
}

/** Shows why something failed; renders nothing if it did not, or if fields say all of it. */
export function Problem({ of, placedFields: placed = [] }: Props) {
  const rest = getUnplacedError(of, placed)
  return rest === null ? null : <Failure>{describeError(rest)}</Failure>
}

/** The same at the end of a form, brought into view. */
export function FormProblem({ of, placedFields: placed = [] }: Props) {
  const rest = getUnplacedError(of, placed)
  return rest === null ? null : <FormFailure>{describeError(rest)}</FormFailure>
}
