import { isObject, type Json } from '../../../shared/json.ts'

/** The text to copy from a token's data: the card or account number, or all of the data. */
export function toCopiedText(data: Json | undefined): {
  readonly what: 'card' | 'account' | 'value'
  readonly text: string
} {
  if (isObject(data)) {
    const { number, account_number } = data
    if (typeof number === 'string') return { what: 'card', text: number }
    if (typeof account_number === 'string') return { what: 'account', text: account_number }
  }
  return { what: 'value', text: typeof data === 'string' ? data : JSON.stringify(data ?? null) }
}
