import type { DeliverySummary } from '../../../shared/schemas/webhook.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { Time } from '../../ui/time/time.tsx'
import { strings } from './strings.ts'

const t = strings.deliveries

const tones: Readonly<Record<DeliverySummary['state'], Tone>> = {
  waiting: 'amber',
  delivered: 'green',
  given_up: 'red',
}

export function DeliveryState({ delivery: { state } }: { delivery: Pick<DeliverySummary, 'state'> }) {
  return <Chip tone={tones[state]}>{t.states[state]}</Chip>
}

/** When the next attempt is due, or when the delivery ended. */
export function DeliveryNext({
  delivery: { state, next_at, ended_at },
}: {
  delivery: Pick<DeliverySummary, 'state' | 'next_at' | 'ended_at'>
}) {
  if (ended_at !== null) return <Time at={ended_at} />
  if (next_at === null) return state === 'waiting' ? t.inTurn : null
  return <Time at={next_at} ahead />
}
