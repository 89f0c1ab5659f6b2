import { Box, Group } from '@mantine/core'
import type { Delivery, DeliveryAttempt } from '../../../shared/schemas/webhook.ts'
import { formatEventTime } from '../../../shared/time.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import { Copyable } from '../../parts/resource-screen/drawer-sections.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { indentJson } from '../../ui/text/indent-json.ts'
import { JsonView } from '../../ui/text/json-view.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { Time } from '../../ui/time/time.tsx'
import { getDeliveriesHref } from './deliveries-href.ts'
import { DeliveryNext, DeliveryState } from './delivery-state.tsx'
import { strings } from './strings.ts'
import styles from './webhooks.module.css'

const t = strings.delivery

/** One delivery: the event, and every attempt with the response. */
export function DeliveryDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useLoaded(() => vault.deliveries.get({ id }), { about: id, follows: ['delivery'] })
  const { value } = delivery
  return (
    <Panel
      label={t.label}
      title={
        <>
          <Icon name="bell" />
          <span className="clip mono">{value?.type ?? t.label}</span>
        </>
      }
      onClose={onClose}
    >
      <LoadedView of={delivery} lines={8}>
        {(loaded) => <Body delivery={loaded} />}
      </LoadedView>
    </Panel>
  )
}

function Body({ delivery }: { delivery: Delivery }) {
  const { id, webhook_id, event, event_id, created_at, by_owner, state, ended_at, tried } = delivery
  const last = tried.at(-1)
  const body = last ? { delivered_at: formatEventTime(Date.parse(last.at)), event } : { event }
  const { runAction, problem, state: sending } = useAction()
  const sendAgain = () =>
    runAction(async () => {
      const created = await vault.deliveries.sendAgain({ id })
      showToast(strings.test.queued)
      navigate(getDeliveriesHref(webhook_id, { delivery: created.id }))
    })
  return (
    <>
      <div className={panelStyles.actions}>
        <ActionButton icon="refresh" label={t.again} loading={sending === 'running'} onClick={sendAgain} />
      </div>
      <Problem of={problem} />
      <PanelSection title={t.facts}>
        <Properties
          of={{
            [t.state]: <DeliveryState delivery={delivery} />,
            [state === 'waiting' ? t.next : t.ended]: (state === 'waiting' || ended_at !== null) && (
              <DeliveryNext delivery={delivery} />
            ),
            [t.happened]: <Time at={created_at} />,
            [t.asked]: by_owner && t.byOwner,
            [t.event]: <Copyable value={event_id} />,
          }}
        />
      </PanelSection>
      <PanelSection title={t.attempts}>
        {tried.length === 0 ? (
          <p className="faint">{t.none}</p>
        ) : (
          <Box component="ol" fz={12} aria-label={t.attempts}>
            {tried.map((attempt, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attempts are only ever added at the end
              <Attempt key={at} attempt={attempt} n={at + 1} isLast={at === tried.length - 1} />
            ))}
          </Box>
        )}
      </PanelSection>
      <PanelSection title={last ? t.sent : t.toSend}>
        <JsonView value={body} what={t.sent} />
        <p className="note">{last ? t.sentHelp : t.toSendHelp}</p>
      </PanelSection>
    </>
  )
}

type AttemptProps = { readonly attempt: DeliveryAttempt; readonly n: number; readonly isLast: boolean }

/** SECURITY: renders the response as text only, because a receiver may respond with HTML. */
function Attempt({ attempt: { at, status, duration_ms, failure, answer }, n, isLast }: AttemptProps) {
  return (
    <li className={styles.attempt}>
      <Group gap={8} mih={24} wrap="nowrap">
        <span className="faint">{n}.</span>
        {status === null ? <span>{t.noAnswer}</span> : <StatusChip status={status} />}
        <span className="faint">{t.took(duration_ms)}</span>
        <span className="space" />
        <FaintTime at={at} />
      </Group>
      {failure !== null && <p className={styles.attemptFailure}>{failure}</p>}
      {answer !== '' ? (
        <details open={isLast || undefined}>
          <summary>{t.answer}</summary>
          <Code text={indentJson(answer)} what={t.answer} wrap />
          {new Blob([answer]).size >= MAX_STORED_BYTES && <p className="help">{t.cut}</p>}
        </details>
      ) : (
        status !== null && <p className="faint">{t.noBody}</p>
      )}
    </li>
  )
}

const MAX_STORED_BYTES = 4096
