import { Failure, FormFailure } from '../../ui/failure.tsx'
import { besides, sentenceOf } from './sentence.ts'

type Props = {
  readonly of: unknown
  /** The members, or beginnings of their paths, whose fields show their own messages. */
  readonly besides?: readonly string[]
}

/** Shows why something failed; renders nothing if it did not, or if fields say all of it. */
export function Problem({ of, besides: placed = [] }: Props) {
  const rest = besides(of, placed)
  return rest === null ? null : <Failure>{sentenceOf(rest)}</Failure>
}

/** The same at the end of a form, brought into view. */
export function FormProblem({ of, besides: placed = [] }: Props) {
  const rest = besides(of, placed)
  return rest === null ? null : <FormFailure>{sentenceOf(rest)}</FormFailure>
}
