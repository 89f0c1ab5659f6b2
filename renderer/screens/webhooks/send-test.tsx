import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { causeOf, eventTypes, isEventType } from '../../../shared/webhook-events.ts'
import { vault } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { go } from '../../parts/navigation/route.ts'
import { Icon } from '../../ui/icon.tsx'
import { deliveriesHref } from './deliveries-href.ts'
import { strings } from './strings.ts'

const t = strings.test

/** Sends a webhook a made-up event of a chosen type, then shows its delivery. */
export function SendTest({ webhook: { id, events } }: { webhook: Webhook }) {
  const [picked, pick] = useState<string | null>(null)
  const { act, problem, state } = useAct()
  const own = eventTypes.filter((type) => events.includes(type))
  const others = eventTypes.filter((type) => !events.includes(type))
  const type = picked ?? own.find((each) => causeOf(each) !== null) ?? own[0] ?? eventTypes[0] ?? ''
  const send = () =>
    act(async () => {
      if (!isEventType(type)) return
      const made = await vault.deliveries.sendTest({ webhook_id: id, type })
      toast(t.queued)
      go(deliveriesHref(id, { delivery: made.id }))
    })
  return (
    <div className="send-test">
      <Select
        aria-label={t.type}
        searchable
        allowDeselect={false}
        classNames={{ input: 'mono' }}
        data={[
          { group: t.own, items: own },
          { group: t.others, items: others },
        ]}
        value={type}
        onChange={pick}
      />
      <Button
        variant="default"
        leftSection={<Icon name="play" size={14} />}
        loading={state === 'running'}
        onClick={send}
      >
        {t.send}
      </Button>
      <Problem of={problem} />
    </div>
  )
}
