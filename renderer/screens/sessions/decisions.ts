import type { ChallengeDecision, OwnerThreeDsSession } from '../../../shared/schemas/three-ds.ts'
import { vault } from '../../parts/connection/vault.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { strings } from './strings.ts'

const t = strings.threeDs.decisions

export type ChallengeButton = {
  readonly decision: ChallengeDecision
  readonly label: string
  readonly icon: IconName
  readonly keys: string
}

const buttons: readonly ChallengeButton[] = [
  { decision: 'pass', label: t.pass, icon: 'check', keys: 's' },
  { decision: 'fail', label: t.fail, icon: 'close', keys: 'f' },
  { decision: 'cancel', label: t.cancel, icon: 'undo', keys: 'x' },
  { decision: 'timeout', label: t.timeout, icon: 'clock', keys: 't' },
]

/** What the owner can make of a waiting challenge. Only the time of a decoupled one can run out. */
export function listDecisions({ state, challenge_type }: OwnerThreeDsSession): readonly ChallengeButton[] {
  if (state !== 'waiting') return []
  return buttons.filter(({ decision }) => decision !== 'timeout' || challenge_type === 'decoupled')
}

/** Decides a challenge through the code of the bank's page. */
export async function decideForCardholder(id: string, decision: ChallengeDecision): Promise<void> {
  const { status } = await vault.threeDs.decide({ id, decision })
  showToast(t.done(strings.threeDs.statuses[status ?? 'failed']))
}
