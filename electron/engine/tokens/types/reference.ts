import { containersOf, type TokenRow } from '../store.ts'

/** What the log keeps of a token that is gone (rule T-11): never data. */
export function reference(row: TokenRow): string {
  return `${row.type} in ${containersOf(row).join(' ')}`
}
