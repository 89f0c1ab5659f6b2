import { useEffect, useState } from 'react'
import type { FullLog } from '../../../shared/schemas/log.ts'
import { keepLoaded } from '../../parts/connection/reach.ts'
import { vault } from '../../parts/connection/vault.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'

type Found = { readonly id: string; readonly record: FullLog | null; readonly problem: string | null }

/** A record by its id, however old it is; null while it is on its way, with the reason where there is none. */
export function useFullRecord(id: string | null): Pick<Found, 'record' | 'problem'> {
  const [found, setFound] = useState<Found | null>(null)
  useEffect(() => {
    if (id === null) return
    let here = true
    const stop = keepLoaded(() =>
      vault.logs.get({ id }).then(
        (record) => here && setFound({ id, record, problem: null }),
        (error) => {
          const missed = { id, record: null, problem: sentenceOf(error) }
          // A record never changes: one that was read stays.
          if (here) setFound((found) => (found?.id === id && found.record ? found : missed))
        },
      ),
    )
    return () => {
      here = false
      stop()
    }
  }, [id])
  return found?.id === id ? found : { record: null, problem: null }
}
