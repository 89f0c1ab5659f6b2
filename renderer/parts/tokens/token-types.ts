import type { Json } from '../../../shared/json.ts'
import { isTokenType, type TokenType, typeLabels } from '../../../shared/token-types.ts'
import type { IconName } from '../../ui/icon.tsx'

type TokenTypeInfo = { readonly icon: IconName; readonly sample: Json }

/** The icon and the published test data of every token type. */
export const tokenTypes = {
  card: {
    icon: 'card',
    sample: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
  },
  card_number: { icon: 'card', sample: '5555555555554444' },
  network_token: {
    icon: 'card',
    sample: { number: '4895370012003478', expiration_month: 12, expiration_year: 2030 },
  },
  bank: { icon: 'bank', sample: { routing_number: '021000021', account_number: '00001' } },
  us_bank_account_number: { icon: 'bank', sample: '000123456789' },
  us_bank_routing_number: { icon: 'bank', sample: '110000000' },
  social_security_number: { icon: 'person', sample: '987-65-4320' },
  employer_id_number: { icon: 'hash', sample: '00-1234567' },
  token: { icon: 'token', sample: 'anything to be kept secret' },
} as const satisfies Record<TokenType, TokenTypeInfo>

export const typeNames = Object.keys(tokenTypes) as TokenType[]

export function getTypeIcon(type: string): IconName {
  return isTokenType(type) ? tokenTypes[type].icon : 'token'
}

export function getTypeName(type: string): string {
  return isTokenType(type) ? typeLabels[type].name : type
}

export function getTypeShortName(type: string): string {
  return isTokenType(type) ? typeLabels[type].short : type
}
