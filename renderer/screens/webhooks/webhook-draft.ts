import { newWebhook, type Webhook } from '../../../shared/schemas/webhook.ts'
import type { z } from '../../../shared/zod.ts'
import { validateInput } from '../../parts/forms/validate-input.ts'
import { strings } from './strings.ts'

export type WebhookDraft = {
  readonly name: string
  readonly url: string
  readonly notify_email: string
  readonly events: readonly string[]
}

/** The initial draft: empty, or a copy of a webhook. */
export function toWebhookDraft(webhook: Webhook | null): WebhookDraft {
  if (!webhook) return { name: '', url: '', notify_email: '', events: [] }
  const { name, url, notify_email = '', events } = webhook
  return { name, url, notify_email, events }
}

export function toWebhookInput({
  name,
  url,
  notify_email,
  events,
}: WebhookDraft): z.input<typeof newWebhook> {
  const email = notify_email.trim()
  return { name, url: url.trim(), events: [...events], ...(email !== '' && { notify_email: email }) }
}

/** Validates a draft with the schema that the vault uses for the request. */
export function validateWebhookDraft(draft: WebhookDraft): Record<string, string> {
  return {
    ...validateInput(newWebhook, toWebhookInput(draft)),
    ...(draft.url.trim() === '' && { url: strings.form.noAddress }),
    ...(draft.events.length === 0 && { events: strings.form.noEvents }),
  }
}
