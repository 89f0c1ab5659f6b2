/** Every token type (rule T-02). */
export const tokenTypes = [
  'token',
  'card',
  'card_number',
  'bank',
  'us_bank_account_number',
  'us_bank_routing_number',
  'social_security_number',
  'employer_id_number',
] as const

export type TokenType = (typeof tokenTypes)[number]

/** Whether the data of a type is a text, and nothing else (rule T-02). */
export function isTextType(type: string | undefined): boolean {
  return type !== undefined && isTokenType(type) && type !== 'token' && type !== 'card' && type !== 'bank'
}

/** Whether a string names a token type. */
export function isTokenType(value: string): value is TokenType {
  return tokenTypes.some((type) => type === value)
}
