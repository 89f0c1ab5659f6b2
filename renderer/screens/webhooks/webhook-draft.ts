import { newWebhook, type Webhook } from '../../../shared/schemas/webhook.ts'
import { validationError } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { fieldErrorsOf } from '../../parts/messages/sentence.ts'
import { strings } from './strings.ts'

export type WebhookDraft = {
  readonly name: string
  readonly url: string
  readonly notify_email: string
  readonly events: readonly string[]
}

/** The draft to start with: an empty one, or a webhook as it is. */
export function draftOf(webhook: Webhook | null): WebhookDraft {
  if (!webhook) return { name: '', url: '', notify_email: '', events: [] }
  const { name, url, notify_email = '', events } = webhook
  return { name, url, notify_email, events }
}

/** What is sent to the vault. */
export function inputOf({ name, url, notify_email, events }: WebhookDraft): z.input<typeof newWebhook> {
  const email = notify_email.trim()
  return { name, url: url.trim(), events: [...events], ...(email !== '' && { notify_email: email }) }
}

/** What is wrong with a draft, by the schema that the vault applies too. */
export function problemsOf(draft: WebhookDraft): Record<string, string> {
  const result = newWebhook.safeParse(inputOf(draft))
  return {
    ...(result.success ? {} : fieldErrorsOf(validationError(result.error))),
    ...(draft.url.trim() === '' && { url: strings.form.noAddress }),
    ...(draft.events.length === 0 && { events: strings.form.noEvents }),
  }
}
