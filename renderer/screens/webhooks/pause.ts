import type { Webhook } from '../../../shared/schemas/webhook.ts'
import { loadWebhooks } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { showToast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'
import { toWebhookDraft, toWebhookInput } from './webhook-draft.ts'

const t = strings.drawer

async function setStatus(webhook: Webhook, status: Webhook['status']): Promise<void> {
  await vault.webhooks.update({ id: webhook.id, ...toWebhookInput(toWebhookDraft(webhook)), status })
  await loadWebhooks()
}

export async function pauseOrEnable(webhook: Webhook): Promise<void> {
  const { name, status } = webhook
  const isPause = status === 'enabled'
  await setStatus(webhook, isPause ? 'disabled' : 'enabled')
  showToast(isPause ? t.isPaused(name) : t.isEnabled(name), { undo: () => setStatus(webhook, status) })
}
