import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { vault } from '../../parts/connection/vault.ts'
import { editOf } from '../../parts/forms/edit.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { loadWebhooks } from '../../parts/webhooks/webhooks-store.ts'
import { Panel } from '../../ui/panel.tsx'
import { EventChoice } from './event-choice.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { strings } from './strings.ts'
import { draftOf, inputOf, problemsOf } from './webhook-draft.ts'

const t = strings.form
/** The members whose messages are shown beside their fields. */
const placed = ['name', 'url', 'notify_email', 'events']

type Props = {
  /** The webhook to change; null for a new one. */
  readonly webhook: Webhook | null
  readonly onClose: () => void
  readonly onSaved: (id: string) => Promise<void>
}

function beginEdit(webhook: Webhook) {
  const { id } = webhook
  return editOf({
    before: draftOf(webhook),
    read: () => vault.webhooks.get({ id }),
    draftOf,
    write: (draft) => vault.webhooks.update({ id, ...inputOf(draft) }),
    labels: { name: t.name, url: t.url, notify_email: t.email, events: t.events },
  })
}

/** Creates a webhook, or changes one. */
export function WebhookForm({ webhook, onClose, onSaved }: Props) {
  const [edit] = useState(() => webhook && beginEdit(webhook))
  const form = useForm({
    initial: () => draftOf(webhook),
    typed: (draft) => draft,
    check: problemsOf,
    send: (draft) => edit?.save(draft) ?? vault.webhooks.create(inputOf(draft)),
    async done({ id }) {
      await loadWebhooks()
      await onSaved(id)
      if (!edit) return toast(t.made)
      toast(t.saved, { undo: () => edit.undo().then(loadWebhooks) })
    },
  })
  const { values: draft, errors, change } = form
  const title = webhook ? t.edit : t.create
  return (
    <Panel
      label={title}
      title={title}
      wide
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form="webhook-form"
          loading={form.state === 'running'}
          disabled={webhook !== null && !form.isTyped}
        >
          {webhook ? t.save : t.make}
        </Button>
      }
    >
      <form id="webhook-form" className="form" noValidate onSubmit={form.submit}>
        <TextInput
          label={t.name}
          required
          value={draft.name}
          error={errors.name}
          onChange={(event) => change({ name: cut(event.currentTarget.value, 200)[0] })}
        />
        <div>
          <TextInput
            label={t.url}
            description={t.urlHelp}
            placeholder="http://localhost:3000/hooks"
            required
            spellCheck={false}
            maxLength={2000}
            classNames={{ input: 'mono' }}
            {...form.text('url')}
          />
          <NotAllowed url={draft.url.trim()} />
        </div>
        <TextInput label={t.email} description={t.emailHelp} {...form.text('notify_email')} />
        <EventChoice chosen={draft.events} error={errors.events} onChange={(events) => change({ events })} />
        <FormProblem of={form.problem} besides={placed} />
      </form>
    </Panel>
  )
}
