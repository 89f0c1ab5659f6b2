import type { Context } from '../../pipeline/context.ts'

const LABEL = 'configuration'

/** Seals the configuration of a proxy or a reactor (rules G-01, F-01). */
export function sealConfiguration({ keyring }: Context, id: string, entries: Record<string, string>): Buffer {
  return keyring.sealValue(JSON.stringify(entries), id, LABEL)
}

/**
 * Opens the configuration of a proxy or a reactor. SECURITY: the result has no prototype, because callers choose the
 * names. Throws `damaged`.
 */
export function openConfiguration(
  { keyring }: Context,
  { id, configuration }: { readonly id: string; readonly configuration: Buffer },
): Record<string, string> {
  const entries = JSON.parse(keyring.openValue(configuration, id, LABEL)) as Record<string, string>
  return Object.assign(Object.create(null) as Record<string, string>, entries)
}
