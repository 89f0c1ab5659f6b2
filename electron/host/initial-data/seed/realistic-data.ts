import type { Json } from '../../../../shared/json.ts'
import { isLuhnValid } from '../../../../shared/luhn.ts'
import type { TokenType } from '../../../../shared/token-types.ts'
import { isAbaValid } from '../../../engine/index.ts'
import { createPerson } from './people.ts'
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

/** Creates data for a token of this type: valid in form and checksum, and not a real person's or bank's. */
export function createRealisticData(type: TokenType, random: Random): NonNullable<Json> {
  switch (type) {
    case 'token':
      return createPerson(random)
    case 'card':
      return createCard(random)
    case 'card_number':
      return createCardNumber(random)
    case 'bank':
      return { routing_number: createRoutingNumber(random), account_number: createAccountNumber(random) }
    case 'us_bank_account_number':
      return createAccountNumber(random)
    case 'us_bank_routing_number':
      return createRoutingNumber(random)
    case 'social_security_number':
      // Numbers from 900 up are never issued.
      return `9${random.nextDigits(2)}-${random.nextDigits(2)}-${random.nextDigits(4)}`
    case 'employer_id_number':
      return `00-${random.nextDigits(7)}`
  }
}

function createCard(random: Random): NonNullable<Json> {
  const number = createCardNumber(random)
  return {
    number,
    expiration_month: 1 + random.nextInt(12),
    expiration_year: 2035 + random.nextInt(10),
    cvc: random.nextDigits(number.length === 15 ? 4 : 3),
  }
}

function createCardNumber(random: Random): string {
  const [prefix, length] = random.pickOne(cards)
  return withCheckDigit(prefix + random.nextDigits(length - prefix.length - 1), isLuhnValid)
}

/** Creates a number from the Federal Reserve's range of routing numbers. */
function createRoutingNumber(random: Random): string {
  const district = String(1 + random.nextInt(12)).padStart(2, '0')
  return withCheckDigit(district + random.nextDigits(6), isAbaValid)
}

function createAccountNumber(random: Random): string {
  return random.nextDigits(8 + random.nextInt(5))
}

function withCheckDigit(start: string, isValid: (digits: string) => boolean): string {
  for (let last = 0; last < 9; last++) if (isValid(start + last)) return start + last
  return `${start}9`
}
