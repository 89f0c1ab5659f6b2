import type { vault } from '../../../parts/connection/vault.ts'
import { strength } from './propose-rules.ts'
import type { AccessDecision, FindDecision } from './use-decisions.ts'

export type ApplicationUse = Awaited<ReturnType<typeof vault.access.uses>>['uses'][number]

type UseOutcome = 'refused' | 'allowed' | 'other'
export type ChangedUse = { readonly use: ApplicationUse; readonly decision: AccessDecision }

export type UseVerdict = Readonly<Record<UseOutcome | 'unknown' | 'total', number>> & {
  /** The uses that would end differently, most frequent first. */
  readonly lines: readonly ChangedUse[]
}

/** Adds the uses of another part of the log. */
export function addUses(known: readonly ApplicationUse[], more: readonly ApplicationUse[]): ApplicationUse[] {
  const sums = new Map<string, ApplicationUse>()
  for (const use of [...known, ...more]) {
    const key = JSON.stringify({ ...use, requests: 0 })
    sums.set(key, { ...use, requests: use.requests + (sums.get(key)?.requests ?? 0) })
  }
  return [...sums.values()]
}

/** Counts the requests of the log that pending rules would answer differently. */
export function compareUses(uses: readonly ApplicationUse[], find: FindDecision): UseVerdict {
  const counts = { refused: 0, allowed: 0, other: 0, unknown: 0, total: 0 }
  const lines: ChangedUse[] = []
  for (const use of uses) {
    counts.total += use.requests
    const decision = find(use)
    const outcome = compareUse(use, decision)
    if (outcome === 'same') continue
    counts[outcome] += use.requests
    if (decision && outcome !== 'unknown') lines.push({ use, decision })
  }
  lines.sort((a, b) => b.use.requests - a.use.requests)
  return { ...counts, lines }
}

function compareUse(
  use: ApplicationUse,
  decision: AccessDecision | undefined,
): UseOutcome | 'same' | 'unknown' {
  if (!decision) return 'unknown'
  if (use.refused) {
    if (!decision.allowed) return 'same'
    // The rules of the session itself may have refused it.
    return use.session === null ? 'allowed' : 'unknown'
  }
  if (!decision.allowed) return 'refused'
  if (!use.complete) return 'unknown'
  if (use.transform === null || decision.transform === null || use.transform === decision.transform)
    return 'same'
  // A session shows no more than its own rules allow, even if the application may see more.
  return use.session === 'within' && strength[decision.transform] > strength[use.transform] ? 'same' : 'other'
}
