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
