import { TextInput } from '@mantine/core'
import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { loadWebhooks } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { FormPanel } from '../../parts/forms/form-panel.tsx'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useResourceForm } from '../../parts/forms/use-resource-form.ts'
import type { FormActions } from '../../parts/resource-screen/resource-list.tsx'
import { MonoInput } from '../../ui/fields/mono-fields.tsx'
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

export function WebhookForm({ webhook, onClose, onSaved }: Props) {
  const form = useResourceForm({
    stored: webhook,
    client: vault.webhooks,
    toDraft: toWebhookDraft,
    toInput: toWebhookInput,
    check: validateWebhookDraft,
    strings: t,
    load: loadWebhooks,
    onSaved,
  })
  const { values: draft, errors, change } = form
  return (
    <FormPanel
      form={form}
      title={webhook ? t.edit : t.create}
      action={webhook ? t.save : t.make}
      isEdit={webhook !== null}
      placedFields={placed}
      onClose={onClose}
    >
      <NameInput label={t.name} required {...form.text('name')} />
      <div>
        <MonoInput
          label={t.url}
          description={t.urlHelp}
          placeholder="http://localhost:3000/hooks"
          required
          maxLength={2000}
          {...form.text('url')}
        />
        <NotAllowed url={draft.url.trim()} />
      </div>
      <TextInput label={t.notify_email} description={t.emailHelp} {...form.text('notify_email')} />
      <EventChoice chosen={draft.events} error={errors.events} onChange={(events) => change({ events })} />
    </FormPanel>
  )
}
