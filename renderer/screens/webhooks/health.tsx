import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { Failure } from '../../ui/failure.tsx'
import formStyles from '../../ui/form.module.css'
import { PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { Time } from '../../ui/time/time.tsx'
import { HealthChip } from './health-chip.tsx'
import { strings } from './strings.ts'
import styles from './webhooks.module.css'

const t = strings.health

type Props = { readonly webhook: Webhook; readonly health: WebhookHealth | undefined }

/** A webhook's health: its last delivery, and failing, pending and lost deliveries. */
export function Health({ webhook, health }: Props) {
  if (!health) return null
  const { disabled_reason, last_success_at, last_failure_at, last_failure, failures, waiting } = health
  return (
    <>
      {disabled_reason !== null && <Failure>{t.disabled(disabled_reason)}</Failure>}
      {health.status === 'disabled' && disabled_reason === null && (
        <p className={`${formStyles.note} ${styles.note}`}>{t.paused}</p>
      )}
      <PropertyList>
        <PropertyRow name={t.status}>
          <HealthChip webhook={webhook} health={health} />
        </PropertyRow>
        <PropertyRow name={t.success}>
          {last_success_at === null ? t.never : <Time at={last_success_at} />}
        </PropertyRow>
        <PropertyRow name={t.failures}>{failures.toLocaleString('en')}</PropertyRow>
        {last_failure_at !== null && (
          <PropertyRow name={t.failure}>
            <Time at={last_failure_at} />
            {last_failure !== null && `: ${last_failure}`}
          </PropertyRow>
        )}
        <PropertyRow name={t.waiting}>{t.events(waiting)}</PropertyRow>
        {health.paused_until !== null && health.status === 'enabled' && (
          <PropertyRow name={t.until}>
            <Time at={health.paused_until} ahead />
          </PropertyRow>
        )}
        {health.dropped > 0 && (
          <PropertyRow name={t.dropped}>
            {t.events(health.dropped)}
            {health.dropped_at !== null && (
              <>
                {', '}
                {t.lastly} <Time at={health.dropped_at} />
              </>
            )}
            {health.dropped_reason !== null && `: ${health.dropped_reason}`}
          </PropertyRow>
        )}
      </PropertyList>
    </>
  )
}
