import './webhooks.css'
import { Button, SegmentedControl } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLooking, useMay } from '../../parts/access/looking.ts'
import { LookingRefused } from '../../parts/access/looking-refused.tsx'
import { useSession } from '../../parts/connection/session.ts'
import { sentenceOf } from '../../parts/messages/sentence.ts'
import { toast } from '../../parts/messages/toast.tsx'
import { go, leaveFor, useRoute } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { leaving } from '../../parts/navigation/unsaved.ts'
import { readWebhooks, useWebhooks } from '../../parts/webhooks/webhooks-store.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Grid, type GridHandle } from '../../ui/grid/grid.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Panel } from '../../ui/panel.tsx'
import { copyText } from '../../ui/text/clipboard.ts'
import { Code } from '../../ui/text/code.tsx'
import { NotLoaded } from '../../ui/waiting.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { Deliveries } from './deliveries.tsx'
import { followHealth, useHealth } from './health-store.ts'
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
      <div className="screen-head screen-head-line">
        <h1>{t.title}</h1>
        {isOwner && (
          <SegmentedControl
            className="tabs"
            aria-label={t.title}
            data={views.map((value) => ({ value, label: t.views[value] }))}
            value={view}
            onChange={(value) =>
              go(hrefOf('webhooks', null, { view: value === 'webhooks' ? undefined : value }))
            }
          />
        )}
        <div className="screen-head-space" />
        {isOwner && (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={create}>
            {t.create}
          </Button>
        )}
      </div>
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
  const { id, query } = useRoute()
  const { rows: webhooks, loaded, problem } = useWebhooks()
  const { health } = useHealth()
  const [activeId, setActive] = useState<string | null>(null)
  const [deleting, setDeleting] = useState(false)
  const grid = useRef<GridHandle>(null)

  const current = id ?? activeId
  const webhook = webhooks.find((each) => each.id === id)
  const form = isOwner && (query.new !== undefined || query.edit !== undefined)
  const edit = () => isOwner && current !== null && go(hrefOf('webhooks', current, { edit: '1' }))
  const remove = () => setDeleting(isOwner && webhook !== undefined)

  function show(index: number, open: boolean) {
    const row = webhooks[index]
    if (!row) return
    setActive(row.id)
    if (open) go(hrefOf('webhooks', row.id))
    else if (id !== null) go(hrefOf('webhooks', row.id), { replace: true })
  }
  function close() {
    setActive(id)
    go(hrefOf('webhooks'))
    grid.current?.focus()
  }
  /** Leaves a form for the drawer of a webhook or for the list, and returns the focus to the rows. */
  async function leaveForm(to: string | null) {
    await leaveFor(hrefOf('webhooks', to))
    grid.current?.focus()
  }
  const cancel = () => leaving(() => leaveForm(id))
  useKeys({ escape: form ? cancel : close }, id !== null || form)
  useKeys(
    {
      e: edit,
      c: async () => {
        if (current === null) return
        await copyText(current)
        toast(t.copied)
      },
      backspace: remove,
      delete: remove,
    },
    !form,
  )

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
            handle={grid}
            label={t.grid}
            columns={webhookColumns(isOwner ? health : null)}
            count={loaded ? webhooks.length : WAITING}
            row={(index) => webhooks[index]}
            keyOf={(row) => row.id}
            active={webhooks.findIndex((each) => each.id === current)}
            onActive={(index) => show(index, false)}
            onOpen={(index) => show(index, true)}
          />
        )}
        {form && (query.new !== undefined || webhook) ? (
          <WebhookForm
            key={query.new === undefined ? id : 'new'}
            webhook={query.new === undefined ? (webhook ?? null) : null}
            onClose={cancel}
            onSaved={leaveForm}
          />
        ) : webhook ? (
          <WebhookDrawer
            key={webhook.id}
            webhook={webhook}
            health={health.get(webhook.id)}
            onClose={close}
            onEdit={edit}
            onDelete={() => setDeleting(true)}
          />
        ) : (
          id !== null &&
          loaded && (
            <Panel label={t.drawer.label} title={t.drawer.label} onClose={close}>
              <div className="form">
                <Failure>{t.drawer.gone}</Failure>
              </div>
            </Panel>
          )
        )}
      </div>
      <div className="screen-foot">
        <span role="status">{loaded && t.count(webhooks.length)}</span>
        <span>{t.most}</span>
      </div>
      {deleting && webhook && (
        <DeleteWebhook webhook={webhook} onDeleted={close} onClose={() => setDeleting(false)} />
      )}
    </>
  )
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
