import { isObject, type Json } from '../../../shared/json.ts'
import type { TokenType } from './types.ts'

/** Whether the data of a token holds a cvc that must go after the retention quota (T-15). */
export function hasCvc(type: TokenType, data: Json): boolean {
  return type === 'card' && isObject(data) && (data.cvc ?? null) !== null
}

/** The data of a card without its cvc (T-15); everything else stays as it was. */
export function withoutCvc(data: Json): Json {
  if (!isObject(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'cvc'))
}
