import { confirmName } from './confirm-name.ts'

/**
 * Asks the owner to confirm, with `--confirm` or by typing, that plaintext leaves the vault. Throws `forbidden`
 * otherwise.
 */
export function confirmClear(vault: string, confirm: string | undefined, warning: string): Promise<void> {
  const unasked = `Plaintext leaves the vault only when its owner confirms it. Add --confirm ${vault}`
  return confirmName(vault, confirm, { warning, unasked })
}
