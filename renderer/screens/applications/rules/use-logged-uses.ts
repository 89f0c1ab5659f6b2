import { useEffect, useState } from 'react'
import { handleBackgroundError } from '../../../parts/connection/incidents.ts'
import { createRequestGuard } from '../../../parts/connection/request-guard.ts'
import { vault } from '../../../parts/connection/vault.ts'
import { type ApplicationUse, addUses } from './compare-uses.ts'

export const USE_DAYS = 7
/** The maximum numbers of requests, and of parts of the log, that are read. */
const MAX_REQUESTS = 20_000
const MAX_PARTS = 60

export type LoggedUses = {
  readonly uses: readonly ApplicationUse[]
  readonly requests: number
  /** The time of the oldest request; null if there is none. */
  readonly since: string | null
  /** When the log was read. */
  readonly until: string
  readonly isReading: boolean
  /** Whether older requests of the period were not read. */
  readonly isCut: boolean
}

/** Reads what an application used in the last days from the log, one part at a time. Null until the first part is read. */
export function useLoggedUses(application_id: string): LoggedUses | null {
  const [guard] = useState(createRequestGuard)
  const [state, setState] = useState<LoggedUses | null>(null)
  useEffect(() => {
    const isCurrent = guard.start()
    readParts(application_id, (part) => isCurrent() && setState(part), isCurrent).catch(handleBackgroundError)
    return () => void guard.start()
  }, [application_id, guard])
  return state
}

async function readParts(
  application_id: string,
  show: (part: LoggedUses) => void,
  isCurrent: () => boolean,
): Promise<void> {
  let uses: readonly ApplicationUse[] = []
  let since: string | null = null
  let before: number | null = null
  let until = ''
  for (let part = 1; part <= MAX_PARTS && isCurrent(); part++) {
    const read = await vault.access.uses({ application_id, days: USE_DAYS, before })
    uses = addUses(uses, read.uses)
    since = read.oldest_at ?? since
    before = read.next
    until ||= read.until
    const requests = uses.reduce((sum, use) => sum + use.requests, 0)
    const isLast = before === null || requests >= MAX_REQUESTS || part === MAX_PARTS
    show({ uses, requests, since, until, isReading: !isLast, isCut: before !== null })
    if (isLast) return
  }
}
