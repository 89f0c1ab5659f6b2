import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { loadWebhooks } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { createEdit } from '../../parts/forms/edit.ts'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import type { FormActions } from '../../parts/resource-screen/resource-list.tsx'
import formStyles from '../../ui/form.module.css'
import { Panel } from '../../ui/panel.tsx'
import { EventChoice } from './event-choice.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { strings } from './strings.ts'
import { toWebhookDraft, toWebhookInput, validateWebhookDraft } from './webhook-draft.ts'

const t = strings.form
const placed = ['name', 'url', 'notify_email', 'events']

type Props = FormActions & {
  /** The webhook to change; null for a new one. */
  readonly webhook: Webhook | null
}

function createWebhookEdit(webhook: Webhook) {
  const { id } = webhook
  return createEdit({
    before: toWebhookDraft(webhook),
    read: () => vault.webhooks.get({ id }),
    toDraft: toWebhookDraft,
    write: (draft) => vault.webhooks.update({ id, ...toWebhookInput(draft) }),
    labels: { name: t.name, url: t.url, notify_email: t.email, events: t.events },
  })
}

export function WebhookForm({ webhook, onClose, onSaved }: Props) {
  const [edit] = useState(() => webhook && createWebhookEdit(webhook))
  const form = useForm({
    initial: () => toWebhookDraft(webhook),
    getUnsavedInput: (draft) => draft,
    check: validateWebhookDraft,
    send: (draft) => edit?.save(draft) ?? vault.webhooks.create(toWebhookInput(draft)),
    async onDone({ id }) {
      await loadWebhooks()
      await onSaved(id)
      if (!edit) return showToast(t.created)
      showToast(t.saved, { undo: () => edit.undo().then(loadWebhooks) })
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
          disabled={webhook !== null && !form.isDirty}
        >
          {webhook ? t.save : t.make}
        </Button>
      }
    >
      <form id="webhook-form" className={formStyles.root} noValidate onSubmit={form.submit}>
        <NameInput label={t.name} required {...form.text('name')} />
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
        <FormProblem of={form.problem} placedFields={placed} />
      </form>
    </Panel>
  )
}
