import { Failure } from '../../ui/failure.tsx'
import { sentenceOf } from './sentence.ts'

/** Why something failed, beside it; nothing where it did not. */
export function Problem({ of }: { of: unknown }) {
  return of === null ? null : <Failure>{sentenceOf(of)}</Failure>
}
