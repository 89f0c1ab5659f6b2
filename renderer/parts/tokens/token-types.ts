import type { Json } from '../../../shared/json.ts'
import { isTokenType, type TokenType } from '../../../shared/token-types.ts'
import type { IconName } from '../../ui/icon.tsx'

type Kind = {
  readonly name: string
  /** For a narrow column. */
  readonly short: string
  readonly icon: IconName
  readonly sample: Json
}

/** Every token type with its name, icon and published test data. */
export const tokenTypes = {
  card: {
    name: 'Card',
    short: 'Card',
    icon: 'card',
    sample: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
  },
  card_number: { name: 'Card number', short: 'Card number', icon: 'card', sample: '5555555555554444' },
  bank: {
    name: 'Bank account',
    short: 'Bank',
    icon: 'bank',
    sample: { routing_number: '021000021', account_number: '00001' },
  },
  us_bank_account_number: {
    name: 'US account number',
    short: 'US account',
    icon: 'bank',
    sample: '000123456789',
  },
  us_bank_routing_number: {
    name: 'US routing number',
    short: 'US routing',
    icon: 'bank',
    sample: '110000000',
  },
  social_security_number: {
    name: 'Social security number',
    short: 'SSN',
    icon: 'person',
    sample: '987-65-4320',
  },
  employer_id_number: { name: 'Employer ID number', short: 'EIN', icon: 'hash', sample: '00-1234567' },
  token: { name: 'Token', short: 'Token', icon: 'token', sample: 'anything to be kept secret' },
} as const satisfies Record<TokenType, Kind>

export const typeNames = Object.keys(tokenTypes) as TokenType[]

/** The icon of a type. */
export function iconOf(type: string): IconName {
  return isTokenType(type) ? tokenTypes[type].icon : 'token'
}

/** The display name of a type. */
export function nameOf(type: string): string {
  return isTokenType(type) ? tokenTypes[type].name : type
}

/** The display name of a type in a list. */
export function shortNameOf(type: string): string {
  return isTokenType(type) ? tokenTypes[type].short : type
}
