import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { loadWebhooks } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { InputConfirm } from '../../parts/forms/input-confirm.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'

const t = strings.remove

type Props = {
  readonly webhook: Webhook
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Asks before a webhook is deleted together with its pending deliveries. */
export function DeleteWebhook({ webhook: { id, name }, onDeleted, onClose }: Props) {
  return (
    <InputConfirm
      title={t.title}
      word={name}
      action={t.action}
      onConfirm={async () => {
        await vault.webhooks.remove({ id })
        await loadWebhooks()
        onDeleted()
        showToast(t.done(name))
      }}
      onClose={onClose}
    >
      {t.text}
    </InputConfirm>
  )
}
