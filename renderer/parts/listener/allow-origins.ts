import { host } from '../connection/vault.ts'
import { mergeOrigins } from './merge-origins.ts'

/** Lets pages of these origins call the listener. */
export async function allowOrigins(added: readonly string[]): Promise<void> {
  const { settings } = await host.status()
  const origins = mergeOrigins(settings.origins, added)
  if (origins) await host.updateSettings({ origins })
}
