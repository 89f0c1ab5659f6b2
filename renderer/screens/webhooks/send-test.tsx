import { Select } from '@mantine/core'
import { useState } from 'react'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { eventTypes, getEventCause, isEventType } from '../../../shared/webhook-events.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { getDeliveriesHref } from './deliveries-href.ts'
import { strings } from './strings.ts'
import styles from './webhooks.module.css'

const t = strings.test

/** Sends a test event of a chosen type to a webhook, then shows its delivery. */
export function SendTest({ webhook: { id, events } }: { webhook: Webhook }) {
  const [picked, pick] = useState<string | null>(null)
  const { runAction, problem, state } = useAction()
  const own = eventTypes.filter((type) => events.includes(type))
  const otherTypes = eventTypes.filter((type) => !events.includes(type))
  const type = picked ?? own.find((each) => getEventCause(each) !== null) ?? own[0] ?? eventTypes[0] ?? ''
  const sendTest = () =>
    runAction(async () => {
      if (!isEventType(type)) return
      const created = await vault.deliveries.sendTest({ webhook_id: id, type })
      showToast(t.queued)
      navigate(getDeliveriesHref(id, { delivery: created.id }))
    })
  return (
    <div className={styles.sendTest}>
      <Select
        aria-label={t.type}
        searchable
        classNames={{ input: 'mono' }}
        data={[
          { group: t.own, items: own },
          { group: t.others, items: otherTypes },
        ]}
        value={type}
        onChange={pick}
      />
      <ActionButton icon="play" label={t.send} loading={state === 'running'} onClick={sendTest} />
      <Problem of={problem} />
    </div>
  )
}
