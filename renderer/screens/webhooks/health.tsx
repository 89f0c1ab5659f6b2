import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { Failure } from '../../ui/failure.tsx'
import { Fact, Facts } from '../../ui/panel.tsx'
import { Time } from '../../ui/time/time.tsx'
import { StandingChip } from './standing.tsx'
import { strings } from './strings.ts'

const t = strings.health

type Props = { readonly webhook: Webhook; readonly health: WebhookHealth | undefined }

/** How a webhook fares: what was delivered last, what fails, what waits, and what was lost. */
export function Health({ webhook, health }: Props) {
  if (!health) return null
  const { disabled_reason, last_success_at, last_failure_at, last_failure, failures, waiting } = health
  return (
    <>
      {disabled_reason !== null && <Failure>{t.disabled(disabled_reason)}</Failure>}
      {health.status === 'disabled' && disabled_reason === null && (
        <p className="part-help webhook-note">{t.paused}</p>
      )}
      <Facts>
        <Fact name={t.status}>
          <StandingChip webhook={webhook} health={health} />
        </Fact>
        <Fact name={t.success}>{last_success_at === null ? t.never : <Time at={last_success_at} />}</Fact>
        <Fact name={t.failures}>{failures.toLocaleString('en')}</Fact>
        {last_failure_at !== null && (
          <Fact name={t.failure}>
            <Time at={last_failure_at} />
            {last_failure !== null && `: ${last_failure}`}
          </Fact>
        )}
        <Fact name={t.waiting}>{t.events(waiting)}</Fact>
        {health.paused_until !== null && health.status === 'enabled' && (
          <Fact name={t.until}>
            <Time at={health.paused_until} ahead />
          </Fact>
        )}
        {health.dropped > 0 && (
          <Fact name={t.dropped}>
            {t.events(health.dropped)}
            {health.dropped_at !== null && (
              <>
                {', '}
                {t.lastly} <Time at={health.dropped_at} />
              </>
            )}
            {health.dropped_reason !== null && `: ${health.dropped_reason}`}
          </Fact>
        )}
      </Facts>
    </>
  )
}
