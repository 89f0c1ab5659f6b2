import type { FullLog } from '../../../shared/schemas/log.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'

type Found = { readonly record: FullLog | null; readonly problem: string | null }

/** A record by its id, however old it is; null while it is on its way, with the reason where there is none. */
export function useFullRecord(id: string | null): Found {
  const { value: record, problem } = useLoaded(async () => (id === null ? null : vault.logs.get({ id })), {
    about: id ?? '',
  })
  // A record never changes: one that was read is known, whatever came after.
  return { record, problem: record === null && problem !== null ? sentenceOf(problem) : null }
}
