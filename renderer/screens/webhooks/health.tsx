import { Box } from '@mantine/core'
import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { Failure } from '../../ui/failure.tsx'
import { Properties } from '../../ui/properties.tsx'
import { Time } from '../../ui/time/time.tsx'
import { HealthChip } from './health-chip.tsx'
import { strings } from './strings.ts'

const t = strings.health

type Props = { readonly webhook: Webhook; readonly health: WebhookHealth | undefined }

/** A webhook's health: its last delivery, and failing, pending and lost deliveries. */
export function Health({ webhook, health }: Props) {
  if (!health) return null
  const { disabled_reason, last_success_at, last_failure_at, last_failure, failures, waiting } = health
  const { dropped, dropped_at, dropped_reason } = health
  return (
    <>
      {disabled_reason !== null && <Failure>{t.disabled(disabled_reason)}</Failure>}
      {health.status === 'disabled' && disabled_reason === null && (
        <Box component="p" className="note" m="0 0 6px">
          {t.paused}
        </Box>
      )}
      <Properties
        of={{
          [t.status]: <HealthChip webhook={webhook} health={health} />,
          [t.success]: last_success_at === null ? t.never : <Time at={last_success_at} />,
          [t.failures]: failures.toLocaleString('en'),
          [t.failure]: last_failure_at !== null && (
            <>
              <Time at={last_failure_at} />
              {last_failure !== null && `: ${last_failure}`}
            </>
          ),
          [t.waiting]: t.events(waiting),
          [t.until]: health.status === 'enabled' && health.paused_until !== null && (
            <Time at={health.paused_until} ahead />
          ),
          [t.dropped]: dropped > 0 && (
            <>
              {t.events(dropped)}
              {dropped_at !== null && (
                <>
                  {`, ${t.lastly} `}
                  <Time at={dropped_at} />
                </>
              )}
              {dropped_reason !== null && `: ${dropped_reason}`}
            </>
          ),
        }}
      />
    </>
  )
}
