import { host } from '../connection/vault.ts'

/** Adds origins to the allowed ones. Null if all of them are allowed already. */
export function mergeOrigins(allowed: readonly string[], added: readonly string[]): string[] | null {
  const all = new Set([...allowed, ...added])
  return all.size > new Set(allowed).size ? [...all] : null
}

/** Lets pages of these origins call the listener. */
export async function allowOrigins(added: readonly string[]): Promise<void> {
  const { settings } = await host.status()
  const origins = mergeOrigins(settings.origins, added)
  if (origins) await host.updateSettings({ origins })
}
