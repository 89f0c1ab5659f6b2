import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { strings } from './strings.ts'

type HealthLevel = keyof typeof strings.healthLevels

const tones: Readonly<Record<HealthLevel, Tone>> = {
  enabled: 'green',
  failing: 'amber',
  paused: 'plain',
  disabled: 'red',
}

/**
 * A webhook's health. `disabled`: Coffer disabled it after repeated failures. `paused`: the owner or a
 * program disabled it.
 */
function getHealthLevel({ status }: Pick<Webhook, 'status'>, health: WebhookHealth | null): HealthLevel {
  if ((health?.status ?? status) === 'enabled') return health && health.failures > 0 ? 'failing' : 'enabled'
  return health?.disabled_reason ? 'disabled' : 'paused'
}

type Props = {
  readonly webhook: Webhook
  /** Undefined while it is loading, null if the viewer may not see it. */
  readonly health: WebhookHealth | undefined | null
}

/** A webhook's health. Nothing while it is loading, because a failing webhook would show as enabled. */
export function HealthChip({ webhook, health }: Props) {
  if (health === undefined) return null
  const level = getHealthLevel(webhook, health)
  return <Chip tone={tones[level]}>{strings.healthLevels[level]}</Chip>
}
