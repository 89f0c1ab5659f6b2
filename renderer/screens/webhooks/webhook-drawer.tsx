import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { getEventCause, isEventType } from '../../../shared/webhook-events.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import {
  Copyable,
  getStamps,
  PanelTitle,
  RecordSections,
} from '../../parts/resource-screen/drawer-sections.tsx'
import type { DrawerActions } from '../../parts/resource-screen/resource-list.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { FaintTime } from '../../ui/time/faint-time.tsx'
import { getDeliveriesHref } from './deliveries-href.ts'
import { DeliveryState } from './delivery-state.tsx'
import { Health } from './health.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { pauseOrEnable } from './pause.ts'
import { SendTest } from './send-test.tsx'
import { strings } from './strings.ts'
import styles from './webhooks.module.css'

const t = strings.drawer
const MAX_DELIVERIES = 5

type Props = DrawerActions & {
  readonly webhook: Webhook
  readonly health: WebhookHealth | undefined
}

export function WebhookDrawer({ webhook, health, onClose, onEdit, onDelete }: Props) {
  const { id, name } = webhook
  const isOwner = useIsOwner()
  return (
    <Panel label={t.label} title={<PanelTitle icon="bell" name={name} />} onClose={onClose}>
      {isOwner && <Actions webhook={webhook} onEdit={onEdit} onDelete={onDelete} />}
      {isOwner && (
        <>
          <NotAllowed url={webhook.url} />
          <PanelSection title={t.health}>
            <Health webhook={webhook} health={health} />
          </PanelSection>
        </>
      )}
      <About webhook={webhook} />
      <PanelSection title={t.events(webhook.events.length)}>
        <ul className={styles.eventFacts}>
          {webhook.events.map((type) => (
            <li key={type}>
              <span className="mono">{type}</span>{' '}
              <span className="faint">{(isEventType(type) && getEventCause(type)) || t.neverHappens}</span>
            </li>
          ))}
        </ul>
      </PanelSection>
      {isOwner && (
        <>
          <PanelSection title={t.deliveries}>
            <Newest id={id} />
          </PanelSection>
          <PanelSection title={t.test}>
            <SendTest webhook={webhook} />
            <p className="note">{t.testHelp}</p>
          </PanelSection>
        </>
      )}
      <RecordSections id={id} value={webhook} />
    </Panel>
  )
}

function Actions({ webhook, onEdit, onDelete }: Pick<Props, 'webhook' | 'onEdit' | 'onDelete'>) {
  const { runAction, problem, state } = useAction()
  const isEnabled = webhook.status === 'enabled'
  return (
    <>
      <div className={panelStyles.actions}>
        <ActionButton
          icon={isEnabled ? 'pause' : 'play'}
          label={isEnabled ? t.pause : t.enable}
          loading={state === 'running'}
          onClick={() => runAction(() => pauseOrEnable(webhook))}
        />
        <ActionButton icon="pencil" label={t.edit} shortcut="e" onClick={onEdit} />
        <ActionButton icon="trash" label={t.remove} onClick={onDelete} />
      </div>
      <Problem of={problem} />
    </>
  )
}

function About({ webhook }: { webhook: Webhook }) {
  const { id, url, notify_email } = webhook
  return (
    <PanelSection title={t.facts}>
      <Properties
        of={{
          [t.url]: <Copyable value={url} what="URL" />,
          [t.email]: notify_email,
          [t.id]: <Copyable value={id} />,
          ...getStamps(webhook),
        }}
      />
    </PanelSection>
  )
}

function Newest({ id }: { id: string }) {
  const newest = useLoaded(() => vault.deliveries.list({ webhook_id: id, size: MAX_DELIVERIES }), {
    about: id,
    follows: ['delivery'],
  })
  return (
    <>
      <LoadedView of={newest}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="faint">{t.noDeliveries}</p>
          ) : (
            <ul className={styles.newest} aria-label={t.deliveries}>
              {data.map((delivery) => (
                <li key={delivery.id}>
                  <LinkButton
                    to={getDeliveriesHref(id, { delivery: delivery.id })}
                    mono
                    label={delivery.type}
                  />
                  <DeliveryState delivery={delivery} />
                  <span className="space" />
                  <FaintTime at={delivery.created_at} />
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
      <LinkButton to={getDeliveriesHref(id)} label={t.all} />
    </>
  )
}
