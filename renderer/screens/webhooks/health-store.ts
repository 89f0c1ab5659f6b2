import type { WebhookHealth } from '../../../shared/schemas/webhook.ts'
import { keepCurrent } from '../../parts/connection/follow.ts'
import { latest } from '../../parts/connection/latest.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { vault } from '../../parts/connection/vault.ts'

type Known = { readonly health: ReadonlyMap<string, WebhookHealth> }

/** How each webhook fares, by its id; for the owner. */
export const useHealth = vaultStore<Known>(() => ({ health: new Map() }))

const readings = latest()

async function loadHealth(): Promise<void> {
  const isWanted = readings.again()
  const { data } = await vault.webhooks.list({ size: 100 })
  // One that is deleted meanwhile is left out.
  const found = await Promise.allSettled(data.map(({ id }) => vault.webhooks.getHealth({ id })))
  const known = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (isWanted()) useHealth.setState({ health: new Map(known.map((each) => [each.id, each])) })
}

/** Keeps the health of webhooks current; returns a function that stops it. */
export const followHealth = (): (() => void) => keepCurrent(loadHealth, ['webhook', 'delivery'])
