import type { FullLog } from '../../../shared/schemas/log.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { describeError, hasCode } from '../../parts/messages/describe-error.ts'

type FullRecordState = {
  readonly record: FullLog | null
  readonly problem: string | null
  /** Whether the log has no record with this id. */
  readonly isMissing: boolean
}

/** Loads a record by its id. `record` is null while loading. If loading fails, `problem` says why. */
export function useFullRecord(id: string | null): FullRecordState {
  const { value: record, problem } = useLoaded(async () => (id === null ? null : vault.logs.get({ id })), {
    about: id ?? '',
  })
  // Records never change, so a loaded one stays valid even if a later load fails.
  return {
    record,
    problem: record === null && problem !== null ? describeError(problem) : null,
    isMissing: record === null && hasCode(problem, 'not_found'),
  }
}
