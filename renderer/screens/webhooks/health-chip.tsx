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
function getHealthLevel({ status }: Pick<Webhook, 'status'>, health: WebhookHealth | undefined): HealthLevel {
  if ((health?.status ?? status) === 'enabled') return health && health.failures > 0 ? 'failing' : 'enabled'
  return health?.disabled_reason ? 'disabled' : 'paused'
}

type Props = { readonly webhook: Webhook; readonly health: WebhookHealth | undefined }

export function HealthChip({ webhook, health }: Props) {
  const level = getHealthLevel(webhook, health)
  return <Chip tone={tones[level]}>{strings.healthLevels[level]}</Chip>
}
