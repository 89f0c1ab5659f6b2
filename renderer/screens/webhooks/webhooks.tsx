import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Webhook, WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { useWebhooks, webhookList } from '../../parts/access/resource-lists.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { createFollowedValue } from '../../parts/connection/followed-value.ts'
import { useSession } from '../../parts/connection/session.ts'
import { vault } from '../../parts/connection/vault.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { goTo, useRoute } from '../../parts/navigation/route.ts'
import { ResourceList, useResourceRows } from '../../parts/resource-screen/resource-list.tsx'
import { ResourceScreen } from '../../parts/resource-screen/resource-screen.tsx'
import { Empty } from '../../ui/empty.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { Code } from '../../ui/text/code.tsx'
import { Deliveries } from './deliveries.tsx'
import { pauseOrEnable } from './pause.ts'
import { SigningKeys } from './signing-key.tsx'
import { strings as t } from './strings.ts'
import { createWebhookColumns } from './webhook-columns.tsx'
import { WebhookDrawer } from './webhook-drawer.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** The health of each webhook, by its id; only for the owner. */
const { useValue: useHealth, follow: followHealth } = createFollowedValue<{
  readonly health: ReadonlyMap<string, WebhookHealth>
}>({ health: new Map() }, ['webhook', 'delivery'], async () => {
  const { data } = await vault.webhooks.list({ size: 100 })
  // Skips webhooks that were deleted in the meantime.
  const results = await Promise.allSettled(data.map(({ id }) => vault.webhooks.getHealth({ id })))
  const known = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  return { health: new Map(known.map((each) => [each.id, each])) }
})

/** Webhooks, their deliveries, and the key that signs events. */
export function Webhooks() {
  const { id, query } = useRoute()
  const isOwner = useIsOwner()
  const { rows } = useWebhooks()
  const { health } = useHealth()
  const webhook = isOwner && query.view === 'deliveries' && rows.find((each) => each.id === id)
  useEffect(() => (isOwner ? followHealth() : undefined), [isOwner])
  return (
    <ResourceScreen
      screen="webhooks"
      strings={t}
      permissions={webhookList.permissions}
      views={{
        webhooks: webhook ? (
          <Deliveries key={webhook.id} webhook={webhook} health={health.get(webhook.id)} />
        ) : (
          <List isOwner={isOwner} />
        ),
        key: <SigningKeys />,
      }}
    />
  )
}

function List({ isOwner }: { isOwner: boolean }) {
  const { health } = useHealth()
  const list = useResourceRows('webhooks', webhookList, {
    listOwnActions: (_, row) => (isOwner && row ? [createPauseAction(row)] : []),
  })
  return (
    <ResourceList
      list={list}
      strings={t}
      columns={createWebhookColumns(isOwner ? health : null)}
      placeholderRows={3}
      empty={<NoWebhooks isOwner={isOwner} />}
      note={t.most}
      renderForm={(webhook, actions) => <WebhookForm webhook={webhook} {...actions} />}
      renderDrawer={(webhook, actions) => (
        <WebhookDrawer webhook={webhook} health={health.get(webhook.id)} {...actions} />
      )}
      onRemove={(id) => vault.webhooks.remove({ id })}
    />
  )
}

function createPauseAction(webhook: Webhook): GridAction {
  const isEnabled = webhook.status === 'enabled'
  return {
    label: isEnabled ? t.drawer.pause : t.drawer.enable,
    icon: isEnabled ? 'pause' : 'play',
    run: () => pauseOrEnable(webhook).catch(showFailureToast),
  }
}

function NoWebhooks({ isOwner }: { isOwner: boolean }) {
  const listener = useSession(({ status }) => status?.listener)
  return (
    <Empty
      icon="bell"
      {...t.empty}
      action={isOwner && <Button onClick={goTo('webhooks', null, { new: '1' })}>{t.empty.first}</Button>}
    >
      <p>{t.empty.listen}</p>
      <Code text={t.empty.command(listener?.state === 'on' ? listener.url : null)} what={t.empty.what} wrap />
    </Empty>
  )
}
