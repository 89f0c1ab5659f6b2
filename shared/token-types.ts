/** Every token type (rule T-02). */
export const tokenTypes = [
  'token',
  'card',
  'card_number',
  'network_token',
  'bank',
  'us_bank_account_number',
  'us_bank_routing_number',
  'social_security_number',
  'employer_id_number',
] as const

export type TokenType = (typeof tokenTypes)[number]

/** The window's names of each type: in full, and for a narrow column. A search finds a type by either name. */
export const typeLabels: Readonly<Record<TokenType, { readonly name: string; readonly short: string }>> = {
  token: { name: 'Token', short: 'Token' },
  card: { name: 'Card', short: 'Card' },
  card_number: { name: 'Card number', short: 'Card number' },
  network_token: { name: 'Network token', short: 'Network token' },
  bank: { name: 'Bank account', short: 'Bank' },
  us_bank_account_number: { name: 'US account number', short: 'US account' },
  us_bank_routing_number: { name: 'US routing number', short: 'US routing' },
  social_security_number: { name: 'Social security number', short: 'SSN' },
  employer_id_number: { name: 'Employer ID number', short: 'EIN' },
}

/** Whether the data of a type is always a string (rule T-02). */
export function isTextType(type: string | undefined): boolean {
  return type !== undefined && isTokenType(type) && !['token', 'card', 'network_token', 'bank'].includes(type)
}

/** Whether a string names a token type. */
export function isTokenType(value: string): value is TokenType {
  return tokenTypes.some((type) => type === value)
}

/**
 * Finds the types that have a word beginning with `text`, in the type itself or in its names in the window. `bank`, `us
 * bank` and `US account` all find `us_bank_account_number`.
 */
export function findTypesByName(text: string): TokenType[] {
  const toWords = (each: string) => ` ${each.toLowerCase().replaceAll('_', ' ')}`
  return tokenTypes.filter((type) => {
    const { name, short } = typeLabels[type]
    return [type, name, short].some((each) => toWords(each).includes(toWords(text)))
  })
}
