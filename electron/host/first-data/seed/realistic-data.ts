import type { Json } from '../../../../shared/json.ts'
import { passesLuhn } from '../../../../shared/luhn.ts'
import type { TokenType } from '../../../../shared/token-types.ts'
import { passesAba } from '../../../engine/banks/aba.ts'
import { person } from './people.ts'
import type { Random } from './random.ts'

/** Prefixes that payment processors publish for tests, with the length of the number. */
const cards = [
  ['424242', 16],
  ['400005', 16],
  ['555555', 16],
  ['520082', 16],
  ['378282', 15],
  ['601111', 16],
  ['356600', 16],
] as const

/** Data for a token of this type: valid in form and checksum, and belonging to nobody. */
export function realisticData(type: TokenType, random: Random): NonNullable<Json> {
  switch (type) {
    case 'token':
      return person(random)
    case 'card':
      return card(random)
    case 'card_number':
      return cardNumber(random)
    case 'bank':
      return { routing_number: routingNumber(random), account_number: accountNumber(random) }
    case 'us_bank_account_number':
      return accountNumber(random)
    case 'us_bank_routing_number':
      return routingNumber(random)
    case 'social_security_number':
      // Numbers from 900 up are never issued.
      return `9${random.digits(2)}-${random.digits(2)}-${random.digits(4)}`
    case 'employer_id_number':
      return `00-${random.digits(7)}`
  }
}

function card(random: Random): NonNullable<Json> {
  const number = cardNumber(random)
  return {
    number,
    expiration_month: 1 + random.below(12),
    expiration_year: 2035 + random.below(10),
    cvc: random.digits(number.length === 15 ? 4 : 3),
  }
}

function cardNumber(random: Random): string {
  const [prefix, length] = random.pick(cards)
  return withCheckDigit(prefix + random.digits(length - prefix.length - 1), passesLuhn)
}

/** A number from the Federal Reserve's range of routing numbers. */
function routingNumber(random: Random): string {
  const district = String(1 + random.below(12)).padStart(2, '0')
  return withCheckDigit(district + random.digits(6), passesAba)
}

function accountNumber(random: Random): string {
  return random.digits(8 + random.below(5))
}

function withCheckDigit(start: string, passes: (digits: string) => boolean): string {
  for (let last = 0; last < 9; last++) if (passes(start + last)) return start + last
  return `${start}9`
}
