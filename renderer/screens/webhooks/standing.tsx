import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { strings } from './strings.ts'

type Standing = keyof typeof strings.standings

const tones: Readonly<Record<Standing, Tone>> = {
  enabled: 'green',
  failing: 'amber',
  paused: 'plain',
  disabled: 'red',
}

/** How a webhook stands: Coffer disables one that keeps failing, the owner or a program pauses one. */
function standingOf({ status }: Pick<Webhook, 'status'>, health: WebhookHealth | undefined): Standing {
  if ((health?.status ?? status) === 'enabled') return health && health.failures > 0 ? 'failing' : 'enabled'
  return health?.disabled_reason ? 'disabled' : 'paused'
}

type Props = { readonly webhook: Webhook; readonly health: WebhookHealth | undefined }

/** How a webhook stands, in one word. */
export function StandingChip({ webhook, health }: Props) {
  const standing = standingOf(webhook, health)
  return <Chip tone={tones[standing]}>{strings.standings[standing]}</Chip>
}
