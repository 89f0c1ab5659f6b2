import type { OwnerThreeDsSession, ThreeDsState } from '../../../shared/schemas/three-ds.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { Countdown } from '../../ui/time/countdown.tsx'
import { strings } from './strings.ts'

const t = strings.threeDs
const HOUR_MS = 3_600_000

const tones: Readonly<Record<ThreeDsState, Tone>> = {
  new: 'plain',
  waiting: 'amber',
  passed: 'green',
  refused: 'red',
}

export function ThreeDsChip({ session: { state, status } }: { session: OwnerThreeDsSession }) {
  return <Chip tone={tones[state]}>{status ? t.statuses[status] : t.states.new}</Chip>
}

/** The time left for the answer to a challenge, or until the session expires. */
export function ThreeDsTimeLeft({
  session: { state, answer_until, expires_at },
}: {
  session: OwnerThreeDsSession
}) {
  const at = state === 'waiting' && answer_until !== undefined ? answer_until : expires_at
  return <Countdown at={at} soon_ms={HOUR_MS} over={strings.over} />
}
