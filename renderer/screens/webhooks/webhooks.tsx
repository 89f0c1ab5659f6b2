import './webhooks.css'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { useSession } from '../../parts/connection/session.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { PanelBoundary } from '../../parts/navigation/panel-boundary.tsx'
import { go, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { ScreenHead } from '../../parts/navigation/screen-head.tsx'
import { useRows } from '../../parts/navigation/use-rows.ts'
import { readWebhooks, useWebhooks } from '../../parts/webhooks/webhooks-store.ts'
import { Empty } from '../../ui/empty.tsx'
import { GonePanel } from '../../ui/gone-panel.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Code } from '../../ui/text/code.tsx'
import { NotLoaded } from '../../ui/waiting.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { Deliveries } from './deliveries.tsx'
import { followHealth, useHealth } from './health-store.ts'
import { pauseOrEnable } from './pause.ts'
import { SigningKeys } from './signing-key.tsx'
import { strings } from './strings.ts'
import { webhookColumns } from './webhook-columns.tsx'
import { WebhookDrawer } from './webhook-drawer.tsx'
import { WebhookForm } from './webhook-form.tsx'

const t = strings
/** The number of placeholder rows while loading. */
const WAITING = 3
const views = ['webhooks', 'key'] as const

/** Webhooks, their deliveries, and the key that signs them. */
export function Webhooks() {
  const { id, query } = useRoute()
  const isOwner = useLooking(({ as }) => as === null)
  const mayRead = useMay('webhooks:read', 'webhook:read')
  const { rows } = useWebhooks()
  const { health } = useHealth()
  const view = isOwner && query.view === 'key' ? 'key' : 'webhooks'
  const webhook = rows.find((each) => each.id === id)
  const create = () => isOwner && go(hrefOf('webhooks', null, { new: '1' }))
  useEffect(() => (isOwner ? followHealth() : undefined), [isOwner])
  useKeys({ 'mod+n': create, n: create })
  return (
    <>
      <ScreenHead
        screen="webhooks"
        title={t.title}
        views={views}
        labels={t.views}
        view={view}
        isOwner={isOwner}
        create={t.create}
        onCreate={create}
      />
      {!mayRead ? (
        <LookingRefused permission="webhooks:read" />
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
    ownActions: (_, row) => (isOwner && row ? [pausing(row)] : []),
  })
  const { id, open: webhook, form, close, edit, setDeleting } = list
  const asked = webhooks.find((each) => each.id === list.deleting)

  return (
    <>
      <div className="split">
        {problem !== null && !loaded ? (
          <div className="list-failure">
            <NotLoaded why={sentenceOf(problem)} onRetry={readWebhooks} />
          </div>
        ) : loaded && webhooks.length === 0 ? (
          <NoWebhooks isOwner={isOwner} />
        ) : (
          <Grid
            {...list.shown}
            label={t.grid}
            columns={webhookColumns(isOwner ? health : null)}
            count={loaded ? webhooks.length : WAITING}
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
            id !== null && loaded && <GonePanel label={t.drawer.label} text={t.drawer.gone} onClose={close} />
          )}
        </PanelBoundary>
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(webhooks.length)}</span>
        <span>{t.most}</span>
      </div>
      {asked && <DeleteWebhook webhook={asked} onDeleted={close} onClose={() => setDeleting(null)} />}
    </>
  )
}

/** Pauses a webhook, or enables it again. */
function pausing(webhook: Webhook): GridAction {
  const isEnabled = webhook.status === 'enabled'
  return {
    label: isEnabled ? t.drawer.pause : t.drawer.enable,
    icon: isEnabled ? 'pause' : 'play',
    run: () => pauseOrEnable(webhook).catch(toastFailure),
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
        isOwner && <Button onClick={() => go(hrefOf('webhooks', null, { new: '1' }))}>{t.empty.first}</Button>
      }
    >
      <p>{t.empty.listen}</p>
      <Code text={t.empty.command(listener?.state === 'on' ? listener.url : null)} what={t.empty.what} wrap />
    </Empty>
  )
}
