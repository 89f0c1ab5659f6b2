import type { WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { keepCurrent } from '../../parts/connection/change-subscription.ts'
import { createRequestGuard } from '../../parts/connection/request-guard.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

type WebhookHealthState = { readonly health: ReadonlyMap<string, WebhookHealth> }

/** The health of each webhook, by its id; only for the owner. */
export const useHealth = createVaultStore<WebhookHealthState>(() => ({ health: new Map() }))

const latestLoad = createRequestGuard()

async function loadHealth(): Promise<void> {
  const isCurrent = latestLoad.repeat()
  const { data } = await vault.webhooks.list({ size: 100 })
  // Skips webhooks that were deleted in the meantime.
  const results = await Promise.allSettled(data.map(({ id }) => vault.webhooks.getHealth({ id })))
  const known = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (isCurrent()) useHealth.setState({ health: new Map(known.map((each) => [each.id, each])) })
}

/** Reloads the health whenever webhooks or deliveries change. Returns a function that unsubscribes. */
export const followHealth = (): (() => void) => keepCurrent(loadHealth, ['webhook', 'delivery'])
