import './webhooks.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { useWebhooks, webhookList } from '../../parts/access/resource-lists.ts'
import { useMay, useViewAs } from '../../parts/access/view-as.ts'
import { ViewAsRefused } from '../../parts/access/view-as-refused.tsx'
import { useSession } from '../../parts/connection/session.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { navigate, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { ScreenHeader } from '../../parts/navigation/screen-header.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { Empty } from '../../ui/empty.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { NotLoaded } from '../../ui/loading.tsx'
import { NotFoundPanel } from '../../ui/not-found-panel.tsx'
import { Code } from '../../ui/text/code.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { Deliveries } from './deliveries.tsx'
import { followHealth, useHealth } from './health-store.ts'
import { pauseOrEnable } from './pause.ts'
import { SigningKeys } from './signing-key.tsx'
import { strings } from './strings.ts'
import { createWebhookColumns } from './webhook-columns.tsx'
import { WebhookDrawer } from './webhook-drawer.tsx'
import { WebhookForm } from './webhook-form.tsx'

const t = strings
const PLACEHOLDER_ROWS = 3
const views = ['webhooks', 'key'] as const

/** Webhooks, their deliveries, and the key that signs events. */
export function Webhooks() {
  const { id, query } = useRoute()
  const isOwner = useViewAs(({ as }) => as === null)
  const mayRead = useMay('webhooks:read', 'webhook:read')
  const { rows } = useWebhooks()
  const { health } = useHealth()
  const view = isOwner && query.view === 'key' ? 'key' : 'webhooks'
  const webhook = rows.find((each) => each.id === id)
  const openNewForm = () => isOwner && navigate(toHref('webhooks', null, { new: '1' }))
  useEffect(() => (isOwner ? followHealth() : undefined), [isOwner])
  useKeys({ 'mod+n': openNewForm, n: openNewForm })
  return (
    <>
      <ScreenHeader
        screen="webhooks"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        create={t.create}
        onCreate={openNewForm}
      />
      {!mayRead ? (
        <ViewAsRefused permission="webhooks:read" />
      ) : view === 'key' ? (
        <SigningKeys />
      ) : isOwner && webhook && query.view === 'deliveries' ? (
        <Deliveries key={webhook.id} webhook={webhook} health={health.get(webhook.id)} />
      ) : (
        <List isOwner={isOwner} />
      )}
    </>
  )
}

function List({ isOwner }: { isOwner: boolean }) {
  const { rows: webhooks, loaded, problem } = useWebhooks()
  const { health } = useHealth()
  const list = useRows('webhooks', webhooks, {
    isOwner,
    listOwnActions: (_, row) => (isOwner && row ? [createPauseAction(row)] : []),
  })
  const { id, open: webhook, form, close, edit, setDeleting } = list
  const deletedWebhook = webhooks.find((each) => each.id === list.deleting)

  return (
    <>
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={describeError(problem)} onRetry={webhookList.read} />
          </div>
        ) : loaded && webhooks.length === 0 ? (
          <NoWebhooks isOwner={isOwner} />
        ) : (
          <Grid
            {...list.gridProps}
            label={t.grid}
            columns={createWebhookColumns(isOwner ? health : null)}
            count={loaded ? webhooks.length : PLACEHOLDER_ROWS}
            row={(index) => webhooks[index]}
            keyOf={(row) => row.id}
          />
        )}
        <PanelBoundary {...list.beside}>
          {form && (list.isNew || webhook) ? (
            <WebhookForm
              key={list.isNew ? 'new' : id}
              webhook={list.isNew ? null : (webhook ?? null)}
              onClose={list.cancel}
              onSaved={list.leaveForm}
            />
          ) : webhook ? (
            <WebhookDrawer
              key={webhook.id}
              webhook={webhook}
              health={health.get(webhook.id)}
              onClose={close}
              onEdit={edit}
              onDelete={() => setDeleting(webhook.id)}
            />
          ) : (
            id !== null &&
            loaded && <NotFoundPanel label={t.drawer.label} text={t.drawer.gone} onClose={close} />
          )}
        </PanelBoundary>
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(webhooks.length)}</span>
        <span>{t.most}</span>
      </div>
      {deletedWebhook && (
        <DeleteWebhook webhook={deletedWebhook} onDeleted={close} onClose={() => setDeleting(null)} />
      )}
    </>
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
      title={t.empty.title}
      text={t.empty.text}
      action={
        isOwner && (
          <Button onClick={() => navigate(toHref('webhooks', null, { new: '1' }))}>{t.empty.first}</Button>
        )
      }
    >
      <p>{t.empty.listen}</p>
      <Code text={t.empty.command(listener?.state === 'on' ? listener.url : null)} what={t.empty.what} wrap />
    </Empty>
  )
}
