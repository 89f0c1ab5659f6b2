import { Failure } from '../../ui/failure.tsx'
import { sentenceOf } from './sentence.ts'

/** Shows why something failed; renders nothing if it did not. */
export function Problem({ of }: { of: unknown }) {
  return of === null ? null : <Failure>{sentenceOf(of)}</Failure>
}
